"""Recording errors and their fixes (error-kb REQ-RA-003): what an observed error changes in the casebook."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NamedTuple, Protocol, cast

import apsw

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.errors.cases.derived import REPOSITORY_OF_PLACE, index_case, name_tool
from core.errors.cases.resolutions import add_resolution
from core.errors.identity.fingerprint import identify
from core.errors.retrieval.answer import Status
from core.store import Store, change, now, open_store
from core.store.journal import title_text
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


class RecordPlace(NamedTuple):
    """Where a fix was recorded by hand: the top folder of the working tree, and its repository; '' for none."""

    folder: str = ""
    repository: str = ""


NOWHERE: Final = RecordPlace()


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


def _record(
    store: Store,
    name: Name,
    raw: str,
    resolution: str,
    resolved_by: str | None,
    tools: Sequence[str],
    author: str,
    status: Status,
    place: RecordPlace,
) -> tuple[int, int | None, int]:
    """Write one fix in one journaled transaction: its case, itself, and the count of REQ-RA-003."""
    ts = now()
    with change(store, actor=author, title=f"record a fix for: {title_text(name.key_line)}"):
        con = store.con
        case_id = ensure_case(con, name, ts=ts, raw=raw)
        seen = con.execute("SELECT 1 FROM occurrence WHERE fingerprint = ?", (name.fingerprint,)).fetchone()
        if seen is None:
            folder = place.folder or None
            observe(con, name, session_id=None, message_idx=None, tool=None, project=folder, ts=ts, raw=raw)
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
            original=json.dumps({"recorded": {"repository": place.repository}}) if place.repository else None,
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
    place: RecordPlace = NOWHERE,
) -> Recorded:
    """Record what fixed an error (error-kb REQ-RA-003). `place`: where that was.

    A new error makes a case with `use_count` 1; a known one keeps its history, shows the new fix and counts one
    more. A missing database is made. Never raises: a fault of the store leaves `case_id` None and a `failed` step.
    """
    watch = Stopwatch()
    if not (isinstance(error, str) and isinstance(resolution, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _not_recorded(Fault("invalid_input", "the error and the resolution must be text"), "", "", watch)
    raw = redact(error)
    found = identify(raw)
    name = Name(found.key_line, found.normalized, found.fingerprint, found.tool)
    try:
        if not found.normalized.strip():
            raise Fault("invalid_input", "the error text is empty", "pass the error output")
        if not resolution.strip():
            raise Fault("invalid_input", "the resolution is empty", "describe what fixed the error")
        if isinstance(target, Store):
            case_id, added, count = _record(
                target, name, raw, resolution, resolved_by, tool_sequence, author, status, place
            )
        else:
            with open_store(target, write=True, create=True) as store:
                case_id, added, count = _record(
                    store, name, raw, resolution, resolved_by, tool_sequence, author, status, place
                )
    except Fault as fault:
        return _not_recorded(fault, name.normalized, name.fingerprint, watch)
    step = Step("record", "hit", "fix recorded", facts(case=case_id, use_count=count), elapsed_ms=watch.ms())
    return Recorded(case_id, added, name.normalized, name.fingerprint, count, (step,))


def record_error(store: Store, error: str, author: str, place: RecordPlace = NOWHERE) -> int:
    """Record an error that has no fix yet as one journaled change; returns its case. `place`: where it was met.

    Raises Fault invalid_input if the error is blank.
    """
    raw = redact(error)
    found = identify(raw)
    if not found.normalized.strip():
        raise Fault("invalid_input", "the error text is empty", "pass the error output")
    name, folder = Name(found.key_line, found.normalized, found.fingerprint, found.tool), place.folder or None
    with change(store, actor=author, title=f"record the error: {title_text(name.key_line)}"):
        return observe(store.con, name, session_id=None, message_idx=None, tool=None, project=folder, ts=now(), raw=raw)


def _not_recorded(fault: Fault, normalized: str, fingerprint: str, watch: Stopwatch) -> Recorded:
    details = facts(code=fault.code, message=fault.message, hint=fault.hint)
    step = Step("record", "failed", fault.message, details, elapsed_ms=watch.ms())
    return Recorded(None, None, normalized, fingerprint, 0, (step,))


def drop_provisional(con: apsw.Connection, session_id: str) -> frozenset[int]:
    """Remove provisional records of a session's errors, inside the caller's transaction.

    Returns the cases it was counted in: the caller refreshes them once the session's own errors are there.
    """
    provisional = con.execute(
        "SELECT DISTINCT case_id FROM occurrence JOIN fingerprint USING (fingerprint)"
        " WHERE session_id = ? AND message_idx IS NULL",
        (session_id,),
    ).fetchall()
    if provisional:
        con.execute("DELETE FROM occurrence WHERE session_id = ? AND message_idx IS NULL", (session_id,))
    return frozenset(cast("int", case_id) for (case_id,) in provisional)
