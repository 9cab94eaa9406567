"""Doctor: one check for each part casebook needs, and what to do where one fails."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, cast

import apsw

from core.base.config.settings import EmbeddingSettings
from core.base.config.settings_sources import Config
from core.base.fault import Fault
from core.base.installation import remedy
from core.base.program import program
from core.embedding import unusable
from core.embedding.index.maintenance import disagreements, rebuild
from core.embedding.models.models import Absent, current
from core.embedding.service.client import model_service
from core.errors.cases.derived import refresh_case
from core.errors.retrieval.embed_text import ErrorSource
from core.flows.hook.agents.forms import found_forms
from core.flows.hook.agents.status import registered
from core.flows.rules.files import untrusted_files
from core.flows.system.capabilities import has_mcp
from core.library.search.fts import rebuild_fts
from core.library.search.hybrid import ChunkSource
from core.library.search.korean import CHOSEN, MISSING, installed
from core.llm.errors import pull_hint
from core.llm.factory import server_models
from core.rules.format.store import RuleSource
from core.rules.matching.tables import load_tables, own_tables
from core.store import faults, open_store
from core.store.checks import Check, store_checks

_SOURCES: Final = (ErrorSource(), ChunkSource(), RuleSource())
"""Everything that has vectors."""
_NAME = "embedding_model"
_PROBE = "Cannot find module 'react'"


def model_check(settings: EmbeddingSettings) -> Check:
    """Load the selected model and embed a text with it. No selected model is not a failure; an unavailable selected one
    is. Raises nothing."""
    found = current(settings)
    if isinstance(found, Absent):
        detail = found.reason if settings.model else f"{found.reason}, only the text tiers are available"
        return Check(_NAME, not settings.model, detail, f"run: {found.remedy}")
    from core.embedding.runtime.local import load

    try:
        embedder = load(found)
        try:
            began = time.perf_counter()
            ((vector,),) = embedder.embed([_PROBE], "query")
            took = (time.perf_counter() - began) * 1000
            wrong = unusable(vector, found.model.dim)
        finally:
            embedder.close()
    except Fault as fault:
        return Check(_NAME, False, fault.message, fault.hint)
    name = f"{embedder.id}@{embedder.version}"
    if wrong is not None:
        return Check(
            _NAME, False, f"{name} returned no vector: {wrong}", f"run: casebook models pull --force {embedder.id}"
        )
    measured = "" if found.model.measured else ", not calibrated: shows similar cases only"
    detail = f"{name}: one text embedded to a unit vector of {embedder.dim} in {took:.0f} ms{measured}"
    return Check(_NAME, True, detail, "" if found.model.measured else "run: casebook models calibrate")


_SERVER, _MODEL = "llm_reachable", "llm_model"
_LISTED = 5


def llm_checks(config: Config | None) -> tuple[Check, Check]:
    """Whether the language model in the settings can be asked. Takes four seconds at most and raises nothing.

    Where nobody set one up nothing is contacted, and it is no failure: `library ask` alone needs one.
    """
    if config is None or not any(
        one.name.startswith("models.llm.") and one.origin != "default" for one in config.settings
    ):
        hint = "for answers, run Ollama and set models.llm.model, for example to qwen2.5:14b-instruct"
        unused = "not configured (only `library ask` needs an LLM)"
        return Check(_SERVER, True, unused, hint), Check(_MODEL, True, "not checked")
    settings = config.values.llm
    try:
        found = server_models(settings)
    except Fault as fault:
        return Check(_SERVER, False, fault.message, fault.hint), Check(
            _MODEL, False, "not checked: no server", "fix llm_reachable first"
        )
    reachable = Check(_SERVER, True, f"{found.address} ({settings.provider})")
    if not settings.model.strip():
        return reachable, Check(_MODEL, False, "models.llm.model is empty", f"set it to one of: {_some(found.models)}")
    if not found.known:
        return reachable, Check(_MODEL, True, f"{settings.model} (the server does not list its models)")
    if found.has:
        return reachable, Check(_MODEL, True, f"{settings.model} is available")
    detail = f"{found.address} has no {settings.model}, available: {_some(found.models)}"
    return reachable, Check(_MODEL, False, detail, pull_hint(settings.provider, settings.model))


def _some(models: tuple[str, ...]) -> str:
    more = f" and {len(models) - _LISTED} more" if len(models) > _LISTED else ""
    return (", ".join(name[:60] for name in models[:_LISTED]) or "no models") + more


_BATCH = 500
"""Cases mended in one transaction: others may write in between."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Every check, in order. It is healthy if none fails; a missing optional part is not a failure."""

    SCHEMA: ClassVar[str] = "doctor.v1"

    ok: bool
    checks: tuple[Check, ...]


def diagnose(load: Callable[[], Config], locate: Callable[[Config | None], Path]) -> Diagnosis:
    """Run every check. `load` reads the settings, `locate` names the casebook they (or, failing those, none) mean.

    Changes nothing of the casebook and raises nothing: what cannot be done is a failed check.
    """
    config: Config | None = None
    try:
        config = load()
        settings = _settings_check(config)
    except Fault as fault:
        settings = Check("config_loaded", False, fault.message, fault.hint)
    model = model_check(config.values.embedding if config is not None else EmbeddingSettings())
    stored = store_checks(locate(config), _vector_problems)
    checks = (
        settings,
        *(_mendable(check) for check in stored),
        model,
        _service_check(config),
        *llm_checks(config),
        *_korean(config),
        *_rule_files(config),
        *_tables(),
        *_mcp(),
        *_agent_hooks(),
    )
    return Diagnosis(all(check.ok for check in checks), checks)


