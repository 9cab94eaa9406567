"""The journal of changes: recording a change as a changeset, the rows it touches and belongs to, and its undo.

Undo applies the inverse of a recorded change and reports what conflicts with it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.store.sql import Value, now, quoted, storable
from core.store.store import Store

Touched = frozenset[tuple[str, object]]
"""(table, primary key) of rows; the key is a value, or a tuple where it has several columns."""

_TITLE_TEXT = 200
"""Code points of an error's, a quote's or a rule's text in the title of a change: a line of a wide terminal."""

SUBJECTS = ("error_kb", "entry", "rule")
"""The tables whose rows have a history of their own."""


def touched_rows(con: apsw.Connection, changeset: bytes) -> Touched:
    """Each row the changeset touches, and each row that one of them refers to or referred to."""
    rows: set[tuple[str, object]] = set()
    parents: dict[str, tuple[tuple[int, str], ...]] = {}
    for item in apsw.Changeset.iter(changeset) if changeset else ():
        table = item.name
        rows.add((table, key_of(item)))
        if table not in parents:
            parents[table] = _referred_tables(con, table)
        for at, parent in parents[table]:
            for values in (item.old, item.new):
                # A row that is gone can no longer be asked which case it belonged to.
                if values is None or at >= len(values) or values[at] is apsw.no_change or values[at] is None:
                    continue
                rows.add((parent, values[at]))
    return frozenset(rows)


def note_subjects(con: apsw.Connection, journal_id: int, touched: Touched) -> None:
    """Remember whose history the change belongs to, inside the caller's transaction."""
    con.executemany(
        "INSERT OR IGNORE INTO journal_subject(kind, item, journal_id) VALUES (?, ?, ?)",
        [(table, key, journal_id) for table, key in touched if table in SUBJECTS and isinstance(key, (int, str))],
    )


def subjects_of(con: apsw.Connection, journal_id: int) -> Touched:
    """What `note_subjects` remembered of a change."""
    rows = con.execute("SELECT kind, item FROM journal_subject WHERE journal_id = ?", (journal_id,)).fetchall()
    return frozenset((str(row[0]), cast("object", row[1])) for row in rows)


def key_of(item: apsw.TableChange) -> object:
    """The primary key of the row that changed: a value, or a tuple where it has several columns."""
    values = item.old if item.old is not None else item.new
    key = tuple((values or ())[at] for at in sorted(item.pk_columns))
    return key[0] if len(key) == 1 else key


def columns_of(con: apsw.Connection, table: str) -> tuple[str, ...]:
    """The names of a table's columns, in order."""
    return tuple(str(row[1]) for row in con.execute(f"PRAGMA table_info({quoted(table)})"))


def value_at(values: tuple[object, ...] | None, at: int) -> tuple[bool, Value]:
    """Return whether a row image of a changeset has its column `at`, and its value."""
    if values is None or values[at] is apsw.no_change:
        return False, None
    found = values[at]
    return True, found if isinstance(found, (int, float, str, bytes)) else None


def _referred_tables(con: apsw.Connection, table: str) -> tuple[tuple[int, str], ...]:
    names = columns_of(con, table)
    found = con.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
    return tuple((names.index(str(row[3])), str(row[2])) for row in found)


TRUTH = (
    "error_kb",
    "case_key",
    "fingerprint",
    "occurrence",
    "resolution",
    "noise",
    "merged",
    "entry",
    "evidence",
    "alignment",
    "rule",
    "citation",
    "result_verdict",
    "practice_finding",
    "before_run",
    "rule_draft",
    "correction",
)
"""The tables a change is recorded of; what is derived from them is refreshed. Sessions and events only ever grow.

Verdicts, practice and corrections are derived too, but only a harvest of the whole session could make them: they are
recorded, and a later harvest of them never stands in the way of an undo (`REPLACED`).
"""

