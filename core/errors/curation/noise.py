"""Cases that are no errors worth a fix: out of the queue, and they answer nothing until someone says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from core.errors.curation.optimistic_lock import Seen
from core.errors.curation.transaction import Curated, Done, decide
from core.store import Store
from core.text import redact

def mark_noise(store: Store, actor: str, seen: Sequence[Seen], reason: str = "") -> Curated:
    """Mark cases as noise: they keep their fixes and answer nothing."""
    why = redact(reason).strip()[:REASON_KEPT]

    def mark(con: apsw.Connection, one: Seen, ts: str) -> Done | None:
        con.execute("INSERT OR IGNORE INTO noise VALUES (?, ?, ?, ?)", (one.case_id, why, actor, ts))
        return Done() if con.changes() else None

    return decide(store, actor, "noise", "mark as noise", seen, mark)


def unmark_noise(store: Store, actor: str, seen: Sequence[Seen]) -> Curated:
    """Take the mark back: the cases answer again, and return to the queue."""

    def unmark(con: apsw.Connection, one: Seen, _ts: str) -> Done | None:
        return Done() if hear_again(con, one.case_id) else None

    return decide(store, actor, "unmark", "no noise after all", seen, unmark)


def hear_again(con: apsw.Connection, case_id: int) -> bool:
    """Remove the mark inside the caller's transaction, who refreshes the case; whether there was one."""
    con.execute("DELETE FROM noise WHERE case_id = ?", (case_id,))
    return bool(con.changes())
