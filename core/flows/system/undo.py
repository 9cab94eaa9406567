"""Taking back whatever a person changed: each domain brings its own up to date in the same transaction."""

from __future__ import annotations

import apsw

from core.errors.cases.undo import MIRRORED as OF_ERRORS
from core.errors.cases.undo import TakenBack, newest_undo, refresh_touched, take_back_several
from core.store import Store, Undone, undo
from core.store.journal.journal import Touched

__all__ = ["TakenBack", "bring_back", "take_back", "take_back_several"]


def take_back(store: Store, actor: str, change: int | None = None, *, by: str | None = None) -> Undone:
    """Undo one change: the newest that stands (of the actor `by`), or the one of that number; an undo is a change too.

    Raises Fault invalid_input, and changes nothing, where there is none, a row of it was changed since, or the block of
    a rule file was edited by hand.
    """
    from core.evidence.review.undo_sync import MIRRORED as OF_EVIDENCE

    def after(con: apsw.Connection, touched: Touched) -> None:
        refresh_touched(con, touched)
        if any(table in ("entry", "evidence", "alignment") for table, _ in touched):
            from core.evidence.review.undo_sync import refresh_touched as refresh_evidence

            refresh_evidence(con, touched, actor)
        if drafts := tuple(key for table, key in touched if table == "rule_draft" and isinstance(key, int)):
            from core.flows.corrections.drafts import follow_drafts

            follow_drafts(con, drafts)  # last: a rule file is written, which no rollback undoes

    return undo(store, actor, change, after=after, by=by, mirrored=OF_ERRORS | OF_EVIDENCE)


def bring_back(store: Store, actor: str, *, by: str | None = None) -> Undone:
    """Redo: undo the newest undo that stands (made by the actor `by`), if nothing was changed after it.

    Raises Fault invalid_input where the newest change is no undo.
    """
    return take_back(store, actor, newest_undo(store, by))
