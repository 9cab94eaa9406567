"""Any history of changes, look-ups and undos leaves the database as a plain model says."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.store import Store, change, migrate, undo

Rows = dict[tuple[str, Any], dict[str, Any]]
KEYS = ("ä", "b" * 40, "b" * 40 + "c", "d")


@dataclass
class Entry:
    diff: list[tuple[tuple[str, Any], dict[str, Any] | None, dict[str, Any] | None]]
    undoes: int | None = None
    undone: bool = False


@dataclass
class Model:
    """Rows by table and key, and every change as (row, before, after)."""

    rows: Rows = field(default_factory=dict)
    journal: dict[int, Entry] = field(default_factory=dict)

    def sound(self) -> bool:
        cases = {key: row for (table, key), row in self.rows.items() if table == "error_kb"}
        names = [row["error_normalized"] for row in cases.values()]
        return len(names) == len(set(names)) and all(
            row["case_id"] in cases for (table, _), row in self.rows.items() if table == "case_key"
        )

    def diff(self, before: Rows) -> list[Any]:
        return [
            (at, before.get(at), self.rows.get(at))
            for at in sorted({*before, *self.rows}, key=repr)
            if before.get(at) != self.rows.get(at)
        ]

    def undo(self, number: int) -> bool:
        """Whether it could be undone; False leaves everything as it was."""
        before = deepcopy(self.rows)
        entry = self.journal[number]
        if entry.undone or not all(self._revert(*item) for item in entry.diff) or not self.sound():
            self.rows = before
            return False
        return True

    def _revert(self, at: tuple[str, Any], old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
        present = self.rows.get(at)
        if (present is None) is not (new is None):
            return False
        if new is None or present is None:
            self.rows[at] = dict(old or {})
            return True
        changed = [name for name in new if old is None or old[name] != new[name]]
        if any(present[name] != new[name] for name in changed if name != "use_count"):
            return False
        if old is None:
            del self.rows[at]
            return True
        for name in changed:
            present[name] = present[name] + old[name] - new[name] if name == "use_count" else old[name]
        return True

    def note(self, number: int, diff: list[Any], undoes: int | None) -> None:
        self.journal[number] = Entry(diff, undoes)
        at, stands = undoes, False
        while at is not None:
            self.journal[at].undone = not stands
            at, stands = self.journal[at].undoes, not stands


def rows_of(store: Store) -> Rows:
    rows: Rows = {}
    for case_id, key, resolution, count in store.con.execute(
        "SELECT id, error_normalized, resolution, use_count FROM error_kb"
    ):
        rows["error_kb", case_id] = {"error_normalized": key, "resolution": resolution, "use_count": count}
    for key, case_id in store.con.execute("SELECT * FROM case_key"):
        rows["case_key", key] = {"case_id": case_id}
    return rows


def derived(rows: Rows) -> set[tuple[Any, ...]]:
    """What answer_key must hold: the keys of each case with a resolution. Where two claim a key, case_key decides."""
    cases = {key: row for (table, key), row in rows.items() if table == "error_kb"}
    owner = {row["error_normalized"]: case_id for case_id, row in cases.items()}
    owner |= {key: row["case_id"] for (table, key), row in rows.items() if table == "case_key"}
    answering = {key: at for key, at in owner.items() if (cases[at]["resolution"] or "").strip()}
    return {(key, case_id, key[:30], len(key)) for key, case_id in answering.items()}


number = st.integers(1, 5)
action = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(KEYS), st.sampled_from([None, "", "fix"])),
    st.tuples(st.just("edit"), number, st.sampled_from([None, " ", "one", "two"])),
    st.tuples(st.just("rename"), number, st.sampled_from(KEYS)),
    st.tuples(st.just("remove"), number, st.none()),
    st.tuples(st.just("merge"), number, number),
)
step = st.one_of(
    st.tuples(st.just("change"), st.lists(action, min_size=1, max_size=4)),
    st.tuples(st.just("look up"), number),
    st.tuples(st.just("edit outside"), number),
    st.tuples(st.just("undo newest"), st.none()),
    st.tuples(st.just("undo"), st.integers(1, 12)),
)


def act(con: apsw.Connection, what: str, one: Any, two: Any) -> None:
    if what == "add":
        con.execute("INSERT OR IGNORE INTO error_kb(ts, error_normalized, resolution) VALUES ('t', ?, ?)", (one, two))
        con.execute("INSERT OR IGNORE INTO case_key SELECT ?1, id FROM error_kb WHERE error_normalized = ?1", (one,))
    elif what == "edit":
        con.execute("UPDATE error_kb SET resolution = ?, use_count = use_count + 1 WHERE id = ?", (two, one))
    elif what == "rename":
        con.execute("UPDATE OR IGNORE error_kb SET error_normalized = ? WHERE id = ?", (two, one))
    elif what == "remove":
        con.execute("DELETE FROM case_key WHERE case_id = ?", (one,))
        con.execute("DELETE FROM error_kb WHERE id = ?", (one,))
    elif one != two and con.execute("SELECT 1 FROM error_kb WHERE id = ?", (two,)).fetchone():
        con.execute("UPDATE case_key SET case_id = ? WHERE case_id = ?", (two, one))
        con.execute("DELETE FROM error_kb WHERE id = ?", (one,))


@cache
def empty() -> apsw.Connection:
    """A casebook in memory to copy: to make one takes longer than most histories."""
    con = apsw.Connection(":memory:")
    con.transaction_mode = "IMMEDIATE"
    migrate(con, None)
    return con


@settings(max_examples=300, deadline=None)
@given(st.lists(step, min_size=2, max_size=14))
def test_any_history_agrees_with_the_model(steps: list[tuple[str, Any]]) -> None:
    con = apsw.Connection(":memory:")
    con.transaction_mode = "IMMEDIATE"
    with con.backup("main", empty(), "main") as copying:
        copying.step()
    con.execute("PRAGMA foreign_keys = ON")
    store, model = Store(Path("model.db"), con, write=True), Model()
    for what, given_to in steps:
        before = deepcopy(model.rows)
        if what == "change":
            with change(store, "x", "change") as made:
                for part in given_to:
                    act(con, *part)
            model.rows = rows_of(store)
            assert (made.id is None) is (before == model.rows)
            if made.id is not None:
                model.note(made.id, model.diff(before), None)
        elif what in ("look up", "edit outside"):
            columns = (
                "use_count = use_count + 5, last_used = 'x', ts = 'u'" if what == "look up" else "resolution = 'else'"
            )
            con.execute(f"UPDATE error_kb SET {columns} WHERE id = ?", (given_to,))
            model.rows = rows_of(store)
        else:
            check_undo(store, model, given_to)
        rows = rows_of(store)
        assert rows == model.rows
        assert set(con.execute("SELECT * FROM answer_key").fetchall()) == derived(rows)
        cases = {(key,) for table, key in rows if table == "error_kb"}
        assert set(con.execute("SELECT case_id FROM case_state").fetchall()) == cases
        assert con.execute("PRAGMA foreign_key_check").fetchall() == []


def check_undo(store: Store, model: Model, asked: int | None) -> None:
    standing = [at for at, entry in model.journal.items() if not entry.undone and entry.undoes is None]
    target = max(standing, default=None) if asked is None else asked
    before = deepcopy(model.rows)
    possible = target in model.journal and target is not None and model.undo(target)
    try:
        done = undo(store, "x", asked)
    except Fault as fault:
        assert not possible, fault.message
    else:
        assert possible
        assert done.undid.id == target
        model.note(done.id, model.diff(before), target)
