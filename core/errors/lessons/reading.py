"""A stored lesson with what is counted when it is read: how it was used, whether it is still good, where it also holds.

Functions take an open connection and write nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

import apsw

from core.errors.lessons.lesson import Lesson, parse_lesson
from core.errors.lessons.versions import READ, version_of

DO_TEXT: Final = "iif(json_valid(lesson), json_extract(lesson, '$.do.text'), NULL)"
"""What a lesson says to do, as the index `resolution_do` has it."""
_REMOTE: Final = "repository <> '' AND substr(repository, 1, 1) NOT IN ('/', '\\') AND substr(repository, 2, 1) <> ':'"
"""Whether a repository is named by its remote, not by a folder."""
_COMPARED: Final = 200
"""Lessons with the same `do` whose repositories are compared."""


def read_lesson(con: apsw.Connection, resolution_id: int, stored: str | None) -> Lesson | None:
    """The lesson in the row of a fix; None where the text is all there is."""
    lesson = parse_lesson(stored)
    if lesson is None:
        return None
    row = con.execute(
        "SELECT count(*), coalesce(sum(outcome = 'helped' AND performed = 1), 0),"
        " max(iif(outcome = 'helped' AND performed = 1, settled_at, NULL))"
        " FROM answer_outcome WHERE resolution_id = ? AND withheld = 0",
        (resolution_id,),
    ).fetchone()
    told, helped, last = cast("tuple[int, int, str | None]", row)
    return replace(
        lesson,
        told=told,
        helped=helped,
        last_helped=last,
        recheck=_moved(con, resolution_id, lesson),
        offered="general" if lesson.scope != "general" and _is_elsewhere(con, resolution_id, lesson) else None,
    )


def _moved(con: apsw.Connection, resolution_id: int, lesson: Lesson) -> str | None:
    """Why the lesson must be checked again: the tool had another version when the error was seen last."""
    when = lesson.when
    if not when.version:
        return None
    row = con.execute(
        "SELECT substr(coalesce(o.raw, m.text, ''), 1, ?2) FROM resolution r"
        " JOIN fingerprint f ON f.case_id = r.case_id AND (r.fingerprint IS NULL OR f.fingerprint = r.fingerprint)"
        " JOIN occurrence o ON o.fingerprint = f.fingerprint"
        " LEFT JOIN message m ON m.session_id = o.session_id AND m.idx = o.message_idx"
        " WHERE r.id = ?1 AND o.ts > r.ts ORDER BY o.ts DESC, o.id DESC LIMIT 1",
        (resolution_id, READ),
    ).fetchone()
    newer = "" if row is None else version_of(when.tool, cast("str", row[0]))
    moved = bool(newer) and newer != when.version
    return f"{when.tool} {newer} showed this error after the fix for {when.version}" if moved else None


def _is_elsewhere(con: apsw.Connection, resolution_id: int, lesson: Lesson) -> bool:
    """Whether the same thing was the fix in another repository; folders without a known remote do not count."""
    row = con.execute(
        f"WITH same AS (SELECT id, session_id, case_id FROM resolution WHERE lesson IS NOT NULL AND {DO_TEXT} = ?2"
        "  AND status <> 'rejected' LIMIT ?3),"
        " placed AS (SELECT same.id, coalesce(nullif(s.repository, ''), c.repository, '') AS repository FROM same"
        "  LEFT JOIN session s ON s.id = same.session_id LEFT JOIN case_state c ON c.case_id = same.case_id)"
        f" SELECT count(DISTINCT repository) FROM placed WHERE {_REMOTE}"
        f"  AND EXISTS (SELECT 1 FROM placed WHERE id = ?1 AND {_REMOTE})",
        (resolution_id, lesson.do.text, _COMPARED),
    ).fetchone()
    return cast("int", row[0] if row else 0) > 1
