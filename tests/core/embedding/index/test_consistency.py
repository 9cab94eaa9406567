"""`doctor` sees when what is searched disagrees with the vectors that are kept, and builds it anew from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.config.settings_sources import default_config
from core.embedding.index import backlog
from core.embedding.index.binary_index import Bits, CachedBits
from core.embedding.index.index import Vec0
from core.embedding.index.maintenance import disagreements, rebuild
from core.embedding.runtime.worker import place_of, run
from core.errors.cases.derived import refresh_case
from core.errors.retrieval.embed_text import ErrorSource, embed_text
from core.flows.ingest.api import ingest
from core.flows.system.doctor import diagnose, repair
from core.library.search.hybrid import ChunkSource
from core.store import Store, load_vec, store_checks
from core.store.checks import Check
from tests.core.embedding.exact_embedder import ExactEmbedder, random_vector

LINES = [f"Error: widget {word} broke" for word in ("alpha", "beta", "gamma", "delta")]
SOURCE = ErrorSource()
MODEL = ExactEmbedder({embed_text(LINES[1]): (random_vector(1), random_vector(2), random_vector(3))})
PLACE = place_of(SOURCE, MODEL)


def nearest(store: Store) -> list[list[tuple[int, float]]]:
    query = random_vector(3)
    return [Vec0(store.con, PLACE).nearest(query, 4), Bits(store.con, PLACE, CachedBits()).nearest(query, 4)]


def test_what_agrees_is_left_alone(book: Store, seen: Callable[..., list[int]]) -> None:
    assert disagreements(book.con, "error") == []
    seen(*LINES)
    assert disagreements(book.con, "error") == []
    run(book, SOURCE, MODEL)
    assert disagreements(book.con, "error") == []
    seen("Error: a new one that waits")
    assert disagreements(book.con, "error") == []
    with book.transaction() as con:  # gone, but the worker has not come by yet
        con.execute("PRAGMA defer_foreign_keys = ON")
        for table in ("occurrence", "case_key", "fingerprint", "error_kb"):
            con.execute(f"DELETE FROM {table}")
    assert disagreements(book.con, "error") == []


def test_each_loss_is_named_and_mended_without_embedding(book: Store, seen: Callable[..., list[int]]) -> None:
    ids = seen(*LINES)
    run(book, SOURCE, MODEL)
    before = nearest(book)
    assert before[0][0] == (ids[1], 0.0)
    load_vec(book.con)
    for damage, named in (
        ("DELETE FROM vec_error_kb WHERE error_kb_id = 1", "vec_error_kb lacks 1 of 4"),
        ("DELETE FROM vec_error_384", "vec_error_kb lacks 1 of 4"),
        ("INSERT INTO vec_error_kb SELECT 999, embedding FROM vec_error_kb LIMIT 1", "1 orphan rows"),
        ("DELETE FROM vector_bits", "vector_bits lacks 4 of 4"),
        ("UPDATE backlog_size SET waiting = 7 WHERE kind = 'error'", "the backlog has 0 rows, but its counter is 7"),
        ("DELETE FROM vec_error_384_rowids", "vec_error_kb"),
        ("DROP TABLE vec_error_kb", "vec_error_kb lacks 4 of 4"),
    ):
        book.con.execute(damage)
        assert any(named in line for line in disagreements(book.con, "error")), damage
        rebuild(book, SOURCE)
        assert disagreements(book.con, "error") == []
        assert nearest(book) == before
    book.con.execute("DELETE FROM vector WHERE item_id = 2")
    rebuild(book, SOURCE)
    assert backlog.next_waiting(book.con, "error", 0, 9) == [2]


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("vector SET blob = x'0000' WHERE item_id = 2", "1 of 4 stored vectors are damaged"),
        ("vector SET blob = x'' WHERE item_id = 2", "1 of 4 stored vectors are damaged"),
        ("vector SET dim = 0 WHERE item_id = 2", "1 of 4 stored vectors are damaged"),
        ("vector SET blob = zeroblob(1536) WHERE item_id = 2", ""),
        ("vector_bits SET items = x'00'", "vector_bits lacks 4 of 4"),
        ("vector_bits SET bits = x'00'", "vector_bits lacks 4 of 4"),
    ],
)
def test_damaged_vectors_are_named_and_embedded_again(
    book: Store, seen: Callable[..., list[int]], damage: str, named: str
) -> None:
    seen(*LINES)
    run(book, SOURCE, MODEL)
    before = nearest(book)
    book.con.execute(f"UPDATE {damage}")
    assert all(not named or named in line for line in disagreements(book.con, "error")), damage
    assert bool(disagreements(book.con, "error")) == bool(named)
    nearest(book)
    rebuild(book, SOURCE)
    run(book, SOURCE, MODEL)
    assert disagreements(book.con, "error") == []
    assert nearest(book) == before


def test_a_damaged_vector_does_not_stop_a_change_of_the_model(book: Store, seen: Callable[..., list[int]]) -> None:
    seen(*LINES)
    run(book, SOURCE, MODEL)
    before = nearest(book)
    book.con.execute("UPDATE vector SET blob = x'00' WHERE item_id = 2")
    with book.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = 'vectors:error'")
    assert run(book, SOURCE, MODEL).embedded == 1
    assert nearest(book) == before


def test_doctor_finds_and_repairs_the_vectors_of_the_library(book: Store, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Deploy\n\nRun the script.\n")
    ingest(book, [notes])
    run(book, ChunkSource(), MODEL)
    load_vec(book.con)
    book.con.execute("DELETE FROM vec_chunk_384")

    def counts() -> Check:
        return next(one for one in diagnose(default_config, lambda _: book.path).checks if one.name == "counts_match")

    assert counts().detail == "vec_chunk_384 lacks 1 of 1 vectors"
    repair(book.path)
    assert counts().ok


def test_doctor_finds_and_repairs_it(book: Store, seen: Callable[..., list[int]]) -> None:
    seen(*LINES)
    run(book, SOURCE, MODEL)
    load_vec(book.con)
    book.con.execute("DELETE FROM vec_error_kb")
    (*_, counts) = store_checks(book.path, lambda con: disagreements(con, "error"))
    assert "vec_error_kb lacks 4 of 4 vectors" in counts.detail
    assert repair(book.path) == 4
    (*_, counts) = store_checks(book.path, lambda con: disagreements(con, "error"))
    assert counts.ok


def test_a_case_that_is_removed_leaves_no_vector_behind(book: Store, seen: Callable[..., list[int]]) -> None:
    one, two, *_ = seen(*LINES)
    run(book, SOURCE, MODEL)
    with book.transaction() as con:
        con.execute("UPDATE fingerprint SET case_id = ? WHERE case_id = ?", (one, two))
        con.execute("UPDATE case_key SET case_id = ? WHERE case_id = ?", (one, two))
        con.execute("DELETE FROM error_kb WHERE id = ?", (two,))
        refresh_case(con, two)
    load_vec(book.con)
    assert book.con.execute("SELECT count(*) FROM vec_error_kb").fetchone() == (3,)
    assert book.con.execute("SELECT count(*) FROM vec_error_384").fetchone() == (0,)
    assert disagreements(book.con, "error") == []
