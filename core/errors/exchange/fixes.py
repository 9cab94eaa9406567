"""Verified fixes as they travel between casebooks (`fix.v1`): each whole by itself, without any number of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, cast

import apsw

from core.errors.cases.columns import ANSWERS, message_numbers, parse_names
from core.errors.lessons.lesson import Lesson, parse_lesson
from core.errors.retrieval.answer import Status
from core.store import Store


@dataclass(frozen=True, slots=True)
class NamedError:
    """One finer case of the case that was fixed."""

    fingerprint: str
    key_line: str
    tool: str
    first_seen: str


@dataclass(frozen=True, slots=True)
class PortableFix:
    """One fix and the case it belongs to. `fingerprint` null: it holds for the whole case.

    `error` is the text as it was printed; `original` what an import could not keep as it was; `case_ts`, `use_count`
    and `last_used` are the case's; `lesson` is without what is counted where it is read.
    """

    SCHEMA: ClassVar[str] = "fix.v1"

    error_normalized: str
    resolution: str
    status: Status
    fingerprint: str | None
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    tags: tuple[str, ...]
    author: str
    session: str | None
    messages: tuple[int, ...]
    ts: str
    original: str | None
    error: str | None
    keys: tuple[str, ...]
    fingerprints: tuple[NamedError, ...]
    use_count: int
    last_used: str | None
    case_ts: str
    lesson: Lesson | None = None


_Said = tuple[
    str, Status, str | None, str | None, str | None, str, str, str | None, str, str, str | None, str | None
]  # fmt: skip
"""A row of a fix as `_fix` reads it."""
_FIXES = (
    "SELECT max(id) FROM resolution WHERE case_id = ?"
    f" AND status = 'verified' AND {ANSWERS} GROUP BY fingerprint ORDER BY 1"
)


def verified_fixes(store: Store) -> Iterator[PortableFix]:
    """Every verified fix that may answer, the newest of what it holds for; in the order of cases and fixes."""
    last = 0
    while True:
        rows = store.con.execute(
            "SELECT DISTINCT case_id FROM resolution WHERE case_id > ? AND status = 'verified'"
            " ORDER BY case_id LIMIT 200",
            (last,),
        ).fetchall()
        if not rows:
            return
        for (case_id,) in cast("list[tuple[int]]", rows):
            last = case_id
            for (fix_id,) in cast("list[tuple[int]]", store.con.execute(_FIXES, (case_id,)).fetchall()):
                yield _fix(store.con, case_id, fix_id)


def _fix(con: apsw.Connection, case_id: int, fix_id: int) -> PortableFix:
    told = con.execute(
        "SELECT error_normalized, error_raw, coalesce(use_count, 0), last_used, ts FROM error_kb WHERE id = ?",
        (case_id,),
    ).fetchone()
    said = con.execute(
        "SELECT text, status, fingerprint, resolved_by, tool_sequence, tags, author, session_id, message_ids, ts,"
        " original, lesson FROM resolution WHERE id = ?",
        (fix_id,),
    ).fetchone()
    key, raw, uses, used, case_ts = cast("tuple[str, str | None, int, str | None, str]", told)
    text, status, mark, by, tools, tags, author, session, messages, ts, original, lesson = cast("_Said", said)
    named = con.execute(
        "SELECT fingerprint, key_line, tool, first_seen FROM fingerprint WHERE case_id = ?"
        " ORDER BY first_seen, fingerprint",
        (case_id,),
    ).fetchall()
    keys = con.execute("SELECT error_normalized FROM case_key WHERE case_id = ? ORDER BY 1", (case_id,)).fetchall()
    return PortableFix(
        error_normalized=key,
        resolution=text,
        status=status,
        fingerprint=mark,
        resolved_by=by,
        tool_sequence=parse_names(tools),
        tags=parse_names(tags),
        author=author,
        session=session,
        messages=message_numbers(messages),
        ts=ts,
        original=original,
        error=raw,
        keys=tuple(cast("str", row[0]) for row in keys),
        fingerprints=tuple(NamedError(*cast("tuple[str, str, str, str]", row)) for row in named),
        use_count=uses,
        last_used=used,
        case_ts=case_ts,
        lesson=parse_lesson(lesson),
    )
