"""Ollama's way of speaking: one JSON object a line, the last one `done` (POST /api/chat, GET /api/tags)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from core.llm.connection import Request
from core.llm.errors import ConnectionEnded, MalformedLine, ServerError, as_object, count
from core.llm.language_model import GenerateOptions, GenerationEnd, Message, Usage

CHAT: Final = "/api/chat"
TAGS: Final = "/api/tags"


def chat_request(model: str, context: int, messages: Sequence[Message], options: GenerateOptions) -> Request:
    tuning: dict[str, Any] = {"temperature": options.temperature, "num_ctx": context}
    if options.seed is not None:
        tuning["seed"] = options.seed
    if options.max_tokens:
        tuning["num_predict"] = options.max_tokens
    if options.stop:
        tuning["stop"] = list(options.stop)
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in messages],
        "stream": True,
        "options": tuning,
    }
    if options.as_json:
        body["format"] = "json"
    return Request(CHAT, json.dumps(body).encode("ascii"))


class Reader:
    """Reads one answer, line by line."""

    def __init__(self) -> None:
        self.done: GenerationEnd | None = None

    def read(self, line: bytes) -> str:
        """The text that a line brings, often none. Raises MalformedLine, ServerError."""
        if not line.strip():
            return ""
        value = as_object(line)
        if value.get("error") is not None:
            raise ServerError(value)
        message = value.get("message", {})
        text: object = cast("dict[str, object]", message).get("content", "") if isinstance(message, dict) else None
        if not isinstance(text, str | None):
            raise MalformedLine(line)
        if value.get("done") is True:
            finish = "length" if value.get("done_reason") == "length" else "stop"
            self.done = GenerationEnd(
                finish, Usage(count(value.get("prompt_eval_count")), count(value.get("eval_count")))
            )
        elif not isinstance(message, dict) or "message" not in value:
            raise MalformedLine(line)
        return text or ""

    def end(self) -> GenerationEnd:
        """How the answer ended. Raises ConnectionEnded where the connection did before it."""
        if self.done is None:
            raise ConnectionEnded
        return self.done


def names(body: bytes) -> tuple[str, ...]:
    """The models that the server has. Raises MalformedLine."""
    found: object = as_object(body).get("models")
    if not isinstance(found, list):
        raise MalformedLine(body)
    models = [cast("dict[str, object]", one) for one in cast("list[object]", found) if isinstance(one, dict)]
    return tuple(str(one.get("name") or one.get("model") or "") for one in models)


def has(model: str, known: Sequence[str]) -> bool:
    """Whether the server has a model: a name without a tag means the tag `latest`."""
    return model in known or (":" not in model.rpartition("/")[2] and f"{model}:latest" in known)
