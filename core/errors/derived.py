"""What is derived from a case's rows: its state and its line in the browsing index. Rebuilt from them at any time."""

from __future__ import annotations

from typing import cast

import apsw

from core.errors.current import mirror_current
from core.lexical import bigrams
from core.text import clean

_INDEXED = 4_096
"""Code points of a text that browsing can find."""


def index_case(con: apsw.Connection, case_id: int) -> None:
    """Write the case anew into the browsing index (`case_fts`)."""
    row = con.execute(
        "SELECT error_normalized, error_raw, resolution FROM error_kb WHERE id = ?", (case_id,)
    ).fetchone()
    if row is None:
        con.execute("DELETE FROM case_fts WHERE rowid = ?", (case_id,))
        return
    normalized, raw, resolution = cast("tuple[str, str | None, str | None]", row)
    named = con.execute("SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT 50", (case_id,)).fetchall()
    key_lines = "\n".join(cast("str", line) for (line,) in named) or normalized
    body = clean(raw or "", _INDEXED)
    fix = clean(resolution or "", _INDEXED)
    con.execute(
        "INSERT OR REPLACE INTO case_fts(rowid, key_line, raw, resolution, bigrams) VALUES (?, ?, ?, ?, ?)",
        (case_id, key_lines[:_INDEXED], body, fix, bigrams(f"{key_lines}\n{body}\n{fix}")),
    )


def refresh_case(con: apsw.Connection, case_id: int) -> None:
    """Bring everything derived from a case's rows up to date: the mirror in `error_kb`, its state, the index."""
    if con.execute("SELECT 1 FROM error_kb WHERE id = ?", (case_id,)).fetchone() is None:
        con.execute("DELETE FROM case_state WHERE case_id = ?", (case_id,))
        index_case(con, case_id)
        return
    mirror_current(con, case_id)
    con.execute(
        "UPDATE case_state SET (seen, first_seen, last_seen, project) = ("
        "  SELECT count(*), coalesce(min(o.ts), case_state.first_seen), coalesce(max(o.ts), case_state.last_seen),"
        "    coalesce((SELECT project FROM occurrence JOIN fingerprint USING (fingerprint)"
        "      WHERE case_id = case_state.case_id AND project <> '' ORDER BY ts DESC LIMIT 1), '')"
        "  FROM occurrence o JOIN fingerprint f USING (fingerprint) WHERE f.case_id = case_state.case_id"
        "), tool = coalesce((SELECT tool FROM fingerprint WHERE case_id = case_state.case_id"
        "  ORDER BY tool = 'unknown', first_seen LIMIT 1), 'unknown') WHERE case_id = ?",
        (case_id,),
    )
    index_case(con, case_id)
