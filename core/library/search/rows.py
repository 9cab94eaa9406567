"""Chunks as hits: their document, what to cite of them, the part to show.

What a search of the library answers: hits with their citations, as they are written as JSON.

Source: kebab-frozen-design 2.1, 2.2 and 2.8: additive within v1, so fields are added and never taken away.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Final, Literal, cast

import apsw

from core.base.trace import Step
from core.base.wire import ErrorObject
from core.library.citations.citation import (
    Citation,
    CodeCitation,
    LineCitation,
    PageCitation,
    RegionCitation,
    TimeCitation,
)
from core.library.documents.rows import CodeSpan, PageSpan, RegionSpan, SourceSpan, TimeSpan, lines_of, spans_of
from core.library.search.lexical import Term, snippet
from core.store.sql import number

Mode = Literal["lexical", "vector", "hybrid"]
ScoreKind = Literal["rrf", "bm25", "cosine", "rerank"]
"""What `score` is: fused ranks (0 to 1), the same with the match of the tokens (0 to 1), bm25 times the share of the
query (0 and up), cosine (-1 to 1). It orders hits and is no confidence."""
_HALF = 10.0
"""The bm25 that is shown as 0.5: raw scores have no ceiling, and 1.0 is never reached."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How a hit was found: its score and its rank (from 1) in each list, null where it is in none.

    `lexical_score` is bm25 (0 and up) times the share of the query in the passage, `vector_score` the cosine,
    `fusion_score` the fused one, `rerank_score` how well its tokens match those of the query (0 to 1; 0 behind the hits
    that were reranked, null where none was).
    """

    method: Mode
    lexical_score: float | None
    vector_score: float | None
    fusion_score: float | None
    lexical_rank: int | None
    vector_rank: int | None
    rerank_score: float | None = None


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


@dataclass(frozen=True, slots=True)
class SectionHits:
    """The best hit of a section, and its other hits, best first."""

    best: SearchHit
    others: tuple[SearchHit, ...] = ()


def by_section(hits: Sequence[SearchHit]) -> tuple[SectionHits, ...]:
    """Group hits of one section, in the order of their best. Without headings, or in code, each hit stands alone."""
    groups: dict[object, list[SearchHit]] = {}
    for hit in hits:
        section = hit.heading_path and hit.citation.kind == "line"
        groups.setdefault((hit.doc_id, hit.heading_path) if section else hit.chunk_id, []).append(hit)
    return tuple(SectionHits(best, tuple(others)) for best, *others in groups.values())


def display_score(hit: SearchHit) -> float:
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


@dataclass(frozen=True, slots=True)
class BriefHit:
    """A passage that was found: where it is written, the headings above it with the document's title first, its words
    (with … where they are cut), and the score that orders hits."""

    uri: str
    headings: tuple[str, ...]
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class BriefResponse:
    """A search response in as few tokens as an agent needs, best first; else as `search_response.v1`."""

    SCHEMA: ClassVar[str] = "search_brief.v1"

    mode: Mode
    hits: tuple[BriefHit, ...]
    next_cursor: str | None
    truncated: bool
    hint: str | None


@dataclass(frozen=True, slots=True)
class BriefItem:
    """One query of several, as it was given, with its answer or its fault."""

    query: str
    response: BriefResponse | None
    error: ErrorObject | None


@dataclass(frozen=True, slots=True)
class BriefBulk:
    """The brief answers to several queries, in their order; a fault stays with its query."""

    SCHEMA: ClassVar[str] = "bulk_search_brief.v1"

    results: tuple[BriefItem, ...]
    summary: BulkSummary


def brief(found: SearchResponse) -> BriefResponse:
    """The response without what only a person or a program that measures needs."""
    hits = tuple(
        BriefHit(
            one.citation.uri,
            one.heading_path if not one.title or one.title in one.heading_path else (one.title, *one.heading_path),
            one.snippet,
            round(one.score, 3),
        )
        for one in found.hits
    )
    return BriefResponse(found.mode, hits, found.next_cursor, found.truncated, found.hint)


def brief_bulk(found: BulkResponse) -> BriefBulk:
    items = (BriefItem(one.query, None if one.response is None else brief(one.response), one.error)
             for one in found.results)  # fmt: skip
    return BriefBulk(tuple(items), found.summary)


STALE_DAYS: Final = 30
"""Days after which a document counts as stale."""

_ROWS = """
  SELECT c.id, c.chunk_id, c.doc_id, c.text, c.heading_path_json, c.section_label, c.source_spans_json,
    c.chunker_version, c.line_start, c.line_end, d.workspace_path, d.title, d.indexed_at, d.repo, d.code_lang
  FROM json_each(?) CROSS JOIN chunks c ON c.id = value JOIN documents d ON d.doc_id = c.doc_id
