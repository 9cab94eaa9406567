"""Cases in: from JSONL files and from the seed's own databases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import cast

import apsw

from core.errors.answer import Status
from core.errors.cases import Name, ensure_case, find_case
from core.errors.derived import refresh_case
from core.errors.identify import identify
from core.errors.readable import readable
from core.errors.resolutions import add_resolution, parse_names
from core.fault import Fault
from core.lazy_pattern import lazy_pattern
from core.reports import ImportReport, SkippedLine
from core.store import SeedRow, Store, faults, now, read_seed
from core.text import redact, words

BATCH = 500
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of one JSONL line; a longer one is skipped."""
_TIME = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,]{2,18}(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?")


@dataclass(frozen=True, slots=True)
class _Fix:
    text: str
    status: Status = "draft"
    resolved_by: str | None = None
    tools: tuple[str, ...] = ()
    author: str = "import"
    fingerprint: str | None = None
    ts: str | None = None
    original: str | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    """One case as an import gives it."""

    raw: str | None
    normalized: str | None
    ts: str | None
    uses: int
    last_used: str | None
    fixes: tuple[_Fix, ...]
    names: tuple[Name, ...] = ()
    keys: tuple[str, ...] = field(default=())


def import_cases(store: Store, path: Path) -> ImportReport:
    """Import cases from a JSONL file or a seed database; a bad line is skipped and reported.

    Raises Fault if the file cannot be read at all.
    """
    with faults(path):
        head = _head(path)
    if head.startswith(b"SQLite format 3\0"):
        return _import_rows(store, ((at, _from_seed(row)) for at, row in enumerate(read_seed(path), 1)), path)
    return _import_rows(store, _jsonl_rows(path), path)


def _head(path: Path) -> bytes:
    if not path.exists():
        raise Fault("invalid_input", f"{path}: there is no such file", "give a JSONL file or a seed database")
    if not path.is_file():
        raise Fault("invalid_input", f"{path}: not a regular file", "give a JSONL file or a seed database")
    with path.open("rb") as file:
        return file.read(16)


def _import_rows(store: Store, rows: Iterator[tuple[int, _Row | str]], path: Path) -> ImportReport:
    errors = resolutions = 0
    skipped: list[SkippedLine] = []
    while batch := list(islice(rows, BATCH)):
        touched: set[int] = set()
        with faults(store.path), store.transaction():
            for line, row in batch:
                if isinstance(row, str):
                    skipped.append(SkippedLine(str(path), line, row))
                    continue
                case_id, made, added = _import_row(store.con, row)
                touched.add(case_id)
                errors += made
                resolutions += added
            for case_id in touched:
                refresh_case(store.con, case_id)
    return ImportReport(files=1, errors=errors, resolutions=resolutions, skipped=tuple(skipped[:10_000]))


def _import_row(con: apsw.Connection, row: _Row) -> tuple[int, int, int]:
    """One case into the caller's transaction: (its id, cases made, resolutions added). What is derived waits."""
    ts = _time(row.ts) or now()
    text = redact(row.raw if row.raw and row.raw.strip() else row.normalized or "")
    found = identify(text)
    key = redact(row.normalized) if row.normalized else found.normalized
    if not set(words(found.key_line)) & set(words(key)):  # a raw text of another error must not merge two keys
        found = identify(key)
    name = Name(found.key_line or key, key, found.fingerprint, found.tool)
    made = int(find_case(con, name.normalized, name.fingerprint) is None)
    case_id = ensure_case(con, name, ts=ts, raw=text)
    for extra in (found.normalized, *row.keys):
        if extra:
            con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (extra, case_id))
    for other in row.names:
        con.execute(
            "INSERT OR IGNORE INTO fingerprint(fingerprint, case_id, key_line, tool, first_seen)"
            " VALUES (?, ?, ?, ?, ?)",
            (other.fingerprint, case_id, redact(other.key_line), other.tool, ts),
        )
    con.execute(
        "UPDATE error_kb SET use_count = max(coalesce(use_count, 0), ?1),"
        " last_used = nullif(max(coalesce(last_used, ''), coalesce(?2, '')), '') WHERE id = ?3",
        (row.uses, _time(row.last_used), case_id),
    )
    added = sum(_add_fix(con, case_id, fix, ts) for fix in reversed(row.fixes))
    return case_id, made, added


