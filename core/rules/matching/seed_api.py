"""The seed's own function: rules as dicts in, the relevant ones out with `relevance_score` (section 4.5)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from core.base.config.settings import EmbeddingSettings, Settings
from core.base.config.settings_sources import load_config
from core.base.fault import Fault
from core.base.log import Log
from core.base.paths import log_file
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch
from core.rules.format.book import Book, book_of
from core.rules.format.headings import rule_id
from core.rules.format.rule import Rule
from core.rules.format.store import source_for
from core.rules.matching.api import RuleMatch, match
from core.rules.matching.call import ToolCall
from core.rules.matching.semantic import NoSemantic, RememberedSemantic
from core.rules.matching.tables import Tables, load_tables, shipped_tables
from core.store.sql import storable

if TYPE_CHECKING:
    from core.embedding.runtime.embedder import Embedder

DEADLINE_S = 4.2
"""A match never keeps a tool waiting for 5 seconds; this leaves room for the rest."""
_AT_ONCE = 8
"""Rules embedded between two looks at the clock."""
_now = time.monotonic


def find_relevant_rules_semantic(
    rules: Iterable[Mapping[str, Any]], tool_name: str, tool_input: Mapping[str, Any], use_fallback: bool = True
) -> list[dict[str, Any]]:
    """The rules that apply to a call, best first, each a copy with `relevance_score` (0..1).

    Vectors are remembered in this process by what was embedded; what cannot be embedded in time is compared by keywords
    until the next call (REQ-SEM-010). The settings say with which model, or that there is none. Without one keywords
    answer, unless `use_fallback` is off: then nothing does. Raises nothing, whatever it is given; what fails is a
    warning in the log (REQ-SEM-006).
    """
    try:
        return _relevant(rules, tool_name, tool_input, use_fallback)
    except Exception as error:  # noqa: BLE001 whatever is given: what stands in its parts may raise anything
        _warn(f"no rules matched: unreadable input ({type(error).__name__})")
        return []


def _relevant(
    rules: Iterable[Mapping[str, Any]], tool_name: str, tool_input: Mapping[str, Any], use_fallback: bool
) -> list[dict[str, Any]]:
    until = _now() + DEADLINE_S
    given = list(cast("Iterable[object]", rules or ()))
    read = [_rule(at, cast("Mapping[str, Any]", rule)) for at, rule in enumerate(given) if isinstance(rule, Mapping)]
    book = book_of(_named(read), _tables())
    call = ToolCall(_plain(tool_name), _input(tool_input))
    found = _matched(book, call, until, use_fallback)
    return [
        {**cast("Mapping[str, Any]", given[one.line]), "relevance_score": one.relevance_score} for one in found.rules
    ]


def _matched(book: Book, call: ToolCall, until: float, use_fallback: bool) -> RuleMatch:
    tier = _ready(book, until)
    try:
        found = match(book, call, tier, use_fallback=use_fallback)
    except Fault as fault:  # of the model: keywords raise none
        found = match(book, call, NoSemantic("failed", fault.message), use_fallback=use_fallback)
    step, model = next(step for step in found.trace if step.stage == "semantic"), tier.vectors.model()
    chosen = isinstance(model, NoVectors) and model.outcome == "skipped"  # there is none, and nothing failed
    if step.outcome in ("failed", "timeout") and not chosen:
        _warn(f"rules matched by keywords only: {step.reason}")
    return found


def _tables() -> Tables:
    try:
        return load_tables()
    except Fault as fault:
        _warn(f"skipped custom tables: {fault.message}")
        return shipped_tables()


def _input(given: object) -> Mapping[str, Any]:
    """The input of a call, as the text that it is where it is no object."""
    if isinstance(given, Mapping):
        return {_plain(key): value for key, value in cast("Mapping[object, Any]", given).items()}
    return {} if given is None else {"input": given}


def _plain(given: object) -> str:
    return "" if given is None else storable(str(given))


def _rule(at: int, given: Mapping[str, Any]) -> Rule:
    def field(name: str) -> str:
        return _plain(given.get(name) or "")

    return Rule(
        rule_id(field("id")),
        field("title"),
        field("problem"),
        field("root_cause"),
        field("solution"),
        field("prevention"),
        category=field("category"),
        line=at,
    )


def _named(rules: Sequence[Rule]) -> list[Rule]:
    """The rules, each without an id named by its place: the same name for those that say the same (REQ-SEM-012)."""
    names: dict[str, str] = {}
    return [
        rule if rule.id else replace(rule, id=names.setdefault(rule.content_hash, f"rule {rule.line}"))
        for rule in rules
    ]


def _settings() -> Settings:
    """The settings in force; the defaults where those cannot be read."""
    try:
        return load_config().values
    except Fault:
        return Settings()


def _warn(warning: str) -> None:
    keep = _settings().log
    Log(log_file(), keep.level, keep.max_bytes, keep.keep).write("warning", "rules", told=warning)


def _semantic() -> RememberedSemantic:
    return _tier(_settings().embedding)


@lru_cache(maxsize=1)
def _tier(settings: EmbeddingSettings) -> RememberedSemantic:
    return RememberedSemantic(VectorSearch(lambda: _find(settings)))


def _find(settings: EmbeddingSettings) -> ModelAtHand | NoVectors:
    from core.embedding.models.models import Absent, current
    from core.embedding.runtime.local import load

    found = current(settings)
    if isinstance(found, Absent):
        return NoVectors(found.reason, found.remedy)
    return ModelAtHand(found.model, lambda: load(found, threads=1))


def _ready(book: Book, until: float) -> RememberedSemantic:
    """The process's semantic tier, with as many rules of the book embedded as there is time for."""
    tier = _semantic()
    model = tier.vectors.model()
    if isinstance(model, NoVectors):
        tier.book, tier.texts, tier.note = book, (), model.reason
        return tier
    tier.english = model.languages == "en"
    source = source_for(book.tables, english=tier.english)
    tier.book, tier.texts, tier.note = book, tuple(source.text(rule) for rule in book.rules), ""
    missing = [text for text in dict.fromkeys(tier.texts) if text not in tier.known]
    embedder = _opened(tier, until) if missing else None
    if isinstance(embedder, NoVectors):
        tier.note = embedder.reason
    elif embedder is not None:
        _embed(tier, embedder, missing, until)
    return tier


