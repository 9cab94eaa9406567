"""REQ-RA-005: whatever lacks a vector gets one; a text that fails is left out and the rest go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding.index import backlog
from core.embedding.index.maintenance import disagreements
from core.embedding.index.state import read_state, why_off
from core.embedding.runtime.worker import place_of, run
from core.errors import record_resolution
from core.errors.cases.record import Name, ensure_case
from core.errors.cases.resolutions import refresh_touched
from core.errors.exchange.case_import import import_cases
from core.errors.retrieval.embed_text import ErrorSource, embed_text
from core.store import Store, jobs, load_vec, open_store, undo
from tests.core.embedding.exact_embedder import ExactEmbedder, random_vector, unit

Seen = Callable[..., list[int]]
FIVE = [f"TypeError: widget {word} is not callable" for word in ("alpha", "beta", "gamma", "delta", "omega")]
SOURCE = ErrorSource()


def vectors(store: Store) -> dict[int, bytes]:
    load_vec(store.con)
    return dict(store.con.execute("SELECT error_kb_id, embedding FROM vec_error_kb").fetchall())


def kept(store: Store) -> list[tuple[Any, ...]]:
    return store.con.execute("SELECT item_id, model, recipe, dim, length(blob) FROM vector ORDER BY 1, 2").fetchall()


def test_ra_005_1_new_entries_get_their_vectors_in_a_batch(book: Store, seen: Seen) -> None:
    ids = seen(*FIVE)
    report = run(book, SOURCE, ExactEmbedder())
    assert (report.embedded, report.failed, report.waiting) == (5, (), 0)
    assert vectors(book) == {case: random_vector(embed_text(line)) for case, line in zip(ids, FIVE, strict=True)}
    recipe = f"{SOURCE.recipe}+exact/1"
    assert kept(book) == [(case, "exact@1", recipe, 384, 4 * 384) for case in ids]


def test_ra_005_2_a_text_that_fails_is_left_out_and_the_rest_go_on(book: Store, seen: Seen) -> None:
    one, two, three = seen(*FIVE[:3])
    model = ExactEmbedder(failing=[embed_text(FIVE[1])])
    report = run(book, SOURCE, model)
    assert vectors(book).keys() == {one, three}
    assert [(text.item_id, text.reason) for text in report.failed] == [(two, "no tokenizer can read it")]
    assert report.embedded == 2


def test_ra_005_3_nothing_to_do_returns_at_once(book: Store, seen: Seen) -> None:
    seen(*FIVE)
    run(book, SOURCE, ExactEmbedder())
    before = book.con.execute("SELECT total_changes()").fetchone(), len(jobs.recent(book))
    model = ExactEmbedder()
    report = run(book, SOURCE, model)
    assert (report.embedded, report.waiting, model.seen) == (0, 0, [])
    assert (book.con.execute("SELECT total_changes()").fetchone(), len(jobs.recent(book))) == before


def test_a_failed_text_waits_for_a_change_of_itself_or_of_the_model(book: Store, seen: Seen) -> None:
    (case,) = seen("Error: a bad text")
    text = embed_text("Error: a bad text")
    run(book, SOURCE, ExactEmbedder(failing=[text]))
    with book.transaction() as con:
        backlog.enqueue(con, "error", [case])
    again = ExactEmbedder(failing=[text])
    assert run(book, SOURCE, again).failed == ()
    assert again.seen == []
    assert [failure.item_id for failure in backlog.failures(book.con, "error")] == [case]
    assert run(book, SOURCE, ExactEmbedder(name="other")).embedded == 1
    assert backlog.failures(book.con, "error") == ()
    with book.transaction() as con:
        con.execute("UPDATE fingerprint SET key_line = 'Error: another text'")
    changed = ExactEmbedder(name="other")
    run(book, SOURCE, changed)
    assert changed.given == [embed_text("Error: another text")]


@pytest.mark.parametrize(
    "bad",
    [unit(1) + b"\0\0\0\0", unit(1)[:-4], b"\0" * 1536, b"\x00\x00\xc0\x7f" * 384, b"\x00\x00\x80\x7f" * 384],
    ids=["long", "short", "zero", "nan", "infinite"],
)
def test_an_unusable_vector_is_refused(book: Store, seen: Seen, bad: bytes) -> None:
    _, case = seen("Error: a good one", "Error: a spoilt one")
    report = run(book, SOURCE, ExactEmbedder({embed_text("Error: a spoilt one"): (bad,)}))
    assert [failed.item_id for failed in report.failed] == [case]
    assert len(vectors(book)) == 1


def test_a_model_that_fails_on_everything_condemns_no_text(book: Store, seen: Seen) -> None:
    seen(*FIVE)
    broken = ExactEmbedder(failing=[*map(embed_text, FIVE), "error"], error=RuntimeError("bad graph"))
    with pytest.raises(Fault) as caught:
        run(book, SOURCE, broken)
    assert caught.value.code == "model_unreachable"
    assert (backlog.waiting(book.con, "error"), backlog.failures(book.con, "error")) == (5, ())
    assert jobs.recent(book)[0].status == "failed"
    with pytest.raises(Fault):
        run(book, SOURCE, ExactEmbedder(failing=map_all(), error=Fault("timeout", "the service hangs")))
    assert run(book, SOURCE, ExactEmbedder()).embedded == 5


def word(number: int) -> str:
    """A number in letters: plain ones are masked, and two errors that differ in them are one case."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


