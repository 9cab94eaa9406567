"""An HTTP request on its own thread, and its response line by line, under deadlines and cancellable at any moment.

The thread only fills a queue. It cannot be interrupted while it resolves a host or reads from a silent server, but its
socket can be shut down from outside, and the reader never waits for the thread.
"""

from __future__ import annotations

import contextlib
import http.client
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from core.base.fault import Fault
from core.llm.endpoint import Endpoint, Proxy, proxy_for
from core.llm.errors import TooLarge, interrupted, no_response, redirected, refused, took_too_long, unreachable
from core.llm.language_model import BODY_BYTES, LINE_BYTES, MESSAGE_BYTES, Limits

_PIECE: Final = 1 << 16
_WAITING: Final = 256
"""Queue size in lines: a server that is faster than its reader waits."""
_TICK: Final = 0.02
"""Seconds between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: `path` follows the endpoint's own; a body is JSON, and none means GET."""

    path: str
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """The server has answered with this status. Lines follow if it is 200, else one `Body`."""

    status: int
    location: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a stream, without its end."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Body:
    """All (or the first part) of an answer that is read in one piece."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """The connection ended: as it should, or by what went wrong. `connected`: it had been made."""

    error: Exception | None
    connected: bool


Mail = Opened | Line | Body | Ended


class Connection:
    """A request in progress. `mail` has its events; `close` ends it from any thread, at once."""

    def __init__(self, endpoint: Endpoint, request: Request, connect_s: float, *, stream: bool) -> None:
        self.mail: queue.Queue[Mail] = queue.Queue(_WAITING)
        self.connected = False
        self._closed = threading.Event()
        self._http: http.client.HTTPConnection | None = None
        self._sock: socket.socket | None = None  # kept, because http.client lets go of it when the answer begins
        self._thread = threading.Thread(
            target=self._run, args=(endpoint, request, connect_s, stream), name="casebook-llm", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """End it. The thread ends by itself, soon."""
        self._closed.set()
        if (sock := self._sock) is not None:
            with contextlib.suppress(OSError, ValueError):
                sock.shutdown(socket.SHUT_RDWR)

    def _run(self, endpoint: Endpoint, request: Request, connect_s: float, stream: bool) -> None:
        error: Exception | None = None
        try:
            self._talk(endpoint, request, connect_s, stream)
        except Exception as caught:  # noqa: BLE001  whatever it is, the reader gets it
            error = caught
        finally:
            with contextlib.suppress(OSError):
                if self._http is not None:
                    self._http.close()
                if self._sock is not None:
                    self._sock.close()
        self._put(Ended(error, self.connected))

    def _talk(self, endpoint: Endpoint, request: Request, connect_s: float, stream: bool) -> None:
        proxy = proxy_for(endpoint)
        found = _http_connection(endpoint, proxy, connect_s)
        self._http = found
        found.connect()
        self._sock = found.sock
        self.connected = True
        if self._closed.is_set():  # it was closed while there was no socket to shut down
            return
        found.sock.settimeout(None)  # from here on the reader's clock counts, and `close` wakes this thread
        path, headers = endpoint.path + request.path, _headers(endpoint)
        if proxy is not None and endpoint.scheme == "http":
            path, headers = endpoint.address + request.path, {**headers, **proxy.headers}
        found.request("GET" if request.body is None else "POST", path, request.body, headers)
        answer = found.getresponse()
        self._put(Opened(answer.status, answer.headers.get("Location", "")))
        if stream and answer.status == 200:
            self._lines(answer)
        else:
            self._put(Body(answer.read(MESSAGE_BYTES)))

    def _lines(self, answer: http.client.HTTPResponse) -> None:
        kept, taken = bytearray(), 0
        while piece := answer.read1(_PIECE):
            taken += len(piece)
            *whole, rest = piece.split(b"\n")
            for part in whole:
                self._put(Line(bytes(kept + part).rstrip(b"\r")))
                kept.clear()
            kept += rest
            if len(kept) > LINE_BYTES or taken > BODY_BYTES:
                raise TooLarge
        if kept:
            self._put(Line(bytes(kept)))

    def _put(self, mail: Mail) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self.mail.put(mail, timeout=0.1)
                return


def _headers(endpoint: Endpoint) -> dict[str, str]:
    key = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    return {"Content-Type": "application/json", "Accept": "*/*", "Connection": "close", "User-Agent": "casebook", **key}


def _http_connection(endpoint: Endpoint, proxy: Proxy | None, timeout: float) -> http.client.HTTPConnection:
    host, port = (endpoint.host, endpoint.port) if proxy is None else (proxy.host, proxy.port)
    if endpoint.scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=timeout)
    import ssl  # only those whose server is far away pay for it

    found = http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    if proxy is not None:
        found.set_tunnel(endpoint.host, endpoint.port, dict(proxy.headers))
    return found


class Cancelled(Exception):
    """The caller cancelled the request."""


def response_lines(
    endpoint: Endpoint,
    request: Request,
    limits: Limits,
    cancelled: Callable[[], bool],
    *,
    of_model: tuple[str, str],
    stream: bool,
) -> Iterator[bytes]:
    """The lines of a stream (or the one body) of a successful answer.

    `of_model`: provider and model, for messages. Raises Fault as `LanguageModel.stream` does, Cancelled
    within a fiftieth of a second of `cancelled`; closing the iterator ends the connection.
    """
    if cancelled():
        raise Cancelled
    connection = Connection(endpoint, request, limits.connect_s, stream=stream)
    try:
        yield from _read_lines(connection, endpoint, limits, cancelled, of_model)
    finally:
        connection.close()


def _read_lines(
    connection: Connection,
    endpoint: Endpoint,
    limits: Limits,
    cancelled: Callable[[], bool],
    of_model: tuple[str, str],
) -> Iterator[bytes]:
    deadlines = _Deadlines(endpoint, of_model[0], limits)
    status = 0
    while True:
        mail = _next_mail(connection, deadlines, cancelled)
        if isinstance(mail, Opened):
            status = mail.status
            if 300 <= status < 400:
                raise redirected(endpoint, status, mail.location)
            deadlines.received(b"")
        elif isinstance(mail, Line):
            deadlines.received(mail.data)
            yield mail.data
        elif isinstance(mail, Body):
            if status != 200:
                raise refused(endpoint, *of_model, status, mail.data)
            yield mail.data
        elif mail.error is None:
            return
        elif status:
            raise interrupted(endpoint, mail.error) from mail.error
        else:
            raise unreachable(endpoint, of_model[0], mail.error, limits.connect_s) from mail.error


def _next_mail(connection: Connection, deadlines: _Deadlines, cancelled: Callable[[], bool]) -> Mail:
    while True:
        if cancelled():
            raise Cancelled
        if (fault := deadlines.fault(connected=connection.connected)) is not None:
            raise fault
        try:
            return connection.mail.get(timeout=_TICK)
        except queue.Empty:
            continue


class _Deadlines:
    """The time limits of one response: connection, first token, silence, total."""

    def __init__(self, endpoint: Endpoint, provider: str, limits: Limits) -> None:
        self._endpoint, self._provider, self._limits = endpoint, provider, limits
        self._began = self._last = time.monotonic()
        self._speaking = False

    def received(self, line: bytes) -> None:
        """Note a line. A blank line or a comment keeps the connection alive and is no token yet."""
        self._last = time.monotonic()
        self._speaking = self._speaking or not (line.strip() == b"" or line.startswith(b":"))

    def fault(self, *, connected: bool) -> Fault | None:
        """The fault of the deadline that has passed, if any."""
        now, limits = time.monotonic(), self._limits
        if not connected and now - self._began > limits.connect_s:
            return unreachable(self._endpoint, self._provider, TimeoutError(), limits.connect_s)
        if now - self._began > limits.total_s:
            return took_too_long(self._endpoint, limits.total_s)
        if not self._speaking and now - self._began > limits.first_s:
            return no_response(self._endpoint, limits.first_s, "models.llm.first_token_s")
        if self._speaking and now - self._last > limits.idle_s:
            return no_response(self._endpoint, limits.idle_s, "models.llm.idle_s")
        return None
