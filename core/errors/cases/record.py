"""Writing down what fixed an error (error-kb REQ-RA-003): a case, its fix, and the count, in one journaled change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.errors.cases.resolutions import add_resolution
from core.errors.cases.write import Name, ensure_case, observe
from core.errors.identity.api import identify
from core.errors.retrieval.answer import Status
from core.store import Store, change, now, open_store
from core.text import redact


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
    if not (isinstance(error, str) and isinstance(resolution, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _not_recorded(Fault("invalid_input", "the error and the resolution must be text"), "", "", watch)
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
        return _not_recorded(fault, name.normalized, name.fingerprint, watch)
    step = Step("record", "hit", "the fix is written down", facts(case=case_id, use_count=count), elapsed_ms=watch.ms())
    return Recorded(case_id, added, name.normalized, name.fingerprint, count, (step,))


def _not_recorded(fault: Fault, normalized: str, fingerprint: str, watch: Stopwatch) -> Recorded:
    told = facts(code=fault.code, message=fault.message, hint=fault.hint)
    step = Step("record", "failed", fault.message, told, elapsed_ms=watch.ms())
    return Recorded(None, None, normalized, fingerprint, 0, (step,))
