"""The copy on which a casebook is harvested again: kept beside it until it is done, so that a killed run goes on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import apsw

from core.base.fault import Fault
from core.base.version import VERSION
from core.flows.corrections.harvest import harvest_corrections
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.session import Again, harvest_session
from core.flows.system.parallel import Second
from core.flows.transcripts.again.files import lost_sessions, read_again
from core.flows.transcripts.again.scope import kept_cases
from core.flows.transcripts.again.sweep import sweep
from core.store import Store, faults, open_store
from core.store.files import copy_database
from core.store.sql import number

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
    if _goes_on(work, sessions, journal):
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


def _goes_on(work: Work, sessions: Sequence[str], journal: int) -> bool:
    """Whether the copies were made by this version, of the casebook as it stands, for these sessions."""
    if not work.base.exists() or not work.copy.exists():
        return False
    try:
        with open_store(work.copy) as copy:
            run = copy.con.execute("SELECT version, journal FROM again_run").fetchone()
            scope = [str(row[0]) for row in copy.con.execute("SELECT session_id FROM again_session ORDER BY 1")]
    except (apsw.Error, Fault):
        return False
    return run == (VERSION, journal) and scope == sorted(sessions)


def harvest_all(work: Work, second: Second, told: Callable[[int, int], None], cancelled: Callable[[], bool]) -> bool:
    """Harvest every session that is left, one transaction each, then remove what none gave; False if cancelled.

    One whose messages are gone or incomplete is read from its files first; where these say nothing, it stays as it is.
    `told` gets how many sessions are done, and of how many.
    """
    with open_store(work.copy, write=True) as copy:
        kept = kept_cases(copy.con)
        total = number(copy.con, "SELECT count(*) FROM again_session")
        left = [str(row[0]) for row in copy.con.execute(_NEXT)]
        lost = lost_sessions(copy.con)
        for at, session in enumerate(left):
            if cancelled():
                return False
            told(total - len(left) + at, total)
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
        told(total, total)
    return True


def _has_messages(store: Store, session: str) -> bool:
    return number(store.con, "SELECT EXISTS (SELECT 1 FROM message WHERE session_id = ?)", (session,)) == 1


def _note(con: apsw.Connection, found: Iterable[HarvestedError]) -> None:
    rows = ((one.session_id, one.message_idx, one.fingerprint) for one in found)
    con.executemany("INSERT OR IGNORE INTO again_found VALUES (?, ?, ?)", cast("Iterable[tuple[str, int, str]]", rows))
