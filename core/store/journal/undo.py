"""Undo: the inverse of a recorded change, applied; what stands in its way, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import apsw

from core.base.fault import Fault
from core.store.journal.journal import (
    JournalEntry,
    Touched,
    columns_of,
    key_of,
    note_subjects,
    read_entry,
    recording,
    subjects_of,
    touched_rows,
    write_entry,
)
from core.store.sql import Value, quoted
from core.store.store import Store

MOVING = frozenset({"use_count", "last_used", "ts"})
"""Columns that move by themselves (look-ups): a difference there never stands in the way of an undo."""

REPLACED = frozenset({"correction", "result_verdict", "practice_finding", "before_run"})
"""Tables whose rows a later harvest replaces: a row that is not as it was never stands in the way of an undo."""

Mirrored = frozenset[tuple[str, str]]
"""(table, column) pairs that only show what other rows say: whoever owns the domain rebuilds them."""

NOTHING_MIRRORED: Mirrored = frozenset()

_SEARCHED = 500  # newer changes looked through to name the one in the way


@dataclass(frozen=True, slots=True)
class _Clash:
    """What stands in the way: a row (key None: not known), its column where one can be named, and what happened."""

    table: str
    key: object
    column: str
    what: str


@dataclass(frozen=True, slots=True)
class _Update:
    """An update made by hand, because SQLite would set the moving columns back."""

    table: str
    key: tuple[tuple[str, Value], ...]
    values: tuple[tuple[str, Value], ...]


@dataclass(slots=True)
class _Conflicts:
    """SQLite's conflict handler: notes what it meets, and stops at the first clash."""

    con: apsw.Connection
    mirrored: Mirrored
    clash: _Clash | None = None
    updates: list[_Update] = field(default_factory=list[_Update])
    dangling: bool = False

    def __call__(self, reason: int, item: apsw.TableChange) -> int:
        if reason == apsw.SQLITE_CHANGESET_FOREIGN_KEY:
            self.dangling = True  # no row is known here; the caller looks for it and rolls back
            return apsw.SQLITE_CHANGESET_OMIT
        if item.name in REPLACED:
            there = reason in (apsw.SQLITE_CHANGESET_DATA, apsw.SQLITE_CHANGESET_CONFLICT)
            return apsw.SQLITE_CHANGESET_REPLACE if there else apsw.SQLITE_CHANGESET_OMIT
        if reason == apsw.SQLITE_CHANGESET_DATA:
            return self._differs(item)
        what = {
            apsw.SQLITE_CHANGESET_NOTFOUND: "was removed since",
            apsw.SQLITE_CHANGESET_CONFLICT: "was made again since",
        }.get(reason, "would take the place of another one made since")
        self.clash = _Clash(item.name, key_of(item), "", what)
        return apsw.SQLITE_CHANGESET_ABORT

    def _differs(self, item: apsw.TableChange) -> int:
        names = columns_of(self.con, item.name)
        before, present = item.old or (), cast("tuple[Value, ...]", item.conflict or ())
        changed = [
            names[at] for at, old in enumerate(before) if old is not apsw.no_change and _unlike(old, present[at])
        ]
        for name in changed:
            if name not in MOVING and (item.name, name) not in self.mirrored:
                self.clash = _Clash(item.name, key_of(item), name, "was changed since")
                return apsw.SQLITE_CHANGESET_ABORT
        if item.op == "DELETE":
            return apsw.SQLITE_CHANGESET_REPLACE
        self.updates.append(_update(item, names, present, changed))
        return apsw.SQLITE_CHANGESET_OMIT


def _unlike(left: object, right: object) -> bool:
    return type(left) is not type(right) or left != right


def _update(item: apsw.TableChange, names: tuple[str, ...], present: tuple[Value, ...], moved: list[str]) -> _Update:
    old, new = item.old or (), item.new or ()
    values: list[tuple[str, Value]] = []
    for at, wanted in enumerate(new):
        if wanted is apsw.no_change or at in item.pk_columns:
            continue
        name, now, then = names[at], present[at], old[at]
        if name not in moved:
            values.append((name, cast("Value", wanted)))
        elif name == "use_count" and isinstance(now, int) and isinstance(wanted, int) and isinstance(then, int):
            values.append((name, now + wanted - then))  # what was counted since stays counted
    key = tuple((names[at], present[at]) for at in sorted(item.pk_columns))
    return _Update(item.name, key, tuple(values))


