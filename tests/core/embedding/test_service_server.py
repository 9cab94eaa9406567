"""The model service under its clients, kind and hostile: a real one on a real socket, with a small model (a double)."""

from __future__ import annotations

import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from core.embedding.claim import claim, holder
from core.embedding.client import Served, Unserved, connect, look, stop
from core.embedding.exchange import Embed, Stop, request_frame
from core.embedding.fair_queue import TURN_CHARS, TURN_TEXTS, slices
from core.embedding.frames import VERSION, encode
from core.embedding.service import Limits
from core.embedding.socket_path import Place
from core.fault import Fault
from tests.core.embedding.service_support import (
    PATIENCE,
    Double,
    Running,
    hear,
    hello,
    place_in,
    raw,
    running,
    short_folder,
    until,
    vector_of,
)

LONG = PATIENCE * 1000


@pytest.fixture
def place() -> Iterator[Place]:
    with short_folder() as folder:
        yield place_in(folder)


def served(place: Place) -> Served:
    found = connect("double", place=place, deadline_ms=LONG)
    assert isinstance(found, Served), found
    return found


def ask(*texts: str) -> bytes:
    return encode(request_frame(Embed("double", "1", "letters", "document", texts)))


@pytest.mark.parametrize("loopback", [False, True], ids=["socket", "port"])
def test_what_the_service_embeds_is_what_its_model_embeds(place: Place, loopback: bool) -> None:
    where = place_in(place.folder.parent, loopback=loopback)
    with running(where):
        client = served(where)
        assert (client.id, client.version, client.recipe, client.dim) == ("double", "1", "letters", 8)
        texts = ["EADDRINUSE", "두 줄\nof text", *map(str, range(200))]
        got = client.embed(texts, "query")
        assert got == [tuple(vector_of(line, "query") for line in text.split("\n")) for text in texts]
        assert client.embed([], "query") == []
        client.close()
        client.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are for POSIX")
@pytest.mark.parametrize("loopback", [False, True], ids=["socket", "port"])
def test_the_folder_and_the_entrance_are_the_owners_alone(place: Place, loopback: bool) -> None:
    where = place_in(place.folder.parent, loopback=loopback)
    before = os.umask(0)
    try:
        with running(where):
            assert stat.S_IMODE(where.folder.stat().st_mode) == 0o700
            for file in where.folder.iterdir():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    finally:
        os.umask(before)


def test_a_port_answers_nobody_without_the_token(place: Place) -> None:
    where = place_in(place.folder.parent, loopback=True)
    with running(where):
        from core.embedding.socket_path import read_port

        port = read_port(where)
        assert port is not None
        for request in (Embed("double", "1", "letters", "query", ("x",), "guess" * 10), Stop("é\ud800")):
            with socket.create_connection(("127.0.0.1", port.number), PATIENCE) as bare:
                bare.sendall(encode(request_frame(request)))
                answer = hear(bare)
                assert answer is not None
                assert "token" in str(answer.header["message"])
        assert served(where).embed(["x"], "query")


def test_many_clients_at_once_each_get_their_own_vectors(place: Place) -> None:
    def one(number: int) -> None:
        client = served(place)
        for round_ in range(5):
            texts = [f"{number} {round_} {n}" for n in range(11)]
            assert client.embed(texts, "document") == [(vector_of(text, "document"),) for text in texts]
        client.close()

    with running(place), ThreadPoolExecutor(12) as pool:
        list(pool.map(one, range(12)))


def test_a_short_request_waits_for_one_turn_of_a_long_one_at_most(place: Place) -> None:
    model = Double()
    with running(place, model), ThreadPoolExecutor(2) as pool:
        model.open.clear()
        long = pool.submit(served(place).embed, [f"long {n}" for n in range(60)], "document")
        until(lambda: model.calls)
        with raw(place) as short:
            assert hello(short)
            short.sendall(ask("short"))
            assert hello_elsewhere(place)  # so the service has read what was sent before
            model.open.set()
            assert hear(short)
        assert long.result(PATIENCE) == [(vector_of(f"long {n}", "document"),) for n in range(60)]
    at = model.calls.index(("short",))
    assert at <= 3
    assert any(call[0].startswith("long") for call in model.calls[at + 1 :])


def hello_elsewhere(place: Place) -> bool:
    with raw(place) as other:
        return hello(other) is not None


def test_turns_are_small_and_leave_nothing_out() -> None:
    texts = ["x" * n for n in (5, TURN_CHARS, 1, TURN_CHARS + 1, *range(30))]
    turns = list(slices(texts))
    assert [text for turn in turns for text in turn] == texts
    assert all(len(turn) <= TURN_TEXTS for turn in turns)
    assert all(len(turn) == 1 or sum(map(len, turn)) <= TURN_CHARS for turn in turns)


