"""History: what was changed can be taken back, as a whole, unless someone else changed the same thing since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.store import Store, change, history, open_store, row_changes, undo

Case = Callable[..., int]


def state(store: Store) -> dict[str, list[Any]]:
    tables = ("error_kb", "case_key", "fingerprint", "resolution", "answer_key")
    return {table: store.con.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables}


def edit(store: Store, case_id: int, text: str | None, actor: str = "ann") -> int:
    with change(store, actor, f"edit {case_id}") as made:
        store.con.execute("UPDATE error_kb SET resolution = ? WHERE id = ?", (text, case_id))
    assert made.id is not None
    return made.id


def record(store: Store, key: str, text: str) -> int:
    """A new case with all that belongs to it; returns the change."""
    with change(store, "ann", f"record {key}") as made:
        con = store.con
        con.execute(
            "INSERT INTO error_kb(ts, error_normalized, resolution, use_count) VALUES ('t', ?, ?, 1)", (key, text)
        )
        case_id = con.last_insert_rowid()
        con.execute("INSERT INTO case_key VALUES (?, ?)", (key, case_id))
        con.execute("INSERT INTO fingerprint VALUES (?, ?, ?, 'tsc', 't', NULL)", (f"fp {key}", case_id, key))
        con.execute(
            "INSERT INTO resolution(case_id, text, status, author, ts) VALUES (?, ?, 'draft', 'ann', 't')",
            (case_id, text),
        )
    assert made.id is not None
    return made.id


def refusal(work: Callable[[], object]) -> Fault:
    with pytest.raises(Fault) as caught:
        work()
    assert caught.value.code == "invalid_input"
    return caught.value


def test_undo_and_redo_of_an_edit(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "first")
    before = state(store)
    edit(store, case_id, "second")
    after = state(store)
    undone = undo(store, "ann")
    assert state(store) == before
    assert undone.touched == {("error_kb", case_id)}
    redone = undo(store, "ann", undone.id)
    assert state(store) == after
    assert [entry.title for entry in history(store)] == [
        f"redo: edit {case_id}",
        f"undo: edit {case_id}",
        f"edit {case_id}",
    ]
    assert [entry.undone_by for entry in history(store)] == [None, redone.id, None]
    assert undo(store, "ann").undid.title == f"edit {case_id}"  # it stands again
    assert state(store) == before


def test_undo_of_a_recorded_case_takes_all_of_it_away_and_brings_all_of_it_back(store: Store) -> None:
    before = state(store)
    record(store, "an error", "a fix")
    after = state(store)
    undone = undo(store, "ann")
    assert state(store) == before
    assert store.con.execute("SELECT count(*) FROM case_state").fetchone() == (0,)
    assert ("error_kb", 1) in undone.touched
    undo(store, "ann", undone.id)
    assert state(store) == after
    assert store.con.execute("SELECT status FROM case_state").fetchall() == [("draft",)]


def test_undo_of_a_merge_gives_every_key_back_to_its_case(store: Store) -> None:
    record(store, "left", "go left")
    record(store, "right", "go right")
    before = state(store)
    with change(store, "ann", "merge"):
        store.con.execute(
            "UPDATE case_key SET case_id = 1 WHERE case_id = 2; UPDATE fingerprint SET case_id = 1 WHERE case_id = 2;"
            "UPDATE resolution SET case_id = 1 WHERE case_id = 2; DELETE FROM error_kb WHERE id = 2"
        )
    assert state(store)["answer_key"] == [("left", 1, "left", 4), ("right", 1, "right", 5)]
    undo(store, "ann")
    assert state(store) == before


def test_undo_takes_the_newest_that_still_stands(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "0")
    for text in "123":
        edit(store, case_id, text)
    texts: list[str] = []
    for _ in range(3):
        undo(store, "ann")
        texts.append(str(state(store)["error_kb"][0][4]))
    assert texts == ["2", "1", "0"]
    assert refusal(lambda: undo(store, "ann")).message == "nothing to undo"


def test_an_older_change_can_be_undone_alone_where_nothing_overlaps(store: Store, case: Case) -> None:
    one, two = case(store, "one", "1"), case(store, "two", "2")
    first = edit(store, one, "uno")
    edit(store, two, "dos")
    undo(store, "ann", first)
    assert [row[4] for row in state(store)["error_kb"]] == ["1", "dos"]


def test_a_conflict_is_refused_as_a_whole_and_named(store: Store, case: Case) -> None:
    one, two = case(store, "one", "1"), case(store, "two", "2")
    with change(store, "ann", "edit both") as both:
        store.con.execute("UPDATE error_kb SET resolution = 'mine'")
    later = edit(store, two, "bob's", "bob")
    before = state(store)
    fault = refusal(lambda: undo(store, "ann", both.id))
    assert state(store) == before
    assert (fault.details["table"], fault.details["row"], fault.details["column"]) == (
        "error_kb",
        str(two),
        "resolution",
    )
    assert fault.details["later"] == later
    assert f"change {later}" in fault.hint
    assert [entry.id for entry in history(store)] == [later, both.id]  # nothing was journaled
    undo(store, "bob", later)
    undo(store, "ann", both.id)
    assert [row[4] for row in state(store)["error_kb"]] == ["1", "2"]
    assert one < two


def test_a_change_outside_the_history_conflicts_too(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "old")
    edit(store, case_id, "new")
    store.con.execute("UPDATE error_kb SET resolution = 'imported'")
    assert refusal(lambda: undo(store, "ann")).details["later"] is None


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("DELETE FROM case_key; DELETE FROM error_kb", "removed"),
        ("INSERT INTO fingerprint VALUES ('new', 1, '', '', '', NULL)", "fingerprint"),
    ],
)
def test_a_row_that_is_gone_or_that_others_need_by_now_is_a_conflict(store: Store, sql: str, what: str) -> None:
    with change(store, "ann", "record"):
        store.con.execute(
            "INSERT INTO error_kb(ts, error_normalized) VALUES ('t', 'k'); INSERT INTO case_key VALUES ('k', 1)"
        )
    store.con.execute(sql)
    before = state(store)
    assert what in refusal(lambda: undo(store, "ann")).message
    assert state(store) == before


def test_a_deleted_row_whose_place_is_taken_is_a_conflict(store: Store, case: Case) -> None:
    case_id = case(store, "an error")
    with change(store, "ann", "delete"):
        store.con.execute("DELETE FROM case_key; DELETE FROM error_kb")
    assert case(store, "an error") > case_id  # an id is never given again
    refusal(lambda: undo(store, "ann"))


def test_look_ups_never_stand_in_the_way_and_stay_counted(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "old", use_count=3)
    with change(store, "ann", "record again"):
        store.con.execute("UPDATE error_kb SET resolution = 'new', use_count = use_count + 1, ts = 't2'")
    store.con.execute("UPDATE error_kb SET use_count = use_count + 10, last_used = 'now', ts = 't3'")
    undone = undo(store, "ann")
    assert store.con.execute("SELECT resolution, use_count, last_used, ts FROM error_kb").fetchone() == (
        "old",
        13,
        "now",
        "t3",
    )
    undo(store, "ann", undone.id)
    assert store.con.execute("SELECT resolution, use_count FROM error_kb").fetchone() == ("new", 14)
    assert case_id == 1


def test_a_recorded_case_that_was_looked_up_can_still_be_taken_back(store: Store) -> None:
    record(store, "an error", "a fix")
    store.con.execute("UPDATE error_kb SET use_count = 9, last_used = 'now', ts = 'later'")
    undo(store, "ann")
    assert state(store)["error_kb"] == []


def test_what_is_refreshed_after_an_undo_is_part_of_it(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "old")
    edit(store, case_id, "new")
    seen: list[object] = []

    def after(con: apsw.Connection, touched: frozenset[tuple[str, object]]) -> None:
        seen.extend(touched)
        con.execute("UPDATE error_kb SET tool_sequence = '[]'")
        assert con.in_transaction

    undone = undo(store, "ann", after=after)
    assert seen == [("error_kb", case_id)]
    undo(store, "ann", undone.id)
    assert store.con.execute("SELECT resolution, tool_sequence FROM error_kb").fetchone() == ("new", None)

    def fails(con: apsw.Connection, touched: frozenset[tuple[str, object]]) -> None:
        raise KeyError

    before = state(store)
    with pytest.raises(KeyError):
        undo(store, "ann", after=fails)
    assert state(store) == before


def test_an_undo_names_the_case_of_a_row_that_is_gone(store: Store, case: Case) -> None:
    case_id = case(store, "an error")
    with change(store, "ann", "add a fix"):
        store.con.execute(
            "INSERT INTO resolution(case_id, text, status, author, ts) VALUES (?, 'x', 'draft', 'a', 't')", (case_id,)
        )
    assert undo(store, "ann").touched == {("resolution", 1), ("error_kb", case_id)}


def test_nothing_changed_is_nothing_journaled(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "same")
    with change(store, "ann", "nothing") as made:
        store.con.execute("UPDATE error_kb SET resolution = 'same' WHERE id = ?", (case_id,))
        store.con.execute("INSERT INTO meta VALUES ('not', 'curated')")
    assert made.id is None
    assert history(store) == ()


def test_a_change_that_fails_leaves_nothing(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "old")
    before = state(store)
    with pytest.raises(KeyError), change(store, "ann", "fails"):
        store.con.execute("UPDATE error_kb SET resolution = 'new' WHERE id = ?", (case_id,))
        raise KeyError
    assert state(store) == before
    assert history(store) == ()


def test_changes_do_not_nest(store: Store) -> None:
    with change(store, "ann", "outer"):
        with pytest.raises(RuntimeError), change(store, "ann", "inner"):
            pass
        with pytest.raises(RuntimeError):
            undo(store, "ann")
    with store.transaction(), pytest.raises(RuntimeError), change(store, "ann", "inner"):
        pass


def test_history_survives_a_restart_and_is_paged(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "0")
    ids = [edit(store, case_id, str(at)) for at in range(1, 6)]
    store.close()
    with open_store(store.path, write=True) as again:
        newest = history(again, 2)
        assert [entry.id for entry in newest] == [ids[4], ids[3]]
        assert [entry.id for entry in history(again, 9, before_id=newest[-1].id)] == [ids[2], ids[1], ids[0]]
        assert {entry.actor for entry in newest} == {"ann"}
        undo(again, "ann")
        assert state(again)["error_kb"][0][4] == "4"


def test_the_history_tells_what_a_change_did(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "old")
    (row,) = row_changes(store, edit(store, case_id, None))
    assert (row.table, row.key, row.op, row.columns) == ("error_kb", case_id, "UPDATE", (("resolution", "old", None),))
    refusal(lambda: row_changes(store, 99))


def test_what_was_taken_back_cannot_be_taken_back_twice(store: Store, case: Case) -> None:
    edited = edit(store, case(store, "an error", "old"), "new")
    undone = undo(store, "ann", edited)
    assert str(undone.id) in refusal(lambda: undo(store, "ann", edited)).hint
    refusal(lambda: undo(store, "ann", 99))


def test_a_title_with_half_a_surrogate_pair_is_kept(store: Store, case: Case) -> None:
    case_id = case(store, "an error", "old")
    with change(store, "a\udfff", "odd \ud800 title"):
        store.con.execute("UPDATE error_kb SET resolution = 'new' WHERE id = ?", (case_id,))
    assert history(store)[0].title == "odd ? title"


def test_a_reader_can_neither_change_nor_undo(store: Store) -> None:
    with open_store(store.path) as reader:
        for work in (lambda: undo(reader, "ann"), lambda: change(reader, "ann", "x").__enter__()):
            with pytest.raises(Fault) as caught:
                work()
            assert caught.value.code == "db_readonly"
