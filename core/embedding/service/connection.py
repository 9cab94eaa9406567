"""One connection to the model service: a question, its answer, and a moment after which nobody waits any longer."""

from __future__ import annotations

import os
import socket as sockets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from core.base.fault import Fault
from core.embedding.service.protocol import Hello, Request, State, read_state, request_frame
from core.process.endpoint import Endpoint, not_private, peer_uid, proof_of, read_port
from core.process.frames import BadFrame, Frame, FrameReader, encode

_T = TypeVar("_T")
_PIECE = 1 << 16
_FULL_S = 0.005
"""Seconds until the next try where the service has not yet accepted those before."""


class Line:
    """A connection; `token` is what a request must carry. Belongs to one thread."""

    def __init__(self, connection: sockets.socket, clock: Callable[[], float]) -> None:
        self._connection, self._clock = connection, clock
        self._frames = FrameReader()
        self.token = ""

    def ask(self, request: Request, until: float, read: Callable[[Frame], _T]) -> _T:
        """What `read` makes of the answer.

        Raises TimeoutError once the clock shows `until`, another OSError where the connection is gone, the Fault that
        was answered, and Fault model_unreachable where what came is no answer. After a TimeoutError or an answer that
        is none, close it: what comes later would be taken for the answer to something else.
        """
        try:
            data = encode(request_frame(request))
            self._wait(until)
            with suppress(BrokenPipeError):  # it may have answered and hung up unasked: that it is busy
                self._connection.sendall(data)
            return read(self._receive(until))
        except BadFrame as error:
            raise Fault("model_unreachable", f"what the model service sent cannot be used: {error}") from error

    def _receive(self, until: float) -> Frame:
        while True:
            self._wait(until)
            data = self._connection.recv(_PIECE)
            if not data:
                raise ConnectionResetError("the connection was closed")
            if found := self._frames.feed(data):
                if len(found) > 1 or self._frames.partial:
                    raise BadFrame("more than was asked for")
                return found[0]

    def wait_for_end(self, until: float) -> None:
        """Return when the other side has hung up. Raises TimeoutError, or another OSError, which is an end too."""
        while True:
            self._wait(until)
            if not self._connection.recv(_PIECE):
                return

    def _wait(self, until: float) -> None:
        left = until - self._clock()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)

    def close(self) -> None:
        """Hang up; may be called twice."""
        self._connection.close()


def open_line(place: Endpoint, until: float, clock: Callable[[], float]) -> tuple[Line, State]:
    """Connect, and hear who is there. Raises OSError as `Line.ask` does, Fault where it is not to be trusted."""
    if (reason := not_private(place.folder)) is not None:
        raise Fault("model_unreachable", reason)
    if place.socket is None:
        return _by_port(place, until, clock)
    connection = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    try:
        _connect(connection, str(place.socket), until, clock)
        if peer_uid(connection) not in (None, os.geteuid()):
            raise Fault("model_unreachable", f"somebody else listens at {place.socket}")
        line = Line(connection, clock)
        return line, line.ask(Hello(), until, read_state)
    except BaseException:
        connection.close()
        raise


def _connect(connection: sockets.socket, path: str, until: float, clock: Callable[[], float]) -> None:
    """Connect to a socket; where its queue is full, try again until then, and raise BlockingIOError at last."""
    while True:
        connection.settimeout(max(0.001, until - clock()))
        try:
            return connection.connect(path)
        except BlockingIOError:
            if clock() + _FULL_S >= until:
                raise
            time.sleep(_FULL_S)


def _by_port(place: Endpoint, until: float, clock: Callable[[], float]) -> tuple[Line, State]:
    """A port may by now be somebody else's: no text and no token is sent before they have shown that it is ours."""
    port = read_port(place)
    if port is None:
        raise FileNotFoundError(place.port)
    nonce = os.urandom(16).hex()
    connection = sockets.create_connection(("127.0.0.1", port.number), max(0.001, until - clock()))
    try:
        line = Line(connection, clock)
        state = line.ask(Hello(nonce), until, read_state)
        if state.proof != proof_of(port.token, nonce):
            raise Fault("model_unreachable", "somebody else listens at the port of the model service")
        line.token = port.token
    except BaseException:
        connection.close()
        raise
    return line, state
