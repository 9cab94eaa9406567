"""Cases as they are kept: what an observed error changes.

Functions take an open connection inside the caller's transaction and write nothing outside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

import apsw

from core.errors.cases.derived import index_case, name_tool
from core.errors.cases.projects import REPOSITORY_OF_PLACE
from core.text import redact

RAW_KEPT = 65_536
"""Code points of an error kept where no transcript message holds it."""

_LATEST = "?2 <> '' AND (project = '' OR ?1 >= last_seen)"


class ErrorName(Protocol):
    """What names one error: `Identity` and one key line of many both do."""

    @property
    def key_line(self) -> str: ...
    @property
    def normalized(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def tool(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Name:
    """The names of one error, ready to be stored."""

    key_line: str
    normalized: str
    fingerprint: str
    tool: str


def find_case(con: apsw.Connection, normalized: str, fingerprint: str) -> int | None:
    """The case that this fingerprint, else this key, belongs to."""
    for sql, value in (
        ("SELECT case_id FROM fingerprint WHERE fingerprint = ?", fingerprint),
        ("SELECT case_id FROM case_key WHERE error_normalized = ?", normalized),
        ("SELECT id FROM error_kb WHERE error_normalized = ?", normalized),
    ):
        row = con.execute(sql, (value,)).fetchone()
        if row is not None:
            return cast("int", row[0])
    return None


def ensure_case(
    con: apsw.Connection, name: ErrorName, *, ts: str, raw: str | None, stale: set[int] | None = None
) -> int:
    """The case of `name`, made with its key and fingerprint where they are new. Counts nothing.

    With `stale` a case that must be named and indexed anew is added to it, and the caller does both before it commits.
    """
    case_id = find_case(con, name.normalized, name.fingerprint)
    if case_id is None:
        con.execute(
            "INSERT INTO error_kb(ts, error_normalized, error_raw, use_count) VALUES (?, ?, ?, 0)",
            (ts, name.normalized, None if raw is None else redact(raw)[:RAW_KEPT]),
        )
        case_id = con.last_insert_rowid()
    con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (name.normalized, case_id))
    con.execute(
        "INSERT OR IGNORE INTO fingerprint(fingerprint, case_id, key_line, tool, first_seen) VALUES (?, ?, ?, ?, ?)",
        (name.fingerprint, case_id, name.key_line, name.tool, ts),
    )
    if con.changes():
        if stale is None:
            name_tool(con, case_id)
            index_case(con, case_id)
        else:
            stale.add(case_id)
    return case_id


def observe(
    con: apsw.Connection,
    name: ErrorName,
    *,
    session_id: str | None,
    message_idx: int | None,
    tool: str | None,
    project: str | None,
    ts: str,
    raw: str | None = None,
    start: int | None = None,
    end: int | None = None,
    stale: set[int] | None = None,
) -> int:
    """Record that an error was seen, and return its case (`stale` as in `ensure_case`).

    `raw` is kept only where no message holds it; `start` and `end` are the key line's span in that message.
    The same error of the same message counts once, so observing again changes nothing.
    """
    case_id = ensure_case(con, name, ts=ts, raw=raw if raw is not None else name.key_line, stale=stale)
    project = redact(project) if project else project
    con.execute(
        "INSERT OR IGNORE INTO occurrence(fingerprint, session_id, message_idx, tool, project, ts, raw, start, end)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            name.fingerprint,
            session_id,
            message_idx,
            tool,
            project,
            ts,
            redact(raw)[:RAW_KEPT] if raw is not None and message_idx is None else None,
            start,
            end,
        ),
    )
    if con.changes():
        con.execute(
            "UPDATE case_state SET seen = seen + 1, first_seen = min(first_seen, ?1), last_seen = max(last_seen, ?1),"
            f" repository = iif({_LATEST}, {REPOSITORY_OF_PLACE.format(session='?4', folder='?2')}, repository),"
            f" project = iif({_LATEST}, ?2, project) WHERE case_id = ?3",
            (ts, project or "", case_id, session_id),
        )
        con.execute(
            "UPDATE fingerprint SET missed = NULL WHERE fingerprint = ? AND missed IS NOT NULL", (name.fingerprint,)
        )
    return case_id
