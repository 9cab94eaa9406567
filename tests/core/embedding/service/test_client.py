"""The client before services that hang, dribble, lie, die or were never there: its deadline is all they can take."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.base.fault import Fault
from core.embedding.service.client import (
    PART_CHARS,
    PART_TEXTS,
    Served,
    Unserved,
    connect,
    look,
    model_service,
    open_line,
    stop,
    worth_starting,
)
from core.embedding.service.protocol import MAX_CHARS, State, bye_frame, fault_frame, slices, state_frame, vectors_frame
from core.process.endpoint import Endpoint, make_private
from core.process.frames import Frame, encode
from tests.core.embedding.service.support import (
    PATIENCE,
    READY,
    greet,
    impostor,
    place_in,
    running,
    short_folder,
    vector_of,
)

ROOT = Path(__file__).parents[4]
LONG = PATIENCE * 1000


@pytest.fixture
def place() -> Iterator[Endpoint]:
    with short_folder() as folder:
        yield place_in(folder)


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """What hangs here would hang for PATIENCE; half of it is a hundred deadlines."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < PATIENCE / 2


def dribble(connection: socket.socket) -> None:
    """A right answer, a byte at a time."""
    pause = threading.Event()
    for byte in encode(state_frame(READY)):
        connection.sendall(bytes([byte]))
        pause.wait(0.02)


def hang(connection: socket.socket) -> None:
    """Nothing at all."""


def die(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"cbm" + os.urandom(4000))


def sends(data: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(data)


@pytest.mark.parametrize("talk", [hang, dribble], ids=["hangs", "dribbles"])
def test_a_service_that_does_not_answer_costs_the_deadline(place: Endpoint, talk: Callable[..., None]) -> None:
    with impostor(place, talk):
        assert connect("double", place=place, deadline_ms=150) == Unserved(
            "timeout", "the model service does not respond"
        )


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        (die, "closed"),
        (flood, "invalid reply"),
        (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "not the protocol"),
        (sends(struct.pack("<3sBII", b"cbm", 1, 0xFFFFFFFF, 0xFFFFFFFF)), "too large"),
        (sends(struct.pack("<3sBII", b"cbm", 2, 2, 0) + b"{}"), "version 2"),
        (sends(encode(bye_frame())), "unexpected message"),
        (sends(encode(state_frame(READY)) * 2), "more data than requested"),
        (sends(encode(Frame({**state_frame(READY).header, "dim": -1}))), "dim"),
        (sends(encode(Frame({**state_frame(READY).header, "id": "x" * 5000}))), "id is not a short string"),
        (sends(encode(fault_frame(Fault("generic", "the model service is busy")))), "busy"),
    ],
    ids=["dies", "floods", "http", "huge", "version", "other", "two", "dim", "long", "fault"],
)
def test_whatever_answers_wrongly_is_named_and_not_believed(
    place: Endpoint, talk: Callable[..., None], said: str
) -> None:
    with impostor(place, talk):
        found = connect("double", place=place, deadline_ms=LONG)
    assert isinstance(found, Unserved)
    assert found.outcome == "failed"
    assert said in found.reason


def then(answer: bytes) -> Callable[[socket.socket], None]:
    """Greet as a service does, then answer a question like this."""

    def talk(connection: socket.socket) -> None:
        greet(connection)
        connection.recv(1 << 16)
        connection.sendall(answer)

    return talk


GOOD = vectors_frame([(vector_of("x", "query"),)])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Frame(GOOD.header, struct.pack("<8f", float("nan"), *range(7))), "not a number"),
        (Frame(GOOD.header, struct.pack("<8f", *[0.0] * 8)), "norm is 0"),
        (Frame(GOOD.header, GOOD.body[:-4]), "28 bytes"),
        (Frame({**GOOD.header, "counts": [1, 1]}, GOOD.body), "wrong number of texts"),
        (state_frame(READY), "unexpected message"),
    ],
    ids=["nan", "zero", "short", "counts", "state"],
)
def test_a_vector_that_is_none_never_gets_through(place: Endpoint, answer: Frame, said: str) -> None:
    with impostor(place, then(encode(answer))):
        client = connect("double", place=place, deadline_ms=LONG)
        assert isinstance(client, Served)
        with pytest.raises(Fault, match=said) as raised:
            client.embed(["x"], "query")
        assert raised.value.code == "model_unreachable"
        with pytest.raises(Fault):  # closed: nothing that comes later is taken for an answer
            client.embed(["x"], "query")


def test_a_service_that_hangs_at_the_question_costs_the_deadline(place: Endpoint) -> None:
    with impostor(place, greet):
        client = connect("double", place=place, deadline_ms=300)
        assert isinstance(client, Served)
        with pytest.raises(Fault, match="300 ms") as raised:
            client.embed(["x"], "query")
        assert raised.value.code == "timeout"


