"""A local server and its clients: death of either side, slow readers, cut, oversized and foreign frames."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.process.connection import Connection, connect
from core.process.endpoint import Claim, Endpoint, claim, holder
from core.process.frames import VERSION, BadFrame, Frame, FrameReader, encode
from core.process.server import Client, Ending, Limits, Server
from tests.core.embedding.service.support import PATIENCE, hear, place_in, raw, short_folder, until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Unix sockets")
MOST = 1000, 1 << 20
ROOT = Path(__file__).parents[3]


class Echo:
    """A server in a thread: it says what it heard, and `size` bytes where it is asked for them."""

    def __init__(self, place: Endpoint, limits: Limits) -> None:
        own = claim(place)
        assert own is not None
        self.place, self.clients, self.ready = place, list[Client](), threading.Event()
        self.go_on, self.ended = threading.Event(), list[Ending]()
        self.cut_off = threading.Event()
        self.server = Server(own, self.answer, limits, refuse=_refuse, most=MOST)
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self) -> None:
        self.ended.append(self.server.run("", self.ready.set))

    def answer(self, frame: Frame, client: Client) -> None:
        self.clients.append(client)
        if frame.header.get("wait"):
            assert self.go_on.wait(PATIENCE)
        if frame.header.get("stop"):
            self.server.finish("stopped")
        try:
            client.send(encode(Frame(frame.header, frame.body or bytes(int(str(frame.header.get("size", 0)))))))
        except TimeoutError:
            self.cut_off.set()
            raise


def _refuse(error: BadFrame | None) -> Frame:
    return Frame({"no": "too many" if error is None else str(error)})


@pytest.fixture
def place() -> Iterator[Endpoint]:
    with short_folder() as folder:
        yield place_in(folder)


@contextmanager
def echo(place: Endpoint, limits: Limits | None = None) -> Iterator[Echo]:
    made = Echo(place, limits or Limits())
    made.thread.start()
    assert made.ready.wait(PATIENCE)
    try:
        yield made
        assert made.ended or says(place, {"still": "here"})
    finally:
        made.go_on.set()
        made.server.finish("stopped")
        made.thread.join(PATIENCE)
        assert not made.thread.is_alive(), "the server hangs"


def says(place: Endpoint, header: dict[str, object]) -> bool:
    with raw(place) as line:
        line.sendall(encode(Frame(header)))
        return hear(line) == Frame(header)


def prefix(version: int, header: int, body: int) -> bytes:
    return struct.pack("<3sBII", b"cbm", version, header, body)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (prefix(VERSION + 1, 2, 0), f"uses protocol version {VERSION + 1}, not {VERSION}"),
        (prefix(VERSION - 1, 2, 0), f"uses protocol version {VERSION - 1}, not {VERSION}"),
        (prefix(VERSION, MOST[0] + 1, 0), "too large"),
        (prefix(VERSION, 2, MOST[1] + 1), "too large"),
        (prefix(VERSION, 0xFFFFFFFF, 0xFFFFFFFF), "too large"),
        (prefix(VERSION, 3, 0) + b"{}}", "not JSON"),
        (prefix(VERSION, 2, 0) + b"[]", "not a JSON object"),
        (b"G", "not the protocol"),
    ],
    ids=["newer", "older", "header", "body", "both", "json", "array", "http"],
)
def test_a_frame_that_is_none_is_refused_and_ends_its_own_connection(place: Endpoint, sent: bytes, said: str) -> None:
    with echo(place), raw(place) as line:
        line.sendall(sent)
        answer = hear(line)
        assert answer is not None
        assert said in str(answer.header["no"])
        assert hear(line) is None


def test_a_client_that_dies_at_any_byte_of_its_frame_harms_nobody(place: Endpoint) -> None:
    whole = encode(Frame({"size": 3}, b"body"))
    with echo(place) as running:
        for size in range(len(whole)):
            with raw(place) as line:
                line.sendall(whole[:size])
        assert says(place, {"a": 1})
        assert len(running.clients) == 1, "half a request is none"


def test_frames_that_come_at_once_are_answered_in_order(place: Endpoint) -> None:
    with echo(place), raw(place) as line:
        line.sendall(b"".join(encode(Frame({"n": n})) for n in range(50)))
        frames, got = FrameReader(), list[Frame]()
        while len(got) < 50:
            data = line.recv(1 << 16)
            assert data, "it hung up"
            got += frames.feed(data)
        assert [frame.header["n"] for frame in got] == list(range(50))


def test_a_reader_that_reads_nothing_is_cut_off(place: Endpoint) -> None:
    with echo(place, Limits(slow=0.3)) as running, raw(place) as deaf:
        deaf.sendall(encode(Frame({"size": MOST[1]})))
        assert running.cut_off.wait(PATIENCE)


def test_drops_of_a_frame_buy_no_time_and_a_quiet_connection_is_closed(place: Endpoint) -> None:
    with echo(place, Limits(slow=0.3, quiet=0.5)):
        with raw(place) as slow:
            pause = threading.Event()
            with pytest.raises(OSError):
                for byte in encode(Frame({"x": "x" * 900})) * 20:
                    slow.sendall(bytes([byte]))
                    pause.wait(0.02)
        with raw(place) as quiet:
            assert hear(quiet) is None


def test_one_client_too_many_is_told_so_and_one_who_left_makes_room_at_once(place: Endpoint) -> None:
    with echo(place, Limits(clients=2)) as running:
        held = [raw(place), raw(place)]
        for line in held:
            line.sendall(encode(Frame({"n": 1})))
            assert hear(line)
        with raw(place) as third:
            assert hear(third) == Frame({"no": "too many"})
        for line in held:
            line.close()
        assert says(place, {"n": 2})
        assert len(running.clients) == 3


def test_whether_a_client_still_waits_is_seen_while_it_is_worked_for(place: Endpoint) -> None:
    with echo(place) as running:
        with raw(place) as line:
            line.sendall(encode(Frame({"wait": True})))
            until(lambda: running.clients)
            assert not running.clients[0].is_gone()
        assert running.clients[0].is_gone()
        running.go_on.set()


def test_a_request_at_work_has_its_grace_and_no_more(place: Endpoint) -> None:
    with echo(place, Limits(grace=PATIENCE)) as running, raw(place) as line:
        line.sendall(encode(Frame({"wait": True})))
        until(lambda: running.clients)
        running.server.finish("stopped")
        until(lambda: not place.entrance.exists())
        running.go_on.set()
        assert hear(line) == Frame({"wait": True})
        running.thread.join(PATIENCE)
        assert running.ended == ["stopped"]


def test_without_grace_the_end_waits_for_nobody_and_the_place_is_free_at_once(place: Endpoint) -> None:
    with echo(place) as running, raw(place) as working, raw(place) as idle:
        working.sendall(encode(Frame({"wait": True})))
        until(lambda: running.clients)
        running.server.finish("stopped")
        assert hear(working) is None
        again = claim(place)
        assert again is not None
        again.leave()
        assert hear(idle) is None
        running.thread.join(PATIENCE)


def test_a_client_that_hears_of_the_end_finds_the_place_free(place: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    leave = Claim.leave

    def late(own: Claim) -> None:
        threading.Event().wait(0.2)
        leave(own)

    monkeypatch.setattr(Claim, "leave", late)
    with echo(place) as made, raw(place) as line:
        line.sendall(encode(Frame({"stop": 1})))
        assert hear(line) == Frame({"stop": 1})
        assert line.recv(1) == b""
        assert not place.entrance.exists()
        made.thread.join(PATIENCE)


@pytest.mark.parametrize(("limits", "why"), [(Limits(idle=0.1), "idle"), (Limits(look=0.02), "lost")])
def test_it_ends_when_nobody_asks_or_nobody_could(place: Endpoint, limits: Limits, why: str) -> None:
    with echo(place, limits) as running:
        if why == "lost":
            place.entrance.unlink()
        running.thread.join(PATIENCE)
        assert running.ended == [why]


_SERVE = """
import os, signal, sys
from pathlib import Path
from core.process.endpoint import claim
from core.process.endpoint import Endpoint
from core.process.frames import Frame, encode
from core.process.server import Limits, Server

