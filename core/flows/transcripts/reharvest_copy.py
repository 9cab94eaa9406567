"""The copy of a casebook for harvesting its sessions again, kept next to it so that a killed run continues.

Which sessions are due, their messages read again where they are gone or incomplete, and the errors that no session
gives any more: these are removed, or marked where a person decided on them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.base.program import VERSION
from core.errors.cases.derived import refresh_case
from core.errors.cases.resolutions import UNTOUCHED
from core.errors.incidents import SLIP
from core.flows.corrections.harvest import harvest_corrections
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.incidents import nameless_drafts
from core.flows.harvest.session import Again, harvest_session
from core.flows.system.parallel import Second
from core.flows.transcripts.api import read_files
from core.flows.transcripts.files import stored_name
from core.store import Store, faults, now, open_store
from core.store.files import copy_database
from core.store.sql import number
from core.transcripts.detection import READERS
from core.transcripts.records import DatabaseReader

TABLES: Final = ("message", "tool_call", "source_file")
"""What is read of a session, in the order it is written."""
# Messages are numbered from 0 without a gap, and a call names the messages of its call and its result.
_LOST: Final = """SELECT DISTINCT session_id, path FROM source_file f JOIN session s ON s.id = f.session_id
 WHERE f.offset > 0 AND (
  (SELECT coalesce(max(idx) + 1, 0) <> count(*) OR count(*) = 0 FROM message m WHERE m.session_id = f.session_id)
  OR (SELECT max(max(call_idx), coalesce(max(result_idx), 0)) FROM tool_call c WHERE c.session_id = f.session_id)
   > (SELECT max(idx) FROM message m WHERE m.session_id = f.session_id))
 ORDER BY session_id, path"""
_COUNT: Final = "SELECT count(*) FROM message WHERE session_id = ?"


class _Worse(Exception):
    """The files hold less of the session than is stored."""


def lost_sessions(con: apsw.Connection) -> dict[str, tuple[Path, ...]]:
    """The sessions whose messages are gone or incomplete and whose files exist, with these files.

    A session whose messages all belong to the one it continues counts too: reading it again adds nothing.
    """
    found: dict[str, tuple[Path, ...]] = {}
    for session, name in cast("list[tuple[str, str]]", con.execute(_LOST).fetchall()):
        with suppress(OSError, ValueError):
            if (path := Path(name)).is_file():
                found[session] = (*found.get(session, ()), path)
    return found


def read_again(store: Store, session: str, files: tuple[Path, ...], second: Second) -> bool:
    """Read the session from its files in place of what is stored; False, and nothing is changed, where they hold less.

    Raises Fault of the store.
    """
    try:
        with store.transaction() as con:
            before = number(con, _COUNT, (session,))
            for table in TABLES:
                con.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
            read_files(store, files, second)
            if number(con, _COUNT, (session,)) <= before:
                raise _Worse
    except _Worse:
        return False
    return True


def bring_messages(con: apsw.Connection, copy: Path, sessions: Iterable[str]) -> None:
    """Replace what is stored of the sessions by what `copy` has, within the caller's transaction."""
    with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)) as source:
        for table in TABLES:
            columns = [str(row[1]) for row in con.execute(f"PRAGMA table_info({table})") if row[1] != "id"]
            names, places = ", ".join(columns), ", ".join("?" * len(columns))
            for session in sessions:
                con.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
                rows = source.execute(f"SELECT {names} FROM {table} WHERE session_id = ?", (session,))
                con.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", rows)


def read_from_files(base: apsw.Connection, copy: apsw.Connection) -> tuple[str, ...]:
    """The sessions that the copy has read again: those lost in `base` of which it has more messages."""
    return tuple(
        session
        for session in lost_sessions(base)
        if number(copy, _COUNT, (session,)) > number(base, _COUNT, (session,))
    )


_WITH_OTHERS = """WITH RECURSIVE named(id) AS (
 SELECT value FROM json_each(?1)
 UNION SELECT s.continues FROM session s JOIN named n ON s.id = n.id WHERE s.continues IS NOT NULL
 UNION SELECT s.id FROM session s JOIN named n ON s.continues = n.id)
 SELECT s.id FROM session s JOIN named USING (id)"""
_READ = "SELECT DISTINCT session_id FROM message"
_FROM_DATABASE = """SELECT id FROM session WHERE agent IN (SELECT value FROM json_each(?))
 AND id NOT IN (SELECT session_id FROM source_file WHERE session_id IS NOT NULL)"""
"""The sessions of an agent's database, which is no file of one session."""


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
        lying = [session for file, session in files if _lies_in(file, places)]
        found = {session for session in lying if session}
        if None in lying:
            agents = json.dumps([one for one, reader in READERS.items() if isinstance(reader, DatabaseReader)])
            found |= {str(row[0]) for row in con.execute(_FROM_DATABASE, (agents,))}
        if not found:
            raise Fault("invalid_input", f"nothing was imported from {path}", f"run: casebook import {path}")
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