Op = Literal["INSERT", "UPDATE", "DELETE"]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One change in the history. `undoes`: the change it took back; `undone_by`: the one that took it back, if any."""

    id: int
    ts: str
    actor: str
    title: str
    undoes: int | None
    undone_by: int | None


@dataclass(frozen=True, slots=True)
class RowChange:
    """What one change did to one row: `columns` are (name, before, after) of what changed; None where there was no row.

    `key` is the primary key: a value, or a tuple where it has several columns.
    """

    table: str
    key: object
    op: Op
    columns: tuple[tuple[str, Value, Value], ...]


class Change:
    """A change while it is made. `id` is its place in the history once it is committed, None if it changed nothing.

    `subjects`: (table, key) of rows whose history it belongs to, besides those that its changeset names. `title` can
    be set until it is committed, where only the change itself shows what it did.
    """

    __slots__ = ("_session", "id", "subjects", "title")

    def __init__(self, title: str, session: apsw.Session) -> None:
        self._session = session
        self.id: int | None = None
        self.title = title
        self.subjects: set[tuple[str, object]] = set()

    @contextmanager
    def unrecorded(self) -> Generator[None]:
        """What is done inside is of the same transaction and no part of the change: an undo leaves it."""
        self._session.enabled = False
        try:
            yield
        finally:
            self._session.enabled = True


@contextmanager
def change(store: Store, actor: str, title: str) -> Generator[Change]:
    """One transaction that can be undone: what is done inside to the tables in `TRUTH` is kept as a changeset.

    Nothing changed: nothing is journaled. Raises RuntimeError inside another transaction, and what
    `Store.transaction` raises.
    """
    if store.con.in_transaction:
        raise RuntimeError("a change cannot be made inside another transaction")
    with store.transaction() as con, recording(con) as session:
        made = Change(title, session)
        yield made
        changeset = session.changeset()
        if changeset:
            made.id = write_entry(con, actor, made.title, changeset, None)
            note_subjects(con, made.id, touched_rows(con, changeset) | made.subjects)


def title_text(text: str) -> str:
    """`text` as one line of at most 200 code points, for the title of a change; a cut is marked."""
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_TEXT else line[: _TITLE_TEXT - 1] + "…"


def history(store: Store, limit: int = 100, before_id: int | None = None) -> tuple[JournalEntry, ...]:
    """The newest `limit` changes, newest first; with `before_id` those before that one (paging)."""
    rows = store.con.execute(
        "SELECT id, ts, actor, title, undoes, undone_by FROM journal WHERE id < ? ORDER BY id DESC LIMIT ?",
        (before_id if before_id is not None else 1 << 62, limit),
    )
    return tuple(_entry(row) for row in rows)


def history_of(
    store: Store, kind: str, items: Sequence[int | str], limit: int = 100, before_id: int | None = None
) -> tuple[JournalEntry, ...]:
    """Like `history`, of the changes that touched the rows `items` of the table `kind` (one of `SUBJECTS`)."""
    marks = ", ".join("?" * len(items))
    rows = store.con.execute(
        "SELECT id, ts, actor, title, undoes, undone_by FROM journal WHERE id IN"
        f" (SELECT journal_id FROM journal_subject WHERE kind = ? AND item IN ({marks}) AND journal_id < ?)"
        " ORDER BY id DESC LIMIT ?",
        (kind, *items, before_id if before_id is not None else 1 << 62, limit),
    )
    return tuple(_entry(row) for row in rows)


def row_changes(store: Store, journal_id: int) -> tuple[RowChange, ...]:
    """What the change `journal_id` did, row by row. Raises Fault invalid_input if there is no such change."""
    row = store.con.execute("SELECT changeset FROM journal WHERE id = ?", (journal_id,)).fetchone()
    if row is None:
        raise Fault("invalid_input", f"change {journal_id} was not found in the history", journal_id=journal_id)
    names: dict[str, tuple[str, ...]] = {}
    found: list[RowChange] = []
    for item in apsw.Changeset.iter(cast("bytes", row[0])):
        if item.name not in names:
            names[item.name] = columns_of(store.con, item.name)
        found.append(_row_change(names[item.name], item))
    return tuple(found)


@contextmanager
def recording(con: apsw.Connection) -> Generator[apsw.Session]:
    """A session that records what happens to the tables in `TRUTH`."""
    session = apsw.Session(con, "main")
    try:
        for table in TRUTH:
            session.attach(table)
        yield session
    finally:
        session.close()


def write_entry(con: apsw.Connection, actor: str, title: str, changeset: bytes, undoes: int | None) -> int:
    """Append to the journal inside the caller's transaction; returns the entry's id."""
    con.execute(
        "INSERT INTO journal(ts, actor, title, changeset, undoes) VALUES (?, ?, ?, ?, ?)",
        (now(), storable(actor), storable(title), changeset, undoes),
    )
    return con.last_insert_rowid()


def read_entry(con: apsw.Connection, journal_id: int) -> JournalEntry | None:
    sql = "SELECT id, ts, actor, title, undoes, undone_by FROM journal WHERE id = ?"
    row = con.execute(sql, (journal_id,)).fetchone()
    return None if row is None else _entry(row)


def _row_change(names: tuple[str, ...], item: apsw.TableChange) -> RowChange:
    pairs: list[tuple[str, Value, Value]] = []
    for at, name in enumerate(names[: item.column_count]):
        (_, old), (has_new, new) = value_at(item.old, at), value_at(item.new, at)
        if item.op == "UPDATE" and not has_new:
            continue  # an update records its key and what changed
        if item.op != "UPDATE" or old != new:
            pairs.append((name, old, new))
    return RowChange(item.name, key_of(item), cast("Op", item.op), tuple(pairs))


def _entry(row: tuple[object, ...]) -> JournalEntry:
    return JournalEntry(*cast("tuple[int, str, str, str, int | None, int | None]", tuple(row)))


MOVING = frozenset({"use_count", "last_used", "ts"})
"""Columns that change by themselves (use counts): a difference there never blocks an undo."""

REPLACED = frozenset({"correction", "result_verdict", "practice_finding", "before_run"})
"""Tables with rows that a later harvest replaces: a changed row never blocks an undo."""

Mirrored = frozenset[tuple[str, str]]
"""(table, column) pairs derived from other rows: the domain rebuilds them."""

NOTHING_MIRRORED: Mirrored = frozenset()

_SEARCHED = 500  # newer changes looked through to name the one in the way


@dataclass(frozen=True, slots=True)
class _Clash:
    """What blocks an undo: a row (key None: unknown), its column if known, and what happened."""

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
            apsw.SQLITE_CHANGESET_NOTFOUND: "has since been removed",
            apsw.SQLITE_CHANGESET_CONFLICT: "has since been created again",
        }.get(reason, "would replace a newer row")
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
                self.clash = _Clash(item.name, key_of(item), name, "has since been changed")
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
    for at, changed in enumerate(new):
        if changed is apsw.no_change or at in item.pk_columns:
            continue
        name, now, then = names[at], present[at], old[at]
        if name not in moved:
            values.append((name, cast("Value", changed)))
        elif name == "use_count" and isinstance(now, int) and isinstance(changed, int) and isinstance(then, int):
            values.append((name, now + changed - then))  # what was counted since stays counted
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
    return (
        None
        if row is None
        else _Clash(str(row[0]), row[1], "", f"still refers to rows that would be removed from {row[2]}")
    )


_TITLE_SHOWN: Final = 80
"""Code points of the title of a later change in a refusal."""


def _refusal(con: apsw.Connection, entry: JournalEntry, clash: _Clash) -> Fault:
    row = (
        "another row" if not clash.table else f"a row of {clash.table}" if clash.key is None else _describe_clash(clash)
    )
    culprit = _culprit(con, entry, clash)
    if culprit is None:
        why = f"{row} {clash.what}"
        hint = "no later change in the history explains the conflict. Correct the row manually"
    else:
        culprit = _decision_of(con, culprit)
        why = f'change {culprit.id} ("{culprit.title[:_TITLE_SHOWN]}") came later'
        hint = f"undo change {culprit.id} first"
    return Fault(
        "invalid_input",
        f"change {entry.id} cannot be undone: {why}",
        hint,
        journal_id=entry.id,
        table=clash.table,
        row=None if clash.key is None else str(clash.key),
        column=clash.column,
        later=None if culprit is None else culprit.id,
    )


def _decision_of(con: apsw.Connection, entry: JournalEntry) -> JournalEntry:
    """The decision that a redo brought back, which is in force again; any other change itself."""
    undo = None if entry.undoes is None else read_entry(con, entry.undoes)
    decision = None if undo is None or undo.undoes is None else read_entry(con, undo.undoes)
    return entry if decision is None else _decision_of(con, decision)


def _describe_clash(clash: _Clash) -> str:
    return f"{clash.table} row {clash.key}" + (f" (column {clash.column})" if clash.column else "")


def _culprit(con: apsw.Connection, entry: JournalEntry, clash: _Clash) -> JournalEntry | None:
    """Return the newest later active change that touched the row."""
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
    """Undo the change `journal_id`; by default the newest active one (of the actor `by`) that is not an undo.

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
            raise Fault("invalid_input", "nothing to undo")
        journal_id = cast("int", row[0])
    entry = read_entry(con, journal_id)
    if entry is None:
        raise Fault("invalid_input", f"change {journal_id} was not found in the history", journal_id=journal_id)
    if entry.undone_by is not None:
        message = f"change {entry.id} was already undone by change {entry.undone_by}"
        raise Fault("invalid_input", message, f"to redo it, undo change {entry.undone_by}", journal_id=entry.id)
    return entry


def _title(entry: JournalEntry) -> str:
    if entry.undoes is None:
        return f"undo: {entry.title}"
    before, _, rest = entry.title.partition(": ")
    return f"{'redo' if before == 'undo' else 'undo'}: {rest}"


def _mark(con: apsw.Connection, entry: JournalEntry, by: int) -> None:
    """Mark `entry` as undone; the change that it had undone is active again, and so on down the chain."""
    current: JournalEntry | None = entry
    marker: int | None = by
    while current is not None:
        con.execute("UPDATE journal SET undone_by = ? WHERE id = ?", (marker, current.id))
        marker = current.id if marker is None else None
        current = None if current.undoes is None else read_entry(con, current.undoes)
