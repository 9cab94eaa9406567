"""A local server: frames from this user's processes, one thread for each connection, until it is idle.

No client can harm it: a frame that is none ends its own connection, one that stays half-sent is given up after some
seconds, a reader that reads nothing is cut off, and there are only so many connections.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket as sockets
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from core.process.connection import Connection
from core.process.endpoint import Claim, peer_uid
from core.process.frames import BadFrame, Frame, FrameReader, encode

Ending = Literal["idle", "stopped", "signal", "failed", "lost"]
"""Why a server ended: idle; asked to; a signal; it cannot do its work; its socket is gone."""

_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


@dataclass(frozen=True, slots=True)
class Limits:
    """What is granted: `idle` seconds without a request, `slow` seconds for one frame in either direction, `quiet`
    seconds of an open connection between two, so many `clients` at once; `look`: seconds between two looks at whether
    clients can still find the socket; `grace`: seconds that requests at work have at the end."""

    idle: float = 600.0
    slow: float = 5.0
    quiet: float = 60.0
    clients: int = 64
    look: float = 30.0
    grace: float = 0.0


class Client:
    """A connection that a handler answers. Belongs to its thread; `is_gone` is for any."""

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection, self._limits = connection, limits
        self.is_gone = connection.is_closed
        self.close = connection.close

    def send(self, frame: bytes) -> None:
        """Send a frame's bytes. Raises OSError where the client is gone, or does not read."""
        self._connection.send(frame, time.monotonic() + self._limits.slow)

    def receive(self) -> Frame | None:
        """The next frame; None where the client hangs up. Raises OSError, BadFrame."""
        return self._connection.receive(time.monotonic() + self._limits.quiet, self._limits.slow)


class Server:
    """Serves one endpoint. `finish` and `touch` are for any thread."""

    def __init__(
        self,
        own: Claim,
        handler: Callable[[Frame, Client], object],
        limits: Limits,
        *,
        refuse: Callable[[BadFrame | None], Frame | None] = lambda _error: None,
        tend: Callable[[], object] = lambda: None,
        most: tuple[int, int],
    ) -> None:
        """`handler` answers a frame, in a thread of its connection; it raises OSError or BadFrame to end that.

        `refuse`: what is said to a client whose frame is none, or (None) to one too many. `tend` is called before each
        wait for the next client. `most`: bytes of a header and of a body that are taken.
        """
        self._own, self._handler, self._limits = own, handler, limits
        self._refuse, self._tend, self._most = refuse, tend, most
        self._ending: Ending | None = None
        self._last_request = time.monotonic()
        self._left = threading.Event()
        self._guard = threading.Lock()
        self._open: dict[threading.Thread, Connection] = {}
        self._wake, self._woken = sockets.socketpair()
        self._wake.setblocking(False)

    def touch(self) -> None:
        """Restart the idle time after a request."""
        self._last_request = time.monotonic()

    def finish(self, why: Ending) -> None:
        """End soon; the first reason counts. Also called by a signal."""
        self._ending = self._ending or why
        with suppress(OSError):
            self._wake.send(b".")

    def run(self, token: str, ready: Callable[[], object]) -> Ending:
        """Serve until the end; then the place is left. `token`: what clients of a loopback port must know.

        `ready` is called when clients can connect. Raises Fault io_error where there is no listening at the place.
        """
        try:
            with self._own.listen(token) as listener, selectors.DefaultSelector() as selector, _signals(self.finish):
                listener.setblocking(False)
                selector.register(listener, selectors.EVENT_READ)
                selector.register(self._woken, selectors.EVENT_READ)
                ready()
                while (left := self._remaining_s()) > 0:
                    for key, _ in selector.select(left):
                        if key.fileobj is listener:
                            self._accept(listener)
        finally:
            self._end()
        return self._ending or "idle"

    def _remaining_s(self) -> float:
        """Seconds until the next look; 0 where it ends now."""
        self._tend()
        if self._ending is None and not self._own.is_reachable:
            self._ending = "lost"
        left = self._last_request + self._limits.idle - time.monotonic()
        return 0.0 if self._ending is not None else max(0.0, min(left, self._limits.look))

    def _accept(self, listener: sockets.socket) -> None:
        try:
            line, _ = listener.accept()
        except OSError:  # gone again; or no descriptor is left, and one may be soon
            time.sleep(0.01)
            return
        connection = Connection(line, FrameReader(max_header=self._most[0], max_body=self._most[1]))
        if not _is_ours(line):
            connection.close()
        elif self._is_full():
            self._reject(connection, None)
            connection.close()
        else:
            thread = threading.Thread(target=self._serve, args=(connection,), name="casebook-client", daemon=True)
            with self._guard:
                self._open[thread] = connection
            try:
                thread.start()
            except RuntimeError:  # no memory for another thread
                with self._guard:
                    del self._open[thread]
                connection.close()

    def _is_full(self) -> bool:
        """Closed connections do not count, unless very many of their requests still wait."""
        with self._guard:
            opened = list(self._open.values())
        most = self._limits.clients
        return len(opened) >= 2 * most or len(opened) >= most <= sum(not one.is_closed() for one in opened)

    def _serve(self, connection: Connection) -> None:
        """One connection, from its first frame to its end, whatever that is."""
        client = Client(connection, self._limits)
        try:
            while self._ending is None and (frame := client.receive()) is not None:
                self._handler(frame, client)
        except BadFrame as error:
            self._reject(connection, error)
        except OSError:
            pass  # slow, or gone, or we are ending
        finally:
            if self._ending is not None:  # a client that hears of the end must find the place free
                self._left.wait(self._limits.slow)
            with self._guard:
                self._open.pop(threading.current_thread(), None)
            connection.close()

    def _reject(self, connection: Connection, error: BadFrame | None) -> None:
        with suppress(OSError):
            if (refusal := self._refuse(error)) is not None:
                connection.send(encode(refusal), time.monotonic() + (self._limits.slow if error else 0.1))

    def _end(self) -> None:
        """Release the place before clients learn of the end, so that the next server can have it."""
        self._ending = self._ending or "idle"
        self._own.leave()
        self._left.set()
        with self._guard:
            left = dict(self._open)
        until = time.monotonic() + self._limits.grace
        for thread in left:
            thread.join(max(0.0, until - time.monotonic()))
        for thread, connection in left.items():
            connection.interrupt()
            thread.join(0.1)
        self._wake.close()
        self._woken.close()


def _is_ours(line: sockets.socket) -> bool:
    """Whether the other end is this user's; where the platform does not tell, folder and token have seen to it."""
    if line.family != getattr(sockets, "AF_UNIX", None):
        return True
    try:
        return peer_uid(line) in (None, os.geteuid())
    except OSError:
        return False


@contextmanager
def _signals(finish: Callable[[Ending], None]) -> Generator[None]:
    """Inside, the signals that end a program end it cleanly."""
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        numbers = []
    before = {number: signal.signal(number, lambda _number, _frame: finish("signal")) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
