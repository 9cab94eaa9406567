"""After the rows: which session continues which, and the harvest of every session with new rows.

What is due stands in `meta`, written in the same transaction as the rows; whatever a killed run left is done here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import apsw

from core.errors.cases.derived import refresh_case
from core.errors.cases.record import forget_heard
from core.evidence.events import ingested
from core.evidence.realign import mark_to_align
from core.evidence.rows import count_messages
from core.flows.system.parallel import Second
from core.flows.transcripts.report import Meter, Progress, Tally
from core.flows.transcripts.write import PENDING, REPEATS
from core.store import Store, faults

_DUE = """SELECT substr(key, ?) FROM meta LEFT JOIN session ON session.id = substr(key, ?)
 WHERE key >= ? AND key < ? ORDER BY started, session.id"""


def harvest_pending(
    store: Store,
    second: Second,
    tally: Tally,
    on_progress: Callable[[Progress], None] | None,
    cancelled: Callable[[], bool],
) -> bool:
    """Harvest every session that is due, one transaction each; False where it was stopped before the last."""
    with store.transaction() as con:
        for session in _due(con, REPEATS):
            _settle(con, session)
    with faults(store.path):
        due = _due(store.con, PENDING)
    meter = Meter(on_progress, "harvest", len(due))
    for done, session in enumerate(due):
        if cancelled():
            return False
        _harvest(store, second, session, tally)
        meter.at(done + 1)
    if due:
        meter.at(len(due), force=True)
    return True


def _due(con: apsw.Connection, prefix: str) -> list[str]:
    start, end = len(prefix) + 1, prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return [str(session) for (session,) in con.execute(_DUE, (start, start, prefix, end))]


def _harvest(store: Store, second: Second, session: str, tally: Tally) -> None:
    from core.flows.corrections.harvest import harvest_corrections
    from core.flows.harvest import harvest_session

    with store.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = ?", (f"{PENDING}{session}",))
        if con.changes() == 0:
            return  # another process was quicker
        heard = forget_heard(con, session)  # the transcript tells what a hook told, with its place
        con.execute("DELETE FROM hook_event WHERE session_id = ?", (session,))
        if count_messages(con, session):
            ingested(con, session)
        report = harvest_session(store, session, second)
        harvest_corrections(con, session)
        mark_to_align(con, session)
        for case_id in heard:
            refresh_case(con, case_id)
    tally.errors += report.errors
    tally.resolutions += report.resolutions


def _settle(con: apsw.Connection, session: str) -> None:
    """Name the original of two sessions that share messages: the one whose own last words are older.

    A resumed session is often read before the one it resumes, and then owns the words they share.
    """
    key = f"{REPEATS}{session}"
    row = con.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    con.execute("DELETE FROM meta WHERE key = ?", (key,))
    owner = cast("str", row[0]) if row else session
    related = con.execute(
        "SELECT 1 FROM session AS a, session AS b WHERE a.id = ?1 AND b.id = ?2"
        " AND (a.parent = b.id OR b.parent = a.id OR a.continues = b.id OR b.continues = a.id)",
        (session, owner),
    ).fetchone()
    if related or owner == session:
        return
    later, original = (session, owner) if _last(con, session) >= _last(con, owner) else (owner, session)
    con.execute("UPDATE session SET continues = ? WHERE id = ? AND continues IS NULL", (original, later))


def _last(con: apsw.Connection, session: str) -> str:
    row = con.execute("SELECT max(ts) FROM message WHERE session_id = ?", (session,)).fetchone()
    return str(row[0]) if row and row[0] is not None else ""
