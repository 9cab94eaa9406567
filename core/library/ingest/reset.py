"""Emptying the library, or taking out what no file stands behind. Files are never touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from core.library.documents.read import document_at, sources
from core.library.documents.rows import Source
from core.library.ingest.known import known_of
from core.library.ingest.paths import file_of
from core.library.ingest.write import note_event, raise_revision, remove_document
from core.store import Store
from core.store.sql import number

_EMPTIED = ("document_tags", "blocks", "chunks", "documents", "asset_paths", "assets", "sources", "derivation_cache",
            "chat_turns", "chat_sessions")  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResetReport:
    """What was removed: rows. Citations, evaluations and the history of paths stay; so does every file."""

    SCHEMA: ClassVar[str] = "reset_report.v1"

    scope: Literal["data", "orphans"]
    documents: int
    passages: int
    vectors: int
    sources: int


def reset_library(store: Store, *, orphans_only: bool = False) -> ResetReport:
    """Empty the library, or with `orphans_only` remove the documents whose files are gone.

    A root that is not there itself keeps its documents: a disk may only be away. Raises Fault as `Store.transaction`.
    """
    before = _counts(store)
    if orphans_only:
        for source in sources(store.con):
            _remove_orphans(store, source)
    else:
        with store.transaction() as con:
            con.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')")
            for table in _EMPTIED:
                con.execute(f"DELETE FROM {table}")
            raise_revision(con)
    after = _counts(store)
    removed = [one - other for one, other in zip(before, after, strict=True)]
    return ResetReport("orphans" if orphans_only else "data", removed[0], removed[1], removed[2], removed[3])


def _remove_orphans(store: Store, source: Source) -> None:
    if not Path(source.root).is_dir():
        return
    for path in known_of(store.con, source):
        try:
            there = file_of(source, path).exists()
        except OSError:
            there = True
        if there:
            continue
        with store.transaction() as con:
            old = document_at(con, path)
            if old is not None:
                remove_document(con, old)
                note_event(con, path, old.doc_id, "deleted", "the file is gone")


def _counts(store: Store) -> list[int]:
    con = store.con
    return [
        number(con, "SELECT count(*) FROM documents"),
        number(con, "SELECT count(*) FROM chunks"),
        number(con, "SELECT count(*) FROM vector WHERE kind = 'chunk'"),
        number(con, "SELECT count(*) FROM sources"),
    ]
