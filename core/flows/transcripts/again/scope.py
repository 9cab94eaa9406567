"""Which sessions are harvested again, and which cases keep what they have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import apsw

from core.base.fault import Fault
from core.flows.transcripts.again.files import lost_sessions
from core.flows.transcripts.source import stored_name

_WITH_OTHERS = """WITH RECURSIVE named(id) AS (
 SELECT value FROM json_each(?1)
 UNION SELECT s.continues FROM session s JOIN named n ON s.id = n.id WHERE s.continues IS NOT NULL
 UNION SELECT s.id FROM session s JOIN named n ON s.continues = n.id)
 SELECT s.id FROM session s JOIN named USING (id)"""
_READ = "SELECT DISTINCT session_id FROM message"


def sessions_of(con: apsw.Connection, paths: Sequence[Path]) -> tuple[str, ...]:
    """The sessions with stored messages, or whose files are still there; of `paths` those read from these files or
    folders, and what they continue.

    Raises Fault invalid_input for a path that nothing was imported from.
    """
    read = {str(row[0]) for row in con.execute(_READ)} | set(lost_sessions(con))
    if not paths:
        return tuple(sorted(read))
    files = cast("list[tuple[str, str | None]]", con.execute("SELECT path, session_id FROM source_file").fetchall())
    named: set[str] = set()
    for path in paths:
        places = {stored_name(path.absolute()), stored_name(path.resolve())}
        found = {session for file, session in files if session and _lies_in(file, places)}
        if not found:
            raise Fault("invalid_input", f"Nothing was imported from {path}.", f"Run: casebook import {path}")
        named |= found
    every = con.execute(_WITH_OTHERS, (json.dumps(sorted(named)),)).fetchall()
    subagents = con.execute("SELECT id, parent FROM session WHERE parent IS NOT NULL").fetchall()
    scope = {str(row[0]) for row in every}
    scope |= {str(one) for one, parent in subagents if str(parent) in scope}
    return tuple(sorted(scope & read))


def _lies_in(file: str, places: set[str]) -> bool:
    return any(
        file == place or file.startswith(place.rstrip("/\\") + ("\\" if "\\" in place else "/")) for place in places
    )


def kept_cases(con: apsw.Connection) -> frozenset[int]:
    """The cases that a person merged, split or marked as noise: nothing in them is replaced."""
    marked = con.execute("SELECT case_id FROM noise UNION SELECT into_id FROM merged").fetchall()
    return frozenset(cast("int", row[0]) for row in marked) | _regrouped(con)


def _regrouped(con: apsw.Connection) -> set[int]:
    """The cases that errors were moved out of or into by a change that stands: only the history tells of a split."""
    cases: set[int] = set()
    sql = "SELECT changeset FROM journal WHERE undone_by IS NULL AND undoes IS NULL"
    columns = [str(row[1]) for row in con.execute("PRAGMA table_info(fingerprint)")]
    at = columns.index("case_id")
    for (changeset,) in con.execute(sql):
        for item in apsw.Changeset.iter(cast("bytes", changeset)) if changeset else ():
            if item.name == "fingerprint" and item.op == "UPDATE":
                moved = (values[at] for values in (item.old, item.new) if values is not None)
                cases.update(one for one in moved if isinstance(one, int))
    return cases
