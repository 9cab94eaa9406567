"""After every session was harvested again: errors that none gives any more are removed, or marked where decided on."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import apsw

from core.errors.cases.derived import refresh_case
from core.errors.cases.resolutions import UNTOUCHED
from core.errors.incidents import SLIP
from core.flows.harvest.incidents import nameless_drafts
from core.store import now

# Heard of by a hook or written down by hand (no message): that never came from a harvest. A repeated slip is no error
# of one session.
_LOST = f"""INSERT INTO temp.lost SELECT o.id, o.fingerprint, f.case_id FROM occurrence o
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
    con.execute(_LOST)
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
