"""Errors that hooks told of before their transcript was read; once it is, it tells the same with its place."""

from __future__ import annotations

from typing import cast

import apsw


def forget_heard(con: apsw.Connection, session_id: str) -> frozenset[int]:
    """Drop what was only heard of a session's errors, inside the caller's transaction.

    Returns the cases it was counted in: the caller refreshes them once the session's own errors are there.
    """
    heard = con.execute(
        "SELECT DISTINCT case_id FROM occurrence JOIN fingerprint USING (fingerprint)"
        " WHERE session_id = ? AND message_idx IS NULL",
        (session_id,),
    ).fetchall()
    if heard:
        con.execute("DELETE FROM occurrence WHERE session_id = ? AND message_idx IS NULL", (session_id,))
    return frozenset(cast("int", case_id) for (case_id,) in heard)
