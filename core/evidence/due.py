"""Which sessions have quotes to align: a question that every import asks, so it loads no aligner."""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw


def sessions_to_align(con: apsw.Connection, touched: Iterable[str] = ()) -> tuple[str, ...]:
    """Of the `touched` sessions those that have entries, and every session with a quote that waits to be aligned."""
    rows = con.execute(
        "SELECT DISTINCT session_id FROM entry WHERE session_id IN (SELECT value FROM json_each(?))"
        " UNION SELECT DISTINCT session_id FROM review WHERE state = 'waiting' AND session_id <> ''",
        (json.dumps(list(touched)),),
    )
    return tuple(str(row[0]) for row in rows.fetchall())
