"""Doctor's proof of the language model: its server answers, and has it."""

from __future__ import annotations

from core.base.config.settings_sources import Config
from core.base.fault import Fault
from core.llm.errors import pull_hint
from core.llm.factory import server_models
from core.store.checks import Check

_SERVER, _MODEL = "llm_reachable", "llm_model"
_LISTED = 5


def llm_checks(config: Config | None) -> tuple[Check, Check]:
    """Whether the language model in the settings can be asked. Takes four seconds at most and raises nothing.

    Where nobody set one up nothing is contacted, and it is no failure: `library ask` alone needs one.
    """
    if config is None or not any(
        one.name.startswith("models.llm.") and one.origin != "default" for one in config.settings
    ):
        hint = "to have questions answered, run Ollama and set models.llm.model, for example to qwen2.5:14b-instruct"
        unused = "none is set up; everything but `library ask` works without one"
        return Check(_SERVER, True, unused, hint), Check(_MODEL, True, "not asked")
    settings = config.values.llm
    try:
        found = server_models(settings)
    except Fault as fault:
        return Check(_SERVER, False, fault.message, fault.hint), Check(
            _MODEL, False, "not asked: no server to ask", "first see to llm_reachable"
        )
    reachable = Check(_SERVER, True, f"{found.address} ({settings.provider})")
    if not settings.model.strip():
        return reachable, Check(_MODEL, False, "models.llm.model is empty", f"set it to one of: {_some(found.models)}")
    if not found.known:
        return reachable, Check(_MODEL, True, f"{settings.model}; the server does not say which models it has")
    if found.has:
        return reachable, Check(_MODEL, True, f"{settings.model} is there")
    detail = f"{found.address} has no {settings.model}; it has {_some(found.models)}"
    return reachable, Check(_MODEL, False, detail, pull_hint(settings.provider, settings.model))


def _some(models: tuple[str, ...]) -> str:
    more = f" and {len(models) - _LISTED} more" if len(models) > _LISTED else ""
    return (", ".join(name[:60] for name in models[:_LISTED]) or "no model at all") + more
