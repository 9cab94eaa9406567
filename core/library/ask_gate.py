"""May this question be answered from the library at all? A gate on evidence, before any model is asked.

A fused rank cannot refuse (decision 19): something always comes first. What counts is what a passage says itself: how
much of the question's weight it speaks of in one place, how near it is in meaning, and whether it knows the names that
the question uses. The bars were set on `tests/data/ask/tuned.yaml`; `python -m bench ask_gate` prints how well they do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw

from core.lexical.bigrams import bigrams
from core.lexical.query import quoted
from core.library.ask_cover import Cover, Matches, cover, matcher
from core.library.ask_question import Asked, Question
from core.library.lexical_pieces import word_pieces
from core.library.lexical_query import lexical_query
from core.library.lexical_search import lexical_search
from core.library.search_rows import Passage, citation_of, passages
from core.library.search_vectors import vector_search
from core.store.sql import number
from core.text import hangul_share
from core.trace import Step, Stopwatch, facts

if TYPE_CHECKING:
    from core.embedding.asking import VectorSearch

_MEANING, _WORDS = 0.775, 0.19
"""What nearness and shared words weigh where both are known."""
_WORDS_ALONE: Final = 0.6
"""What shared words weigh where there are no vectors: half of the question makes the default gate of 0.30."""
_PROGRAM: Final = 0.85  # a program seldom answers a question that is asked in words
_NAMED: Final = 0.7  # a name in common is no evidence by itself, though it brings words and nearness
_DATA: Final = 0.7  # a file of data lists words, and seldom says something
_UNNAMED: Final = 0.6  # a passage that does not know a name of the question
_COMMON: Final = 0.025  # the share of passages from which on a word is this library's topic and not the question's
_COMMON_LEAST: Final = 20
_PREDICATE, _SYLLABLE = 0.35, 0.25  # predicates are said in many ways; one syllable stands in any word
_FAN: Final = 60
_HANGUL: Final = 0.3
_TOLD: Final = 5
_PROSE: Final = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".org", ".pdf", ".tex")
_TABLES: Final = (".json", ".jsonl", ".toml", ".yaml", ".yml", ".csv", ".tsv", ".xml", ".svg", ".sql")


@dataclass(frozen=True, slots=True)
class Weighed:
    """One passage: its `evidence` (0 to 1), the parts of it, and the names of the question that it lacks."""

    passage: Passage
    evidence: float
    words: Cover
    meaning: float | None
    lacks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether to ask a model: the best evidence, the passages that bring it (best first), and why."""

    passed: bool
    score: float
    best: tuple[Weighed, ...]
    step: Step


def gate(
    con: apsw.Connection,
    question: Question,
    vectors: VectorSearch | None,
    documents: tuple[str, ...] | None,
    among: frozenset[int] | None,
    bar: float,
) -> Gate:
    """The evidence for `question` in `documents` (None: all; `among`: their passages) against `bar`.

    Raises apsw errors of the store; what is wrong with vectors costs only their part.
    """
    watch = Stopwatch()
    total = number(con, "SELECT count(*) FROM chunks")
    seen = [_seen(con, one) for one in question.words]
    weights = [_weight(one, count, total) for one, count in zip(question.words, seen, strict=True)]
    unknown = tuple(name for name in question.names if not _known(con, name))
    near, topic = _meanings(con, question, _topical(question, seen, total), vectors, among)
    found = lexical_search(con, lexical_query(searched(question)), documents, _FAN)
    rows = passages(con, list(dict.fromkeys((*found.ids, *near))))
    matches = matcher(question.words)
    best = sorted(
        (_weighed(question, weights, row, near.get(row.id), matches, meant=bool(near)) for row in rows.values()),
        key=lambda one: (-one.evidence, one.passage.path, one.passage.id),
    )
    names = tuple(name for name in unknown if "-" not in name)
    score = 0.0 if names or not best else best[0].evidence
    passed = bool(best) and score >= bar
    return Gate(passed, score, tuple(best), _step(question, score, bar, best, names, topic, watch))


def searched(question: Question) -> str:
    """What the words' index is asked."""
    return f"{question.text} {question.english}".strip()


