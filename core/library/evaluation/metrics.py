"""Metrics of golden queries (kebab-frozen-design 10.3), pairwise comparison of two searches, and their report."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from core.library.evaluation.golden import Golden, Place

RESAMPLES: Final = 2_000
"""Draws of the bootstrap behind an interval; seeded, so a repetition gives the same one."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage that a search put forward: what is needed to tell whether it answers. `labels`: its last
    heading, its symbol."""

    chunk_id: str
    doc_id: str
    path: str
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One query measured. `rank`: of the first passage that answers, None if none does; shares are None where the query
    has no labels of that kind; `must_contain` and `forbidden` are true where they hold."""

    id: str
    kind: str
    lang: str
    found: int
    rank: int | None
    doc_rank: int | None
    recall_doc: float | None
    precision_chunk: float | None
    must_contain: bool | None
    forbidden: bool | None


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval (bootstrap over the queries), and of how many."""

    value: float
    low: float
    high: float
    of: int


def measure(golden: Golden, shown: Sequence[Shown], k: int) -> Measured:
    """How the first `k` passages answer a query. `shown` are all that were asked for, best first."""
    answers = [at for at, one in enumerate(shown, 1) if is_answer(golden, one)]
    documents = [at for at, one in enumerate(shown, 1) if _is_document(golden, one)]
    first = shown[:k]
    wanted = {place.doc for place in golden.expect} | set(golden.doc_ids)
    seen = {one.path for one in first} | {one.doc_id for one in first}
    labelled = bool(golden.expect or golden.chunk_ids)
    said = "\n".join(one.text for one in first)
    return Measured(
        golden.id,
        golden.kind,
        golden.lang,
        len(shown),
        answers[0] if answers else None,
        documents[0] if documents else None,
        len(wanted & seen) / len(wanted) if wanted else None,
        sum(is_answer(golden, one) for one in first) / k if labelled else None,
        all(text in said for text in golden.must_contain) if golden.must_contain else None,
        not any(text in said for text in golden.forbidden) if golden.forbidden else None,
    )


def is_answer(golden: Golden, one: Shown) -> bool:
    """Whether the passage is one of those that answer."""
    return one.chunk_id in golden.chunk_ids or any(holds(place, one) for place in golden.expect)


def holds(place: Place, one: Shown) -> bool:
    """Whether a passage is of that place: the document, and its section or the quote."""
    if place.doc != one.path:
        return False
    if place.section is not None and _folded(place.section) not in map(_folded, one.labels):
        return False
    return place.quote is None or _folded(place.quote) in _folded(one.text)


def _is_document(golden: Golden, one: Shown) -> bool:
    return one.doc_id in golden.doc_ids or any(place.doc == one.path for place in golden.expect)


def _folded(text: str) -> str:
    """Markdown's marks and runs of blanks are no difference: a parser takes them out of the headings."""
    return " ".join(text.replace("`", "").split())


def hit_at(found: Sequence[Measured], k: int) -> float:
    """The share of queries with an answer among the first `k`."""
    return mean([float(one.rank is not None and one.rank <= k) for one in found])


def mrr(found: Sequence[Measured]) -> float:
    """The mean of one divided by the rank of the first answer."""
    return mean([1 / one.rank if one.rank else 0.0 for one in found])


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> Interval:
    """The mean of one number a query, with its interval."""
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    draw = random.Random(0)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return Interval(round(mean(values), 4), round(low, 4), round(high, 4), len(values))


def paired(ours: Sequence[Measured], theirs: Sequence[Measured], k: int) -> Interval:
    """How much more often ours has an answer among the first `k`, query by query."""
    rank = {one.id: one.rank for one in theirs}
    return interval([float(_within(one.rank, k)) - float(_within(rank.get(one.id), k)) for one in ours])


Verdict = Literal["better", "same", "regressed"]


def verdict(now: int | None, before: int | None) -> Verdict:
    """Whether the first answer stands earlier, at the same rank, or later (None: nowhere) than in an earlier run."""
    ranks = now or math.inf, before or math.inf
    return "same" if ranks[0] == ranks[1] else "better" if ranks[0] < ranks[1] else "regressed"


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


@dataclass(frozen=True, slots=True)
class SystemRow:
    """How one way of searching did: means over the queries; `empty`: queries without any result."""

    name: str
    queries: int
    empty: int
    hit_at_1: float
    hit_at_3: Interval
    hit_at_10: float
    mrr: float
    doc_hit_at_3: float
    recall_at_k_doc: float | None
    precision_at_k_chunk: float | None
    must_contain: float | None
    forbidden: float | None


@dataclass(frozen=True, slots=True)
class KindRow:
    """Section hit@3 of the queries of one kind, by way of searching."""

    kind: str
    queries: int
    hit_at_3: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Pairing:
    """How much more often one way has an answer among the first three than another, query by query."""

    better: str
    than: str
    difference: Interval


@dataclass(frozen=True, slots=True)
class Moved:
    """A query whose answer stands elsewhere than in the run that was compared with."""

    id: str
    verdict: Verdict
    rank: int | None
    before: int | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome (`library_eval.v1`). `unanswerable`: labels that no passage of the library has; `misses`: queries of
    the last way whose answer is not among the first three; `compared_with`: the run that `moved` looks back to."""

    SCHEMA: ClassVar[str] = "library_eval.v1"

    run_id: str
    suite: str
    k: int
    chunks: int
    index_version: str
    embedding_model: str | None
    systems: tuple[SystemRow, ...]
    kinds: tuple[KindRow, ...]
    pairings: tuple[Pairing, ...]
    unanswerable: tuple[str, ...]
    misses: tuple[str, ...]
    queries: Mapping[str, tuple[Measured, ...]]
    compared_with: str | None = None
    moved: tuple[Moved, ...] = ()
