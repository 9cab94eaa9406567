"""A DOUBLE of the package index: a local server that serves the page of one project and one file, and can be silent,
cut off, stalling or wrong."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class IndexDouble(ThreadingHTTPServer):
    """Serves one project. `mood` says what is wrong with it today, `page` in which form it lists its files."""

    daemon_threads = True

    def __init__(self, filename: str, data: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Speaker)
        self.filename, self.data, self.mood, self.page = filename, data, "fine", "html"
        self.asked: list[tuple[str, str]] = []
        self.ending = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/simple"


class _Speaker(BaseHTTPRequestHandler):
    server: IndexDouble

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        server = self.server
        server.asked.append((self.path, self.headers.get("Authorization", "")))
        if server.mood == "silent":
            server.ending.wait(120)
        elif server.mood.isdigit():
            self.send_error(int(server.mood))
        elif self.path.startswith("/simple/"):
            self._send(self._listing(), "application/vnd.pypi.simple.v1+json" if server.page == "json" else "text/html")
        else:
            data = b"something else altogether" if server.mood == "wrong" else server.data
            self._send(data, "application/octet-stream")

    def _listing(self) -> bytes:
        name = "other-1.0-py3-none-any.whl" if self.server.mood == "elsewhere" else self.server.filename
        if self.server.page == "json":
            return json.dumps({"files": [{"filename": name, "url": f"../../files/{name}"}]}).encode()
        link = f'<a href="../../files/x-{name}#sha256=0">x</a><a href="../../files/{name}#sha256=0">{name}</a>'
        return f"<!DOCTYPE html><html><body>{link}</body></html>".encode()

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if kind.startswith("application/octet") and self.server.mood in ("cut", "stalls"):
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            if self.server.mood == "stalls":
                self.server.ending.wait(120)
            return
        self.wfile.write(data)
