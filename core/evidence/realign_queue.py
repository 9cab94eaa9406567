"""Which sessions have quotes to align: marked by an import that went on in them, or with quotes nobody looked for yet.

An import asks and marks; it loads no aligner, and whoever aligns takes the mark away once it is done.
"""

from __future__ import annotations

from typing import cast

import apsw

_MARK = "align:"


def mark_to_align(con: apsw.Connection, session_id: str) -> None:
    """Note, inside the caller's transaction, how far a session went on; one without entries has nothing to align."""
    con.execute(
        "INSERT OR REPLACE INTO meta(key, value) SELECT ?1, coalesce(max(idx), -1) FROM message WHERE session_id = ?2"
        " HAVING EXISTS (SELECT 1 FROM entry WHERE session_id = ?2)",
        (_MARK + session_id, session_id),
    )


def sessions_to_align(con: apsw.Connection) -> tuple[tuple[str, str], ...]:
    """The sessions that are marked, and those with a quote that waits; each with its mark, which may be empty."""
    rows = con.execute(
        "SELECT substr(key, ?2), value FROM meta WHERE key >= ?1 AND key < ?1 || char(0x10FFFF)"
        " UNION ALL SELECT DISTINCT session_id, '' FROM review WHERE state = 'waiting' AND session_id <> ''"
        " AND NOT EXISTS (SELECT 1 FROM meta WHERE key = ?1 || session_id)",
        (_MARK, len(_MARK) + 1),
    ).fetchall()
    return cast("tuple[tuple[str, str], ...]", tuple(tuple(row) for row in rows))


def unmark(con: apsw.Connection, session_id: str, mark: str) -> None:
    """The session was aligned as it was when it was marked so; a later mark stays."""
    con.execute("DELETE FROM meta WHERE key = ? AND value = ?", (_MARK + session_id, mark))