def decided_cases(con: apsw.Connection) -> frozenset[int]:
    """The cases that a person merged, split or marked as noise: nothing in them is replaced."""
    marked = con.execute("SELECT case_id FROM noise UNION SELECT into_id FROM merged").fetchall()
    return frozenset(cast("int", row[0]) for row in marked) | _regrouped(con)


def _regrouped(con: apsw.Connection) -> set[int]:
    """Return the cases with errors moved by an active change: only the history records a split."""
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


# Heard of by a hook or written down by hand (no message): that never came from a harvest. A repeated slip is no error
# of one session.
_UNSUPPORTED = f"""INSERT INTO temp.lost SELECT o.id, o.fingerprint, f.case_id FROM occurrence o
 JOIN again_session s ON s.session_id = o.session_id AND s.done = 1 JOIN fingerprint f ON f.fingerprint = o.fingerprint
 WHERE o.message_idx IS NOT NULL AND f.tool <> '{SLIP}' AND NOT EXISTS (SELECT 1 FROM again_found g
  WHERE g.session_id = o.session_id AND g.message_idx = o.message_idx AND g.fingerprint = o.fingerprint)"""
_NAMELESS = """INSERT INTO temp.lost SELECT o.id, o.fingerprint, f.case_id FROM occurrence o
 JOIN fingerprint f ON f.fingerprint = o.fingerprint WHERE f.fingerprint = ? AND o.message_idx IS NOT NULL"""
_DECIDED = f"""INSERT OR IGNORE INTO temp.decided SELECT case_id FROM resolution
 WHERE case_id IN (SELECT case_id FROM temp.lost) AND NOT ({UNTOUCHED})"""
_UNDECIDED = "case_id NOT IN (SELECT case_id FROM temp.decided)"
_OF_NAMELESS = f"(SELECT case_id FROM fingerprint WHERE fingerprint = ? AND {_UNDECIDED})"
_UNSAID = (
    f"""UPDATE error_kb SET resolution = NULL, resolved_by = NULL, tool_sequence = NULL WHERE id IN {_OF_NAMELESS}
 AND resolution IN (SELECT text FROM resolution WHERE case_id = error_kb.id AND {UNTOUCHED})""",
    f"DELETE FROM resolution WHERE case_id IN {_OF_NAMELESS} AND {UNTOUCHED}",
)
"""The drafts of repeated slips that name nothing."""
_REMOVE = (
    f"DELETE FROM occurrence WHERE id IN (SELECT id FROM temp.lost WHERE {_UNDECIDED})",
    f"""DELETE FROM fingerprint WHERE fingerprint IN (SELECT fingerprint FROM temp.lost WHERE {_UNDECIDED})
 AND NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.fingerprint = fingerprint.fingerprint)
 AND NOT EXISTS (SELECT 1 FROM resolution r
  WHERE r.case_id = fingerprint.case_id AND r.fingerprint = fingerprint.fingerprint)""",
    f"""INSERT INTO temp.empty SELECT id FROM error_kb WHERE id IN (SELECT case_id FROM temp.lost WHERE {_UNDECIDED})
 AND trim(coalesce(resolution, '')) = ''
 AND NOT EXISTS (SELECT 1 FROM fingerprint f WHERE f.case_id = error_kb.id)
 AND NOT EXISTS (SELECT 1 FROM resolution r WHERE r.case_id = error_kb.id)""",
    "DELETE FROM case_key WHERE case_id IN (SELECT case_id FROM temp.empty)",
    "DELETE FROM error_kb WHERE id IN (SELECT case_id FROM temp.empty)",
)
_MARK = """UPDATE fingerprint SET missed = ? WHERE missed IS NULL AND fingerprint IN (SELECT fingerprint FROM temp.lost)
 AND NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.fingerprint = fingerprint.fingerprint
  AND o.message_idx IS NOT NULL AND o.id NOT IN (SELECT id FROM temp.lost))"""
_UNMARK = """UPDATE fingerprint SET missed = NULL
 WHERE missed IS NOT NULL AND fingerprint IN (SELECT fingerprint FROM again_found)"""


def sweep(con: apsw.Connection, kept: Collection[int]) -> None:
    """Remove what no session gives any more, inside the caller's transaction; cases `kept` or decided on are marked.

    A case that was decided on keeps its errors and where they were seen. One that is left with nothing disappears.
    """
    for table in ("lost(id INTEGER PRIMARY KEY, fingerprint, case_id)", "decided(case_id INTEGER PRIMARY KEY)",
                  "empty(case_id INTEGER PRIMARY KEY)"):  # fmt: skip
        con.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table}; DELETE FROM temp.{table.partition('(')[0]}")
    con.execute(_UNSUPPORTED)
    con.execute("CREATE INDEX IF NOT EXISTS temp.lost_of ON lost(fingerprint)")
    con.executemany("INSERT OR IGNORE INTO temp.decided VALUES (?)", [(case_id,) for case_id in kept])
    nameless = [(fingerprint,) for fingerprint in nameless_drafts(con)]
    con.executemany(_NAMELESS, nameless)
    con.execute(_DECIDED)
    for statement in _UNSAID:
        con.executemany(statement, nameless)
    for statement in _REMOVE:
        con.execute(statement)
    con.execute(_MARK, (now(),))
    con.execute(_UNMARK)
    for (case_id,) in con.execute("SELECT DISTINCT case_id FROM temp.lost").fetchall():
        refresh_case(con, cast("int", case_id))


