"""What the tests of ingest share: what it left behind, and whether that holds together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.flows.ingest.api import IngestReport
from core.store import Store

Put = Callable[..., Path]
ROOT = Path(__file__).parents[4]
ALPHA = "# Alpha\n\nThe pump starts at noon.\n\n## Stop\n\n펌프는 밤에 멈춘다.\n"


def rows(store: Store, sql: str) -> list[tuple[object, ...]]:
    return store.con.execute(sql).fetchall()


def state(store: Store) -> list[tuple[object, ...]]:
    """All that an ingest leaves behind, but times, row ids and revisions."""
    return [
        *rows(store, "SELECT doc_id, workspace_path, asset_id, title, lang, chunk_count FROM documents ORDER BY 2"),
        *rows(store, "SELECT chunk_id, doc_id, position, text, line_start, line_end FROM chunks ORDER BY 2, 3"),
        *rows(store, "SELECT block_id, doc_id, position FROM blocks ORDER BY 2, 3"),
        *rows(store, "SELECT asset_id FROM assets ORDER BY 1"),
        *rows(store, "SELECT workspace_path, asset_id FROM asset_paths ORDER BY 1"),
    ]


def found(store: Store, match: str) -> set[str]:
    """The paths of the documents whose passages match."""
    return {
        str(row[0])
        for row in store.con.execute(
            "SELECT workspace_path FROM chunks_fts f JOIN chunks c ON c.id = f.rowid JOIN documents USING (doc_id)"
            " WHERE chunks_fts MATCH ?",
            (match,),
        )
    }


def whole(store: Store) -> None:
    """The index holds the passages and nothing else, and every reference leads somewhere."""
    assert rows(store, "PRAGMA foreign_key_check") == []
    assert rows(store, "SELECT id FROM chunks ORDER BY 1") == rows(
        store, "SELECT id FROM chunks_fts_docsize ORDER BY 1"
    )
    assert rows(store, "SELECT asset_id FROM assets EXCEPT SELECT asset_id FROM asset_paths") == []
    assert rows(store, "SELECT workspace_path FROM documents EXCEPT SELECT workspace_path FROM asset_paths") == []


def counts(report: IngestReport) -> dict[str, int]:
    names = ("new", "updated", "moved", "removed", "skipped", "unchanged", "errors")
    return {name: value for name in names if (value := getattr(report, name))}