def apply_inverse(
    con: apsw.Connection, entry: JournalEntry, inverse: bytes, mirrored: Mirrored = NOTHING_MIRRORED
) -> bool:
    """Apply the inverse of `entry` inside the caller's transaction; whether a row now refers to one that is gone.

    Raises Fault invalid_input naming the row (and column) changed since; the caller must roll back.
    """
    conflicts = _Conflicts(con, mirrored)
    try:
        # SQLite defers foreign keys meanwhile, so the order of the tables does not matter. Triggers fire.
        apsw.Changeset.apply(inverse, con, conflict=conflicts)
        for update in conflicts.updates:
            _execute(con, update)
    except (apsw.AbortError, apsw.ConstraintError) as error:
        clash = conflicts.clash or _Clash("", None, "", str(error))
        raise _refusal(con, entry, clash) from None
    return conflicts.dangling


def apply_elsewhere(con: apsw.Connection, changeset: bytes, mirrored: Mirrored = NOTHING_MIRRORED) -> bool:
    """Apply what was done to a copy of this casebook, inside the caller's transaction; False: a row differs by now.

    Then the caller must roll back. Look-ups that were counted meanwhile stay counted.
    """
    conflicts = _Conflicts(con, mirrored)
    try:
        apsw.Changeset.apply(changeset, con, conflict=conflicts)
        for update in conflicts.updates:
            _execute(con, update)
    except (apsw.AbortError, apsw.ConstraintError):
        return False
    return not (conflicts.dangling and _loose_end(con))


def refuse_loose_ends(con: apsw.Connection, entry: JournalEntry) -> None:
    """Raise the Fault that names a row which refers to one that is gone, if there is one."""
    loose = _loose_end(con)
    if loose is not None:
        raise _refusal(con, entry, loose)


def _execute(con: apsw.Connection, update: _Update) -> None:
    if not update.values:
        return
    sets = ", ".join(f"{quoted(name)} = ?" for name, _ in update.values)
    where = " AND ".join(f"{quoted(name)} = ?" for name, _ in update.key)
    bindings = tuple(found for _, found in (*update.values, *update.key))
    con.execute(f"UPDATE {quoted(update.table)} SET {sets} WHERE {where}", bindings)


def _loose_end(con: apsw.Connection) -> _Clash | None:
    row = con.execute("PRAGMA foreign_key_check").fetchone()
    return None if row is None else _Clash(str(row[0]), row[1], "", f"still needs what would go from {row[2]}")


def _refusal(con: apsw.Connection, entry: JournalEntry, clash: _Clash) -> Fault:
    row = "another row" if not clash.table else f"a row of {clash.table}" if clash.key is None else _shown(clash)
    culprit = _culprit(con, entry, clash)
    hint = (
        "No later change in the history did it (an import or another program may have); put it right by hand."
        if culprit is None
        else f'Change {culprit.id} ("{culprit.title}") touched it later: undo that one first.'
    )
    return Fault(
        "invalid_input",
        f'Change {entry.id} ("{entry.title}") cannot be undone: {row} {clash.what}.',
        hint,
        journal_id=entry.id,
        table=clash.table,
        row=None if clash.key is None else str(clash.key),
        column=clash.column,
        later=None if culprit is None else culprit.id,
    )


def _shown(clash: _Clash) -> str:
    return f"{clash.table} row {clash.key}" + (f" (column {clash.column})" if clash.column else "")


