"""Which resolution of a case answers, and how `error_kb` shows it."""

from __future__ import annotations

from typing import cast

import apsw

from core.errors.fixes.ranking import answer_order

CURRENT_FIRST = answer_order()
OWN_FIRST = answer_order(own=True)
ANSWERS = (
    "status <> 'rejected' AND trim(text) <> '' AND replaced_by IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM noise WHERE noise.case_id = resolution.case_id)"
)


def current_resolution(con: apsw.Connection, case_id: int) -> int | None:
    """The id of the resolution that answers for the case."""
    row = con.execute(
        f"SELECT id FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1", (case_id,)
    ).fetchone()
    return None if row is None else cast("int", row[0])


def mirror_current(con: apsw.Connection, case_id: int) -> None:
    """Let `error_kb` show the resolution that now answers for the case, NULL if none does, and keep the case's status.

    A row without any resolution (written by the seed's own programs) is left as it is.
    """
    told = con.execute(
        "SELECT count(*), coalesce(sum(status = 'rejected'), 0), EXISTS (SELECT 1 FROM noise WHERE case_id = ?1)"
        " FROM resolution WHERE case_id = ?1",
        (case_id,),
    ).fetchone()
    rows, rejected, noise = cast("tuple[int, int, int]", told or (0, 0, 0))
    status = "rejected" if rejected else "unresolved"
    if rows:
        current = con.execute(
            f"SELECT text, resolved_by, tool_sequence, status FROM resolution WHERE case_id = ? AND {ANSWERS}"
            f" ORDER BY {CURRENT_FIRST} LIMIT 1",
            (case_id,),
        ).fetchone()
        text, resolved_by, sequence, status = current or (None, None, None, status)
        con.execute(
            "UPDATE error_kb SET resolution = ?1, resolved_by = ?2, tool_sequence = ?3 WHERE id = ?4"
            " AND (resolution IS NOT ?1 OR resolved_by IS NOT ?2 OR tool_sequence IS NOT ?3)",
            (text, resolved_by, sequence, case_id),
        )
    else:
        row = con.execute("SELECT resolution FROM error_kb WHERE id = ?", (case_id,)).fetchone()
        status = "draft" if row is not None and str(row[0] or "").strip() else "unresolved"
    con.execute("UPDATE case_state SET status = ? WHERE case_id = ?", ("noise" if noise else status, case_id))
