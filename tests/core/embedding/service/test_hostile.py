"""Who speaks badly to the model service, or too long, harms nobody else: a real one on a real socket."""

from __future__ import annotations

import os
import socket
import struct
import threading

import pytest

from core.embedding.service.client import Served, Unserved, connect
from core.embedding.service.protocol import Embed, Stop, request_frame
from core.process.endpoint import Endpoint
from core.process.frames import VERSION, encode
from core.process.server import Limits
from tests.core.embedding.service.support import (
    LONG,
    PATIENCE,
    ask,
    hear,
    hello,
    hello_elsewhere,
    place_in,
    raw,
    running,
    served,
    until,
    vector_of,
)


def test_a_port_answers_nobody_without_the_token(place: Endpoint) -> None:
    where = place_in(place.folder.parent, loopback=True)
    with running(where):
        from core.process.endpoint import read_port

        port = read_port(where)
        assert port is not None
        for request in (Embed("double", "1", "letters", "query", ("x",), "guess" * 10), Stop("é\ud800")):
            with socket.create_connection(("127.0.0.1", port.number), PATIENCE) as bare:
                bare.sendall(encode(request_frame(request)))
                answer = hear(bare)
                assert answer is not None
                assert "token" in str(answer.header["message"])
        assert served(where).embed(["x"], "query")


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
def test_hostile_bytes_end_their_own_connection_and_nothing_else(place: Endpoint, sent: bytes) -> None:
    with running(place):
        kept = served(place)
        with raw(place) as bare:
            bare.sendall(sent)
            answer = hear(bare)
            assert answer is None or answer.header["say"] == "fault"
            assert hear(bare) is None
        assert kept.embed(["still here"], "query") == [(vector_of("still here", "query"),)]


def test_a_frame_cut_off_by_its_sender_harms_nobody(place: Endpoint) -> None:
    whole = ask("half")
    with running(place):
        for size in (1, 4, 11, 12, 20, len(whole) - 1):
            with raw(place) as bare:
                bare.sendall(whole[:size])
        assert served(place).embed(["x"], "query")


def test_drops_of_a_frame_do_not_buy_time(place: Endpoint) -> None:
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


def test_a_quiet_connection_is_closed_and_its_client_comes_back_by_itself(place: Endpoint) -> None:
    with running(place, limits=Limits(quiet=1.0)):
        client = served(place)
        assert client.embed(["one"], "query")
        with raw(place) as quiet:
            assert hello(quiet)
            assert hear(quiet) is None
        assert client.embed(["two"], "query") == [(vector_of("two", "query"),)]


def test_who_never_reads_is_cut_off(place: Endpoint) -> None:
    with running(place, limits=Limits(slow=0.5)):
        with raw(place) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.settimeout(PATIENCE)
            request = ask("\n".join(map(str, range(2000))))
            with pytest.raises(OSError):
                while True:
                    deaf.sendall(request)
        assert served(place).embed(["x"], "query")


def test_there_are_only_so_many_connections(place: Endpoint) -> None:
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


def test_a_full_queue_of_connections_is_a_busy_service(place: Endpoint) -> None:
    with running(place):
        held: list[socket.socket] = []
        try:
            with pytest.raises(BlockingIOError):  # faster than any service accepts
                while True:
                    held.append(socket.socket(socket.AF_UNIX))
                    held[-1].settimeout(0)
                    held[-1].connect(str(place.socket))
            found = connect("double", place=place, deadline_ms=LONG)
            assert isinstance(found, Unserved)
            assert found.reason == "the model service is busy"
        finally:
            for one in held:
                one.close()
        until(lambda: isinstance(connect("double", place=place, deadline_ms=LONG), Served))


def test_a_service_that_accepts_nobody_is_busy_until_the_deadline(place: Endpoint) -> None:
    place.folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waiting:
        listener.bind(str(place.socket))
        listener.listen(0)
        waiting.connect(str(place.socket))
        found = connect("double", place=place, deadline_ms=100)
        assert isinstance(found, Unserved)
        assert found.reason == "the model service is busy"


def _says(connection: socket.socket, what: str) -> bool:
    found = hello(connection)
    return found is not None and found.header["say"] == what