def test_a_request_that_nobody_waits_for_is_dropped(place: Place) -> None:
    model = Double()
    with running(place, model):
        model.open.clear()
        with raw(place) as gone:
            gone.sendall(ask(*(f"gone {n}" for n in range(100))))
            until(lambda: model.calls)
        hello_elsewhere(place)
        model.open.set()
        assert served(place).embed(["next"], "query")
    assert sum(len(call) for call in model.calls if call[0].startswith("gone")) < 100


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        os.urandom(5000),
        struct.pack("<3sBII", b"cbm", VERSION, 0xFFFFFFFF, 0),
        struct.pack("<3sBII", b"cbm", VERSION, 2, 5) + b"{}12345",
        struct.pack("<3sBII", b"cbm", VERSION + 1, 2, 0) + b"{}",
        struct.pack("<3sBII", b"cbm", VERSION, 100_000, 0) + b"[" * 100_000,
        struct.pack("<3sBII", b"cbm", VERSION, 2, 0) + b"{}",
    ],
    ids=["http", "random", "huge", "body", "version", "nested", "empty"],
)
def test_hostile_bytes_end_their_own_connection_and_nothing_else(place: Place, sent: bytes) -> None:
    with running(place):
        kept = served(place)
        with raw(place) as bare:
            bare.sendall(sent)
            answer = hear(bare)
            assert answer is None or answer.header["say"] == "fault"
            assert hear(bare) is None
        assert kept.embed(["still here"], "query") == [(vector_of("still here", "query"),)]


def test_a_frame_cut_off_by_its_sender_harms_nobody(place: Place) -> None:
    whole = ask("half")
    with running(place):
        for size in (1, 4, 11, 12, 20, len(whole) - 1):
            with raw(place) as bare:
                bare.sendall(whole[:size])
        assert served(place).embed(["x"], "query")


def test_drops_of_a_frame_do_not_buy_time(place: Place) -> None:
    """Slow loris: a byte now and then keeps no connection open beyond the limit for one frame."""
    with running(place, limits=Limits(slow=0.5)):
        with raw(place) as slow:
            pause, sent = threading.Event(), 0
            with pytest.raises(OSError):
                for byte in ask("x" * 10_000):
                    slow.sendall(bytes([byte]))
                    sent += 1
                    pause.wait(0.02)
            assert sent < 10_000
        assert served(place).embed(["x"], "query")


def test_a_quiet_connection_is_closed_and_its_client_comes_back_by_itself(place: Place) -> None:
    with running(place, limits=Limits(quiet=1.0)):
        client = served(place)
        assert client.embed(["one"], "query")
        with raw(place) as quiet:
            assert hello(quiet)
            assert hear(quiet) is None
        assert client.embed(["two"], "query") == [(vector_of("two", "query"),)]


def test_who_never_reads_is_cut_off(place: Place) -> None:
    with running(place, limits=Limits(slow=0.5)):
        with raw(place) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.settimeout(PATIENCE)
            request = ask("\n".join(map(str, range(2000))))
            with pytest.raises(OSError):
                while True:
                    deaf.sendall(request)
        assert served(place).embed(["x"], "query")


def test_there_are_only_so_many_connections(place: Place) -> None:
    with running(place, limits=Limits(clients=3)):
        until(lambda: hello_elsewhere(place))
        held = [raw(place) for _ in range(3)]
        try:
            until(lambda: all(_says(one, "state") for one in held))
            with raw(place) as fourth:
                answer = hear(fourth)
                assert answer is not None
                assert "busy" in str(answer.header["message"])
            found = connect("double", place=place, deadline_ms=LONG)
            assert isinstance(found, Unserved)
            assert "busy" in found.reason
        finally:
            for one in held:
                one.close()
        until(lambda: isinstance(connect("double", place=place, deadline_ms=LONG), Served))


def _says(connection: socket.socket, what: str) -> bool:
    found = hello(connection)
    return found is not None and found.header["say"] == what


def test_a_fault_of_the_model_is_told_and_the_service_goes_on(place: Place) -> None:
    with running(place):
        client = served(place)
        with pytest.raises(Fault, match="blank") as blank:
            client.embed(["good", " "], "query")
        assert (blank.value.code, blank.value.hint) == ("invalid_input", "give a text")
        assert client.embed(["good"], "query")
        with pytest.raises(Fault, match="ZeroDivisionError: as models do") as broken:
            client.embed(["break"], "query")
        assert broken.value.code == "model_unreachable"
        assert served(place).embed(["good"], "query")


def test_another_model_version_or_recipe_is_refused_plainly(place: Place) -> None:
    with running(place):
        for model, version in (("other", None), ("double", "2")):
            found = connect(model, version=version, place=place, deadline_ms=LONG)
            assert isinstance(found, Unserved)
            assert found.outcome == "skipped"
            assert "holds double 1, not" in found.reason
        found = connect("double", version="1", recipe="words", place=place, deadline_ms=LONG)
        assert found == Unserved("skipped", "the model service reads texts by the recipe letters, not words")
        assert isinstance(connect("double", version="1", recipe="letters", place=place, deadline_ms=LONG), Served)
        with raw(place) as bare:
            bare.sendall(encode(request_frame(Embed("double", "1", "other recipe", "query", ("x",)))))
            answer = hear(bare)
            assert answer is not None
            assert answer.header["code"] == "model_unreachable"


