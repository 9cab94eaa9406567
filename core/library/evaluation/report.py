"""The outcome of an evaluation, as it is printed, kept and written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.library.evaluation.metrics import Interval, Measured, Verdict


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
