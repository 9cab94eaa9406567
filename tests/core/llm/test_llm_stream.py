"""The client of language models, against a double that speaks both ways (see `llm_server`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from core.base.config.settings import LlmSettings
from core.base.fault import Fault
from core.llm.factory import ServedModel, language_model, server_models
from core.llm.language_model import ANSWER_CHARS, GenerateOptions, GenerationEnd, Message, Token, Usage
from tests.core.llm.llm_server import Reply, Script, Server, llm_server

WAYS = ("ollama", "openai")
QUESTION = (Message("system", "Be brief."), Message("user", "왜 실패했나?"))


def model(server: Server | str, provider: str = "ollama", **more: object) -> ServedModel:
    endpoint = server if isinstance(server, str) else server.endpoint
    return ServedModel(LlmSettings(provider=provider, model="tiny", endpoint=endpoint, **more))  # type: ignore[arg-type]


def ask(
    server: Server | str,
    provider: str = "ollama",
    options: GenerateOptions = GenerateOptions(),  # noqa: B008  frozen
    cancelled: Callable[[], bool] = lambda: False,
    **more: object,
) -> tuple[list[Token | GenerationEnd], Fault | None]:
    """What came, and what it ended with if that was a fault."""
    out: list[Token | GenerationEnd] = []
    try:
        out.extend(model(server, provider, **more).stream(QUESTION, options, cancelled))
    except Fault as fault:
        return out, fault
    return out, None


def scripted(script: Script, provider: str, **more: object) -> tuple[list[Token | GenerationEnd], Fault | None]:
    with llm_server(script) as server:
        return ask(server, provider, **more)  # type: ignore[arg-type]


def texts(found: list[Token | GenerationEnd]) -> list[str]:
    return [one.text for one in found if isinstance(one, Token)]


@pytest.mark.parametrize("provider", WAYS)
def test_tokens_come_one_by_one_and_the_end_says_what_they_cost(provider: str) -> None:
    with llm_server([Reply(("읽는 ", "중… 👩‍💻", " done"), usage=(7, 3))]) as server:
        options = GenerateOptions(max_tokens=50, temperature=0.5, seed=7, stop=("END",), as_json=True)
        found, fault = ask(server, provider, options, context_tokens=4096)
        assert fault is None
        assert texts(found) == ["읽는 ", "중… 👩‍💻", " done"]
        assert found[-1] == GenerationEnd("stop", Usage(7, 3))
        (asked,) = server.requests
        assert asked["messages"] == [{"role": "system", "content": "Be brief."},
                                     {"role": "user", "content": "왜 실패했나?"}]  # fmt: skip
        assert (asked["model"], asked["stream"]) == ("tiny", True)
        if provider == "ollama":
            assert asked["format"] == "json"
            assert asked["options"] == {
                "temperature": 0.5, "num_ctx": 4096, "seed": 7, "num_predict": 50, "stop": ["END"],
            }  # fmt: skip
        else:
            assert (asked["seed"], asked["max_tokens"], asked["temperature"], asked["stop"]) == (7, 50, 0.5, ["END"])
            assert asked["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize("provider", WAYS)
def test_a_token_is_there_before_the_next_one_is_sent(provider: str) -> None:
    with llm_server([Reply(("first", "second"), hang_after=1)]) as server:
        stream = model(server, provider).stream(QUESTION, GenerateOptions(), lambda: False)
        assert next(stream) == Token("first")
        server.release.set()
        assert [*stream] == [Token("second"), GenerationEnd("stop", Usage(12, 34))]


@pytest.mark.parametrize("provider", WAYS)
def test_what_the_server_does_not_count_is_not_invented(provider: str) -> None:
    found, _ = scripted([Reply(("x",), usage=None, finish="length")], provider)
    assert found == [Token("x"), GenerationEnd("length", Usage(None, None))]


@pytest.mark.parametrize("provider", WAYS)
@pytest.mark.parametrize(
    "reply",
    [Reply(hang_before_status=True), Reply(hang_after=0), Reply(hang_after=2)],
    ids=["status", "first", "later"],
)
def test_cancelling_ends_it_while_the_server_is_silent(provider: str, reply: Reply) -> None:
    before = list(reply.tokens)[: reply.hang_after or 0]
    with llm_server([reply]) as server:
        found: list[Token | GenerationEnd] = []

        def cancelled() -> bool:
            return server.asked.is_set() and texts(found) == before

        for one in model(server, provider).stream(QUESTION, GenerateOptions(), cancelled):
            found.append(one)  # one by one: what has come is looked at while more is awaited
        assert found[-1] == GenerationEnd("aborted", Usage())
        assert texts(found) == before
        assert server.gone.wait(120), "the server must see that nobody reads any more"


def test_cancelled_before_it_began_contacts_nobody() -> None:
    with llm_server() as server:
        assert ask(server, cancelled=lambda: True) == ([GenerationEnd("aborted", Usage())], None)
        assert server.paths == []


def test_who_stops_reading_ends_the_connection() -> None:
    with llm_server([Reply(hang_after=1)]) as server:
        stream: Iterator[Token | GenerationEnd] = model(server).stream(QUESTION, GenerateOptions(), lambda: False)
        with closing(stream):  # type: ignore[type-var]
            next(stream)
        assert server.gone.wait(120)


@pytest.mark.parametrize("provider", WAYS)
def test_a_stream_that_is_cut_off_is_no_answer(provider: str) -> None:
    found, fault = scripted([Reply(cut_after=2)], provider)
    assert texts(found) == ["Hello", " there"]
    assert fault is not None
    assert (fault.code, "was interrupted" in fault.message) == ("io_error", True)


@pytest.mark.parametrize("provider", WAYS)
@pytest.mark.parametrize(
    "garbage",
    [b"{", b"[]", b"null", b"\xff\xfe\x00", b"7", b"[" * 100_000, b"1" * 5_000, b'{"message": 3, "choices": 3}',
     b'{"message": {"content": ["x"]}, "choices": [{"delta": {"content": 3}}]}', b'{"choices": [3], "done": false}',
     b'{"message": {"content": "' + b"x" * 3_000_000],
)  # fmt: skip
def test_what_no_server_sends_is_told_and_shown_inert(provider: str, garbage: bytes) -> None:
    found, fault = scripted([Reply(malformed_after=1, garbage=garbage)], provider)
    assert texts(found) == ["Hello"]
    assert fault is not None
    assert fault.code == "io_error"
    assert fault.message.isprintable()
    assert len(fault.message) < 400


@pytest.mark.parametrize("provider", WAYS)
def test_an_error_in_the_middle_of_an_answer_is_told_inert(provider: str) -> None:
    found, fault = scripted([Reply(("a",), error="out of\x1b]52;c;eA==\x07 memory")], provider)
    assert texts(found) == ["a"]
    assert fault is not None
    assert fault.code == "io_error"
    assert "memory" in fault.message
    assert fault.message.isprintable()


@pytest.mark.parametrize(
    ("provider", "reply", "code", "hint"),
    [
        ("ollama", Reply(status=404, error="model 'tiny' not found"), "model_not_pulled", "ollama pull tiny"),
        ("ollama", Reply((), error='model "tiny" not found, try pulling it first'), "model_not_pulled", "ollama pull"),
        ("openai", Reply(status=404, error="no", error_code="model_not_found"), "model_not_pulled", "models.llm.model"),
        ("openai", Reply(status=401, error="Incorrect key"), "config_invalid", "models.llm.api_key_env"),
        ("openai", Reply(status=429, error="slow down"), "model_unreachable", "later"),
        ("openai", Reply(status=400, error="too long"), "invalid_input", "settings"),
        ("ollama", Reply(status=503, error="busy"), "model_unreachable", "server"),
        ("ollama", Reply(status=404, error="page not found"), "config_invalid", "models.llm.provider"),
        ("ollama", Reply(raw=b"!this is no HTTP\r\n\r\n"), "model_unreachable", "models.llm.endpoint"),
        ("ollama", Reply(raw=b"<html><body>Welcome</body></html>"), "io_error", "models.llm.endpoint"),
    ],
)
def test_a_refusal_says_what_to_do(provider: str, reply: Reply, code: str, hint: str) -> None:
    found, fault = scripted([reply], provider)
    assert found == []
    assert fault is not None
    assert fault.code == code
    assert hint in fault.hint


@pytest.mark.parametrize(
    ("base", "given"),
    [
        ("/v1", ""), ("/v1", "/"), ("/v1", "/v1"), ("/v1", "/v1/"), ("/v1", "/v1/chat/completions"),
        ("/api/paas/v4", "/api/paas/v4"), ("/v1beta/openai", "/v1beta/openai/"), ("/api/v1", "/api/v1"),
        ("/openai", "/openai/chat/completions"),
    ],
)  # fmt: skip
def test_a_base_with_a_path_is_used_as_it_is_and_a_bare_host_gets_v1(base: str, given: str) -> None:
    with llm_server(base=base) as server:
        found, fault = ask(server.endpoint + given, "openai")
        assert fault is None
        assert texts(found) == ["Hello", " there", "."]
        assert server_models(LlmSettings(provider="openai", model="tiny:latest", endpoint=server.endpoint + given)).has
        assert server.paths == [f"{base}/chat/completions", f"{base}/models"]


def test_a_redirect_is_not_followed() -> None:
    with llm_server() as other, llm_server([Reply(status=307, location=other.endpoint + "/api/chat")]) as server:
        found, fault = ask(server)
        assert other.paths == []
    assert found == []
    assert fault is not None
    assert other.endpoint in fault.message


def test_nobody_there() -> None:
    with llm_server() as server:
        pass  # its port is free again
    found, fault = ask(server)
    assert found == []
    assert fault is not None
    assert fault.code == "model_unreachable"
    assert server.endpoint in fault.message
    assert "ollama serve" in fault.hint


@pytest.mark.parametrize(
    ("reply", "limit", "named"),
    [
        (Reply(hang_before_status=True), "first_token_s", "models.llm.first_token_s"),
        (Reply(hang_after=0), "first_token_s", "models.llm.first_token_s"),
        (Reply(hang_after=1), "idle_s", "models.llm.idle_s"),
        (Reply(hang_after=1), "total_s", "models.llm.total_s"),
    ],
)
def test_silence_has_its_limits(reply: Reply, limit: str, named: str) -> None:
    _, fault = scripted([reply], "ollama", **{limit: 0.2})
    assert fault is not None
    assert fault.code == "timeout"
    assert named in fault.hint


@pytest.mark.parametrize("raw", [b": still here\n\n" * 3, b'data: {"choices": [' + b" " * 100, b""])
def test_what_says_nothing_is_silence(raw: bytes) -> None:
    _, fault = scripted([Reply(raw=raw, hang_after=0)], "openai", first_token_s=0.2)
    assert fault is not None
    assert fault.code == "timeout"


def test_more_than_anybody_reads_is_not_read() -> None:
    with llm_server([Reply(["x" * 10_000] * 200)]) as server:
        found, fault = ask(server)
    assert fault is None
    assert found[-1] == GenerationEnd("length")
    assert ANSWER_CHARS < sum(map(len, texts(found))) <= ANSWER_CHARS + 10_000


@pytest.mark.parametrize("provider", WAYS)
def test_half_a_surrogate_pair_is_no_text(provider: str) -> None:
    piece = b'{"message": {"content": "a\\ud83d"}, "choices": [{"delta": {"content": "a\\ud83d"}}]}'
    raw = (b"data: " if provider == "openai" else b"") + piece + b"\n"
    found, _ = scripted([Reply(raw=raw)], provider)
    assert texts(found) == ["a\ufffd"]


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "plain-words-as-a-key")
    with llm_server([Reply(status=400, error="bad key plain-words-as-a-key!")]) as server:
        found = model(server, "openai", api_key_env="MY_KEY")
        with pytest.raises(Fault) as caught:
            next(found.stream(QUESTION, GenerateOptions(), lambda: False))
        assert server.headers[0]["Authorization"] == "Bearer plain-words-as-a-key"
    told = repr((found, caught.value.message, caught.value.hint, caught.value.details))
    assert "plain-words" not in told


def test_proxies_are_not_asked_about_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with llm_server() as server:
        assert ask(server)[1] is None


def test_a_proxy_is_used_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with llm_server([Reply()]) as server:
        monkeypatch.setenv("http_proxy", server.endpoint)
        _, fault = ask("http://models.invalid:8000")
        assert server.paths == ["http://models.invalid:8000/api/chat"]  # which the double does not serve
    assert fault is not None
    assert fault.code == "config_invalid"


@pytest.mark.parametrize(
    "endpoint",
    ["", "127.0.0.1:11434", "ftp://x/", "http://", "http://x:99999", "http://a b/", "http://x/?q", "http://x/#f",
     "http://me:secret@x/", "http://[::1", "http://x/\r\nEvil: 1", "file:///etc/passwd"],
)  # fmt: skip
def test_what_is_no_address_is_told_without_its_secrets(endpoint: str) -> None:
    found, fault = ask(endpoint)
    assert found == []
    assert fault is not None
    assert fault.code == "config_invalid"
    assert "secret" not in fault.message + fault.hint
    assert (fault.message + fault.hint).isprintable()


@pytest.mark.parametrize("name", ["sk-live-0123456789", "NOT_SET_ANYWHERE"])
def test_the_name_of_the_key_is_a_name(name: str) -> None:
    _, fault = ask("http://127.0.0.1:9", api_key_env=name)
    assert fault is not None
    assert fault.code == "config_invalid"
    assert "sk-live" not in fault.message + fault.hint


def test_no_model_named_is_told_before_anybody_is_asked() -> None:
    with pytest.raises(Fault) as caught:
        language_model(LlmSettings(model=" "))
    assert caught.value.code == "config_invalid"


@pytest.mark.parametrize("provider", WAYS)
def test_what_a_server_has(provider: str) -> None:
    with llm_server(models=["tiny" if provider == "openai" else "tiny:latest", "big:7b"]) as server:
        for name, there in (("tiny", True), ("big", False), ("big:7b", True)):
            found = server_models(LlmSettings(provider=provider, model=name, endpoint=server.endpoint + "/"))
            assert (found.known, found.has) == (True, there)
