"""A real model service in a thread, with a small deterministic model (a double), and servers that behave badly."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.base.fault import Fault
from core.embedding.index.vectors import pack
from core.embedding.runtime.embedder import Embedder, Kind, Vector
from core.embedding.service.client import Served, connect
from core.embedding.service.protocol import Embed, Hello, State, request_frame, state_frame
from core.embedding.service.service import Ended, Offer, serve
from core.process.endpoint import Endpoint, make_private
from core.process.frames import Frame, FrameReader, encode
from core.process.server import Limits

PATIENCE = 120.0
"""Seconds after which a test is taken to hang: never what it measures."""
LONG = PATIENCE * 1000
"""The same as a deadline of a client, in milliseconds."""


class Double:
    """Each text has one vector made from its own letters and kind, or one a line; blank texts are refused."""

    id, version, recipe, dim = "double", "1", "letters", 8

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.open = threading.Event()
        self.open.set()
        self.closed = False

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        self.calls.append(tuple(texts))
        assert self.open.wait(PATIENCE)
        if any(text == "break" for text in texts):
            raise ZeroDivisionError("as models do")
        if not all(text.strip() for text in texts):
            raise Fault("invalid_input", "a blank text cannot be embedded", "pass text that is not blank")
        return [tuple(vector_of(line, kind) for line in text.split("\n")) for text in texts]

    def close(self) -> None:
        self.closed = True


def vector_of(text: str, kind: Kind) -> Vector:
    """What the double makes of one line."""
    digest = hashlib.sha256(f"{kind}:{text}".encode("utf-8", "surrogatepass")).digest()
    return pack([byte - 127.5 for byte in digest[: Double.dim]])


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket; pytest's own are not always."""
    folder = Path(tempfile.mkdtemp(prefix="cb-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def place_in(folder: Path, *, loopback: bool = False) -> Endpoint:
    """A place of its own."""
    return Endpoint(folder / "run", "model", None if loopback else folder / "run" / "model.sock")


class Running:
    """A service in a thread of this process."""

    def __init__(self, place: Endpoint, load: Callable[[], Embedder], limits: Limits, load_s: float = 600) -> None:
        self.place, self.ended, self.failed = place, list[Ended](), list[Exception]()
        self.said: list[str] = []
        self._ready, self._load_s = threading.Event(), load_s
        self._offer, self._limits, self._load = Offer("double", "1", load), limits, load
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            found = serve(
                self.place, self._offer, limits=self._limits, say=self._say, ready=self._ready.set, load_s=self._load_s
            )
            self.ended.append(found)
        except Exception as error:  # noqa: BLE001 looked at by the test
            self.failed.append(error)
        finally:
            self._ready.set()

    def _say(self, level: str, event: str, /, **facts: object) -> None:
        self.said.append(event)

    def begin(self) -> Running:
        self.thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def wait(self) -> Ended:
        """How it ended, once it has."""
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the service hangs"
        if self.failed:
            raise self.failed[0]
        return self.ended[0]


@contextlib.contextmanager
def running(place: Endpoint, model: Double | None = None, limits: Limits | None = None) -> Iterator[Running]:
    """A service with its model loaded, ended when left."""
    from core.embedding.service.client import connect, stop

    double = model or Double()
    service = Running(place, lambda: double, limits or Limits()).begin()
    until(lambda: not hasattr(connect("double", place=place, deadline_ms=PATIENCE * 1000), "reason"))
    try:
        yield service
    finally:
        double.open.set()
        stop(place, PATIENCE * 1000)
        service.thread.join(PATIENCE)
        assert not service.thread.is_alive(), "the service hangs"


def until(true: Callable[[], object]) -> None:
    """Wait for something to become true; fail where it never does."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / 0.02)):
        if true():
            return
        pause.wait(0.02)
    raise AssertionError("it never came true")


Talk = Callable[[socket.socket], None]


@contextlib.contextmanager
def impostor(place: Endpoint, talk: Talk) -> Iterator[list[bytes]]:
    """Something else listens at the place: `talk` is given each connection. Yields what was heard first on each."""
    make_private(place.folder)
    heard: list[bytes] = []
    stopped = threading.Event()
    assert place.socket is not None
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place.socket))
        listener.listen()
        listener.settimeout(0.05)

        def one(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):
                connection.settimeout(PATIENCE)
                heard.append(connection.recv(1 << 16))
                talk(connection)
                stopped.wait(PATIENCE)

        def accept() -> None:
            while not stopped.is_set():
                with contextlib.suppress(TimeoutError):
                    threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield heard
        finally:
            stopped.set()
            thread.join(PATIENCE)


READY = State("double", "1", "letters", Double.dim, False, 1, 0, 600)


def greet(connection: socket.socket, state: State = READY) -> None:
    """Answer as a service does."""
    connection.sendall(encode(state_frame(state)))


def raw(place: Endpoint) -> socket.socket:
    """A bare connection to the service."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(str(place.socket))
    return connection


def hear(connection: socket.socket) -> Frame | None:
    """The next frame, or None where the other side hangs up."""
    frames = FrameReader()
    while True:
        try:
            data = connection.recv(1 << 16)
        except ConnectionResetError:
            return None
        if not data:
            return None
        if found := frames.feed(data):
            return found[0]


def hello(connection: socket.socket) -> Frame | None:
    """Greet the service over a bare connection."""
    connection.sendall(encode(request_frame(Hello())))
    return hear(connection)


def served(place: Endpoint) -> Served:
    """A client of the double that runs there."""
    found = connect("double", place=place, deadline_ms=LONG)
    assert isinstance(found, Served), found
    return found


def ask(*texts: str) -> bytes:
    """A request for vectors of the double, as bytes."""
    return encode(request_frame(Embed("double", "1", "letters", "document", texts)))


def hello_elsewhere(place: Endpoint) -> bool:
    """Whether the service answers over another connection."""
    with raw(place) as other:
        return hello(other) is not None
