"""The session messages a case or a fix comes from, read around one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import apsw

from core.base.trace import Step, facts
from core.store import Store


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of a harvest on a result, and the incident it is part of.

    `repeats` is the message of the incident's first result, which has the cost; None for that one. `solved` is the
    message that showed it gone, None where none did or it is in a session that went on.
    """

    verdict: str
    reason: str
    worth: str
    program: str
    repeats: int | None
    attempts: int
    messages: int
    seconds: float
    solved: int | None
    elsewhere: bool

    def steps(self) -> tuple[Step, ...]:
        """Why: the verdict with its reason, then the incident."""
        found = "hit" if self.verdict in ("incident", "flaky") else "rejected"
        judge = Step("judge", found, f"{self.verdict}: {self.reason}", facts(program=self.program, worth=self.worth))
        if self.verdict not in ("incident", "flaky", "noise"):
            return (judge,)
        if self.repeats is not None:
            return judge, Step("incident", "hit", f"Repeats the failure of message {self.repeats}.")
        gone = "Still present at the end of the session."
        if self.elsewhere or self.solved is not None:
            gone = f"Fixed by message {self.solved}." if not self.elsewhere else "Fixed in a later session."
        cost = facts(attempts=self.attempts, messages=self.messages, seconds=self.seconds)
        return judge, Step("incident", "hit" if self.solved is not None or self.elsewhere else "miss", gone, cost)


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """One message of a session: its 0-based index, its author, and the stored text (redacted)."""

    index: int
    role: str
    kind: str
    tool: str | None
    text: str
    ts: str
    chain: str
    judged: Judged | None = None


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
    judged = _judged(con, session, index - before, index + after)
    messages = tuple(
        SourceMessage(*row, judged.get(row[0]))
        for row in cast("list[tuple[int, str, str, str | None, str, str, str]]", rows)
    )
    return SourcePage(
        session,
        cast("str", head[0]),
        cast("str", head[1]),
        cast("int", ends[0]),
        cast("int", ends[1]),
        messages,
        cast("str", head[2]),
    )


def _judged(con: apsw.Connection, session: str, first: int, last: int) -> dict[int, Judged]:
    """The verdicts on the results in a stretch of a session."""
    rows = con.execute(
        "SELECT message_idx, verdict, reason, worth, program, repeats, attempts, messages, seconds,"
        " iif(solved_session = session_id, solved_idx, NULL), coalesce(solved_session <> session_id, 0)"
        " FROM result_verdict WHERE session_id = ? AND message_idx BETWEEN ? AND ?",
        (session, first, last),
    ).fetchall()
    return {
        row[0]: Judged(*row[1:10], bool(row[10]))
        for row in cast("list[tuple[int, str, str, str, str, int | None, int, int, float, int | None, int]]", rows)
    }
