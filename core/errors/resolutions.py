"""What fixed an error: written beside its history, never over it (error-kb REQ-RA-003, decision 6)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.errors.answer import Source, Status
from core.errors.current import ANSWERS, CURRENT_FIRST, current_resolution, mirror_current
from core.errors.derived import index_case
from core.text import redact

TEXT_KEPT = 65_536
"""Code points of one resolution."""

_ResolutionRow = tuple[int, str | None, str, Status, str | None, str | None, str, str | None, str, int | None, str, int]


@dataclass(frozen=True, slots=True)
class Resolution:
    """One resolution of a case. `fingerprint` None: it holds for the whole case. `current`: the one that answers."""

    id: int
    fingerprint: str | None
    text: str
    status: Status
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    author: str
    source: Source
    supersedes: int | None
    ts: str
    current: bool


def parse_names(text: str | None) -> tuple[str, ...]:
    """The tool names in a `tool_sequence` column; one that is no JSON array of names gives none."""
    if not text:
        return ()
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()


def dump_names(names: Sequence[str]) -> str | None:
    """A `tool_sequence` column: a JSON array of names, or NULL for none."""
    return json.dumps([redact(name) for name in names], ensure_ascii=False) if names else None


def add_resolution(
    con: apsw.Connection,
    case_id: int,
    fingerprint: str | None,
    text: str,
    *,
    status: Status = "draft",
    resolved_by: str | None = None,
    tool_sequence: Sequence[str] = (),
    author: str,
    session_id: str | None = None,
    message_ids: Sequence[int] = (),
    ts: str,
    original: str | None = None,
) -> int | None:
    """Add a resolution inside the caller's transaction and make the case show the one that now answers.

    Returns its id, or None where a harvested one of the same session, error and messages is already there.
    """
    added = insert_resolution(
        con,
        case_id,
        fingerprint,
        text,
        status=status,
        resolved_by=resolved_by,
        tool_sequence=tool_sequence,
        author=author,
        session_id=session_id,
        message_ids=message_ids,
        supersedes=current_resolution(con, case_id),
        ts=ts,
        original=original,
    )
    if added is not None:
        mirror_current(con, case_id)
        index_case(con, case_id)
    return added


def insert_resolution(
    con: apsw.Connection,
    case_id: int,
    fingerprint: str | None,
    text: str,
    *,
    status: Status,
    resolved_by: str | None,
    tool_sequence: Sequence[str],
    author: str,
    session_id: str | None,
    message_ids: Sequence[int],
    supersedes: int | None,
    ts: str,
    original: str | None = None,
) -> int | None:
    """The row alone, as `add_resolution` writes it: nothing of the case is brought up to date."""
    con.execute(
        "INSERT OR IGNORE INTO resolution(case_id, fingerprint, text, status, resolved_by, tool_sequence, author,"
        " session_id, message_ids, supersedes, ts, original) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            case_id,
            fingerprint,
            redact(text)[:TEXT_KEPT],
            status,
            None if resolved_by is None else redact(resolved_by),
            dump_names(tool_sequence),
            author,
            session_id,
            json.dumps(list(message_ids)),
            supersedes,
            ts,
            None if original is None else redact(original)[:TEXT_KEPT],
        ),
    )
    return con.last_insert_rowid() if con.changes() else None


def resolutions_of(con: apsw.Connection, case_id: int, most: int = 200) -> tuple[Resolution, ...]:
    """The resolutions of a case, the one that answers first, rejected ones last; all of them with `most` -1."""
    rows = con.execute(
        "SELECT id, fingerprint, text, status, resolved_by, tool_sequence, author, session_id, message_ids,"
        f" supersedes, ts, NOT ({ANSWERS}) AS silent FROM resolution WHERE case_id = ?"
        f" ORDER BY silent, {CURRENT_FIRST} LIMIT ?",
        (case_id, most),
    ).fetchall()
    return tuple(
        Resolution(
            id=row[0],
            fingerprint=row[1],
            text=row[2],
            status=row[3],
            resolved_by=row[4],
            tool_sequence=parse_names(row[5]),
            author=row[6],
            source=Source(row[7], message_numbers(row[8])),
            supersedes=row[9],
            ts=row[10],
            current=at == 0 and not row[11],
        )
        for at, row in enumerate(
            cast(
                "list[_ResolutionRow]",
                rows,
            )
        )
    )


def message_numbers(text: str) -> tuple[int, ...]:
    """The message indexes in a `message_ids` column."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, int))
