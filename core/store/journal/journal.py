"""Which rows a changeset touches, and which rows those belong to."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, cast

import apsw

from core.base.fault import Fault
from core.store.clock import now
from core.store.sql import Value, quoted, storable
from core.store.store import Store

Touched = frozenset[tuple[str, object]]
"""(table, primary key) of rows; the key is a value, or a tuple where it has several columns."""

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
    """Whether a row image of a changeset tells its column `at`, and what."""
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

    __slots__ = ("id", "subjects", "title")

    def __init__(self, title: str) -> None:
        self.id: int | None = None
        self.title = title
        self.subjects: set[tuple[str, object]] = set()


@contextmanager
def change(store: Store, actor: str, title: str) -> Generator[Change]:
    """One transaction that can be undone: what is done inside to the tables in `TRUTH` is kept as a changeset.

    Nothing changed: nothing is journaled. Raises RuntimeError inside another transaction, and what
    `Store.transaction` raises.
    """
    if store.con.in_transaction:
        raise RuntimeError("a change cannot be made inside another transaction")
    made = Change(title)
    with store.transaction() as con, recording(con) as session:
        yield made
        changeset = session.changeset()
        if changeset:
            made.id = write_entry(con, actor, made.title, changeset, None)
            note_subjects(con, made.id, touched_rows(con, changeset) | made.subjects)


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
        raise Fault("invalid_input", f"There is no change {journal_id} in the history.", journal_id=journal_id)
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
    """The entry with that id."""
    sql = "SELECT id, ts, actor, title, undoes, undone_by FROM journal WHERE id = ?"
    row = con.execute(sql, (journal_id,)).fetchone()
    return None if row is None else _entry(row)


def _row_change(names: tuple[str, ...], item: apsw.TableChange) -> RowChange:
    pairs: list[tuple[str, Value, Value]] = []
    for at, name in enumerate(names[: item.column_count]):
        (_, old), (told_new, new) = value_at(item.old, at), value_at(item.new, at)
        if item.op == "UPDATE" and not told_new:
            continue  # an update records its key and what changed
        if item.op != "UPDATE" or old != new:
            pairs.append((name, old, new))
    return RowChange(item.name, key_of(item), cast("Op", item.op), tuple(pairs))


def _entry(row: tuple[object, ...]) -> JournalEntry:
    return JournalEntry(*cast("tuple[int, str, str, str, int | None, int | None]", tuple(row)))
