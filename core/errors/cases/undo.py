"""Taking back what was done to errors, and bringing what is derived from them up to date."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.derived import refresh_case
from core.store import JournalEntry, Store, Undone, undo

MIRRORED = frozenset({("error_kb", "resolution"), ("error_kb", "resolved_by"), ("error_kb", "tool_sequence")})
"""Columns that only show which resolution answers."""

_CASE_OF = {
    "error_kb": "SELECT ?",
    "case_key": "SELECT case_id FROM case_key WHERE error_normalized = ?",
    "fingerprint": "SELECT case_id FROM fingerprint WHERE fingerprint = ?",
    "resolution": "SELECT case_id FROM resolution WHERE id = ?",
    "occurrence": "SELECT case_id FROM occurrence JOIN fingerprint USING (fingerprint) WHERE id = ?",
}
_OF_SESSIONS = (
    "SELECT DISTINCT case_id FROM occurrence JOIN fingerprint USING (fingerprint)"
    " WHERE session_id IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undo did: the changes taken back, newest first; `stopped` says why there were not more, if so."""

    SCHEMA: ClassVar[str] = "undo.v1"

    undone: tuple[JournalEntry, ...]
    changes: tuple[int, ...]
    stopped: str


def take_back(store: Store, actor: str, change: int | None = None, *, by: str | None = None) -> Undone:
    """Undo one change: the newest that stands (of the actor `by`), or the one of that number; an undo is a change too.

    Raises Fault invalid_input, and changes nothing, where there is none, or a row of it was changed since.
    """
    return undo(store, actor, change, after=refresh_touched, by=by, mirrored=MIRRORED)


class _Step(Protocol):
    def __call__(self, store: Store, actor: str, *, by: str | None = None) -> Undone: ...


def take_back_several(
    store: Store, actor: str, steps: int, *, by: str | None = None, how: _Step = take_back
) -> TakenBack:
    """Undo (or redo, with `how`) changes one by one, until `steps` are done or one cannot be.

    Raises Fault invalid_input if not even the first can.
    """
    done: list[Undone] = []
    stopped = ""
    while len(done) < steps and not stopped:
        try:
            done.append(how(store, actor, by=by))
        except Fault as fault:
            if fault.code != "invalid_input" or not done:
                raise
            stopped = f"{fault.message} {fault.hint}".strip()
    return TakenBack(tuple(one.undid for one in done), tuple(one.id for one in done), stopped)


def bring_back(store: Store, actor: str, *, by: str | None = None) -> Undone:
    """Redo: undo the newest undo that stands (made by the actor `by`), if nothing was changed after it.

    Raises Fault invalid_input where the newest change is no undo.
    """
    return take_back(store, actor, newest_undo(store, by))


def newest_undo(store: Store, by: str | None = None) -> int:
    """The number of the newest change (of the actor `by`) where that is an undo. Raises Fault invalid_input."""
    row = store.con.execute(
        "SELECT id, undoes FROM journal WHERE undone_by IS NULL AND (?1 IS NULL OR actor = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM journal u WHERE u.id = journal.undoes AND u.undoes IS NOT NULL)"
        " ORDER BY id DESC LIMIT 1",
        (by,),
    ).fetchone()
    if row is None or row[1] is None:
        raise Fault("invalid_input", "There is nothing to bring back.")
    return cast("int", row[0])


def refresh_touched(con: apsw.Connection, touched: frozenset[tuple[str, object]]) -> None:
    """Refresh every case that one of the touched (table, key) rows belongs to. For `core.store.undo(after=…)`.

    Fixes of a finer case follow it to the case that it is back in, also those written meanwhile.
    """
    judged = {str(cast("tuple[object, ...]", key)[0]) for table, key in touched if table == "result_verdict"}
    cases = {cast("int", row[0]) for row in con.execute(_OF_SESSIONS, (json.dumps(sorted(judged)),))}
    for table, key in touched:
        sql = _CASE_OF.get(table)
        if sql is not None:
            row = con.execute(sql, (cast("str | int", key),)).fetchone()
            if row is not None:
                cases.add(int(cast("int", row[0])))
    for case_id in sorted(cases):
        con.execute(
            "UPDATE resolution SET case_id = f.case_id FROM fingerprint f WHERE resolution.case_id = ?"
            " AND f.fingerprint = resolution.fingerprint AND f.case_id <> resolution.case_id",
            (case_id,),
        )
    for case_id in cases:
        refresh_case(con, case_id)