def answer(frame, client):
    whole = encode(Frame({"answer": 1}, b"body"))
    cut = int(sys.argv[2])
    client.send(whole[:cut])
    if cut < len(whole):
        os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
server = Server(claim(Endpoint(folder, "model", folder / "model.sock")), answer, Limits(), most=(1000, 1000))
print(server.run("", lambda: print("ready", flush=True)))
"""


@contextmanager
def process(place: Endpoint, cut: int) -> Iterator[subprocess.Popen[str]]:
    """A server that is killed after so many bytes of its answer."""
    argv = [sys.executable, "-c", _SERVE, str(place.folder), str(cut)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as made:
        try:
            assert made.stdout is not None
            assert made.stdout.readline() == "ready\n"
            yield made
        finally:
            made.kill()


def talk(place: Endpoint, clock: Callable[[], float]) -> Frame | None:
    line = Connection(connect(str(place.socket), PATIENCE, clock), clock=clock)
    try:
        line.send(encode(Frame({"ask": 1})), PATIENCE)
        return line.receive(PATIENCE)
    except ConnectionResetError:
        return None
    finally:
        line.close()


@pytest.mark.parametrize("cut", [0, 1, 11, 12, 20])
def test_a_server_killed_after_so_many_bytes_gives_no_answer_and_makes_room(place: Endpoint, cut: int) -> None:
    with process(place, cut) as server:
        assert talk(place, lambda: 0.0) is None
        assert server.wait(PATIENCE) == -signal.SIGKILL
    with pytest.raises(ConnectionRefusedError):
        connect(str(place.socket), PATIENCE, lambda: 0.0)
    with echo(place):
        assert holder(place) == os.getpid()


def test_a_signal_ends_it_well(place: Endpoint) -> None:
    with process(place, 1000) as server:
        assert talk(place, lambda: 0.0) == Frame({"answer": 1}, b"body")
        server.terminate()
        assert server.stdout is not None
        assert server.stdout.read() == "signal\n"
        assert server.wait(PATIENCE) == 0
    assert not place.entrance.exists()


def test_a_client_waits_no_longer_than_it_may(place: Endpoint) -> None:
    one, other = socket.socketpair()
    with one, other:
        times = iter([0.0, 0.5, 1.0])
        line = Connection(one, clock=lambda: next(times))
        whole = encode(Frame({"late": 1}))
        other.sendall(whole[:5])
        with pytest.raises(TimeoutError):  # at the third look the time is up, whatever has come
            other.sendall(whole[5:8])
            line.receive(0.5)
        assert line.surplus
