"""The way of speaking that many servers share: events, the last one `[DONE]` (POST …/chat/completions)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from core.base.fault import Fault
from core.llm.connection import Request
from core.llm.endpoint import Endpoint
from core.llm.errors import ConnectionEnded, MalformedLine, ServerError, as_object, count
from core.llm.language_model import MESSAGE_BYTES, GenerateOptions, GenerationEnd, Message, Usage

CHAT: Final = "/chat/completions"
MODELS: Final = "/models"
_DISPENSABLE: Final = ("temperature", "seed", "stream_options", "response_format")
"""Options that a model may be asked without."""
_MOST_LINES: Final = 2_000
EMPTY_REQUEST: Final = Request(CHAT, b"{}")
"""A question without anything in it: a server that speaks so says what it lacks, and no model is asked."""


def with_version_path(endpoint: Endpoint) -> Endpoint:
    """The endpoint that questions are put to: one with a path is used as it is, a bare host gets `/v1`."""
    path = endpoint.path.removesuffix(CHAT)
    return replace(endpoint, path=path or "/v1")


def chat_request(model: str, messages: Sequence[Message], options: GenerateOptions) -> Request:
    """The question; its path follows that of the endpoint, see `based`."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": options.temperature,
    }
    if options.seed is not None:
        body["seed"] = options.seed
    if options.max_tokens:
        body["max_tokens"] = options.max_tokens
    if options.stop:
        body["stop"] = list(options.stop)
    if options.as_json:
        body["response_format"] = {"type": "json_object"}
    return Request(CHAT, json.dumps(body).encode("ascii"))


def without_rejected_option(request: Request, fault: Fault) -> Request | None:
    """The question once more, as a server asks for it that does not take one of its options; None if it is not that."""
    message = str(fault.details.get("said") or "")
    if fault.details.get("status") not in (400, 422) or request.body is None:
        return None
    body: dict[str, Any] = json.loads(request.body)
    if "max_tokens" in body and "max_completion_tokens" in message:
        body["max_completion_tokens"] = body.pop("max_tokens")
    elif named := next((one for one in _DISPENSABLE if one in body and one in message), None):
        del body[named]
    else:
        return None
    return Request(request.path, json.dumps(body).encode("ascii"))


class Reader:
    """Reads one answer, line by line. The usage follows the last token, then `[DONE]`. A server without streaming sends
    one object, which may take several lines."""

    def __init__(self) -> None:
        self._whole = bytearray()
        self._lines = 0
        self.done: GenerationEnd | None = None
        self._finish = ""
        self._usage = Usage()

    def read(self, line: bytes) -> str:
        """The text that a line brings, often none. Raises MalformedLine, ServerError."""
        if not line.startswith(b"data:"):
            return self._no_data(line)
        data = line[5:].strip()
        if data == b"[DONE]":
            self.done = self._ended()
            return ""
        value = as_object(data)
        if value.get("error") is not None:
            raise ServerError(value)
        return self._object(value, "delta", line)

    def _object(self, value: dict[str, Any], part: str, line: bytes) -> str:
        usage = value.get("usage")
        if isinstance(usage, dict):
            found = cast("dict[str, object]", usage)
            self._usage = Usage(count(found.get("prompt_tokens")), count(found.get("completion_tokens")))
        choices = value.get("choices")
        if not isinstance(choices, list):
            raise MalformedLine(line)
        return self._choice(cast("list[object]", choices), part, line)

    def _choice(self, choices: list[object], part: str, line: bytes) -> str:
        if not choices:
            return ""
        first = choices[0]
        if not isinstance(first, dict):
            raise MalformedLine(line)
        choice = cast("dict[str, object]", first)
        if isinstance(finish := choice.get("finish_reason"), str):
            self._finish = finish
        if self._finish == "content_filter":
            raise ServerError({"error": "its content filter stopped the answer"})
        message: object = choice.get(part) or {}
        if not isinstance(message, dict):
            raise MalformedLine(line)
        return _text(cast("dict[str, object]", message).get("content"), line)

    def _no_data(self, line: bytes) -> str:
        """Comments and other fields of an event say nothing; a bare object is a complaint, or a whole answer."""
        bare = line.strip()
        if not self._whole and (not bare or bare.startswith((b":", b"event:", b"id:", b"retry:"))):
            return ""
        self._whole += line + b"\n"
        self._lines += 1
        if not self._whole.lstrip().startswith(b"{") or len(self._whole) > MESSAGE_BYTES or self._lines > _MOST_LINES:
            raise MalformedLine(bytes(self._whole[:1000]))
        if not bare.endswith(b"}"):
            return ""
        try:
            value = as_object(bytes(self._whole))
        except MalformedLine:
            return ""  # so far: `end` says so if no more comes
        if value.get("error") is not None:
            raise ServerError(value)
        text = self._object(value, "message", line)
        self.done = self._ended()
        return text

    def _ended(self) -> GenerationEnd:
        return GenerationEnd("length" if self._finish == "length" else "stop", self._usage)

    def end(self) -> GenerationEnd:
        """How the answer ended: some servers omit `[DONE]`. Raises ConnectionEnded if the connection ended before."""
        if self.done is None and self._whole:
            raise MalformedLine(bytes(self._whole[:1000]))
        if self.done is None and not self._finish:
            raise ConnectionEnded
        return self.done or self._ended()


def _text(content: object, line: bytes) -> str:
    """The text of a message, which some servers send in parts; parts of other kinds are none of it."""
    if isinstance(content, list):
        parts = [cast("dict[str, object]", one) for one in cast("list[object]", content) if isinstance(one, dict)]
        return "".join(_text(one.get("text"), line) for one in parts if one.get("type") == "text")
    if not isinstance(content, str | None):
        raise MalformedLine(line)
    return content or ""


def names(body: bytes) -> tuple[str, ...]:
    """The models that the server has. Raises MalformedLine."""
    found: object = as_object(body).get("data")
    if not isinstance(found, list):
        raise MalformedLine(body)
    models = [cast("dict[str, object]", one) for one in cast("list[object]", found) if isinstance(one, dict)]
    return tuple(str(one.get("id") or "") for one in models)
