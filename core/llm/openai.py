"""The way of speaking that many servers share: events, the last one `[DONE]` (POST …/chat/completions)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from core.llm.connection import Request
from core.llm.endpoint import Endpoint
from core.llm.language_model import Done, GenerateOptions, Message, Usage
from core.llm.pieces import Broken, Complaint, Said, Unreadable, as_object, count

CHAT: Final = "/chat/completions"
MODELS: Final = "/models"
NOTHING_ASKED: Final = Request(CHAT, b"{}")
"""A question without anything in it: a server that speaks so says what it lacks, and no model is asked."""


def based(endpoint: Endpoint) -> Endpoint:
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


class Reader:
    """Reads one answer, line by line. The usage follows the last token, and `[DONE]` that."""

    def __init__(self) -> None:
        self.done: Done | None = None
        self._finish = ""
        self._usage = Usage()

    def read(self, line: bytes) -> Said:
        """The text that a line brings, often none. Raises Unreadable, Complaint."""
        if not line.startswith(b"data:"):
            return self._no_data(line)
        data = line[5:].strip()
        if data == b"[DONE]":
            self.done = self._ended()
            return Said("")
        value = as_object(data)
        if value.get("error") is not None:
            raise Complaint(value)
        usage = value.get("usage")
        if isinstance(usage, dict):
            found = cast("dict[str, object]", usage)
            self._usage = Usage(count(found.get("prompt_tokens")), count(found.get("completion_tokens")))
        choices = value.get("choices")
        if not isinstance(choices, list):
            raise Unreadable(line)
        return self._choice(cast("list[object]", choices), line)

    def _choice(self, choices: list[object], line: bytes) -> Said:
        if not choices:
            return Said("")
        first = choices[0]
        if not isinstance(first, dict):
            raise Unreadable(line)
        choice = cast("dict[str, object]", first)
        if isinstance(finish := choice.get("finish_reason"), str):
            self._finish = finish
        delta: object = choice.get("delta") or {}
        text: object = cast("dict[str, object]", delta).get("content") if isinstance(delta, dict) else 0
        if not isinstance(text, str | None):
            raise Unreadable(line)
        return Said(text or "")

    def _no_data(self, line: bytes) -> Said:
        """Comments and other fields of an event say nothing; a bare object is a complaint, or no stream at all."""
        bare = line.strip()
        if bare and not bare.startswith((b":", b"event:", b"id:", b"retry:")):
            value = as_object(bare)
            raise Complaint(value) if value.get("error") is not None else Unreadable(line)
        return Said("")

    def _ended(self) -> Done:
        return Done("length" if self._finish == "length" else "stop", self._usage)

    def end(self) -> Done:
        """How the answer ended: some servers leave `[DONE]` out. Raises Broken where the connection ended before."""
        if self.done is None and not self._finish:
            raise Broken
        return self.done or self._ended()


def names(body: bytes) -> tuple[str, ...]:
    """The models that the server has. Raises Unreadable."""
    found: object = as_object(body).get("data")
    if not isinstance(found, list):
        raise Unreadable(body)
    models = [cast("dict[str, object]", one) for one in cast("list[object]", found) if isinstance(one, dict)]
    return tuple(str(one.get("id") or "") for one in models)
