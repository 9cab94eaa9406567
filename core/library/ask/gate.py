"""The evidence gate: whether the retrieved passages are enough to answer a question, with the trace of its decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import apsw

from core.base.trace import Fact, Step, Stopwatch, facts
from core.lexical import bigrams, quoted
from core.library.ask.features import (
    PassageFeatures,
    QuestionTerms,
    Reader,
    Stopped,
    Support,
    by_reading,
    by_words,
    evidence,
    joined,
    matcher,
    reader,
)
from core.library.ask.question import ContentWord, Question
from core.library.search.hybrid import EMBED, vector_search
from core.library.search.lexical import lexical_query, lexical_search
from core.library.search.rows import citation_of, passages
from core.library.search.subword import word_pieces
from core.store.sql import number
from core.text import hangul_share

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch

_FAN: Final = 60
_AHEAD: Final = 0.2  # the mean of the best passages: for text that the model cannot read, and for small libraries
_KEPT: Final = 8  # passages whose sentences are read
_WITH_COSINE, _INSTEAD = 0.35, 0.7  # what shared words promise beside a cosine, and more where there is none
_PROGRAM, _TABLE = 0.15, 0.3  # programs and data seldom answer a question that is asked in words
_NEAREST: Final = 3  # passages that a refusal lists
_PASSAGES_IN_TRACE: Final = 5
_KOREAN: Final = 0.3
"""Of the letters of a text."""
_UNSAID: Final = 0.5  # of a word: what is more alike is said in other words
NOTHING: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether to ask a model: the best evidence, the passages that bring it (best first), and why.

    `waits`: what only has to be waited for until meaning can be asked too; words alone decided. `unknown`: the heaviest
    word of the question that none of the best passages says anything about, for a refusal also none of the nearest
    three, as the question spells it; else empty.
    `support`: what decided; None where words alone did.
    """

    passed: bool
    score: float
    best: tuple[PassageFeatures, ...]
    step: Step
    waits: str = ""
    unknown: str = ""
    support: Support | None = None


def gate(
    con: apsw.Connection,
    question: Question,
    vectors: VectorSearch | None,
    documents: tuple[str, ...] | None,
    among: frozenset[int] | None,
    bar: float,
    glossary: Mapping[str, str] = NOTHING,
    cancelled: Callable[[], bool] = lambda: False,
) -> Gate:
    """The evidence for `question` in `documents` (None: all; `among`: their passages) against `bar`.

    `glossary`: Korean words with their English ones, as the question was read with. Raises apsw errors of the store;
    what is wrong with vectors costs only their part, and so does `cancelled`, which is asked every few sentences.
    """
    watch = Stopwatch()
    total = number(con, "SELECT count(*) FROM chunks")
    weights = [math.log(1 + total / (1 + _passage_count(con, one))) for one in question.words]
    model = reader(vectors, cancelled)
    near, _ = vector_search(con, question.text, vectors, among, _FAN)
    cosines = {} if model is None else dict(near.items)
    found = lexical_search(con, lexical_query(searched(question)), documents, _FAN)
    rows = passages(con, list(dict.fromkeys((*found.ids, *cosines))))
    terms = QuestionTerms(question, weights, matcher(question.words), glossary)
    seen = [_compared(by_words(terms, row), cosines, model) for row in rows.values()]
    model = model if cosines else None
    korean = [one for one in seen if model is not None and model.cannot_read(one.passage.text)]
    best, why = _read(con, terms, [one for one in seen if one not in korean], cosines, model)
    support = _support(terms, best, seen)
    if model is not None and support is not None:
        best = [replace(one, evidence=joined(support, one.evidence, model.model.id)) for one in best]
    # Of a passage that the model cannot read, words alone decide.
    best = sorted((*best, *map(_weighed, korean)), key=lambda one: -one.evidence)
    unmeasured = "the model is not calibrated. Run: casebook models calibrate" if near.items and model is None else None
    by_words_why = why or unmeasured or (None if cosines else near.step.reason)
    return _decided(terms, best, bar, support, by_words_why, _pending_reason(near.step), watch)


def _support(terms: QuestionTerms, best: Sequence[PassageFeatures], seen: Sequence[PassageFeatures]) -> Support | None:
    """What decides besides the best passage; None if no model read it."""
    if not best or not best[0].is_read:
        return None
    words = max((evidence(one.signals, by_words=True) for one in seen if one.words.share), default=0.0)
    korean = hangul_share(terms.question.text) > _KOREAN
    return Support(best[0].evidence, words, korean and hangul_share(best[0].passage.text) <= _KOREAN)


def _unknown(terms: QuestionTerms, best: Sequence[PassageFeatures]) -> str:
    """The heaviest word that none of these passages says even half of, of equal ones the longest, as it is spelled.

    A Korean one without its particle. Empty where there is none.
    """
    held = [one.held for one in best]
    lacking = [
        (weight, len(word.word), word)
        for weight, word, *shares in zip(terms.weights, terms.question.words, *held, strict=True)
        if held and max(shares) < _UNSAID
    ]
    if not lacking:
        return ""
    word = max(lacking, key=lambda row: row[:2])[2]
    spelling = word.stem if word.kind == "korean" else word.word
    at = terms.question.text.casefold().find(spelling)
    return terms.question.text[at : at + len(spelling)] if at >= 0 else spelling


