"""Doctor and the language model: what is missing is named with its remedy, and nobody is asked unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.config.settings import Value
from core.base.config.settings_sources import Config, load_config
from core.flows.system.doctor import llm_checks
from tests.core.llm.llm_server import Reply, Server, llm_server


def config(server: Server | str, provider: str = "ollama", model: str = "tiny") -> Config:
    endpoint = server if isinstance(server, str) else server.endpoint
    values: dict[str, Value] = {"endpoint": endpoint, "provider": provider, "model": model}
    flags = {f"models.llm.{name}": ("test", value) for name, value in values.items()}
    return load_config(None, {"XDG_CONFIG_HOME": "/nowhere"}, flags)


def test_what_nobody_set_up_is_no_failure_and_asks_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def contacted(*_: object) -> None:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("socket.socket.connect", contacted)
    for unset in (None, load_config(None, {"XDG_CONFIG_HOME": str(tmp_path)})):
        server, model = llm_checks(unset)
        assert (server.name, model.name) == ("llm_reachable", "llm_model")
        assert server.ok
        assert model.ok


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_a_server_that_has_the_model(provider: str) -> None:
    with llm_server(models=["tiny", "tiny:latest"]) as found:
        server, model = llm_checks(config(found, provider))
        assert found.endpoint in server.detail
        assert (server.ok, model.ok) == (True, True)
        assert found.requests == [], "the model itself is not asked: that may take minutes"


def test_a_model_that_is_not_there_is_named_with_what_to_do() -> None:
    with llm_server(models=["one:7b", "evil\x1b[2J"]) as found:
        server, model = llm_checks(config(found))
    assert (server.ok, model.ok) == (True, False)
    assert "one:7b" in model.detail
    assert model.hint == "ollama pull tiny"


def test_no_server_no_model_name_and_nonsense() -> None:
    with llm_server(models=["a"]) as found:
        _, model = llm_checks(config(found, model=""))
        assert (model.ok, "a" in model.hint) == (False, True)
    server, model = llm_checks(config(found))  # it has gone
    assert (server.ok, model.ok, "ollama serve" in server.hint) == (False, False, True)
    assert "llm_reachable" in model.hint, "each missing piece has its remedy"
    with llm_server([Reply(raw=b"[]")]) as found:
        assert not llm_checks(config(found))[0].ok
    with llm_server([Reply(status=404, error="no")]) as found:
        assert not llm_checks(config(found))[0].ok
    assert not llm_checks(config("nonsense"))[0].ok


def test_a_server_that_lists_nothing_speaks_all_the_same() -> None:
    with llm_server(lists=False) as found:
        server, model = llm_checks(config(found, "openai"))
        assert (server.ok, model.ok) == (True, True)
        assert "does not list its models" in model.detail
        assert found.requests == [], "the model itself is not asked"


def test_a_server_that_does_not_speak_so_is_named() -> None:
    with llm_server(lists=False) as found:
        server, model = llm_checks(config(f"{found.endpoint}/foo", "openai"))
        assert (server.ok, model.ok) == (False, False)
        assert f"{found.endpoint}/foo is not an openai server (HTTP 404)" in server.detail
        assert "/v1" in server.hint
        assert not llm_checks(config(f"{found.endpoint}/foo"))[0].ok
        found.base = "/api"  # where the double speaks Ollama's way
        assert not llm_checks(config(f"{found.endpoint}/v1", "openai"))[0].ok
    with llm_server([Reply(status=405, error="no")]) as found:
        assert not llm_checks(config(f"{found.endpoint}/v1/elsewhere", "openai"))[0].ok
