"""The sentences that explain harvested fixes, as entries whose quote is aligned like any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from core.flows.harvest.events import HarvestedError
from core.store import Store

ENTRY_TYPE = "fix"


class Explanation(NamedTuple):
    """What somebody said of a fix: the `quote` in message `idx`, of one of the `sessions`, the likelier first."""

    sessions: tuple[str, ...]
    idx: int
    quote: str
    fingerprint: str
    key_line: str


def heard(error: HarvestedError, said: list[Explanation]) -> HarvestedError:
    """The error as it is; its explanation, if its fix has one, is added to `said`."""
    if error.explanation is not None:
        quote, idx = error.explanation
        sessions = tuple(dict.fromkeys(one for one in (error.verified_session, error.session_id) if one))
        said.append(Explanation(sessions, idx, quote, error.fingerprint, error.key_line))
    return error


def add_explanations(store: Store, said: Sequence[Explanation]) -> None:
    """Make an entry of each fix that somebody explained, once; within the caller's transaction."""
    if not said:
        return
    from core.align.extracted import ExtractedEntry, ExtractedQuote
    from core.evidence.entries import add_entries
    from core.evidence.taken import digest

    by_session: dict[str, list[ExtractedEntry]] = {}
    for one in said:
        session = _session(store.con, one)
        if session is not None:
            name = f"fix_{digest(session, one.fingerprint, one.idx, one.quote)}"
            quotes = (ExtractedQuote(one.idx, one.quote),)
            entry = ExtractedEntry(name, ENTRY_TYPE, f"fixes: {one.key_line}", quotes)
            by_session.setdefault(session, []).append(entry)
    for session, entries in by_session.items():
        add_entries(store, session, entries, source="harvest")


def _session(con: apsw.Connection, said: Explanation) -> str | None:
    """The session whose message it was said in: the one that went on, or the one that met the error."""
    for session in said.sessions:
        row = con.execute(
            "SELECT instr(text, ?) FROM message WHERE session_id = ? AND idx = ?", (said.quote, session, said.idx)
        ).fetchone()
        if row is not None and row[0]:
            return session
    return None
