"""What the library holds, to look at: documents page by page, one document with its passages, one passage whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import apsw

from core.base.fault import Fault
from core.library.citations.citation import Citation, LineCitation, PageCitation, RegionCitation, parse
from core.library.documents.read import chunk, chunks_of, document, document_at, nothing_called, tags_of
from core.library.documents.rows import (
    Chunk,
    Document,
    RegionSpan,
    SourceSpan,
    columns,
    embedding_id,
    span_object,
)
from core.library.search.fts import EVERYTHING, SearchFilters, documents_passing, refuse_unknown
from core.library.search.hybrid import KIND
from core.library.search.rows import citation_of, passages
from core.store.sql import storable


@dataclass(frozen=True, slots=True)
class DocSummary:
    """A document in a few words; times are ISO 8601."""

    SCHEMA: ClassVar[str] = "doc_summary.v1"

    doc_id: str
    doc_path: str
    title: str
    lang: str
    tags: tuple[str, ...]
    trust_level: str
    source_type: str
    source_id: str
    media_type: str
    code_lang: str | None
    repo: str | None
    byte_len: int
    chunk_count: int
    created_at: str
    updated_at: str
    indexed_at: str
    parser_version: str
    chunker_version: str


@dataclass(frozen=True, slots=True)
class DocPage:
    """A page of documents by path; `next` asks for the page that follows."""

    SCHEMA: ClassVar[str] = "doc_list.v1"

    documents: tuple[DocSummary, ...]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Embedded:
    """A vector that is kept of a passage: which model made it."""

    model: str
    dimensions: int
    embedding_id: str


@dataclass(frozen=True, slots=True)
class ChunkInspection:
    """A passage with everything that is kept of it."""

    SCHEMA: ClassVar[str] = "chunk_inspection.v1"

    chunk_id: str
    doc_id: str
    doc_path: str
    heading_path: tuple[str, ...]
    section_label: str | None
    text: str
    citation: Citation
    source_spans: tuple[dict[str, str | int | None], ...]
    block_ids: tuple[str, ...]
    token_estimate: int
    chunker_version: str
    policy_hash: str
    position: int
    embeddings: tuple[Embedded, ...]


@dataclass(frozen=True, slots=True)
class DocInspection:
    """A document with its passages and what became of it."""

    SCHEMA: ClassVar[str] = "doc_inspection.v1"

    document: DocSummary
    chunks: tuple[ChunkInspection, ...]
    metadata: dict[str, Any]
    provenance: dict[str, Any]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How many passages were put into the index of words."""

    SCHEMA: ClassVar[str] = "library_index.v1"

    passages: int


def list_documents(
    con: apsw.Connection, filters: SearchFilters = EVERYTHING, limit: int = 50, after: str | None = None
) -> DocPage:
    """One page, by path. Raises Fault invalid_input for a filter that no document can pass."""
    ids = documents_passing(con, filters)
    if ids == ():
        refuse_unknown(con, filters)
    among = "" if ids is None else " AND doc_id IN (SELECT value FROM json_each(?))"
    given: tuple[str, ...] = () if ids is None else (json.dumps(ids),)
    counted = con.execute(f"SELECT count(*) FROM documents WHERE 1{among}", given).fetchone()
    rows = con.execute(
        f"SELECT {columns(Document)} FROM documents WHERE workspace_path > ?{among} ORDER BY workspace_path LIMIT ?",
        (storable(after or ""), *given, limit + 1),
    ).fetchall()
    found = [Document(*cast("Any", row)) for row in rows]
    page = tuple(summary_of(con, one) for one in found[:limit])
    following = page[-1].doc_path if len(found) > limit and page else None
    return DocPage(page, cast("int", counted[0]) if counted else 0, following)


