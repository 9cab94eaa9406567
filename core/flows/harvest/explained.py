"""The sentences that explain harvested fixes, as entries whose quote is aligned like any other."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from core.flows.harvest.events import HarvestedError
from core.store import Store

ENTRY_TYPE = "fix"


def add_explanations(store: Store, found: Iterable[HarvestedError]) -> None:
    """Make an entry of each fix that somebody explained, once; within the caller's transaction."""
    explained = [error for error in found if error.resolved and error.explanation is not None]
    if not explained:
        return
    from core.align.extracted import ExtractedEntry, ExtractedQuote
    from core.evidence.entries import add_entries
    from core.evidence.taken import digest

    by_session: dict[str, list[ExtractedEntry]] = {}
    for error in explained:
        quote, index = error.explanation or ("", 0)
        session = _session(store.con, error, quote, index)
        if session is not None:
            name = f"fix_{digest(session, error.fingerprint, index, quote)}"
            entry = ExtractedEntry(name, ENTRY_TYPE, f"fixes: {error.key_line}", (ExtractedQuote(index, quote),))
            by_session.setdefault(session, []).append(entry)
    for session, entries in by_session.items():
        add_entries(store, session, entries, source="harvest")


def _session(con: apsw.Connection, error: HarvestedError, quote: str, index: int) -> str | None:
    """The session whose message it was said in: the one that went on, or the one that met the error."""
    for session in dict.fromkeys((error.verified_session, error.session_id)):
        row = con.execute("SELECT text FROM message WHERE session_id = ? AND idx = ?", (session, index)).fetchone()
        if row is not None and quote in str(row[0]):
            return session
    return None
