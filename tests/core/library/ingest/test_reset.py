"""Emptying the library leaves the files, and what people made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.flows.ingest.api import ingest
from core.library.documents.read import document_at, sources
from core.library.ingest.write import reset_library
from core.store import Store

Put = Callable[..., Path]


def _rows(store: Store, table: str) -> int:
    return len(store.con.execute(f"SELECT 1 FROM {table}").fetchall())


def test_emptied_the_library_can_be_filled_again(library: Store, notes: Path, put: Put) -> None:
    put("a.md", "# A\n\nwords\n\n## B\n\nmore\n")
    ingest(library, [notes])
    library.con.execute("INSERT INTO vector SELECT 'chunk', id, 'm', 'r', 's', 1, x'00000000' FROM chunks")
    library.con.execute(
        "INSERT INTO citation(cited_by, item_id, workspace_path, uri, quote, author, ts)"
        " VALUES ('resolution', '1', 'a.md', 'a.md#L3', 'words', 'me', '')"
    )
    report = reset_library(library)
    assert (report.documents, report.passages, report.vectors, report.sources) == (1, 2, 2, 1)
    assert [_rows(library, one) for one in ("chunks", "chunks_fts_docsize", "blocks", "assets", "citation")] == [
        *(0, 0, 0, 0),
        1,
    ]
    assert (notes / "a.md").exists()
    assert ingest(library, [notes]).new == 1


def test_only_what_no_file_stands_behind_goes(library: Store, tmp_path: Path, notes: Path, put: Put) -> None:
    put("a.md", "# A\n")
    put("b.md", "# B\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.md").write_text("# C\n")
    ingest(library, [notes, other])
    (notes / "a.md").unlink()
    other.rename(tmp_path / "away")
    report = reset_library(library, orphans_only=True)
    assert (report.scope, report.documents, report.passages) == ("orphans", 1, 1)
    assert document_at(library.con, "b.md") is not None
    assert document_at(library.con, "other/c.md") is not None
    assert len(sources(library.con)) == 2