_TABLES = (
    "CREATE TABLE again_run (version, scope, journal, swept)",
    "CREATE TABLE again_session (session_id TEXT PRIMARY KEY, done INTEGER)",  # 2: nothing to harvest
    "CREATE TABLE again_found (session_id TEXT, message_idx INTEGER, fingerprint TEXT,"
    " PRIMARY KEY (session_id, message_idx, fingerprint)) WITHOUT ROWID",
)
"""Plain columns only: the copy is opened as any casebook is, and nothing else is allowed in one."""
_NEXT = """SELECT session_id FROM again_session JOIN session ON id = session_id WHERE done = 0
 ORDER BY started, session_id"""


@dataclass(frozen=True, slots=True)
class Work:
    """The casebook as it was (`base`) and as it becomes (`copy`), both in `folder`."""

    folder: Path
    base: Path
    copy: Path


def work_of(path: Path) -> Work:
    """Where the copies of the casebook at `path` are."""
    real = path.resolve()
    folder = real.with_name(f"{real.name}.again")
    return Work(folder, folder / "before.db", folder / "after.db")


def discard(work: Work) -> None:
    """Remove the copies. Raises Fault io_error."""
    with faults(work.folder):
        if work.folder.exists():
            shutil.rmtree(work.folder)


def prepare(store: Store, sessions: Sequence[str]) -> Work:
    """The copies to go on with: those of a run that was killed where they still fit the casebook, else new ones.

    Raises Fault: db_damaged, db_locked, io_error (no room).
    """
    work = work_of(store.path)
    journal = last_change(store.con)
    if _can_resume(work, sessions, journal):
        return work
    discard(work)
    with faults(work.folder):
        work.folder.mkdir(mode=0o700)
        copy_database(store.path.resolve(), work.base)
        copy_database(work.base, work.copy)
    with open_store(work.copy, write=True) as copy, copy.transaction() as con:
        for table in _TABLES:
            con.execute(table)
        con.executemany("INSERT INTO again_session VALUES (?, 0)", [(session,) for session in sessions])
        con.execute("INSERT INTO again_run VALUES (?, ?, ?, 0)", (VERSION, len(sessions), last_change(con)))
    return work


def last_change(con: apsw.Connection) -> int:
    """The number of the newest change in the history; 0 where there is none."""
    return number(con, "SELECT coalesce(max(id), 0) FROM journal")


def _can_resume(work: Work, sessions: Sequence[str], journal: int) -> bool:
    """Return whether the copies match this version, the current casebook and these sessions."""
    if not work.base.exists() or not work.copy.exists():
        return False
    try:
        with open_store(work.copy) as copy:
            run = copy.con.execute("SELECT version, journal FROM again_run").fetchone()
            scope = [str(row[0]) for row in copy.con.execute("SELECT session_id FROM again_session ORDER BY 1")]
    except (apsw.Error, Fault):
        return False
    return run == (VERSION, journal) and scope == sorted(sessions)


def harvest_all(
    work: Work, second: Second, on_progress: Callable[[int, int], None], cancelled: Callable[[], bool]
) -> bool:
    """Harvest every session that is left, one transaction each, then remove what none gave; False if cancelled.

    One whose messages are gone or incomplete is read from its files first; where these say nothing, it stays as it is.
    `on_progress` gets the number of done sessions and of all.
    """
    with open_store(work.copy, write=True) as copy:
        kept = decided_cases(copy.con)
        total = number(copy.con, "SELECT count(*) FROM again_session")
        left = [str(row[0]) for row in copy.con.execute(_NEXT)]
        lost = lost_sessions(copy.con)
        for at, session in enumerate(left):
            if cancelled():
                return False
            on_progress(total - len(left) + at, total)
            if (
                session in lost
                and not read_again(copy, session, lost[session], second)
                and not _has_messages(copy, session)
            ):
                copy.con.execute("UPDATE again_session SET done = 2 WHERE session_id = ?", (session,))
                continue
            with copy.transaction() as con:
                harvest_session(copy, session, second, Again(kept, lambda found: _note(copy.con, found)))
                harvest_corrections(con, session)
                con.execute("UPDATE again_session SET done = 1 WHERE session_id = ?", (session,))
        second.close()  # it has the copy open
        with copy.transaction() as con:
            if number(con, "SELECT swept FROM again_run") == 0:
                sweep(con, kept)
                con.execute("UPDATE again_run SET swept = 1")
        on_progress(total, total)
    return True


def _has_messages(store: Store, session: str) -> bool:
    return number(store.con, "SELECT EXISTS (SELECT 1 FROM message WHERE session_id = ?)", (session,)) == 1


def _note(con: apsw.Connection, found: Iterable[HarvestedError]) -> None:
    rows = ((one.session_id, one.message_idx, one.fingerprint) for one in found)
    con.executemany("INSERT OR IGNORE INTO again_found VALUES (?, ?, ?)", cast("Iterable[tuple[str, int, str]]", rows))
