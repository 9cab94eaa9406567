"""Looking at what the library holds, row by row."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, cast

import apsw

from core.library.documents.rows import Block, Chunk, Document, Source, columns
from core.store.sql import value
from core.text.cleaning import normalized

_DOCUMENT, _CHUNK, _BLOCK, _SOURCE = columns(Document), columns(Chunk), columns(Block), columns(Source)


def corpus_revision(con: apsw.Connection) -> int:
    """Return a number that grows with every change of the documents, to validate cursors."""
    return int(str(value(con, "SELECT value FROM kv WHERE key = 'corpus_revision'") or 0))


def sources(con: apsw.Connection) -> tuple[Source, ...]:
    """The roots, in their order."""
    rows = con.execute(f"SELECT {_SOURCE} FROM sources ORDER BY position").fetchall()
    return tuple(Source(*cast("Any", row)) for row in rows)


def document(con: apsw.Connection, doc_id: str) -> Document | None:
    return _document(con, "doc_id = ?", doc_id)


def document_at(con: apsw.Connection, workspace_path: str) -> Document | None:
    """The document at a path of the library, however its letters are composed."""
    return _document(con, "workspace_path = ?", normalized(workspace_path))


def chunk(con: apsw.Connection, chunk_id: str) -> Chunk | None:
    """The passage with that id of the recipe."""
    row = con.execute(f"SELECT {_CHUNK} FROM chunks WHERE chunk_id = ?", (chunk_id,)).fetchone()
    return Chunk(*row) if row else None


def chunks_by_id(con: apsw.Connection, ids: Collection[int]) -> dict[int, Chunk]:
    """The passages with these row ids; those that are gone are left out."""
    rows = con.execute(
        f"SELECT {_CHUNK} FROM chunks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
    ).fetchall()
    return {one.id: one for one in (Chunk(*cast("Any", row)) for row in rows)}


def chunks_of(con: apsw.Connection, doc_id: str) -> tuple[Chunk, ...]:
    """The passages of a document, in its order."""
    rows = con.execute(f"SELECT {_CHUNK} FROM chunks WHERE doc_id = ? ORDER BY position", (doc_id,)).fetchall()
    return tuple(Chunk(*cast("Any", row)) for row in rows)


def blocks_of(con: apsw.Connection, doc_id: str) -> tuple[Block, ...]:
    """The blocks of a document, in its order."""
    rows = con.execute(f"SELECT {_BLOCK} FROM blocks WHERE doc_id = ? ORDER BY position", (doc_id,)).fetchall()
    return tuple(Block(*cast("Any", row)) for row in rows)


def tags_of(con: apsw.Connection, doc_id: str) -> tuple[str, ...]:
    """The tags of a document, sorted."""
    rows = con.execute("SELECT tag FROM document_tags WHERE doc_id = ? ORDER BY tag", (doc_id,)).fetchall()
    return tuple(str(row[0]) for row in rows)


def nothing_called(name: str) -> str:
    """Says that the library has nothing of that name."""
    return f"the library does not contain {name[:200]}" if name.strip() else "the name is empty"


def _document(con: apsw.Connection, where: str, key: str) -> Document | None:
    row = con.execute(f"SELECT {_DOCUMENT} FROM documents WHERE {where}", (key,)).fetchone()
    return Document(*row) if row else None


def documents_of_sources(con: apsw.Connection) -> dict[str, int]:
    """How many documents each root has, by its id; one without any is left out."""
    rows = con.execute("SELECT source_id, count(*) FROM documents GROUP BY source_id").fetchall()
    return dict(cast("list[tuple[str, int]]", rows))
