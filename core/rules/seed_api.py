"""The seed's own function: rules as dicts in, the relevant ones out with `relevance_score` (section 4.5)."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.embedding.asking import ModelAtHand, NoVectors, VectorSearch
from core.fault import Fault
from core.rules.book import Book, book_of
from core.rules.call import ToolCall
from core.rules.match import match
from core.rules.rule import Rule
from core.rules.rule_source import source_for
from core.rules.semantic import RememberedSemantic
from core.settings import EmbeddingSettings

if TYPE_CHECKING:
    from core.embedding.embedder import Embedder

DEADLINE_S = 4.2
"""A match never keeps a tool waiting for 5 seconds; this leaves room for the rest."""
_AT_ONCE = 8
"""Rules embedded between two looks at the clock."""
_now = time.monotonic


def find_relevant_rules_semantic(
    rules: Sequence[Mapping[str, Any]], tool_name: str, tool_input: Mapping[str, Any], use_fallback: bool = True
) -> list[dict[str, Any]]:
    """The rules that apply to a call, best first, each a copy with `relevance_score` (0..1).

    Vectors are remembered in this process by what was embedded; what cannot be embedded in time is compared by keywords
    until the next call (REQ-SEM-010). Without a model keywords answer, unless `use_fallback` is off: then nothing does.
    Raises nothing for a model that fails.
    """
    until = _now() + DEADLINE_S
    book = book_of([_rule(at, rule) for at, rule in enumerate(rules)])
    found = match(book, ToolCall(tool_name, tool_input), _ready(book, until), use_fallback=use_fallback)
    return [{**rules[one.line], "relevance_score": one.relevance_score} for one in found.rules]


def _rule(at: int, given: Mapping[str, Any]) -> Rule:
    def said(name: str) -> str:
        return str(given.get(name) or "")

    return Rule(
        said("id") or f"rule {at}",
        said("title"),
        said("problem"),
        said("root_cause"),
        said("solution"),
        said("prevention"),
        category=said("category"),
        line=at,
    )


@lru_cache(maxsize=1)
def _semantic() -> RememberedSemantic:
    return RememberedSemantic(VectorSearch(_find))


def _find() -> ModelAtHand | NoVectors:
    from core.embedding.local import load
    from core.embedding.models import Absent, current

    found = current(EmbeddingSettings())
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
        try:
            _embed(tier, embedder, missing, until)
        except Fault as fault:
            tier.note = fault.message
    return tier


def _opened(tier: RememberedSemantic, until: float) -> Embedder | NoVectors:
    """The model, if it is there in time; one that still loads goes on loading for the next call."""
    if tier.opening is None:
        tier.opening = threading.Thread(target=tier.vectors.embedder, daemon=True)
        tier.opening.start()
    tier.opening.join(max(0.0, until - _now()))
    if tier.opening.is_alive():
        return NoVectors("the model is still loading", outcome="timeout")
    return tier.vectors.embedder()


def _embed(tier: RememberedSemantic, embedder: Embedder, texts: Sequence[str], until: float) -> None:
    for at in range(0, len(texts), _AT_ONCE):
        if _now() >= until:
            tier.note = f"{len(texts) - at} rules still wait to be embedded"
            return
        some = texts[at : at + _AT_ONCE]
        tier.known.update(zip(some, embedder.embed(some, "document"), strict=True))
