"""The library's passages are embedded once, however often and wherever the same words stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.embedding.index.maintenance import disagreements
from core.embedding.runtime.report import EmbedReport
from core.embedding.runtime.worker import run
from core.flows.ingest.api import ingest
from core.library.ingest.write import reset_library
from core.library.search.hybrid import ChunkSource
from core.store import Store, open_store
from tests.core.embedding.exact_embedder import ExactEmbedder, random_vector

PUMP = "# Pump\n\nThe pump starts at noon.\n\n## Stop\n\n펌프는 밤에 멈춘다.\n"
VALVE = "# Valve\n\nThe valve shuts when the pressure falls.\n"
SOURCE = ChunkSource()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as opened:
        yield opened


def put(root: Path, **notes: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in notes.items():
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    return root


def read(store: Store, *roots: Path) -> tuple[EmbedReport, list[str]]:
    """Ingest and embed; what was done, and what the model had to read."""
    ingest(store, roots)
    model = ExactEmbedder()
    report = run(store, SOURCE, model)
    ids = [int(row[0]) for row in store.con.execute("SELECT id FROM chunks").fetchall()]
    wanted = {item: random_vector(text) for item, text in SOURCE.texts(store.con, ids).items()}
    found = store.con.execute("SELECT item_id, blob FROM vector WHERE kind = 'chunk'").fetchall()
    assert dict(found) == wanted
    assert disagreements(store.con, "chunk") == []
    return report, model.given


def test_twin_files_are_read_once(store: Store, tmp_path: Path) -> None:
    root = put(tmp_path / "notes", pump=PUMP, again=PUMP, valve=VALVE)
    report, given = read(store, root)
    assert (len(given), report.copied) == (3, 2)
    put(root / "later", third=PUMP)
    assert read(store, root)[1] == []


def test_a_folder_that_moved_is_not_read_again(store: Store, tmp_path: Path) -> None:
    old = put(tmp_path / "old", pump=PUMP, valve=VALVE)
    read(store, old)
    old.rename(tmp_path / "new")
    report, given = read(store, tmp_path / "new")
    assert (given, report.copied) == ([], 3)
    (tmp_path / "old").mkdir()  # there again, and empty: what it held goes, what was taken of it stays
    assert read(store, tmp_path / "old", tmp_path / "new")[1] == []


def test_what_is_gone_everywhere_is_read_again(store: Store, tmp_path: Path) -> None:
    root = put(tmp_path / "notes", pump=PUMP, valve=VALVE)
    read(store, root)
    (root / "valve.md").unlink()
    read(store, root)
    put(root, valve=VALVE)
    assert len(read(store, root)[1]) == 1
    reset_library(store)
    assert store.con.execute("SELECT count(*) FROM vector").fetchall() == [(0,)]


def test_an_edit_that_comes_back_takes_what_its_twin_has(store: Store, tmp_path: Path) -> None:
    root = put(tmp_path / "notes", pump=PUMP, again=PUMP)
    read(store, root)
    put(root, pump=PUMP.replace("noon", "nine"))
    assert len(read(store, root)[1]) == 1
    put(root, pump=PUMP)
    assert read(store, root)[1] == []