"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with what is needed of its document."""

    id: int
    chunk_id: str
    doc_id: str
    text: str
    heading_path_json: str
    section_label: str | None
    source_spans_json: str
    chunker_version: str
    line_start: int | None
    line_end: int | None
    path: str
    title: str | None
    indexed_at: str
    repo: str | None
    code_lang: str | None

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings above it, outermost first."""
        return tuple(cast("list[str]", json.loads(self.heading_path_json)))


def how_many(con: apsw.Connection) -> int:
    """Passages in the library, as its documents say: counting a million rows takes longer than a search."""
    return number(con, "SELECT coalesce(sum(chunk_count), 0) FROM documents")


def passages(con: apsw.Connection, ids: Collection[int]) -> dict[int, Passage]:
    """The chunks by id; one that is gone is left out."""
    rows = con.execute(_ROWS, (json.dumps(list(ids)),)).fetchall()
    return {one.id: one for one in (Passage(*row) for row in rows)}  # pyright: ignore[reportArgumentType]


def is_stale(indexed_at: str, now: str) -> bool:
    """Whether something was read longer than `STALE_DAYS` before `now` (both ISO 8601)."""
    try:
        then, today = (_aware(datetime.fromisoformat(text)) for text in (indexed_at, now))
    except ValueError:
        return False
    return today - then > timedelta(days=STALE_DAYS)


def citation_of(one: Passage, *, stale: bool = False) -> Citation:
    """What to cite of a chunk: its lines, or the page, region or time it comes from."""
    spans = spans_of(one.source_spans_json)
    first = spans[0] if spans else None
    state = {"indexed_at": one.indexed_at, "stale": stale}
    section = one.section_label
    if isinstance(first, PageSpan):
        return PageCitation(one.path, first.page, section, **state)  # pyright: ignore[reportArgumentType]
    if isinstance(first, RegionSpan):
        return RegionCitation(one.path, first.x, first.y, first.w, first.h, **state)  # pyright: ignore[reportArgumentType]
    if isinstance(first, TimeSpan):
        return TimeCitation(one.path, first.start_ms, first.end_ms, **state)  # pyright: ignore[reportArgumentType]
    start, end = _lines(one, spans)
    if isinstance(first, CodeSpan):
        return CodeCitation(one.path, start, end, first.symbol, first.lang, **state)  # pyright: ignore[reportArgumentType]
    return LineCitation(one.path, start, end, section, **state)  # pyright: ignore[reportArgumentType]


def hit(
    one: Passage,
    rank: int,
    score: float,
    kind: ScoreKind,
    retrieval: Retrieval,
    terms: Sequence[Term],
    *,
    chars: int,
    index_version: str,
    model: str | None,
    now: str,
) -> SearchHit:
    """One chunk as a hit of a search for `terms`."""
    shown = snippet(one.text, terms, chars)
    stale = is_stale(one.indexed_at, now)
    return SearchHit(
        rank=rank,
        score=score,
        score_kind=kind,
        chunk_id=one.chunk_id,
        doc_id=one.doc_id,
        doc_path=one.path,
        title=one.title or "",
        heading_path=one.heading_path,
        section_label=one.section_label,
        snippet=shown.text,
        snippet_full_text=shown.full,
        matched=shown.matched,
        words=shown.words,
        missing=tuple(term.word for term in terms if term.word not in shown.words),
        citation=citation_of(one, stale=stale),
        retrieval=retrieval,
        index_version=index_version,
        embedding_model=model,
        chunker_version=one.chunker_version,
        indexed_at=one.indexed_at,
        stale=stale,
        repo=one.repo,
        code_lang=one.code_lang,
    )


def _lines(one: Passage, spans: tuple[SourceSpan, ...]) -> tuple[int, int]:
    if one.line_start and one.line_end:
        return one.line_start, one.line_end
    return lines_of(spans) or (1, 1)


def _aware(when: datetime) -> datetime:
    return when if when.tzinfo else when.replace(tzinfo=UTC)
