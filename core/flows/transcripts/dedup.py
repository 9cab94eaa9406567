"""What an import remembers of the file it reads, to know what is told a second time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import cast

import apsw

from core.flows.transcripts.rows import MessageRow

_WINDOW = 6
_ALIKE = 20
"""Code points from which a text found within another counts as the same words (one log adds context to a prompt)."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message lately met: who said what, and in which of the two logs."""

    role: str
    kind: str
    text: str
    display: bool


@dataclass(slots=True)
class Memory:
    """Kept for one pass over one file, so that every batch is judged as if the file had been read at once.

    `fresh`: the pass began at the start of the file. `repeating` holds, for a session that was forked from another,
    the hashes of that one's messages, for as long as the file has only repeated them.
    """

    fresh: bool
    heard: dict[str, deque[Heard]] = field(default_factory=dict[str, "deque[Heard]"])
    repeating: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    asked: set[str] = field(default_factory=set[str])

    def recent(self, con: apsw.Connection, session: str) -> deque[Heard]:
        """The last messages of the session that stand in this file before the next one."""
        found = self.heard.get(session)
        if found is None:
            found = self.heard[session] = deque(maxlen=_WINDOW)
            if not self.fresh:
                found.extend(reversed(list(_last(con, session))))
        return found

    def own(self, session: str) -> None:
        """The session is past repeating another: a message of its own was met."""
        self.asked.add(session)
        self.repeating.pop(session, None)

    def is_echo(self, con: apsw.Connection, row: MessageRow) -> bool:
        """Whether the other of an agent's two logs said the same just before."""
        if row.kind not in ("text", "thinking") or row.role not in ("user", "assistant"):
            return False
        return any(
            heard.display != row.display
            and heard.role == row.role
            and heard.kind == row.kind
            and _alike(heard.text, row.text)
            for heard in self.recent(con, row.session)
        )

    def hear(self, con: apsw.Connection, row: MessageRow) -> None:
        """Remember a message that is kept, or was kept before."""
        self.recent(con, row.session).append(Heard(row.role, row.kind, row.text, row.display))

    def is_replay(self, con: apsw.Connection, row: MessageRow, origin: str) -> bool:
        """Whether a forked session is still repeating what `origin`, the one it was forked from, had said."""
        if row.session not in self.asked:
            self.asked.add(row.session)
            if (
                self.fresh
                or con.execute("SELECT 1 FROM message WHERE session_id = ?", (row.session,)).fetchone() is None
            ):
                hashes = con.execute("SELECT sha256 FROM message WHERE session_id = ?", (origin,))
                self.repeating[row.session] = {str(sha) for (sha,) in hashes}
        known = self.repeating.get(row.session)
        shown_result = row.result is not None and row.display  # its text is kept as the other log told it
        if known is not None and (row.sha in known or shown_result):
            return True
        self.own(row.session)
        return False


def _alike(one: str, other: str) -> bool:
    one, other = one.strip(), other.strip()
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _ALIKE and short in long


def _last(con: apsw.Connection, session: str) -> list[Heard]:
    rows = con.execute(
        "SELECT role, kind, text, uuid LIKE 'display:%' FROM message WHERE session_id = ? ORDER BY idx DESC LIMIT ?",
        (session, _WINDOW),
    )
    return [Heard(*cast("tuple[str, str, str]", row[:3]), display=bool(row[3])) for row in rows]