def inspect(con: apsw.Connection, name: str) -> ChunkInspection | DocInspection:
    """The passage or the document that `name` names: an id, a path, or a citation (`path#L12`, `path#p=3`).

    Raises Fault not_indexed where there is none.
    """
    name = storable(name)
    found = chunk(con, name)
    if found is not None:
        return _chunks(con, [found])[0]
    doc = document(con, name) or document_at(con, name)
    if doc is not None:
        kept = _chunks(con, chunks_of(con, doc.doc_id))
        return DocInspection(summary_of(con, doc), tuple(kept), doc.metadata, json.loads(doc.provenance_json))
    if "#" in name:
        cited = chunk_at(con, parse(name))
        if cited is not None:
            return _chunks(con, [cited])[0]
        _refuse_place(con, parse(name))
    raise Fault("not_indexed", nothing_called(name), "to list paths, run: casebook library list")


def _refuse_place(con: apsw.Connection, citation: Citation) -> None:
    """Raise Fault not_indexed for a place that a known document does not have."""
    doc = document_at(con, citation.path)
    if doc is None:
        return
    last = max((one.line_end or 0 for one in chunks_of(con, doc.doc_id)), default=0)
    ends = f": its last passage ends at line {last:,}" if last and isinstance(citation, LineCitation) else ""
    place = citation.uri.rpartition("#")[2]
    hint = f"to list its passages, run: casebook library inspect {doc.workspace_path}"
    raise Fault("not_indexed", f"{doc.workspace_path} has no passage at {place}{ends}", hint)


def chunk_at(con: apsw.Connection, citation: Citation) -> Chunk | None:
    """The passage a citation points into: that of its first line, of its page or of its rectangle; the smallest of
    several."""
    doc = document_at(con, citation.path)
    if doc is None:
        return None
    rows = chunks_of(con, doc.doc_id)
    if isinstance(citation, LineCitation):
        around = [one for one in rows if (one.line_start or 0) <= citation.start <= (one.line_end or 0)]
        return min(around, key=lambda one: ((one.line_end or 0) - (one.line_start or 0), one.position), default=None)
    if isinstance(citation, PageCitation):
        page = {"kind": "page", "page": citation.page}.items()
        return next((one for one in rows if any(page <= span_object(span).items() for span in one.spans)), None)
    if isinstance(citation, RegionCitation):
        return next((one for one in rows if any(_covers(span, citation) for span in one.spans)), None)
    return rows[0] if rows else None


def _covers(span: SourceSpan, cited: RegionCitation) -> bool:
    """Whether a rectangle of a picture overlaps the one that is cited."""
    if not isinstance(span, RegionSpan):
        return False
    is_outside = span.x + span.w <= cited.x or cited.x + cited.w <= span.x
    return not is_outside and span.y < cited.y + cited.h and cited.y < span.y + span.h


def summary_of(con: apsw.Connection, one: Document) -> DocSummary:
    """The document in a few words."""
    return DocSummary(
        one.doc_id, one.workspace_path, one.title, one.lang, tags_of(con, one.doc_id), one.trust_level,
        one.source_type, one.source_id, one.media_type, one.code_lang, one.repo, one.byte_len, one.chunk_count,
        one.created_at, one.updated_at, one.indexed_at, one.parser_version, one.chunker_version,
    )  # fmt: skip


def _chunks(con: apsw.Connection, rows: Sequence[Chunk]) -> list[ChunkInspection]:
    known = passages(con, [one.id for one in rows])
    return [
        ChunkInspection(
            chunk_id=one.chunk_id,
            doc_id=one.doc_id,
            doc_path=known[one.id].path,
            heading_path=one.heading_path,
            section_label=one.section_label,
            text=one.text,
            citation=citation_of(known[one.id]),
            source_spans=tuple(span_object(span) for span in one.spans),
            block_ids=one.block_ids,
            token_estimate=one.token_estimate,
            chunker_version=one.chunker_version,
            policy_hash=one.policy_hash,
            position=one.position,
            embeddings=_embedded(con, one),
        )
        for one in rows
        if one.id in known
    ]


def _embedded(con: apsw.Connection, one: Chunk) -> tuple[Embedded, ...]:
    rows = con.execute("SELECT model, dim FROM vector WHERE kind = ? AND item_id = ? ORDER BY model", (KIND, one.id))
    found = cast("list[tuple[str, int]]", rows.fetchall())
    return tuple(
        Embedded(name, dim, embedding_id(one.chunk_id, name.partition("@")[0], name.partition("@")[2], dim))
        for name, dim in found
    )
