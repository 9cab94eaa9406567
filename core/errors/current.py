"""Which resolution of a case answers, and how `error_kb` shows it."""

from __future__ import annotations

from typing import cast

import apsw

# A fix written down on purpose stands before a harvested draft, however new that is; within each, the newest wins.
CURRENT_FIRST = "(author = 'harvest' AND status = 'draft'), id DESC"
ANSWERS = "status <> 'rejected' AND trim(text) <> ''"


def current_resolution(con: apsw.Connection, case_id: int) -> int | None:
    """The id of the resolution that answers for the case."""
    row = con.execute(
        f"SELECT id FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1", (case_id,)
    ).fetchone()
    return None if row is None else cast("int", row[0])


def mirror_current(con: apsw.Connection, case_id: int) -> None:
    """Let `error_kb` show the resolution that now answers for the case; NULL if its resolutions are all rejected.

    A row without any resolution (written by the seed's own programs) is left as it is.
    """
    if con.execute("SELECT 1 FROM resolution WHERE case_id = ?", (case_id,)).fetchone() is None:
        status = "draft"
        row = con.execute("SELECT resolution FROM error_kb WHERE id = ?", (case_id,)).fetchone()
        if row is None or not str(row[0] or "").strip():
            status = "unresolved"
    else:
        current = con.execute(
            f"SELECT text, resolved_by, tool_sequence, status FROM resolution WHERE case_id = ? AND {ANSWERS}"
            f" ORDER BY {CURRENT_FIRST} LIMIT 1",
            (case_id,),
        ).fetchone()
        text, resolved_by, sequence, status = current or (None, None, None, "unresolved")
        con.execute(
            "UPDATE error_kb SET resolution = ?1, resolved_by = ?2, tool_sequence = ?3 WHERE id = ?4"
            " AND (resolution IS NOT ?1 OR resolved_by IS NOT ?2 OR tool_sequence IS NOT ?3)",
            (text, resolved_by, sequence, case_id),
        )
    con.execute("UPDATE case_state SET status = ? WHERE case_id = ?", (status, case_id))
