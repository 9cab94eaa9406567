"""What fixed an error: written beside its history, never over it (error-kb REQ-RA-003, decision 6)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

import apsw

from core.errors.answer import Source, Status
from core.errors.cases import Name, ensure_case, index_case, observe
from core.errors.identify import identify
from core.fault import Fault
from core.store import Store, change, now, open_store
from core.text import redact
from core.trace import Step, Stopwatch, facts

TEXT_KEPT = 65_536
"""Code points of one resolution."""

# A fix written down on purpose stands before a harvested draft, however new that is; within each, the newest wins.
CURRENT_FIRST = "(author = 'harvest' AND status = 'draft'), id DESC"
ANSWERS = "status <> 'rejected' AND trim(text) <> ''"


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


@dataclass(frozen=True, slots=True)
class Recorded:
    """What recording a fix did: the case it went to (None if it could not be stored; the trace says why)."""

    SCHEMA: ClassVar[str] = "recorded.v1"

    case_id: int | None
    resolution_id: int | None
    error_normalized: str
    fingerprint: str
    use_count: int
    trace: tuple[Step, ...]


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


def mirror_current(con: apsw.Connection, case_id: int) -> None:
    """Let `error_kb` show the resolution that now answers for the case; NULL if its resolutions are all rejected.

    A row without any resolution (written by the seed's own programs) is left as it is.
    """
    if con.execute("SELECT 1 FROM resolution WHERE case_id = ?", (case_id,)).fetchone() is None:
        status = "draft"
        row = con.execute("SELECT resolution FROM error_kb WHERE id = ?", (case_id,)).fetchone()
        if row is None or not str(row[0] or "").strip():
            status = "unresolved"
    else:
        current = con.execute(
            f"SELECT text, resolved_by, tool_sequence, status FROM resolution WHERE case_id = ? AND {ANSWERS}"
            f" ORDER BY {CURRENT_FIRST} LIMIT 1",
            (case_id,),
        ).fetchone()
        text, resolved_by, sequence, status = current or (None, None, None, "unresolved")
        con.execute(
            "UPDATE error_kb SET resolution = ?1, resolved_by = ?2, tool_sequence = ?3 WHERE id = ?4"
            " AND (resolution IS NOT ?1 OR resolved_by IS NOT ?2 OR tool_sequence IS NOT ?3)",
            (text, resolved_by, sequence, case_id),
        )
    con.execute("UPDATE case_state SET status = ? WHERE case_id = ?", (status, case_id))


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


def current_resolution(con: apsw.Connection, case_id: int) -> int | None:
    """The id of the resolution that answers for the case."""
    row = con.execute(
        f"SELECT id FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1", (case_id,)
    ).fetchone()
    return None if row is None else cast("int", row[0])


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


def resolutions_of(con: apsw.Connection, case_id: int) -> tuple[Resolution, ...]:
    """Every resolution of a case, the one that answers first, rejected ones last."""
    rows = con.execute(
        "SELECT id, fingerprint, text, status, resolved_by, tool_sequence, author, session_id, message_ids,"
        f" supersedes, ts, NOT ({ANSWERS}) AS silent FROM resolution WHERE case_id = ?"
        f" ORDER BY silent, {CURRENT_FIRST} LIMIT 200",
        (case_id,),
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


def _record(
    store: Store,
    name: Name,
    raw: str,
    resolution: str,
    resolved_by: str | None,
    tools: Sequence[str],
    author: str,
    status: Status,
) -> tuple[int, int | None, int]:
    """Write one fix in one journaled transaction: its case, itself, and the count of REQ-RA-003."""
    ts = now()
    with change(store, actor=author, title=f"record a fix for: {name.key_line[:80]}"):
        con = store.con
        case_id = ensure_case(con, name, ts=ts, raw=raw)
        seen = con.execute("SELECT 1 FROM occurrence WHERE fingerprint = ?", (name.fingerprint,)).fetchone()
        if seen is None:
            observe(con, name, session_id=None, message_idx=None, tool=None, project=None, ts=ts, raw=raw)
        added = add_resolution(
            con,
            case_id,
            name.fingerprint,
            resolution,
            status=status,
            resolved_by=resolved_by,
            tool_sequence=tools,
            author=author,
            ts=ts,
        )
        con.execute("UPDATE error_kb SET ts = ?, use_count = coalesce(use_count, 0) + 1 WHERE id = ?", (ts, case_id))
        row = con.execute("SELECT use_count FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    return case_id, added, 0 if row is None else cast("int", row[0])


def record_resolution(
    target: Store | Path,
    error: str,
    resolution: str,
    *,
    resolved_by: str | None = None,
    tool_sequence: Sequence[str] = (),
    author: str = "record",
    status: Status = "draft",
) -> Recorded:
    """Record what fixed an error (error-kb REQ-RA-003).

    A new error makes a case with `use_count` 1; a known one keeps its history, shows the new fix and counts one
    more. A missing database is made. Never raises: a fault of the store leaves `case_id` None and a `failed` step.
    """
    watch = Stopwatch()
    raw = redact(error)
    found = identify(raw)
    name = Name(found.key_line, found.normalized, found.fingerprint, found.tool)
    try:
        if not found.normalized.strip():
            raise Fault("invalid_input", "the error text is empty", "give the error as it was printed")
        if not resolution.strip():
            raise Fault("invalid_input", "the resolution is empty", "say what fixed the error")
        if isinstance(target, Store):
            case_id, added, count = _record(target, name, raw, resolution, resolved_by, tool_sequence, author, status)
        else:
            with open_store(target, write=True, create=True) as store:
                case_id, added, count = _record(
                    store, name, raw, resolution, resolved_by, tool_sequence, author, status
                )
    except Fault as fault:
        step = Step(
            "record",
            "failed",
            fault.message,
            facts(code=fault.code, message=fault.message, hint=fault.hint),
            elapsed_ms=watch.ms(),
        )
        return Recorded(None, None, name.normalized, name.fingerprint, 0, (step,))
    step = Step("record", "hit", "the fix is written down", facts(case=case_id, use_count=count), elapsed_ms=watch.ms())
    return Recorded(case_id, added, name.normalized, name.fingerprint, count, (step,))