def _culprit(con: apsw.Connection, entry: JournalEntry, clash: _Clash) -> JournalEntry | None:
    """The newest later change that still stands and touched the row."""
    sql = (
        "SELECT id, ts, actor, title, undoes, undone_by, changeset FROM journal"
        " WHERE id > ? AND undone_by IS NULL ORDER BY id DESC LIMIT ?"
    )
    for row in con.execute(sql, (entry.id, _SEARCHED)).fetchall():
        changeset = cast("bytes", row[6])
        for item in apsw.Changeset.iter(changeset) if changeset else ():
            if item.name == clash.table and key_of(item) == clash.key:
                return JournalEntry(*cast("tuple[int, str, str, str, int | None, int | None]", tuple(row[:6])))
    return None


After = Callable[[apsw.Connection, Touched], None]


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: its own place in the history, the change it took back, and the rows it touched.

    `touched` holds (table, primary key) of each row, and of each row that one of them refers to or referred to.
    """

    id: int
    undid: JournalEntry
    touched: Touched


def undo(
    store: Store,
    actor: str,
    journal_id: int | None = None,
    after: After | None = None,
    *,
    by: str | None = None,
    mirrored: Mirrored = NOTHING_MIRRORED,
) -> Undone:
    """Take back the change `journal_id`; by default the newest (of the actor `by`) that stands and is no undo itself.

    The undo is a change of its own: undoing it brings the first one back. `after(con, touched)` runs in the same
    transaction, to refresh what is derived. `use_count` keeps what was counted since. The columns in `mirrored` show
    what other rows say: one changed since stands in nobody's way, and `after` brings it up to date.

    Raises Fault invalid_input, and changes nothing, if there is no such change, it was already taken back, or a row
    of it was changed since (details: table, row, column); RuntimeError inside another transaction.
    """
    if store.con.in_transaction:
        raise RuntimeError("an undo cannot be made inside another transaction")
    with store.transaction() as con:
        entry = _pick(con, journal_id, by)
        row = con.execute("SELECT changeset FROM journal WHERE id = ?", (entry.id,)).fetchone()
        inverse = apsw.Changeset.invert(cast("bytes", row[0])) if row and row[0] else b""
        with recording(con) as session:
            touched = touched_rows(con, inverse)
            loose = bool(inverse) and apply_inverse(con, entry, inverse, mirrored)
            if after is not None:
                after(con, touched)
            if loose:  # `after` may have moved what was written meanwhile to where it belongs
                refuse_loose_ends(con, entry)
            changeset = session.changeset()
        made = write_entry(con, actor, _title(entry), changeset, entry.id)
        note_subjects(con, made, touched | subjects_of(con, entry.id))
        _mark(con, entry, made)
    return Undone(made, entry, touched)


def _pick(con: apsw.Connection, journal_id: int | None, by: str | None) -> JournalEntry:
    if journal_id is None:
        sql = (
            "SELECT id FROM journal WHERE undone_by IS NULL AND undoes IS NULL AND (?1 IS NULL OR actor = ?1)"
            " ORDER BY id DESC LIMIT 1"
        )
        row = con.execute(sql, (by,)).fetchone()
        if row is None:
            raise Fault("invalid_input", "There is nothing to undo.")
        journal_id = cast("int", row[0])
    entry = read_entry(con, journal_id)
    if entry is None:
        raise Fault("invalid_input", f"There is no change {journal_id} in the history.", journal_id=journal_id)
    if entry.undone_by is not None:
        message = f"Change {entry.id} was already taken back by change {entry.undone_by}."
        raise Fault("invalid_input", message, f"Undo {entry.undone_by} to bring it back.", journal_id=entry.id)
    return entry


def _title(entry: JournalEntry) -> str:
    if entry.undoes is None:
        return f"undo: {entry.title}"
    before, _, rest = entry.title.partition(": ")
    return f"{'redo' if before == 'undo' else 'undo'}: {rest}"


def _mark(con: apsw.Connection, entry: JournalEntry, by: int) -> None:
    """Note that `entry` no longer stands; what it had taken back stands again, and so on down the chain."""
    current: JournalEntry | None = entry
    marker: int | None = by
    while current is not None:
        con.execute("UPDATE journal SET undone_by = ? WHERE id = ?", (marker, current.id))
        marker = current.id if marker is None else None
        current = None if current.undoes is None else read_entry(con, current.undoes)