def _add_fix(con: apsw.Connection, case_id: int, fix: _Fix, ts: str) -> int:
    text = redact(fix.text)
    if (
        not text.strip()
        or con.execute(
            "SELECT 1 FROM resolution WHERE case_id = ? AND fingerprint IS ? AND text = ?",
            (case_id, fix.fingerprint, text),
        ).fetchone()
    ):
        return 0
    add_resolution(
        con,
        case_id,
        fix.fingerprint,
        text,
        status=fix.status,
        resolved_by=fix.resolved_by,
        tool_sequence=fix.tools,
        author=fix.author if fix.author != "harvest" else "import",
        ts=_time(fix.ts) or ts,
        original=fix.original,
    )
    return 1


def _from_seed(row: SeedRow) -> _Row:
    tools = parse_names(row.tool_sequence)
    fixes: tuple[_Fix, ...] = ()
    if row.resolution and row.resolution.strip():
        text, original = readable(row.resolution)
        fixes = (_Fix(text, resolved_by=row.resolved_by, tools=tools, original=original),)
    return _Row(row.error_raw, row.error_normalized, row.ts, row.use_count, row.last_used, fixes)


def _jsonl_rows(path: Path) -> Iterator[tuple[int, _Row | str]]:
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(LONGEST_LINE + 1)
                yield number, f"longer than {LONGEST_LINE} bytes"
                continue
            if raw.strip():
                yield number, _parse_line(raw)


def _parse_line(raw: bytes) -> _Row | str:
    """One JSONL line as a case, or the reason why it is none."""
    try:
        value: object = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(value, dict):
        return "not a JSON object"
    data = cast("Mapping[str, object]", value)
    error, normalized = _text(data, "error") or _text(data, "error_raw"), _text(data, "error_normalized")
    if not (error or normalized or "").strip():
        return "no `error` and no `error_normalized`"
    fixes = _fixes(data)
    names = tuple(
        Name(line, normalized or "", mark, _text(item, "tool") or "unknown")
        for item in _objects(data, "fingerprints")
        if (mark := _text(item, "fingerprint")) and (line := _text(item, "key_line"))
    )
    keys = data.get("keys")
    uses = data.get("use_count")
    return _Row(
        error,
        normalized,
        _text(data, "ts"),
        uses if isinstance(uses, int) and uses >= 0 else 0,
        _text(data, "last_used"),
        fixes,
        names,
        tuple(redact(key) for key in cast("list[object]", keys) if isinstance(key, str))
        if isinstance(keys, list)
        else (),
    )


def _fixes(data: Mapping[str, object]) -> tuple[_Fix, ...]:
    found: list[_Fix] = []
    for item in _objects(data, "resolutions"):
        text, status = _text(item, "text"), _text(item, "status")
        if text and status in ("draft", "verified", "rejected"):
            found.append(
                _Fix(
                    text,
                    status,
                    _text(item, "resolved_by"),
                    _strings(item.get("tool_sequence")),
                    _text(item, "author") or "import",
                    _text(item, "fingerprint"),
                    _text(item, "ts"),
                )
            )
    if not found and (text := _text(data, "resolution")):
        plain, original = readable(text)
        tools, by = _strings(data.get("tool_sequence")), _text(data, "resolved_by")
        # `error` is the text that this fixed; a seed's `error_raw` may be another of the same key than the fix is of.
        error = _text(data, "error")
        mark = identify(error).fingerprint if error and error.strip() else None
        found.append(_Fix(plain, resolved_by=by, tools=tools, fingerprint=mark, original=original))
    return tuple(found)


def _text(data: Mapping[str, object], key: str) -> str | None:
    """A text of the line, without secrets: what is no text for people becomes a key or a mark of the casebook."""
    value = data.get(key)
    return redact(value) if isinstance(value, str) else None


def _time(text: str | None) -> str | None:
    """A time as it was given, if it looks like one: cases are sorted by it."""
    return text if text is not None and _TIME.fullmatch(text) else None


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return parse_names(value)
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()


def _objects(data: Mapping[str, object], key: str) -> tuple[Mapping[str, object], ...]:
    value = data.get(key)
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(cast("Mapping[str, object]", item) for item in items if isinstance(item, dict))
