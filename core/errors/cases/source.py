"""The session messages a case or a fix comes from, read around one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from core.store import Store


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """One message of a session: its 0-based index, who said it, and the text as it is kept (redacted)."""

    index: int
    role: str
    kind: str
    tool: str | None
    text: str
    ts: str
    chain: str


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A stretch of a session. `first` and `last` say what the session holds, so that one can go on both ways.

    `project` is the short name of its repository, else its folder.
    """

    session: str
    agent: str
    project: str
    first: int
    last: int
    messages: tuple[SourceMessage, ...]
    started: str = ""


def messages_around(store: Store, session: str, index: int, before: int = 20, after: int = 40) -> SourcePage | None:
    """The messages around `index`, or None if the casebook does not hold that session."""
    con = store.con
    head = con.execute(
        "SELECT agent, shown, started FROM session JOIN session_project ON session_id = id WHERE id = ?", (session,)
    ).fetchone()
    ends = con.execute("SELECT min(idx), max(idx) FROM message WHERE session_id = ?", (session,)).fetchone()
    if head is None or ends is None or ends[0] is None:
        return None
    rows = con.execute(
        "SELECT m.idx, m.role, m.kind, coalesce(c.name, r.name), m.text, m.ts, m.chain FROM message m"
        " LEFT JOIN tool_call c ON c.session_id = m.session_id AND c.tool_use_id = m.tool_use_id AND c.call_idx = m.idx"
        " LEFT JOIN tool_call r ON r.session_id = m.session_id AND r.tool_use_id = m.tool_use_id"
        "  AND r.result_idx = m.idx"
        " WHERE m.session_id = ? AND m.idx BETWEEN ? AND ? ORDER BY m.idx",
        (session, index - before, index + after),
    ).fetchall()
    messages = tuple(SourceMessage(*row) for row in cast("list[tuple[int, str, str, str | None, str, str, str]]", rows))
    return SourcePage(
        session,
        cast("str", head[0]),
        cast("str", head[1]),
        cast("int", ends[0]),
        cast("int", ends[1]),
        messages,
        cast("str", head[2]),
    )
