"""A double of a language model's server, because no model exists where these tests run: nothing here thinks.

It is a real HTTP server on an ephemeral port of this machine that speaks both ways, Ollama's (NDJSON) and the one of
OpenAI (server-sent events), and answers with what a test wrote down beforehand: in pieces, cut off, malformed, hostile
or not at all. What it shows is how casebook behaves with such a server, never how good a model's answers are.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `hang_after`, `cut_after`, `malformed_after`: after so many tokens it falls silent until
    `Server.release` is set, drops the connection, or sends `garbage`; `delay_s` lies between tokens. `error` is sent in
    the stream after the tokens, or as the body where `status` is not 200; `raw` is sent instead of everything else."""

    tokens: Sequence[str] = ("Hello", " there", ".")
    delay_s: float = 0.0
    cut_after: int | None = None
    malformed_after: int | None = None
    garbage: bytes = b'{"message": {"content": '
    hang_after: int | None = None
    status: int = 200
    error: str | None = None
    error_code: str | None = None
    usage: tuple[int, int] | None = (12, 34)
    finish: str = "stop"
    raw: bytes | None = None
    location: str | None = None
    hang_before_status: bool = False


Script = Sequence[Reply | Callable[[dict[str, Any]], Reply]]


@dataclass
class Server:
    """The running double: where it is, what it was asked, what it does next. `base`: the path where it speaks OpenAI's
    way; `lists`: whether it says there which models it has."""

    endpoint: str
    script: Script
    models: tuple[str, ...]
    base: str = "/v1"
    lists: bool = True
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    paths: list[str] = field(default_factory=list[str])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    release: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)
    """Set when a question has come."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when whoever asked has closed the connection before the answer was done."""
    next: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply_to(self, body: dict[str, Any]) -> Reply:
        """The next answer of the script; the last one is given again and again."""
        with self.lock:
            self.requests.append(body)
            found = self.script[min(self.next, len(self.script) - 1)]
            self.next += 1
        self.asked.set()
        return found if isinstance(found, Reply) else found(body)


@contextlib.contextmanager
def llm_server(
    script: Script = (Reply(),), models: Sequence[str] = ("tiny:latest",), base: str = "/v1", *, lists: bool = True
) -> Iterator[Server]:
    """A server that runs until the end of the block; then what still hangs is let go."""
    found = Server("", script, tuple(models), base, lists)

    class Handler(_Handler):
        server_state = found

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    found.endpoint = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.release.set()
        http.shutdown()
        http.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    server_state: Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        state = self.server_state
        state.paths.append(self.path)
        first = state.script[0]
        if isinstance(first, Reply) and (first.hang_before_status or first.status != 200 or first.raw is not None):
            state.asked.set()
            self._answer(first, openai=False)
        elif self.path == "/api/tags":
            self._whole(200, {"models": [{"name": name, "model": name} for name in state.models]})
        elif self.path == f"{state.base}/models" and state.lists:
            self._whole(200, {"object": "list", "data": [{"id": name} for name in state.models]})
        else:
            self._whole(404, {"error": "page not found"})

    def do_POST(self) -> None:
        state = self.server_state
        state.paths.append(self.path)
        state.headers.append(dict(self.headers.items()))
        body = cast("dict[str, Any]", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if self.path not in ("/api/chat", f"{state.base}/chat/completions"):
            self._whole(404, {"error": "page not found"})
            return
        if not body.get("messages"):
            self._whole(400, {"error": {"message": "messages is required", "code": None}})
            return
        try:
            self._answer(state.reply_to(body), openai=self.path != "/api/chat")
        except ConnectionError:
            state.gone.set()

    def _answer(self, reply: Reply, *, openai: bool) -> None:
        if reply.hang_before_status:
            self._hang()
            return
        if reply.raw is not None and reply.status == 200 and reply.raw.startswith(b"!"):  # no HTTP at all
            self.wfile.write(reply.raw)
            return
        if reply.status != 200 and reply.raw is not None:
            self._bytes(reply.status, reply.raw, reply.location)
            return
        if reply.status != 200:
            told = {"message": reply.error, "code": reply.error_code} if openai else reply.error
            self._whole(reply.status, {"error": told}, reply.location)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if openai else "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        if reply.raw is not None:
            self.wfile.write(reply.raw)
            if reply.hang_after is not None:
                self._hang()
            return
        self._stream(reply, openai=openai)

    def _stream(self, reply: Reply, *, openai: bool) -> None:
        for at, token in enumerate((*reply.tokens, None)):
            if at == reply.hang_after:
                self._hang()
            if at == reply.cut_after:
                return
            if at == reply.malformed_after:
                self.wfile.write((b"data: " if openai else b"") + reply.garbage + b"\n")
                return
            if token is not None:
                self._send(openai_piece(token) if openai else ollama_piece(token), openai=openai)
            if reply.delay_s and self.server_state.release.wait(reply.delay_s):
                return
        if reply.error is not None:
            error = {"message": reply.error, "code": reply.error_code} if openai else reply.error
            self._send({"error": error}, openai=openai)
            return
        for line in openai_end(reply) if openai else ollama_end(reply):
            self._send(line, openai=openai)
        if openai:
            self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, value: object, *, openai: bool) -> None:
        data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.wfile.write(b"data: " + data + b"\n\n" if openai else data + b"\n")
        self.wfile.flush()

    def _hang(self) -> None:
        """Silent until released; notices when the other side goes."""
        self.connection.settimeout(0.02)
        while not self.server_state.release.is_set():
            try:
                if self.connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        if not self.server_state.release.is_set():
            self.server_state.gone.set()
        self.connection.settimeout(None)

    def _whole(self, status: int, value: object, location: str | None = None) -> None:
        self._bytes(status, json.dumps(value).encode(), location)

    def _bytes(self, status: int, data: bytes, location: str | None = None) -> None:
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def ollama_piece(token: str) -> dict[str, Any]:
    """One token as Ollama sends it."""
    return {"model": "tiny", "message": {"role": "assistant", "content": token}, "done": False}


def ollama_end(reply: Reply) -> list[dict[str, Any]]:
    """Ollama's last line."""
    used = reply.usage
    counts = {"prompt_eval_count": used[0], "eval_count": used[1]} if used is not None else {}
    return [{**ollama_piece(""), "done": True, "done_reason": reply.finish, **counts}]


def openai_piece(token: str) -> dict[str, Any]:
    """One token in the other way."""
    return {"choices": [{"index": 0, "delta": {"content": token}, "finish_reason": None}]}


def openai_end(reply: Reply) -> list[dict[str, Any]]:
    """Why it ended, then the usage."""
    last: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]}]
    if reply.usage is not None:
        usage = {"prompt_tokens": reply.usage[0], "completion_tokens": reply.usage[1]}
        last.append({"choices": [], "usage": usage})
    return last
