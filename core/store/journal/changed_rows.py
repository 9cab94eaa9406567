"""Which rows a changeset touches, and which rows those belong to."""

from __future__ import annotations

from typing import cast

import apsw

from core.store.sql import Value, quoted

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
            parents[table] = _parents(con, table)
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


def _parents(con: apsw.Connection, table: str) -> tuple[tuple[int, str], ...]:
    names = columns_of(con, table)
    found = con.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
    return tuple((names.index(str(row[3])), str(row[2])) for row in found)
