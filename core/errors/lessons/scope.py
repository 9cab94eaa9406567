"""Where a lesson holds: a person confirms that it helps in every project, or takes that back. It can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import apsw

from core.base.fault import Fault
from core.errors.cases.resolutions import Resolution, answering, resolution, stored_lesson
from core.errors.curation.optimistic_lock import Seen
from core.errors.curation.transaction import Curated, Done, decide
from core.store import Store


def set_scope(
    store: Store, actor: str, seen: Sequence[Seen], scope: Literal["project", "general"], *, pick: int | None = None
) -> Curated:
    """Let the lesson of the fix that answers (or of `pick`) hold in its project, or in every project.

    Raises Fault invalid_input where there is no such fix, or its text is all there is.
    """
    doing = "keep for every project the lesson of" if scope == "general" else "keep for its project the lesson of"

    def change(con: apsw.Connection, one: Seen, _ts: str) -> Done | None:
        fix = _picked(con, one, pick)
        if fix.lesson is None:
            hint = "only a harvested fix, or one that an agent recorded, has a lesson"
            raise Fault("invalid_input", f"fix {fix.id} of case {one.case_id} has no lesson", hint)
        if fix.lesson.scope == scope:
            return None
        con.execute(
            "UPDATE resolution SET lesson = ? WHERE id = ?", (stored_lesson(replace(fix.lesson, scope=scope)), fix.id)
        )
        return Done(fix.id)

    return decide(store, actor, scope, doing, seen, change)


def _picked(con: apsw.Connection, seen: Seen, pick: int | None) -> Resolution:
    found = answering(con, seen.case_id, seen.fingerprint) if pick is None else resolution(con, seen.case_id, pick)
    if found is None:
        what = "no fix that answers" if pick is None else f"no fix {pick}"
        raise Fault("invalid_input", f"case {seen.case_id} has {what}", f"see: casebook errors show {seen.case_id}")
    return found