def map_all() -> list[str]:
    return [embed_text(line) for line in FIVE]


def test_a_runtime_that_trips_over_one_text_loses_only_that(book: Store, seen: Seen) -> None:
    seen(*FIVE)
    report = run(book, SOURCE, ExactEmbedder(failing=[embed_text(FIVE[3])], error=RuntimeError("index out of range")))
    assert (report.embedded, [failed.reason for failed in report.failed]) == (4, ["index out of range"])


def test_batches_are_small_and_sorted_by_length_over_a_window(book: Store, seen: Seen) -> None:
    assert len(set(seen(*(f"Error: end {word(n)}{' word' * (n * 7 % 50)}" for n in range(120))))) == 120
    model = ExactEmbedder()
    commits: list[int] = []
    book.con.set_commit_hook(lambda: bool(commits.append(1)))
    run(book, SOURCE, model, batch=50)
    sizes = [len(text) for text in model.given]
    assert sizes == sorted(sizes)
    assert max(len(batch) for batch in model.seen) <= 50
    assert len(commits) == 3 + 3  # three batches; the run begins, takes the model up and ends


def test_how_long_a_text_is_for_the_model_orders_them_where_it_is_known(book: Store, seen: Seen) -> None:
    seen(*(f"Error: {word(n)}{' word' * (n % 5)}" for n in range(20)))
    model = ExactEmbedder()
    run(book, SOURCE, model, length=lambda text: -len(text))
    sizes = [len(text) for text in model.given]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1


def test_rows_of_other_programs_and_merged_split_or_deleted_cases(book: Store, seen: Seen) -> None:
    one, two = seen("Error: first cause", "Error: second cause")
    with book.transaction() as con:
        con.execute("INSERT INTO error_kb(ts, error_normalized) VALUES ('2026', 'Cannot find <STR> anywhere')")
        (foreign,) = con.execute("SELECT max(id) FROM error_kb").fetchone()
    run(book, SOURCE, ExactEmbedder())
    assert vectors(book).keys() == {one, two, foreign}
    with book.transaction() as con:  # two is merged into one
        con.execute("UPDATE fingerprint SET case_id = ? WHERE case_id = ?", (one, two))
        con.execute("UPDATE case_key SET case_id = ? WHERE case_id = ?", (one, two))
        con.execute("DELETE FROM error_kb WHERE id = ?", (two,))
        con.execute("DELETE FROM error_kb WHERE id = ?", (foreign,))
    assert book.con.execute("SELECT DISTINCT item_id FROM vector").fetchall() == [(one,)]
    report = run(book, SOURCE, ExactEmbedder())
    assert report.removed == 2
    assert vectors(book).keys() == {one}
    with book.transaction() as con:  # and split off again
        name = Name("Error: second cause", "Error: second cause again", "another mark", "unknown")
        split = ensure_case(con, name, ts="2026", raw=None)
    run(book, SOURCE, ExactEmbedder())
    assert vectors(book).keys() == {one, split}


