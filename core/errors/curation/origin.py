"""Which errors of a case its keys and whole-case fixes came with: read back from the recorded changes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

import apsw

from core.store import RowChange, Store, row_changes

_MOVED = {"fingerprint": "fingerprint", "case_key": "error_normalized", "resolution": "id", "noise": "case_id"}
"""Tables whose rows belong to a case, each with its key."""

Thing = tuple[str, object]
"""(table, key) of a row that belongs to a case."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A case that a merge joined to another: `errors` are those of its fingerprints that are looked at.

    `raw`: its error as it was printed; `noise`: (reason, author, ts) if it was marked as noise; `decided_since`: a fix
    of the merged case was written or decided on after the merge.
    """

    case_id: int
    errors: frozenset[str]
    raw: str | None
    noise: tuple[str, str, str] | None
    decided_since: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """A fix that a merge wrote once more for the whole case: `of` is the original, `status` what it had then.

    `errors`: the fingerprints that were in the case of the original.
    """

    of: int
    status: str
    errors: frozenset[str]


@dataclass(slots=True)
class Origin:
    """What a split needs to know: `goes` and `stays` are rows whose errors are all on one side.

    A row in neither came with errors of both sides, or nothing is known of it.
    """

    goes: set[Thing] = field(default_factory=set[Thing])
    stays: set[Thing] = field(default_factory=set[Thing])
    copies: dict[int, Copy] = field(default_factory=dict[int, Copy])
    joined: list[Joined] = field(default_factory=list[Joined])


def read_origin(store: Store, case_id: int, leaving: frozenset[str]) -> Origin:
    """Walk back through the standing changes of the case, and of those merged into it, newest first.

    A row goes with the errors it was with at the newest moment at which these were all on one side of the split.
    """
    con = store.con
    where = _rows(con, case_id)
    marks = frozenset(cast("str", key) for table, key in where if table == "fingerprint")
    found, decided = Origin(), False
    for number in _changes(con, where):
        changes = row_changes(store, number)
        merging = any(one.table == "merged" and one.op == "INSERT" for one in changes)
        inserted = [one for one in changes if one.op == "INSERT" and (one.table, one.key) in where]
        for one in inserted:
            del where[one.table, one.key]
        _move_back(where, changes)
        if merging:
            _note_merge(found, where, changes, inserted, marks, decided)
        decided = decided or {one.table for one in changes} & {"fingerprint", "resolution"} == {"resolution"}
        _judge(found, where, leaving)
    return found


def _rows(con: apsw.Connection, case_id: int) -> dict[Thing, int]:
    return {
        (table, cast("tuple[object]", row)[0]): case_id
        for table, key in _MOVED.items()
        for row in con.execute(f"SELECT {key} FROM {table} WHERE case_id = ?", (case_id,)).fetchall()
    }


def _changes(con: apsw.Connection, where: dict[Thing, int]) -> Iterable[int]:
    """The standing changes of the cases that the rows are in by then, newest first."""
    before = 1 << 62
    while cases := sorted(set(where.values())):
        row = con.execute(
            "SELECT max(id) FROM journal WHERE undone_by IS NULL AND undoes IS NULL AND id < ? AND id IN (SELECT"
            " journal_id FROM journal_subject WHERE kind = 'error_kb' AND item IN (SELECT value FROM json_each(?)))",
            (before, json.dumps(cases)),
        ).fetchone()
        if row is None or row[0] is None:
            return
        before = cast("int", row[0])
        yield before


def _move_back(where: dict[Thing, int], changes: Iterable[RowChange]) -> None:
    for one in changes:
        for name, old, _ in one.columns:
            if one.op == "UPDATE" and name == "case_id" and (one.table, one.key) in where and isinstance(old, int):
                where[one.table, one.key] = old


def _note_merge(
    found: Origin,
    where: dict[Thing, int],
    changes: tuple[RowChange, ...],
    inserted: list[RowChange],
    marks: frozenset[str],
    decided: bool,
) -> None:
    """The cases that this merge joined, and the fix that it wrote once more."""
    held: dict[int, set[str]] = {}
    for mark in marks:
        if (at := where.get(("fingerprint", mark))) is not None:
            held.setdefault(at, set()).add(mark)
    noise = {cast("int", one.key): _told(one) for one in changes if one.table == "noise" and one.op == "DELETE"}
    for one in changes:
        if one.table == "error_kb" and one.op == "DELETE":
            number = cast("int", one.key)
            marked, raw = noise.get(number), _told(one).get("error_raw")
            told = None if marked is None else (str(marked["reason"]), str(marked["author"]), str(marked["ts"]))
            errors = frozenset(held.get(number, ()))
            found.joined.append(Joined(number, errors, raw if isinstance(raw, str) else None, told, decided))
    for one in inserted:
        values = _told(one, after=True)
        original = values.get("supersedes")
        if one.table == "resolution" and values.get("fingerprint") is None and isinstance(original, int):
            errors = frozenset(held.get(where.get(("resolution", original), 0), ()))
            found.copies[cast("int", one.key)] = Copy(original, str(values.get("status")), errors)


def _told(one: RowChange, *, after: bool = False) -> dict[str, object]:
    return {name: new if after else old for name, old, new in one.columns}


def _judge(found: Origin, where: dict[Thing, int], leaving: frozenset[str]) -> None:
    """Note the rows that are by now with errors of one side alone."""
    held: dict[int, set[str]] = {}
    for (table, key), at in where.items():
        if table == "fingerprint":
            held.setdefault(at, set()).add(cast("str", key))
    for thing, at in where.items():
        if thing[0] == "fingerprint" or thing in found.goes or thing in found.stays:
            continue
        with_it = held.get(at, set())
        if with_it and with_it <= leaving:
            found.goes.add(thing)
        elif with_it and not with_it & leaving:
            found.stays.add(thing)