@dataclass
class Hand:
    """A clock that a test moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_connecting_and_the_first_answer_share_one_deadline(place: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Hand()
    spent = 20

    def talk(connection: socket.socket) -> None:
        clock.now += spent
        greet(connection)
        for cost in (5, 20, 31):
            connection.recv(1 << 16)
            clock.now += cost
            connection.sendall(encode(GOOD))

    with impostor(place, talk):
        client = connect("double", place=place, deadline_ms=30_000, clock=clock)
        assert isinstance(client, Served)
        assert client.embed(["x"], "query") == [(vector_of("x", "query"),)]  # 25 of 30 s
        assert client.embed(["x"], "query")  # 20 of 30 s

    def slowly(*given: Any) -> Any:
        """All of the deadline has gone by as the greeting is read: not before, or there would be no client."""
        line = open_line(*given)
        clock.now += 20
        return line

    spent = 0
    monkeypatch.setattr("core.embedding.service.client.open_line", slowly)
    with impostor(replace(place, socket=place.folder / "b.sock"), talk) as heard:
        client = connect(
            "double", place=replace(place, socket=place.folder / "b.sock"), deadline_ms=19_000, clock=clock
        )
        assert isinstance(client, Served)
        with pytest.raises(Fault) as raised:  # nothing left: it is not even asked
            client.embed(["x"], "query")
        assert raised.value.code == "timeout"
        assert len(heard) == 1


def test_where_nothing_runs_one_look_is_all(place: Endpoint) -> None:
    none = Unserved("skipped", "no model service is running")
    assert connect("double", place=place) == none
    assert look(place) == none
    assert stop(place) == none
    make_private(place.folder)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(place.socket))  # bound, and nobody listens: what a killed service leaves
        assert connect("double", place=place) == none
    assert not list(place.folder.glob("*.note"))


def test_a_service_that_takes_nobody_in_any_more_costs_the_deadline_at_most(place: Endpoint) -> None:
    """Stopped or stuck, with those who came before still waiting at its door."""
    make_private(place.folder)
    waiting: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as stuck:
        stuck.bind(str(place.socket))
        stuck.listen(0)
        try:
            with contextlib.suppress(BlockingIOError):
                for _ in range(50):
                    one = socket.socket(socket.AF_UNIX)
                    waiting.append(one)
                    one.setblocking(False)
                    one.connect(str(place.socket))
            found = connect("double", place=place)
        finally:
            for one in waiting:
                one.close()
    assert isinstance(found, Unserved)
    assert found.outcome in ("failed", "timeout")


@pytest.mark.skipif(os.name == "nt", reason="modes are for POSIX")
def test_a_folder_open_to_others_is_not_trusted(place: Endpoint) -> None:
    with impostor(place, greet) as heard:
        place.folder.chmod(0o755)
        found = connect("double", place=place, deadline_ms=LONG)
        assert isinstance(found, Unserved)
        assert "accessible to other users" in found.reason
    assert heard == []


def test_a_port_that_is_somebody_elses_by_now_hears_no_text_and_no_token(place: Endpoint) -> None:
    where = place_in(place.folder.parent, loopback=True)
    make_private(where.folder)
    token, heard = "t" * 64, list[bytes]()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(1 << 16))
                greet(connection, replace(READY, proof="guessed"))
                heard.append(connection.recv(1 << 16))

        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        where.port.write_text(f'{{"port": {listener.getsockname()[1]}, "token": "{token}"}}')
        found = connect("double", place=where, deadline_ms=LONG)
        thread.join(PATIENCE)
    assert isinstance(found, Unserved)
    assert "another process" in found.reason
    assert token.encode() not in b"".join(heard)
    assert heard[1] == b""


def test_a_client_goes_on_with_a_service_that_was_started_anew(place: Endpoint) -> None:
    with running(place):
        client = connect("double", place=place, deadline_ms=LONG)
        assert isinstance(client, Served)
    with running(place):
        assert client.embed(["x"], "query") == [(vector_of("x", "query"),)]
    with pytest.raises(Fault, match="no model service is running") as raised:
        client.embed(["x"], "query")
    assert raised.value.code == "model_unreachable"


def test_too_long_a_text_is_refused_before_it_is_sent(place: Endpoint) -> None:
    with running(place):
        client = connect("double", place=place, deadline_ms=LONG)
        assert isinstance(client, Served)
        with pytest.raises(Fault) as raised:
            client.embed(["x" * (MAX_CHARS + 1)], "query")
        assert raised.value.code == "invalid_input"
        assert client.embed(["오류\U0001f4a5" * 2700] * 30, "query")


def test_requests_stay_small_and_leave_nothing_out() -> None:
    texts = [str(n) * (1 if n < 200 else n * 5) for n in range(300)]
    cut = list(slices(texts, PART_TEXTS, PART_CHARS))
    assert [text for part in cut for text in part] == texts
    assert max(map(len, cut)) == 64
    assert max(sum(map(len, part)) for part in cut) <= 1 << 16


def test_the_report_says_who_answers_or_what_is_wrong(place: Endpoint) -> None:
    assert not model_service(place).answers
    assert not model_service(place).broken
    with running(place):
        found = model_service(place, LONG)
        assert (found.answers, found.model, found.pid) == (True, "double", os.getpid())
        assert "is running with double" in found.reason
    with impostor(place, hang):
        assert model_service(place, 100).broken
    loading = State("double", "1", "", 0, True, 7, 0, 600)
    with impostor(place_in(place.folder), lambda one: greet(one, loading)):
        assert model_service(place_in(place.folder), LONG).loading


def test_it_is_worth_starting_one_only_for_vectors_that_are_there() -> None:
    assert worth_starting(service=True, vectors=True)
    assert not worth_starting(service=False, vectors=True)
    assert not worth_starting(service=True, vectors=False)


def test_a_client_loads_nothing_heavy(place: Endpoint) -> None:
    code = (
        "import sys; from pathlib import Path; from core.embedding.service.client import connect\n"
        "from core.process.endpoint import Endpoint; folder = Path(sys.argv[1])\n"
        "found = connect('double', place=Endpoint(folder, 'model', folder / 'model.sock'), deadline_ms=60_000)\n"
        "found.embed(['x'], 'query'); print(*sorted(sys.modules))"
    )
    with running(place):
        done = subprocess.run(
            [sys.executable, "-c", code, str(place.folder)], cwd=ROOT, check=True, capture_output=True, text=True
        )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    heavy = {"numpy", "fastembed", "onnxruntime", "asyncio", "subprocess", "hmac", "ssl", "apsw", "tempfile", "textual"}
    assert "socket" in loaded
    assert not loaded & heavy
