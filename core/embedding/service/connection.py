"""One connection to the model service: a question, its answer, and a moment after which nobody waits any longer."""

from __future__ import annotations

import os
import socket as sockets
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from core.base.fault import Fault
from core.embedding.service.protocol import Hello, Request, State, read_state, request_frame
from core.process.connection import Connection, connect, not_private
from core.process.endpoint import Endpoint, peer_uid, proof_of, read_port
from core.process.frames import BadFrame, Frame, encode

_T = TypeVar("_T")


class Line:
    """A connection; `token` is what a request must carry. Belongs to one thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.wait_for_end, self.close = connection.wait_for_end, connection.close
        self.token = ""

    def ask(self, request: Request, until: float, read: Callable[[Frame], _T]) -> _T:
        """What `read` makes of the answer.

        Raises TimeoutError once the clock shows `until`, another OSError where the connection is gone, the Fault that
        was answered, and Fault model_unreachable where what came is no answer. After a TimeoutError or an answer that
        is none, close it: what comes later would be taken for the answer to something else.
        """
        try:
            data = encode(request_frame(request))
            with suppress(BrokenPipeError):  # it may have answered and hung up unasked: that it is busy
                self._connection.send(data, until)
            answer = self._connection.receive(until)
            if answer is None:
                raise ConnectionResetError("the connection was closed")
            if self._connection.surplus:
                raise BadFrame("more than was asked for")
            return read(answer)
        except BadFrame as error:
            raise Fault("model_unreachable", f"what the model service sent cannot be used: {error}") from error


def open_line(place: Endpoint, until: float, clock: Callable[[], float]) -> tuple[Line, State]:
    """Connect, and hear who is there. Raises OSError as `Line.ask` does, Fault where it is not to be trusted."""
    if (reason := not_private(place.folder)) is not None:
        raise Fault("model_unreachable", reason)
    port, nonce = (read_port(place), os.urandom(16).hex()) if place.socket is None else (None, "")
    if place.socket is not None:
        socket = connect(str(place.socket), until, clock)
    elif port is not None:
        socket = sockets.create_connection(("127.0.0.1", port.number), max(0.001, until - clock()))
    else:
        raise FileNotFoundError(place.port)
    line = Line(Connection(socket, clock=clock))
    try:
        if place.socket is not None and peer_uid(socket) not in (None, os.geteuid()):
            raise Fault("model_unreachable", f"somebody else listens at {place.socket}")
        state = line.ask(Hello(nonce), until, read_state)
        if port is not None:  # by now it may be somebody else's: no text and no token is sent before this
            if state.proof != proof_of(port.token, nonce):
                raise Fault("model_unreachable", "somebody else listens at the port of the model service")
            line.token = port.token
    except BaseException:
        line.close()
        raise
    return line, state
