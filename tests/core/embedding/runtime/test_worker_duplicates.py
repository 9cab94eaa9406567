"""An equal text is read by the model once, wherever it stands; the others take its vectors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.reports import Progress
from core.embedding.index import backlog
from core.embedding.index.maintenance import counted, disagreements
from core.embedding.index.stored import of_texts, present
from core.embedding.runtime.embedder import Source
from core.embedding.runtime.worker import place_of, run
from core.store import Store, open_store
from core.store.schema.migrations import Schema, shipped
from tests.core.embedding.exact_embedder import ExactEmbedder, random_vector

SPOILT = {"nan": b"\x00\x00\xc0\x7f" * 384, "short": b"\0" * 1532, "zero": b"\0" * 1536, "empty": b""}


@dataclass(frozen=True, slots=True)
class Notes:
    """Texts of a table that only this test has."""

    kind: str = "chunk"
    recipe: str = "plain/1"

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        return dict(con.execute("SELECT id, text FROM note WHERE id IN (SELECT value FROM json_each(?))", [str(ids)]))

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        return [row[0] for row in con.execute("SELECT id FROM note WHERE id > ? ORDER BY id LIMIT ?", (after, limit))]

    def count(self, con: apsw.Connection) -> int:
        return int(con.execute("SELECT count(*) FROM note").fetchall()[0][0])


NOTES = Notes()


def write(store: Store, texts: dict[int, str], kind: str = "chunk") -> None:
    """These notes are new or changed, and wait."""
    with store.transaction() as con:
        con.execute("CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, text TEXT)")
        con.executemany("INSERT OR REPLACE INTO note VALUES (?, ?)", texts.items())
        backlog.enqueue(con, kind, texts)


def vectors(store: Store, source: Source = NOTES) -> dict[int, bytes]:
    return dict(store.con.execute("SELECT item_id, blob FROM vector WHERE kind = ?", (source.kind,)).fetchall())


def right(store: Store) -> None:
    """Each note has the vector of its text, what is searched agrees, and nothing waits."""
    notes = store.con.execute("SELECT id, text FROM note").fetchall()
    assert vectors(store) == {item: random_vector(text) for item, text in notes}
    assert disagreements(store.con, "chunk") == []
    assert backlog.waiting(store.con, "chunk") == 0


def test_equal_texts_of_one_run_are_read_once(book: Store) -> None:
    texts = ("same", "펌프는 밤에 멈춘다", "twice", "twice", "")
    write(book, {at: texts[at % 5] or f"alone {at}" for at in range(1, 101)})
    model, steps = ExactEmbedder(), list[Progress]()
    report = run(book, NOTES, model, batch=7, progress=steps.append)
    distinct = {text for (text,) in book.con.execute("SELECT DISTINCT text FROM note")}
    assert sorted(model.given) == sorted(distinct)
    assert (report.embedded, report.reused, report.copied) == (len(distinct), 100 - len(distinct), 100 - len(distinct))
    assert max(after.done - before.done for before, after in itertools.pairwise(steps)) <= 7
    assert (steps[-1].done, steps[-1].total) == (100, 100)
    right(book)


def test_a_text_that_came_before_is_not_read_again(book: Store) -> None:
    write(book, {1: "one", 2: "two"})
    run(book, NOTES, ExactEmbedder())
    write(book, {1: "now three", 7: "two", 8: "one"})  # the first's own vector goes in this very run
    model = ExactEmbedder()
    report = run(book, NOTES, model)
    assert (model.given, report.embedded, report.copied) == (["now three"], 1, 2)
    right(book)


def test_texts_that_all_came_before_leave_the_model_alone_and_no_rate(book: Store) -> None:
    write(book, {1: "one"})
    run(book, NOTES, ExactEmbedder())
    write(book, dict.fromkeys(range(2, 40), "one"))
    model, steps = ExactEmbedder(), list[Progress]()
    assert run(book, NOTES, model, batch=10, progress=steps.append).embedded == 0
    assert model.seen == []
    assert {(step.rate, step.eta_s) for step in steps} == {(0.0, None)}
    right(book)


def test_windows_are_taken_all(book: Store) -> None:
    long = tuple(random_vector(("long", at)) for at in range(3))
    write(book, {1: "long", 2: "long"})
    run(book, NOTES, ExactEmbedder({"long": long}))
    assert set(vectors(book).values()) == {b"".join(long)}
    assert disagreements(book.con, "chunk") == []


@pytest.mark.parametrize(
    ("source", "model"),
    [
        (NOTES, ExactEmbedder(name="other")),
        (NOTES, ExactEmbedder(recipe="exact/2")),
        (Notes(recipe="plain/2"), ExactEmbedder()),
        (NOTES, ExactEmbedder(name="small", dim=128)),
    ],
    ids=["model", "recipe of the model", "recipe of the text", "model of another size"],
)
def test_another_model_or_recipe_reads_it_again(book: Store, source: Notes, model: ExactEmbedder) -> None:
    write(book, {1: "one", 2: "one"})
    run(book, NOTES, ExactEmbedder())
    model.seen.clear()
    report = run(book, source, model)
    assert (model.given, report.embedded, report.copied) == (["one"], 1, 1)
    assert set(vectors(book).values()) == {random_vector("one", model.dim)}


def test_a_vector_of_another_kind_serves_if_model_and_recipe_are_the_same(book: Store) -> None:
    write(book, {1: "one"}, "rule")
    run(book, Notes(kind="rule"), ExactEmbedder())
    write(book, {2: "one"})
    model = ExactEmbedder()
    assert (run(book, NOTES, model).copied, model.seen) == (1, [])
    assert vectors(book)[2] == random_vector("one")


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT)
def test_an_unusable_vector_is_never_taken(book: Store, spoilt: bytes) -> None:
    write(book, {1: "one", 2: "one"})
    run(book, NOTES, ExactEmbedder())
    with book.transaction() as con:
        con.execute("UPDATE vector SET blob = ? WHERE item_id = 1", (spoilt,))
    write(book, {3: "one"})
    model = ExactEmbedder()
    assert (run(book, NOTES, model).copied, model.seen) == (1, [])  # the second's is sound
    with book.transaction() as con:
        con.execute("UPDATE vector SET blob = ?", (spoilt,))
    write(book, {4: "one", 5: "one"})
    assert (run(book, NOTES, model).copied, model.given) == (1, ["one"])
    assert {item: vectors(book)[item] for item in (4, 5)} == dict.fromkeys((4, 5), random_vector("one"))


def test_what_fails_fails_once_for_all_that_say_it(book: Store) -> None:
    write(book, {1: "bad", 2: "good", 3: "bad", 4: "bad", 5: " "})
    model = ExactEmbedder(failing=["bad"])
    report = run(book, NOTES, model)
    assert [failed.item_id for failed in report.failed] == [5, 1, 3, 4]
    assert len({failed.reason for failed in report.failed}) == 2
    assert model.given.count("bad") == 2  # beside the others, then alone
    assert (report.embedded, report.copied, report.waiting) == (1, 0, 0)
    again = ExactEmbedder(failing=["bad"])
    assert (run(book, NOTES, again).failed, again.seen) == ((), [])


def test_a_run_that_stops_between_a_text_and_its_twins_goes_on_there(book: Store) -> None:
    write(book, dict.fromkeys(range(1, 21), "one"))
    first = ExactEmbedder()
    report = run(book, NOTES, first, batch=5, stop=lambda: len(vectors(book)) >= 6)
    assert (report.canceled, report.embedded, report.copied, report.waiting) == (True, 1, 5, 14)
    second = ExactEmbedder()
    assert (run(book, NOTES, second).copied, second.seen) == (14, [])
    right(book)


def test_a_note_that_changes_meanwhile_does_not_take_the_old_texts_vector(book: Store) -> None:
    class Editing(ExactEmbedder):
        def embed(self, texts: Sequence[str], kind: str) -> list[tuple[bytes, ...]]:  # type: ignore[override]
            if "one" in texts:
                with open_store(book.path, write=True) as other:
                    write(other, {2: "two"})
            return super().embed(texts, "document")

    write(book, {1: "one", 2: "one", 3: "one"})
    report = run(book, NOTES, Editing())
    assert (report.embedded, report.copied) == (2, 1)
    right(book)


def test_the_look_up_walks_an_index(book: Store) -> None:
    write(book, {1: "one"})
    place = place_of(NOTES, ExactEmbedder())
    run(book, NOTES, ExactEmbedder())
    sha = book.con.execute("SELECT text_sha FROM vector").fetchall()[0][0]
    asked = list[tuple[str, Any]]()
    book.con.exec_trace = lambda _, sql, bound: not asked.append((sql, bound))
    assert of_texts(book.con, place, [sha]) == {sha: (random_vector("one"),)}
    book.con.exec_trace = None
    assert len(asked) == 2
    for sql, bound in asked:
        plan = [str(row[3]) for row in book.con.execute(f"EXPLAIN QUERY PLAN {sql}", bound)]
        assert any("USING INDEX vector_text (text_sha=?)" in step for step in plan), plan


def test_items_are_looked_up_by_their_key_however_many_vectors_there_are(book: Store) -> None:
    write(book, {1: "one"})
    place = place_of(NOTES, ExactEmbedder())
    run(book, NOTES, ExactEmbedder())
    asked = list[tuple[str, Any]]()
    book.con.exec_trace = lambda _, sql, bound: not asked.append((sql, bound))
    assert list(present(book.con, place, [1, 2])) == [1]
    assert backlog.read_failures(book.con, place.kind, place.model, place.recipe, [1, 2]) == {}
    book.con.exec_trace = None
    for sql, bound in asked:
        plan = [str(row[3]) for row in book.con.execute(f"EXPLAIN QUERY PLAN {sql}", bound)]
        assert [step.split()[0] for step in plan] == ["SCAN", "SEARCH"], plan
        assert "kind=? AND item_id=?" in plan[1], plan


@pytest.mark.usefixtures("new_casebooks_made")
def test_what_an_older_casebook_embedded_is_taken_too(tmp_path: Path) -> None:
    path = tmp_path / "older.db"
    with open_store(path, create=True, schema=Schema(8, lambda: shipped()[:8])) as store:
        write(store, {1: "one"})
        run(store, NOTES, ExactEmbedder())
    with open_store(path, write=True) as store:
        write(store, {2: "one"})
        model = ExactEmbedder()
        assert (run(store, NOTES, model).copied, model.seen) == (1, [])
        right(store)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A casebook that the examples of a property share."""
    path = tmp_path_factory.mktemp("twins") / "casebook.db"
    open_store(path, create=True).close()
    yield path


steps = st.lists(
    st.tuples(st.dictionaries(st.integers(1, 12), st.sampled_from("abc일")), st.integers(1, 5), st.integers(0, 9)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=20, deadline=None)
@given(steps)
def test_whatever_is_written_and_wherever_it_stops_no_text_is_read_while_it_has_a_vector(
    shared: Path, history: list[tuple[dict[int, str], int, int]]
) -> None:
    with open_store(shared, write=True) as store:
        write(store, {})
        with store.transaction() as con:  # what the example before left is gone
            con.execute("DELETE FROM note")
            backlog.enqueue(con, "chunk", range(1, 13))
        run(store, NOTES, ExactEmbedder())
        assert vectors(store) == {}
        for texts, batch, slices in history:
            write(store, texts)
            had = set(vectors(store).values())
            model, asked = ExactEmbedder(), iter(range(slices + 1))
            run(store, NOTES, model, batch=batch, stop=lambda left=asked: next(left, None) is None)
            assert not {random_vector(text) for text in model.given} & had
            assert len(model.given) == len(set(model.given))
        run(store, NOTES, ExactEmbedder())
        right(store)
        kept, bits = counted(store.con, place_of(NOTES, ExactEmbedder()))
        assert bits >= kept