def _vector_problems(con: apsw.Connection) -> list[str]:
    return [line for source in _SOURCES for line in disagreements(con, source.kind)]


def _mendable(check: Check) -> Check:
    """The store knows that its derived tables disagree; that they can be rebuilt is known here."""
    if check.ok or check.name != "counts_match":
        return check
    return replace(check, hint="to rebuild the derived tables, run: casebook doctor --repair")


def _service_check(config: Config | None) -> Check:
    """None running is as it should be: one is started where it helps."""
    if config is not None and not config.values.embedding.service:
        return Check("model_service", True, "not checked: the setting embedding.service is off")
    found = model_service()
    hint = "to restart the service, run: casebook serve-model --stop" if found.broken else ""
    return Check("model_service", not found.broken, found.reason, hint)


def _korean(config: Config | None) -> tuple[Check, ...]:
    """Nothing is said of what was not chosen."""
    if config is None or config.values.library.korean != CHOSEN:
        return ()
    here = installed()
    return (
        Check("library_korean", bool(here), here or MISSING, "" if here else f"to install it, run: {remedy('ko')}"),
    )


def _rule_files(config: Config | None) -> tuple[Check, ...]:
    """The rule files around the current folder that are not read; nothing is said where there is none."""
    try:
        untrusted = () if config is None else untrusted_files(config.values.rules, Path.cwd())
    except (Fault, OSError):
        return ()
    if not untrusted:
        return ()
    files = "; ".join(one.partition("; ")[0] for _, one in untrusted)
    return (Check("rule_files", True, files, untrusted[0][1].partition("; ")[2]),)


def _tables() -> tuple[Check, ...]:
    """The words and patterns of one's own, where there are any: one that is wrong is done without, by the hook too."""
    try:
        there = own_tables()
        unknown = load_tables().unknown if there else ()
    except Fault as fault:
        return (Check("rule_tables", False, fault.message, fault.hint),)
    if not there:
        return ()
    problems = (f"{flaw.path}:{flaw.line}: {flaw.message}" for flaw in unknown)
    hint = "fix or remove the unknown settings" if unknown else ""
    return (Check("rule_tables", True, "; ".join((*map(str, there), *problems)), hint),)


def _mcp() -> tuple[Check, ...]:
    """Nothing is said of what is there; without it only one command cannot serve."""
    if has_mcp():
        return ()
    return (Check("mcp_extra", True, "not installed (only `casebook mcp` needs it)", f"run: {remedy('mcp')}"),)


def _agent_hooks() -> tuple[Check, ...]:
    """The agents on this machine and whether each has casebook's hooks; nothing is said where there is no agent.

    Whether an installed hook answers is tested by `hooks status`, which starts it."""
    states: list[str] = []
    missing: list[str] = []
    unreadable = False
    for form in found_forms(os.environ):
        try:
            has_hooks = bool(registered(form, form.path(os.environ), program()).events)
        except Fault as fault:
            states.append(f"{form.title}: {fault.message}")
            unreadable = True
            continue
        states.append(f"{form.title}: {'installed' if has_hooks else 'not installed'}")
        if not has_hooks:
            missing.append(f"casebook hooks install --agent {form.agent}")
    if not states:
        return ()
    return (Check("agent_hooks", not unreadable, "; ".join(states), f"run: {'; '.join(missing)}" if missing else ""),)


def _settings_check(config: Config) -> Check:
    found = config.path if config.exists else f"defaults, no file at {config.path}"
    return Check(
        "config_loaded",
        True,
        "; ".join((found, *config.warnings)),
        "fix or remove the unknown settings" if config.warnings else "",
    )


def repair(database: Path) -> int:
    """Rebuild what is derived from the cases (states, keys that answer), and the indexes of cases, rules and library.

    Returns how many cases there are. Raises Fault where the casebook is missing or cannot be written.
    """
    with open_store(database, write=True) as store, faults(database):
        with store.transaction() as con:
            con.execute("DELETE FROM case_state WHERE case_id NOT IN (SELECT id FROM error_kb)")
            con.execute("INSERT INTO case_fts(case_fts) VALUES ('delete-all')")
            con.execute(
                "INSERT OR IGNORE INTO case_state(case_id, first_seen, last_seen) SELECT id, ts, ts FROM error_kb"
            )
            con.execute("DELETE FROM answer_key")
            con.execute("UPDATE error_kb SET resolution = resolution")  # the schema's own triggers fill it again
        done = last = 0
        while True:
            rows = store.con.execute(
                "SELECT id FROM error_kb WHERE id > ? ORDER BY id LIMIT ?", (last, _BATCH)
            ).fetchall()
            if not rows:
                for source in _SOURCES:
                    rebuild(store, source)
                rebuild_fts(store)
                return done
            with store.transaction() as con:
                for (case_id,) in cast("list[tuple[int]]", rows):
                    refresh_case(con, case_id)
                    last, done = case_id, done + 1
