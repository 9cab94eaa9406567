"""After an undo: bring what is derived from the touched cases up to date."""

from __future__ import annotations

from typing import cast

import apsw

from core.errors.derived import refresh_case

_CASE_OF = {
    "error_kb": "SELECT ?",
    "case_key": "SELECT case_id FROM case_key WHERE error_normalized = ?",
    "fingerprint": "SELECT case_id FROM fingerprint WHERE fingerprint = ?",
    "resolution": "SELECT case_id FROM resolution WHERE id = ?",
    "occurrence": "SELECT case_id FROM occurrence JOIN fingerprint USING (fingerprint) WHERE id = ?",
}


def refresh_touched(con: apsw.Connection, touched: frozenset[tuple[str, object]]) -> None:
    """Refresh every case that one of the touched (table, key) rows belongs to. For `core.store.undo(after=…)`."""
    cases: set[int] = set()
    for table, key in touched:
        sql = _CASE_OF.get(table)
        if sql is not None:
            row = con.execute(sql, (cast("str | int", key),)).fetchone()
            if row is not None:
                cases.add(int(cast("int", row[0])))
    for case_id in cases:
        refresh_case(con, case_id)