def _seen(con: apsw.Connection, one: Asked) -> int:
    """How many passages have the word."""
    if one.kind != "word":
        pairs = bigrams(one.stem)
        match = quoted(pairs) if len(one.stem) > 1 else f"{quoted(one.stem)} *"
        if one.also and not _any(con, match):
            match = " OR ".join(map(quoted, one.also))
    else:
        match = " OR ".join(quoted(form) for form in dict.fromkeys((one.word, one.stem, *word_pieces(one.word))))
    return number(con, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?", (match,))


def _weight(one: Asked, seen: int, total: int) -> float:
    rare = math.log(1 + total / (1 + seen))
    if one.kind == "word":
        return rare
    if len(one.stem) == 1:
        return rare * _SYLLABLE
    return rare * (_PREDICATE if one.kind == "predicate" else 1.0)


def _known(con: apsw.Connection, name: str) -> bool:
    forms = {name, name.rstrip("s")} if name.rstrip("s").isupper() else {name}
    match = " OR ".join(quoted(form) for form in sorted(forms))
    return _any(con, match)


def _any(con: apsw.Connection, match: str) -> bool:
    return number(con, "SELECT count(*) FROM (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT 1)", (match,)) > 0


def _topical(question: Question, seen: Sequence[int], total: int) -> str:
    """The question without the words that half the library is about: what is left must be near, too."""
    most = max(_COMMON_LEAST, _COMMON * total)
    common = {one.word for one, count in zip(question.words, seen, strict=True) if count > most}
    if len(question.words) - len(common) < 2:
        return question.text
    return " ".join(word for word in re.findall(r"[\w'-]+", question.text) if word.casefold() not in common)


def _meanings(
    con: apsw.Connection,
    question: Question,
    topical: str,
    vectors: VectorSearch | None,
    among: frozenset[int] | None,
) -> tuple[dict[int, float], Step]:
    """The mean cosine of each near passage to the question and to what it is about."""
    whole, model = vector_search(con, question.text, vectors, among, _FAN, beside_words=True)
    if model is None or not whole.items:
        return {}, whole.step
    part, _ = vector_search(con, topical, vectors, among, _FAN, beside_words=True)
    lists = [dict(whole.items), dict(part.items or whole.items)]
    floors = [min(one.values()) for one in lists]
    return {
        item: sum(one.get(item, floor) for one, floor in zip(lists, floors, strict=True)) / 2
        for item in dict.fromkeys((*lists[0], *lists[1]))
    }, whole.step


def _weighed(
    question: Question, weights: Sequence[float], row: Passage, near: float | None, matches: Matches, *, meant: bool
) -> Weighed:
    text = "\n".join((row.title or "", *row.heading_path, row.text))
    words = cover(question.words, weights, text, matches)
    if words.listed:
        return Weighed(row, 0.0, words, near, question.names)
    lacks = tuple(name for name in question.names if not _has(f"{row.path}\n{text}", name))
    # A model that reads English cannot tell what a Korean passage says: its words speak alone.
    if meant and not (question.english and hangul_share(row.text) > _HANGUL):
        meaning = max(0.0, near or 0.0) * (1.0 if row.path.lower().endswith(_PROSE) else _PROGRAM)
        evidence = _MEANING * meaning + _WORDS * words.share
    else:
        evidence = _WORDS_ALONE * words.share
    if row.path.lower().endswith(_TABLES):
        evidence *= _DATA
    if question.names:
        evidence *= _UNNAMED if lacks else _NAMED
    return Weighed(row, min(1.0, evidence), words, near, lacks)


def _has(text: str, name: str) -> bool:
    """Whether a text has a name, however its parts are joined."""
    parts = [re.escape(part) for part in re.findall(r"[^\W_]+", name)]
    return re.search(r"(?<![^\W_])" + r"[\W_]{0,3}".join(parts), text, re.IGNORECASE) is not None


def _step(
    question: Question,
    score: float,
    bar: float,
    best: Sequence[Weighed],
    unknown: tuple[str, ...],
    topic: Step,
    watch: Stopwatch,
) -> Step:
    told = tuple(
        Step(
            "weighed",
            "hit" if one.evidence >= bar and not unknown else "miss",
            citation_of(one.passage).uri,
            facts(
                evidence=round(one.evidence, 3),
                words=round(one.words.share, 3),
                meaning=None if one.meaning is None else round(one.meaning, 3),
                has=" ".join(one.words.words) or None,
                lacks=", ".join(one.lacks) or None,
            ),
        )
        for one in best[:_TOLD]
    )
    if unknown:
        reason = f"no passage knows {', '.join(unknown)}"
    elif not best:
        reason = "no passage has any of the words"
    elif score < bar:
        reason = "no passage holds enough of the question"
    else:
        reason = "a passage holds enough of the question"
    meaning = None if topic.outcome == "hit" else topic.reason
    known = facts(score=round(score, 3), bar=bar, words=" ".join(one.word for one in question.words), by_words=meaning)
    passed = score >= bar and not unknown and bool(best)
    return Step("gate", "hit" if passed else "rejected", reason, known, told, elapsed_ms=watch.ms())