def test_further_key_lines_of_a_case_make_no_work(book: Store, seen: Seen) -> None:
    (case,) = seen("Error: listen to 8080")
    run(book, SOURCE, ExactEmbedder())
    with book.transaction() as con:
        con.execute("INSERT INTO fingerprint VALUES ('later', ?, 'a later line', 'unknown', '2027', NULL)", (case,))
    assert backlog.waiting(book.con, "error") == 0


def test_a_text_that_changes_while_it_is_embedded_goes_on_waiting(book: Store, seen: Seen) -> None:
    (case,) = seen("Error: the first wording")

    class Slow(ExactEmbedder):
        def embed(self, texts: Any, kind: Any) -> Any:
            if not self.seen:
                with open_store(book.path, write=True) as other, other.transaction() as con:
                    con.execute("UPDATE fingerprint SET key_line = 'Error: the second wording'")
            return super().embed(texts, kind)

    run(book, SOURCE, Slow())
    assert vectors(book) == {case: random_vector(embed_text("Error: the second wording"))}
    assert backlog.waiting(book.con, "error") == 0


def test_another_model_embeds_anew_and_keeps_the_old_vectors_until_it_is_done(book: Store, seen: Seen) -> None:
    ids = seen(*(f"Error: {n} cause number {'x' * n}" for n in range(1, 30)))
    old, new = ExactEmbedder(name="old"), ExactEmbedder(name="new")
    run(book, SOURCE, old)
    place = place_of(SOURCE, new)
    calls = iter(range(100))
    report = run(book, SOURCE, new, batch=10, stop=lambda: next(calls) > 4)
    assert report.canceled
    assert report.embedded in range(1, 29)
    assert report.waiting == 29 - report.embedded
    assert "are incomplete" in (why_off(book.con, "error", place.model, place.recipe) or "")
    assert why_off(book.con, "error", "old@1", f"{SOURCE.recipe}+exact/1") is not None
    assert len([row for row in kept(book) if row[1] == "old@1"]) == 29
    report = run(book, SOURCE, new)
    assert report.embedded + len(ids) - 29 <= 29
    assert why_off(book.con, "error", place.model, place.recipe) is None
    assert {row[1] for row in kept(book)} == {"new@1"}
    assert vectors(book).keys() == set(ids)
    assert book.con.execute("SELECT DISTINCT model FROM vector_bits").fetchall() == [("new@1",)]


def test_going_back_to_the_old_model_reuses_what_is_kept(book: Store, seen: Seen) -> None:
    ids = seen(*FIVE)
    run(book, SOURCE, ExactEmbedder(name="old"))
    calls = iter(range(100))
    run(book, SOURCE, ExactEmbedder(name="new"), batch=1, stop=lambda: next(calls) > 4)
    back = ExactEmbedder(name="old")
    report = run(book, SOURCE, back)
    assert (report.reused, back.seen) == (5, [])
    assert vectors(book).keys() == set(ids)


def test_a_model_of_another_size_has_a_table_of_its_own(book: Store, seen: Seen) -> None:
    (case,) = seen(FIVE[0])
    run(book, SOURCE, ExactEmbedder())
    run(book, SOURCE, ExactEmbedder(name="wide", dim=768))
    assert vectors(book) == {}
    assert book.con.execute("SELECT window_key / 256 FROM vec_error_768").fetchall() == [(case,)]
    run(book, SOURCE, ExactEmbedder())
    assert vectors(book).keys() == {case}
    assert book.con.execute("SELECT 1 FROM sqlite_schema WHERE name = 'vec_error_768'").fetchone() is None


