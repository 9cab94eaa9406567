"""What a search of the library answers: hits with their citations, as they are written as JSON.

Source: kebab-frozen-design 2.1, 2.2 and 2.8: additive within v1, so fields are added and never taken away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.base.trace import Step
from core.base.wire import ErrorObject
from core.library.citations.citation import Citation

Mode = Literal["lexical", "vector", "hybrid"]
ScoreKind = Literal["rrf", "bm25", "cosine"]
"""What `score` is: fused ranks (0 to 1), bm25 (0 and up), cosine (-1 to 1). It orders hits and is no confidence."""
_HALF = 10.0
"""The bm25 that is shown as 0.5: raw scores have no ceiling, and 1.0 is never reached."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How a hit was found: its score and its rank (from 1) in each list, null where it is in none.

    `lexical_score` is the raw bm25 (0 and up), `vector_score` the cosine, `fusion_score` the fused one.
    """

    method: Mode
    lexical_score: float | None
    vector_score: float | None
    fusion_score: float | None
    lexical_rank: int | None
    vector_rank: int | None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A passage that was found, where it is written, and why.

    `matched`: the lit words, as ranges (code points) of `snippet`; `words`: the query's words that are in the passage,
    `missing`: those that are not. `snippet_full_text`: the snippet is the whole passage. `stale`: read longer than 30
    days ago.
    """

    SCHEMA: ClassVar[str] = "search_hit.v1"

    rank: int
    score: float
    score_kind: ScoreKind
    chunk_id: str
    doc_id: str
    doc_path: str
    title: str
    heading_path: tuple[str, ...]
    section_label: str | None
    snippet: str
    snippet_full_text: bool
    matched: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    missing: tuple[str, ...]
    citation: Citation
    retrieval: Retrieval
    index_version: str
    embedding_model: str | None
    chunker_version: str
    indexed_at: str
    stale: bool
    repo: str | None = None
    code_lang: str | None = None


def shown_score(hit: SearchHit) -> float:
    """A score to show: bm25 is brought between 0 and 1, which keeps its order; the others are there already."""
    return hit.score / (hit.score + _HALF) if hit.score_kind == "bm25" else hit.score


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The answer to one query, best first.

    `mode` is what was done, which is `lexical` where `hybrid` was asked for and there are no vectors (`hint` says why).
    `next_cursor` asks for what follows; `truncated`: hits were left out because of the budget of tokens.
    """

    SCHEMA: ClassVar[str] = "search_response.v1"

    query: str
    mode: Mode
    hits: tuple[SearchHit, ...]
    next_cursor: str | None
    truncated: bool
    hint: str | None
    index_version: str
    embedding_model: str | None
    trace: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class BulkItem:
    """One query of several, as it was given, with its answer or its fault."""

    SCHEMA: ClassVar[str] = "bulk_search_item.v1"

    query: str
    response: SearchResponse | None
    error: ErrorObject | None


@dataclass(frozen=True, slots=True)
class BulkSummary:
    """How many queries there were, and how many were answered."""

    total: int
    succeeded: int
    failed: int


@dataclass(frozen=True, slots=True)
class BulkResponse:
    """The answers to several queries, in their order; a fault stays with its query."""

    SCHEMA: ClassVar[str] = "bulk_search_response.v1"

    results: tuple[BulkItem, ...]
    summary: BulkSummary
