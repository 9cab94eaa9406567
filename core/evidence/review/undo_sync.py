"""After an undo: what was decided about quotes is brought up to date, and told as an event."""

from __future__ import annotations

import json
from typing import Final

import apsw

from core.align import Session
from core.evidence.events import append, entry_images, evidence_images
from core.evidence.messages import StoredMessages
from core.evidence.promotion import demote_unfounded
from core.evidence.rows import kept_many, spans_of
from core.evidence.span_check import anchored
from core.store.journal.journal import Touched
from core.store.journal.undo import Mirrored

MIRRORED: Final[Mirrored] = frozenset({("entry", "stage"), ("entry", "updated"), ("alignment", "anchor")})
"""Columns that follow from others: an entry falls back, and words move, without a person."""


def refresh_touched(con: apsw.Connection, touched: Touched, actor: str) -> None:
    """Bring the touched quotes and entries up to date inside the undo's transaction, and append `change_undone`."""
    ids = sorted({key for table, key in touched if table in ("evidence", "alignment") and isinstance(key, int)})
    con.execute(  # a quote that the undo removed leaves no alignment behind
        "DELETE FROM alignment WHERE verdict IS NULL AND evidence_id IN (SELECT value FROM json_each(?))"
        " AND evidence_id NOT IN (SELECT id FROM evidence WHERE id IN (SELECT value FROM json_each(?)))",
        (json.dumps(ids), json.dumps(ids)),
    )
    quotes = kept_many(con, ids)
    names = {key for table, key in touched if table == "entry" and isinstance(key, str)}
    names |= {one.entry_id for one in quotes}
    if not names:
        return
    sessions = {one.session_id for one in quotes}
    for one in quotes:
        if one.verdict != "accepted" or one.decision is None:
            continue
        place = anchored(Session(StoredMessages(con, one.session_id)), one.decision.spans, one.decision.words)
        anchor = None if place == one.decision.spans else spans_of(place)
        con.execute(
            "UPDATE alignment SET anchor = ? WHERE evidence_id = ? AND anchor IS NOT ?", (anchor, one.id, anchor)
        )
    # What the machine found meanwhile beneath a decision may be old: the next alignment looks again.
    con.execute(
        "DELETE FROM evidence_session WHERE session_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(sessions)),),
    )
    entries = entry_images(con, sorted(names))
    for session in dict.fromkeys(entry["session_id"] for entry in entries):
        mine = [entry for entry in entries if entry["session_id"] == session]
        here = [one.id for one in quotes if one.session_id == (session or "")]
        body = {"actor": actor, "entries": mine, "evidence": evidence_images(con, here)}
        append(con, "change_undone", session, body)
    demote_unfounded(con, sorted(names), actor)