def test_one_run_a_database(book: Store, seen: Seen) -> None:
    seen(*FIVE)
    with open_store(book.path, write=True) as other:
        job = jobs.begin(other, "embed")
        assert job is not None
        report = run(book, SOURCE, ExactEmbedder())
        assert (report.busy, report.embedded, report.waiting) == (True, 0, 5)
        jobs.finish(other, job)
    assert run(book, SOURCE, ExactEmbedder()).embedded == 5


def test_a_run_that_is_canceled_elsewhere_stops_before_its_next_batch(book: Store, seen: Seen) -> None:
    seen(*FIVE)

    def cancel(progress: Progress) -> None:
        with open_store(book.path, write=True) as other:
            job = jobs.running(other, "embed")
            assert job is not None
            assert job.done == progress.done
            assert "per second" in job.detail
            jobs.cancel(other, job.id)

    report = run(book, SOURCE, ExactEmbedder(), batch=2, progress=cancel)
    assert (report.canceled, report.embedded, report.waiting) == (True, 2, 3)
    assert jobs.recent(book)[0].status == "canceled"


def test_a_run_that_gives_way_ends_well_and_leaves_the_rest_waiting(book: Store, seen: Seen) -> None:
    seen(*FIVE)
    calls = iter(range(100))
    report = run(book, SOURCE, ExactEmbedder(), batch=1, give_way=lambda: next(calls) > 4)
    assert 0 < report.embedded < 5
    assert (report.waiting, report.canceled) == (5 - report.embedded, False)
    assert jobs.recent(book)[0].status == "succeeded"
    assert run(book, SOURCE, ExactEmbedder()).waiting == 0


def test_progress_counts_to_the_end(book: Store, seen: Seen) -> None:
    seen(*FIVE)
    told: list[Progress] = []
    run(book, SOURCE, ExactEmbedder(), batch=2, progress=told.append)
    assert [(step.kind, step.done, step.total) for step in told] == [("embed", n, 5) for n in (2, 4, 5)]
    assert jobs.recent(book)[0].detail == "5 embedded"


