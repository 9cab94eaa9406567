"""Servers that say they speak OpenAI's way, and do so with an accent of their own (see `llm_server`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.base.config.settings import LlmSettings
from core.base.fault import Fault
from core.llm.factory import ServedModel
from core.llm.language_model import GenerateOptions, GenerationEnd, Message, Retracted, Token, Usage
from tests.core.llm.llm_server import Reply, Script, Server, llm_server

OTHER_NAME = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
)
OTHER_HEAT = "Unsupported value: 'temperature' does not support 0 with this model."
YES = [Token("Yes."), GenerationEnd("stop", Usage(12, 34))]


def asked(server: Server, provider: str = "openai") -> list[Token | Retracted | GenerationEnd]:
    model = ServedModel(LlmSettings(provider=provider, model="tiny", endpoint=server.endpoint))
    return [*model.stream((Message("user", "?"),), GenerateOptions(max_tokens=50, as_json=True), lambda: False)]


def scripted(*script: Any) -> list[Token | Retracted | GenerationEnd]:
    replies: Script = script
    with llm_server(replies) as server:
        return asked(server)


def test_a_server_that_names_the_length_otherwise_is_asked_once_more() -> None:
    with llm_server([Reply(status=400, error=OTHER_NAME), Reply(("Yes.",))]) as server:
        assert asked(server) == YES
        assert [(one.get("max_tokens"), one.get("max_completion_tokens")) for one in server.requests] == [
            (50, None), (None, 50),
        ]  # fmt: skip
    with llm_server([Reply(status=400, error=OTHER_NAME)]) as server, pytest.raises(Fault, match="HTTP 400"):
        asked(server)
    assert len(server.requests) == 2, "once more, and not again"


def test_an_option_that_a_model_does_not_take_is_left_out() -> None:
    script = [Reply(status=400, error=OTHER_NAME), Reply(status=400, error=OTHER_HEAT), Reply(("Yes.",))]
    with llm_server(script) as server:
        assert asked(server) == YES
        assert "temperature" not in server.requests[-1]
        assert server.requests[-1]["max_completion_tokens"] == 50
    with llm_server([Reply(status=400, error=OTHER_HEAT)]) as server, pytest.raises(Fault):
        asked(server, "ollama")
    assert len(server.requests) == 1, "Ollama takes them all"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_server_that_does_not_stream_is_read(indent: int | None) -> None:
    value = {
        "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "content": "<think>}</think>Yes."}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    whole = json.dumps(value, indent=indent).encode()
    assert scripted(Reply(raw=whole)) == [Token("Yes."), GenerationEnd("length", Usage(7, 3))]
    assert scripted(Reply(raw=b"\n" + whole + b"\n\n")) == [Token("Yes."), GenerationEnd("length", Usage(7, 3))]
    with pytest.raises(Fault, match="invalid reply"):
        scripted(Reply(raw=whole[: len(whole) // 2]))
    with pytest.raises(Fault, match="out of memory"):
        scripted(Reply(raw=json.dumps({"error": {"message": "out of memory"}}, indent=indent).encode()))


@pytest.mark.parametrize("raw", [b"{\n" * 5_000, b"{" + b" " * 2_000_000, b"{}\n", b'{"choices": 3}', b"{\n}}\n" * 900])
def test_what_is_no_answer_in_one_piece_either_is_told(raw: bytes) -> None:
    with pytest.raises(Fault) as caught:
        scripted(Reply(raw=raw))
    assert caught.value.code == "io_error"
    assert len(caught.value.message) < 400


def test_content_in_parts_is_read_and_thoughts_among_them_are_not() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Yes"}, 3]
    piece = json.dumps({"choices": [{"delta": {"content": parts}}]}).encode()
    end = b'data: {"choices": [{"delta": {"content": [{"type": "text", "text": "."}]}, "finish_reason": "stop"}]}\n\n'
    found = scripted(Reply(raw=b"data: " + piece + b"\n\n" + end + b"data: [DONE]\n\n"))
    assert found == [Token("Yes"), Token("."), GenerationEnd("stop", Usage())]


def test_an_answer_that_a_filter_stopped_is_not_whole() -> None:
    with llm_server([Reply(("Yes",), finish="content_filter")]) as server:
        stream = ServedModel(LlmSettings(provider="openai", model="tiny", endpoint=server.endpoint)).stream(
            (Message("user", "?"),), GenerateOptions(), lambda: False
        )
        assert next(stream) == Token("Yes")
        with pytest.raises(Fault, match="content filter"):
            next(stream)


@pytest.mark.parametrize("provider", ["ollama", "openai"])
@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (429, b"", "is overloaded (HTTP 429)"),
        (400, b"", "rejects the request (HTTP 400)"),
        (500, b"", "cannot answer (HTTP 500)"),
        (
            400,
            b'{"object": "error", "message": "too long", "code": 400}',
            "rejects the request (HTTP 400): too long",
        ),
        (422, b'{"detail": "no messages"}', "rejects the request (HTTP 422): no messages"),
        (429, b'{"error": {"message": "slow down"}}', "is overloaded (HTTP 429): slow down"),
    ],
)
def test_a_status_is_told_with_what_the_server_says_if_it_says_anything(
    provider: str, status: int, body: bytes, told: str
) -> None:
    with llm_server([Reply(status=status, raw=body)]) as server, pytest.raises(Fault) as caught:
        asked(server, provider)
    assert caught.value.message == f"{server.endpoint}{'/v1' if provider == 'openai' else ''} {told}"