def _pending_reason(near: Step) -> str:
    """What has to be waited for until meaning knows every passage."""
    if near.fact("remedy") == EMBED:
        return near.reason or ""
    left = near.fact("waiting")
    return f"{left:,} passages are not embedded" if left else ""


def searched(question: Question) -> str:
    """What the words' index is asked."""
    return f"{question.text} {question.english}".strip()


def _compared(one: PassageFeatures, cosines: Mapping[int, float], model: Reader | None) -> PassageFeatures:
    """The passage with its `ahead`: its cosine beside the mean of the nearest ones."""
    if model is None or not cosines:
        return one
    ahead = _AHEAD
    if len(cosines) == _FAN and not model.cannot_read(one.passage.text):
        mean = sum(cosines.values()) / _FAN
        ahead = max(0.0, cosines.get(one.passage.id, mean) - mean)
    return replace(one, signals=replace(one.signals, ahead=ahead))


def _read(
    con: apsw.Connection,
    terms: QuestionTerms,
    seen: Sequence[PassageFeatures],
    cosines: Mapping[int, float],
    model: Reader | None,
) -> tuple[list[PassageFeatures], str | None]:
    """All passages, weighed, best first, and why a model read none of them (None: it did)."""
    first = sorted(seen, key=lambda one: (-_promise(one, cosines), one.passage.path, one.passage.id))
    if model is not None:
        try:
            read = by_reading(con, terms, first[:_KEPT], model)
        except Stopped as why:
            return _ordered(map(_weighed, first)), str(why) or "the check was stopped"
        best = _ordered(map(_weighed, read))
        # What was not read cannot stand above what was.
        least = min((one.evidence for one in best), default=0.0)
        rest = map(_weighed, first[_KEPT:])
        return [*best, *_ordered(replace(one, evidence=min(one.evidence, least)) for one in rest)], None
    return _ordered(map(_weighed, first)), None


def _promise(one: PassageFeatures, cosines: Mapping[int, float]) -> float:
    """What makes a passage worth reading."""
    near = cosines.get(one.passage.id)
    found = _WITH_COSINE * one.words.share + (_INSTEAD * one.words.share if near is None else max(0.0, near))
    return found * (1 - _PROGRAM * one.signals.program - _TABLE * one.signals.table)


def _weighed(one: PassageFeatures) -> PassageFeatures:
    return replace(one, evidence=evidence(one.signals, by_words=not one.is_read))


def _ordered(found: Iterable[PassageFeatures]) -> list[PassageFeatures]:
    return sorted(found, key=lambda one: (-one.evidence, one.passage.path, one.passage.id))


def _passage_count(con: apsw.Connection, one: ContentWord) -> int:
    """How many passages have the word."""
    if one.kind != "word":
        pairs = bigrams(one.stem)
        match = quoted(pairs) if len(one.stem) > 1 else f"{quoted(one.stem)} *"
        if one.also and not _any(con, match):
            match = " OR ".join(map(quoted, one.also))
    else:
        match = " OR ".join(quoted(form) for form in dict.fromkeys((one.word, one.stem, *word_pieces(one.word))))
    return number(con, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?", (match,))


def _any(con: apsw.Connection, match: str) -> bool:
    return number(con, "SELECT count(*) FROM (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT 1)", (match,)) > 0


def _decided(
    terms: QuestionTerms,
    best: Sequence[PassageFeatures],
    bar: float,
    support: Support | None,
    by_words_why: str | None,
    waits: str,
    watch: Stopwatch,
) -> Gate:
    """The decision on these passages, best first."""
    score = best[0].evidence if best else 0.0
    passed = bool(best) and score >= bar
    unknown = _unknown(terms, best[:_KEPT]) or ("" if passed else _unknown(terms, best[:_NEAREST]))
    if not best:
        reason = "no passage contains any of the words"
    elif passed:
        reason = "a passage covers enough of the question"
    else:
        more = f", and the closest do not mention {unknown!r}" if unknown else ""
        reason = f"no passage covers enough of the question{more}"
    known = facts(
        score=round(score, 3),
        bar=bar,
        words=" ".join(one.word for one in terms.question.words),
        english=terms.question.english or None,
        by_words=by_words_why,
        **_support_facts(support),
        waits=waits or None,
        unknown=unknown or None,
    )
    steps = tuple(_passage_step(one, hit=one.evidence >= bar) for one in best[:_PASSAGES_IN_TRACE])
    step = Step("gate", "hit" if passed else "rejected", reason, known, steps, elapsed_ms=watch.ms())
    return Gate(passed, score, tuple(best), step, waits, unknown, support)


def _support_facts(support: Support | None) -> dict[str, Fact]:
    if support is None:
        return {}
    return {
        "read": round(support.read, 3),
        "by_keywords": round(support.words, 3),
        "other_language": support.foreign or None,
    }


def _passage_step(one: PassageFeatures, *, hit: bool) -> Step:
    read, signals = one.is_read, one.signals
    details = facts(
        evidence=round(one.evidence, 3),
        words=round(one.words.share, 3),
        meaning=round(signals.near, 3) if read else None,
        share=round(signals.share, 3) if read else None,
        beside=round(signals.beside, 3) if read else None,
        ahead=round(signals.ahead, 3) if read else None,
        form="program" if signals.program else "data" if signals.table else None,
        missing=one.missing or None,
        has=" ".join(one.words.words) or None,
        lacks=", ".join(one.lacks) or None,
    )
    return Step("weighed", "hit" if hit else "miss", citation_of(one.passage).uri, details)