def test_other_writers_get_in_between_and_none_is_refused(book: Store, seen: Seen) -> None:
    """Embedding, however slow, holds no lock: a writer that waits 0 ms gets in while the model works."""
    seen(*(f"Error: cause {'y' * n}" for n in range(1, 41)))
    wrote = threading.Event()

    class Awaited(ExactEmbedder):
        def embed(self, texts: Any, kind: Any) -> Any:
            wrote.clear()
            assert wrote.wait(120), "nobody gets in while it works"
            return super().embed(texts, kind)

    class Watched(ExactEmbedder):
        def embed(self, texts: Any, kind: Any) -> Any:
            with open_store(book.path, write=True, timeout_ms=0) as other, other.transaction() as con:
                con.execute("UPDATE error_kb SET use_count = use_count + 1")
            return super().embed(texts, kind)

    done = threading.Event()

    def write() -> None:
        with open_store(book.path, write=True) as other:
            while not done.is_set():
                with other.transaction() as con:
                    con.execute("UPDATE error_kb SET use_count = use_count + 1 WHERE id = 1")
                wrote.set()
                time.sleep(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        report = run(book, SOURCE, Awaited(), batch=5)
    finally:
        done.set()
        writer.join()
    assert report.embedded == 40
    with book.transaction() as con:
        backlog.enqueue(con, "error", range(1, 41))
        con.execute("DELETE FROM vector")
    assert run(book, SOURCE, Watched(), batch=5).embedded == 40


def test_the_backlog_counts_itself_whatever_happens_to_it(book: Store, seen: Seen) -> None:
    ids = seen(*FIVE)

    def sizes() -> tuple[int, int]:
        (rows,) = book.con.execute("SELECT count(*) FROM backlog").fetchone()
        return backlog.waiting(book.con, "error"), rows

    assert sizes() == (5, 5)
    with book.transaction() as con:
        con.execute("INSERT OR REPLACE INTO error_kb(id, ts, error_normalized) VALUES (900, '2026', 'another <STR>')")
        con.execute("INSERT OR REPLACE INTO error_kb(id, ts, error_normalized) VALUES (900, '2027', 'another <STR>')")
        backlog.enqueue(con, "error", [*ids, ids[0]])
        con.execute(
            "INSERT INTO error_kb(ts, error_normalized) VALUES ('2026', 'a <STR>')"
            " ON CONFLICT(error_normalized) DO UPDATE SET use_count = use_count + 1"
        )
    assert sizes() == (7, 7)
    run(book, SOURCE, ExactEmbedder())
    assert sizes() == (0, 0)


def test_a_casebook_of_the_first_version_finds_all_its_cases_waiting(tmp_path: Any, seen: Seen, book: Store) -> None:
    from core.store.schema.migrations import APPLICATION_ID, shipped

    old = tmp_path / "old.db"
    con = apsw.Connection(str(old))
    for _ in con.execute(shipped()[0].sql):
        pass
    con.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1")
    con.execute("INSERT INTO error_kb(ts, error_normalized) VALUES ('2026', 'one'), ('2026', 'two')")
    con.execute("INSERT INTO vector VALUES ('rule', 1, 'm', 'r', 's', 1, x'00000000')")
    con.close()
    with open_store(old, write=True) as store:
        assert backlog.waiting(store.con, "error") == 2
        assert store.con.execute("SELECT kind, item_id, dim FROM vector").fetchall() == [("rule", 1, 1)]
        assert run(store, SOURCE, ExactEmbedder()).embedded == 2


def test_a_damaged_note_of_the_model_is_made_anew(book: Store, seen: Seen) -> None:
    """Nobody knows then of which model the searched vectors are: they are put there again from those kept."""
    ids = seen(*FIVE)
    run(book, SOURCE, ExactEmbedder())
    load_vec(book.con)
    with book.transaction() as con:
        con.execute("UPDATE meta SET value = '{\"model\": 1, \"x\": 2}' WHERE key = 'vectors:error'")
        con.execute("UPDATE vec_error_kb SET embedding = ? WHERE error_kb_id = ?", (unit(1), ids[0]))
    assert read_state(book.con, "error") is None
    assert why_off(book.con, "error", "exact@1", "x") is not None
    report = run(book, SOURCE, ExactEmbedder())
    assert (report.embedded, report.reused) == (0, 5)
    assert vectors(book) == {case: random_vector(embed_text(line)) for case, line in zip(ids, FIVE, strict=True)}


def test_an_undone_fix_takes_its_vector_along(book: Store) -> None:
    recorded = record_resolution(book, FIVE[0], "call it by its name")
    run(book, SOURCE, ExactEmbedder())
    assert vectors(book).keys() == {recorded.case_id}
    undo(book, "me", after=refresh_touched)
    assert (vectors(book), kept(book)) == ({}, [])
    run(book, SOURCE, ExactEmbedder())
    assert disagreements(book.con, "error") == []


def test_the_cases_of_an_imported_seed_database_wait(book: Store, tmp_path: Path) -> None:
    con = apsw.Connection(str(tmp_path / "seed.db"))
    con.execute("CREATE TABLE error_kb(id INTEGER PRIMARY KEY, ts TEXT, error_normalized TEXT, resolution TEXT)")
    con.execute(
        "INSERT INTO error_kb VALUES (1, '2026', 'Cannot find module <STR>', 'npm install'), (2, '2026', 'x', 'y')"
    )
    con.close()
    import_cases(book, tmp_path / "seed.db")
    model = ExactEmbedder()
    assert run(book, SOURCE, model).embedded == 2
    assert "cannot find module" in model.given
