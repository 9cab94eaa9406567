"""The fixes that a harvest drafts, many at a time: each case is brought up to date once, however many it got."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import apsw

from core.errors.cases.columns import current_resolution, mirror_current
from core.errors.cases.derived import index_case, name_tool
from core.errors.cases.resolutions import TEXT_KEPT, dump_names, insert_resolution, rejected_texts, stored_lesson
from core.errors.fixes.evidence import AUTHOR, Evidence
from core.errors.lessons.lesson import Lesson
from core.text import redact

UNTOUCHED: Final = (
    "resolution.author = 'harvest' AND resolution.status = 'draft' AND resolution.replaced_by IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM citation WHERE cited_by = 'resolution' AND item_id = CAST(resolution.id AS TEXT))"
)
"""Whether a row of `resolution` is a harvested draft that nobody decided on, edited or gave a citation."""
_LESSON: Final = (
    "iif(json_valid(lesson) AND json_extract(lesson, '$.scope') = 'general' AND ?9 IS NOT NULL,"
    " json_set(?9, '$.scope', 'general'), ?9)"
)


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
    evidence: Evidence | None = None
    lesson: Lesson | None = None


def add_drafts(con: apsw.Connection, drafts: Iterable[Draft], stale: set[int]) -> int:
    """Add harvested fixes inside the caller's transaction; how many were not there before.

    A draft of an earlier harvest of the same messages takes what this one says of them. Their cases then show the
    resolution that now answers; they and the `stale` ones are named and indexed again.
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
            original=None if draft.evidence is None else draft.evidence.to_json(),
            rejected=rejected[draft.case_id],
            lesson=draft.lesson,
        )
        if made is None:
            if _renew(con, draft):
                stale.add(draft.case_id)
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


def _renew(con: apsw.Connection, draft: Draft) -> bool:
    """Write what a harvest now says over its own earlier draft of the same error and messages; whether that differs.

    Where a person confirmed that its lesson holds in every project, it goes on to.
    """
    original = None if draft.evidence is None else redact(draft.evidence.to_json())[:TEXT_KEPT]
    tools = dump_names(draft.tool_sequence)
    con.execute(
        f"UPDATE resolution SET text = ?1, resolved_by = ?2, tool_sequence = ?3, original = ?4, lesson = {_LESSON}"
        f" WHERE author = ?5 AND session_id = ?6 AND fingerprint = ?7 AND message_ids = ?8 AND {UNTOUCHED}"
        f" AND (text, resolved_by, tool_sequence, original, lesson) IS NOT (?1, ?2, ?3, ?4, {_LESSON})",
        (
            redact(draft.text)[:TEXT_KEPT],
            None if draft.resolved_by is None else redact(draft.resolved_by),
            tools,
            original,
            AUTHOR,
            draft.session_id,
            draft.fingerprint,
            json.dumps(list(draft.message_ids)),
            stored_lesson(draft.lesson),
        ),
    )
    return con.changes() > 0


def _current(con: apsw.Connection, case_id: int) -> tuple[int | None, bool]:
    """The resolution that answers for a case, and whether it goes on to, whatever a harvest drafts."""
    found = current_resolution(con, case_id)
    if found is None:
        return None, False
    row = con.execute("SELECT author = ? AND status = 'draft' FROM resolution WHERE id = ?", (AUTHOR, found)).fetchone()
    return found, row is not None and not row[0]
