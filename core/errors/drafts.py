"""The fixes that a harvest drafts, many at a time: each case is brought up to date once, however many it got."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from core.errors.current import current_resolution, mirror_current
from core.errors.derived import index_case, name_tool
from core.errors.resolutions import insert_resolution, rejected_texts

AUTHOR = "harvest"


@dataclass(frozen=True, slots=True)
class Draft:
    """A harvested fix of a case, as `add_resolution` takes it."""

    case_id: int
    fingerprint: str
    text: str
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    session_id: str | None
    message_ids: tuple[int, ...]
    ts: str


def add_drafts(con: apsw.Connection, drafts: Iterable[Draft], stale: set[int]) -> int:
    """Add harvested fixes inside the caller's transaction; how many were not there before.

    Their cases then show the resolution that now answers; they and the `stale` ones are named and indexed anew.
    """
    current: dict[int, tuple[int | None, bool]] = {}
    rejected: dict[int, frozenset[str]] = {}
    added = 0
    for draft in drafts:
        if draft.case_id not in current:
            current[draft.case_id] = _current(con, draft.case_id)
            rejected[draft.case_id] = rejected_texts(con, draft.case_id)
        before, stays = current[draft.case_id]
        made = insert_resolution(
            con,
            draft.case_id,
            draft.fingerprint,
            draft.text,
            status="draft",
            resolved_by=draft.resolved_by,
            tool_sequence=draft.tool_sequence,
            author=AUTHOR,
            session_id=draft.session_id,
            message_ids=draft.message_ids,
            supersedes=before,
            ts=draft.ts,
            rejected=rejected[draft.case_id],
        )
        if made is None:
            continue
        added += 1
        stale.add(draft.case_id)
        if not stays and draft.text.strip():
            current[draft.case_id] = (made, False)
    for case_id in stale:
        if case_id in current:
            mirror_current(con, case_id)
        name_tool(con, case_id)
        index_case(con, case_id)
    return added


def _current(con: apsw.Connection, case_id: int) -> tuple[int | None, bool]:
    """The resolution that answers for a case, and whether it goes on to, whatever a harvest drafts."""
    found = current_resolution(con, case_id)
    if found is None:
        return None, False
    row = con.execute("SELECT author = ? AND status = 'draft' FROM resolution WHERE id = ?", (AUTHOR, found)).fetchone()
    return found, row is not None and not row[0]
