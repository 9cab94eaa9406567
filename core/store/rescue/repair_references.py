"""Putting salvaged rows back on their feet: a row whose parent was lost gets a stand-in, so that it is not lost too."""

from __future__ import annotations

import apsw

from core.store.clock import now
from core.store.sql import number, quoted, value

_CASE_IDS = """
  SELECT case_id FROM case_key UNION SELECT case_id FROM fingerprint UNION SELECT case_id FROM resolution
  EXCEPT SELECT id FROM error_kb
"""
_SESSION_IDS = """
  SELECT session_id FROM message UNION SELECT session_id FROM tool_call
  UNION SELECT session_id FROM entry WHERE session_id IS NOT NULL
  EXCEPT SELECT id FROM session
"""
_ANSWER = """
  SELECT text FROM resolution WHERE case_id = ? AND status <> 'rejected' AND trim(text) <> '' ORDER BY id DESC LIMIT 1
"""


def mend(con: apsw.Connection) -> list[str]:
    """Make every reference hold again, inside the caller's transaction; returns what was done, in plain words.

    A lost case or session gets a stand-in row; a row that refers to anything else that is lost is left out.
    """
    notes = [f"case {case_id} was lost; a stand-in holds what belongs to it" for case_id in _stand_in_cases(con)]
    con.execute(f"INSERT INTO session(id, agent) SELECT session_id, 'unknown' FROM ({_SESSION_IDS})")
    if con.changes():
        notes.append(f"{con.changes()} sessions were lost; stand-ins hold their messages")
    con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) SELECT error_normalized, id FROM error_kb")
    con.execute("DELETE FROM case_state WHERE case_id NOT IN (SELECT id FROM error_kb)")
    for column in ("undoes", "undone_by"):
        con.execute(f"UPDATE journal SET {column} = NULL WHERE {column} NOT IN (SELECT id FROM journal)")
    notes.extend(_drop_orphans(con))
    return notes


def _stand_in_cases(con: apsw.Connection) -> list[int]:
    lost = [int(str(row[0])) for row in con.execute(_CASE_IDS).fetchall()]
    for case_id in lost:
        key = value(con, "SELECT error_normalized FROM case_key WHERE case_id = ? LIMIT 1", (case_id,))
        line = value(con, "SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT 1", (case_id,))
        name = str(key or line or f"(lost) case {case_id}")
        if value(con, "SELECT 1 FROM error_kb WHERE error_normalized = ?", (name,)):
            name = f"(lost) case {case_id}"
        con.execute(
            "INSERT INTO error_kb(id, ts, error_normalized, resolution) VALUES (?, ?, ?, ?)",
            (case_id, now(), name, value(con, _ANSWER, (case_id,))),
        )
    return lost


def _drop_orphans(con: apsw.Connection) -> list[str]:
    notes: list[str] = []
    while broken := con.execute("PRAGMA foreign_key_check").fetchall():
        before = number(con, "SELECT total_changes()")
        for table, rowid, parent, _ in broken:
            if rowid is not None:
                con.execute(f"DELETE FROM {quoted(str(table))} WHERE rowid = ?", (rowid,))
                notes.append(f"{table} row {rowid} was left out: its {parent} was lost")
        if number(con, "SELECT total_changes()") == before:
            break
    return notes