def test_while_the_model_loads_it_says_so_at_once(place: Place) -> None:
    gate = threading.Event()

    def load() -> Double:
        assert gate.wait(PATIENCE)
        return Double()

    service = Running(place, load, Limits()).begin()
    found = connect("double", place=place, deadline_ms=LONG)
    assert found == Unserved("skipped", "the model service is still loading double")
    with raw(place) as bare:
        bare.sendall(ask("x"))
        answer = hear(bare)
        assert answer is not None
        assert "still loading" in str(answer.header["message"])
    gate.set()
    until(lambda: isinstance(connect("double", place=place, deadline_ms=LONG), Served))
    stop(place, LONG)
    assert service.wait().why == "stopped"


def test_a_model_that_does_not_load_ends_the_service_and_is_remembered(place: Place) -> None:
    def load() -> Double:
        raise Fault("model_not_pulled", "its weights are damaged", "pull it again")

    service = Running(place, load, Limits()).begin()
    with pytest.raises(Fault, match="damaged"):
        service.wait()
    assert "damaged" in place.note.read_text()
    assert not place.entrance.exists()


def test_a_model_that_hangs_while_loading_keeps_nobody(place: Place) -> None:
    gate = threading.Event()

    def load() -> Double:
        assert gate.wait(2 * PATIENCE)
        return Double()

    service = Running(place, load, Limits()).begin()
    assert not isinstance(stop(place, LONG), Unserved)
    ended = service.wait()
    assert (ended.why, ended.clean) == ("stopped", False)
    ended = Running(place, load, Limits(load=0)).begin().wait()
    assert (ended.why, ended.clean) == ("failed", False)
    assert place.note.read_text() == "double\nit does not load"
    gate.set()


def test_it_ends_when_nobody_asks_and_greetings_are_no_questions(place: Place) -> None:
    model = Double()
    service = Running(place, lambda: model, Limits(idle=0.5)).begin()
    kept = raw(place)  # a connection that is only open does not keep it either
    until(lambda: isinstance(look(place, LONG), Unserved))
    assert service.wait().why == "idle"
    assert model.closed
    assert not place.entrance.exists()
    kept.close()


def test_it_does_not_end_while_it_is_asked(place: Place) -> None:
    model = Double()
    with running(place, model, Limits(idle=2.0, look=0.05)) as service, ThreadPoolExecutor(1) as pool:
        model.open.clear()
        asked = pool.submit(served(place).embed, ["slow"], "query")
        until(lambda: model.calls)
        assert not service.thread.join(2.5)
        assert service.thread.is_alive()
        model.open.set()
        assert asked.result(PATIENCE)


def test_of_two_started_at_once_one_wins_and_the_other_leaves(place: Place) -> None:
    services = [Running(place, Double, Limits()) for _ in range(6)]
    for service in services:
        service.thread.start()
    until(lambda: isinstance(connect("double", place=place, deadline_ms=LONG), Served))
    until(lambda: sum(bool(service.ended) for service in services) == 5)
    assert served(place).embed(["x"], "query")
    stop(place, LONG)
    assert sorted(service.wait().why for service in services) == ["stopped"] + ["taken"] * 5


def test_what_a_killed_service_left_is_cleared_away(place: Place) -> None:
    code = (
        "import sys, os, signal; from pathlib import Path\n"
        "from core.embedding.claim import claim; from core.embedding.socket_path import Place\n"
        "folder = Path(sys.argv[1]); own = claim(Place(folder, 'model', folder / 'model.sock'))\n"
        "own.listen(''); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code, str(place.folder)], cwd=root, check=False, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    assert place.entrance.exists()
    assert connect("double", place=place) == Unserved("skipped", "no model service runs")
    with running(place):
        assert served(place).embed(["x"], "query")
        assert holder(place) == os.getpid()


def test_a_service_that_nobody_can_find_any_more_ends_and_takes_nothing_of_its_successor(place: Place) -> None:
    lost = Running(place, Double, Limits(look=0.05)).begin()
    place.lock.unlink()
    place.entrance.unlink()
    with running(place):
        assert lost.wait().why == "lost"
        assert served(place).embed(["x"], "query")


def test_a_place_that_cannot_be_had_is_a_fault(place: Place) -> None:
    place.folder.write_text("a file")
    with pytest.raises(Fault, match="cannot make the folder"):
        claim(place)
    other = replace(place, folder=place.folder.parent / "linked")
    (place.folder.parent / "elsewhere").mkdir(mode=0o700)
    other.folder.symlink_to(place.folder.parent / "elsewhere")
    with pytest.raises(Fault, match="is no folder"):
        claim(other)
