"""One HTTP request on a thread of its own, so that whoever waits for it can stop waiting at any moment.

The thread only fills a mailbox. It cannot be interrupted where it looks up a host or reads from a silent server; but
its socket can be shut down from outside, and nobody waits until it has noticed.
"""

from __future__ import annotations

import contextlib
import http.client
import queue
import socket
import threading
from dataclasses import dataclass
from typing import Final

from core.llm.endpoint import Endpoint
from core.llm.limits import BODY_BYTES, LINE_BYTES, MESSAGE_BYTES
from core.llm.proxy import Proxy, proxy_for

_PIECE: Final = 1 << 16
_WAITING: Final = 256
"""Lines that may lie in the mailbox: a server faster than its reader waits."""


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


class TooLarge(Exception):
    """The server sends more than anybody wants."""


class Connection:
    """A request under way. `mail` brings what comes; `close` ends it from any thread, at once."""

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
        except Exception as caught:  # noqa: BLE001  whatever it is, the reader is told
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
        found = _opened(endpoint, proxy, connect_s)
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


def _opened(endpoint: Endpoint, proxy: Proxy | None, timeout: float) -> http.client.HTTPConnection:
    host, port = (endpoint.host, endpoint.port) if proxy is None else (proxy.host, proxy.port)
    if endpoint.scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=timeout)
    import ssl  # only those whose server is far away pay for it

    found = http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    if proxy is not None:
        found.set_tunnel(endpoint.host, endpoint.port, dict(proxy.headers))
    return found