def _opened(tier: RememberedSemantic, until: float) -> Embedder | NoVectors:
    """Return the model if it is loaded in time; a loading one is ready for the next call."""
    if tier.opening is None:
        tier.opening = threading.Thread(target=tier.vectors.embedder, daemon=True)
        tier.opening.start()
    tier.opening.join(max(0.0, until - _now()))
    if tier.opening.is_alive():
        return NoVectors("the model is still loading", outcome="timeout")
    return tier.vectors.embedder()


def _embed(tier: RememberedSemantic, embedder: Embedder, texts: Sequence[str], until: float) -> None:
    """A lot of rules at a time; of one that fails each rule alone, so that one text costs no other its vector."""
    failed: list[str] = []
    for at in range(0, len(texts), _AT_ONCE):
        if _now() >= until:
            tier.note = f"rules not embedded yet: {len(texts) - at}"
            break
        some = texts[at : at + _AT_ONCE]
        why = _embed_some(tier, embedder, some)
        if why:
            alone = [one for one in (_embed_some(tier, embedder, [text]) for text in some) if one]
            failed += alone
            if len(alone) == len(some):
                break  # it is the model, not the text
    if failed:
        tier.note = failed[0]
        _warn(f"rules that could not be embedded: {len(failed)} ({failed[0]})")


def _embed_some(tier: RememberedSemantic, embedder: Embedder, some: Sequence[str]) -> str:
    """Why these could not be embedded; empty where they were."""
    try:
        tier.known.update(zip(some, embedder.embed(some, "document"), strict=True))
    except Fault as fault:
        return fault.message
    except Exception as error:  # noqa: BLE001 a broken model raises anything, and keywords must not pay for it
        return f"the model is broken: {type(error).__name__}"
    return ""
