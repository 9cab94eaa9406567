"""What one line of an import says, from whatever form it came in: a `case.v1`, a `fix.v1`, or a few fields by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import cast

from core.base.fault import Fault
from core.base.reports import ImportReport, SkippedLine
from core.errors.cases.columns import parse_names
from core.errors.cases.derived import one_form, refresh_case
from core.errors.cases.record import Name
from core.errors.cases.resolutions import readable
from core.errors.curation.fix_input import LONGEST_TAG, MOST_TAGS
from core.errors.exchange.import_row import ImportedCase, ImportedFix, ImportedName, import_row
from core.errors.identity.api import identify
from core.errors.lessons.foreign import BadLesson, lesson_from
from core.errors.retrieval.answer import Source
from core.store import SeedRow, Store, faults, read_seed
from core.text import redact

Fields = Mapping[str, object]


def case_from(data: Fields) -> ImportedCase | str:
    """The case that the fields tell of, or the reason why they tell of none."""
    error, normalized = _text(data, "error") or _text(data, "error_raw"), _text(data, "error_normalized")
    if not (error or normalized or "").strip():
        return "no `error` and no `error_normalized`"
    names = tuple(
        ImportedName(Name(line, normalized or "", mark, _text(item, "tool") or "unknown"), _text(item, "first_seen"))
        for item in _objects(data, "fingerprints")
        if (mark := _text(item, "fingerprint")) and (line := _text(item, "key_line"))
    )
    uses = data.get("use_count")
    alone = data.get("schema_version") == "fix.v1" or "case_ts" in data
    try:
        fixes = _fix_alone(data) if alone else _fixes(data)
    except BadLesson as why:
        return f"no lesson.v1: {why}"
    return ImportedCase(
        raw=error,
        normalized=normalized,
        ts=_text(data, "case_ts" if alone else "ts"),
        uses=uses if isinstance(uses, int) and 0 <= uses < 1 << 53 else 0,
        last_used=_text(data, "last_used"),
        fixes=fixes,
        names=names,
        keys=tuple(redact(key) for key in _list(data, "keys") if isinstance(key, str)),
        noise=data.get("status") == "noise",
    )


def _fix_alone(data: Fields) -> tuple[ImportedFix, ...]:
    """The fix of a `fix.v1`."""
    found = _fix(data, "resolution")
    return () if found is None else (found,)


def _fixes(data: Fields) -> tuple[ImportedFix, ...]:
    """The fixes of a case, in the order in which they were written; else the one that a line by hand names."""
    found = [fix for item in reversed(_objects(data, "resolutions")) if (fix := _fix(item, "text")) is not None]
    if found:
        return tuple(sorted(found, key=lambda fix: fix.id)) if all(fix.id for fix in found) else tuple(found)
    text = _text(data, "resolution")
    if not text:
        return ()
    plain, original = readable(text)
    # `error` is the text that this fixed; a seed's `error_raw` may be another of the same key than the fix is of.
    error = _text(data, "error")
    mark = identify(error).fingerprint if error and error.strip() else None
    by, tools, tags = _text(data, "resolved_by"), _names(data, "tool_sequence"), _tags(data)
    return (ImportedFix(plain, resolved_by=by, tools=tools, fingerprint=mark, original=original, tags=tags),)


def _fix(data: Fields, text_of: str) -> ImportedFix | None:
    text, status = _text(data, text_of), _text(data, "status")
    if not text or status not in ("draft", "verified", "rejected"):
        return None
    source = data.get("source")
    place = cast("Fields", source) if isinstance(source, dict) else data
    session = _text(place, "session")
    numbers = tuple(one for one in _list(place, "messages") if isinstance(one, int) and 0 <= one < 1 << 53)
    return ImportedFix(
        text,
        status,
        _text(data, "resolved_by"),
        _names(data, "tool_sequence"),
        _text(data, "author") or "import",
        _text(data, "fingerprint"),
        _text(data, "ts"),
        _text(data, "original"),
        _tags(data),
        Source(session or None, numbers if session else ()),
        _text(data, "reason") or "",
        _number(data, "id"),
        _number(data, "replaced_by"),
        lesson_from(data.get("lesson")),
    )


def _text(data: Fields, key: str) -> str | None:
    """A text of the line, without secrets: what is no text for people becomes a key or a mark of the casebook."""
    value = data.get(key)
    return redact(value) if isinstance(value, str) else None


def _number(data: Fields, key: str) -> int:
    value = data.get(key)
    return value if isinstance(value, int) and value > 0 else 0


def _names(data: Fields, key: str) -> tuple[str, ...]:
    value = data.get(key)
    return parse_names(value) if isinstance(value, str) else tuple(str(item) for item in _list(data, key))


def _tags(data: Fields) -> tuple[str, ...]:
    return tuple(one_form(tag)[:LONGEST_TAG] for tag in _names(data, "tags")[:MOST_TAGS])


def _list(data: Fields, key: str) -> list[object]:
    value = data.get(key)
    return cast("list[object]", value) if isinstance(value, list) else []


def _objects(data: Fields, key: str) -> tuple[Fields, ...]:
    return tuple(cast("Fields", item) for item in _list(data, key) if isinstance(item, dict))


BATCH = 500
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of one JSONL line; a longer one is skipped."""
_Rows = Iterator[tuple[int, ImportedCase | str]]


def import_cases(store: Store, path: Path) -> ImportReport:
    """Import cases and fixes from a file: a seed database, `.csv`, `.md`, else JSONL.

    What is known is not added again; a bad line is skipped and reported; `files` is 0 where no case is in it. Raises
    Fault if the file cannot be read at all.
    """
    with faults(path):
        head = _head(path)
        if head.startswith(b"SQLite format 3\0"):
            return _import_rows(store, ((at, _from_seed(row)) for at, row in enumerate(read_seed(path), 1)), path)
        kind = path.suffix.lower()
        if kind == ".csv":
            return _import_rows(store, _csv_rows(path), path)
        if kind in (".md", ".markdown"):
            return _import_rows(store, _markdown_rows(path), path)
        return _import_rows(store, _jsonl_rows(path), path)


def check_source(path: Path) -> None:
    """Raise Fault invalid_input where there is no file that could be imported."""
    if not path.is_file():
        there = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else None
        told = f"{path} {there}" if there else f"there is no file {path}"
        raise Fault("invalid_input", told, "name an export or a seed database")


def _head(path: Path) -> bytes:
    check_source(path)
    with path.open("rb") as file:
        return file.read(16)


def _import_rows(store: Store, rows: _Rows, path: Path) -> ImportReport:
    errors = resolutions = taken = 0
    skipped: list[SkippedLine] = []
    while batch := list(islice(rows, BATCH)):
        touched: set[int] = set()
        with faults(store.path), store.transaction():
            for line, row in batch:
                if isinstance(row, str):
                    skipped.append(SkippedLine(str(path), line, row))
                    continue
                case_id, made, added = import_row(store.con, row)
                touched.add(case_id)
                taken += 1
                errors += made
                resolutions += added
            for case_id in touched:
                refresh_case(store.con, case_id)
    if not taken and not skipped:
        skipped.append(SkippedLine(str(path), 0, "no case in it"))
    files = 1 if taken else 0
    return ImportReport(files=files, errors=errors, resolutions=resolutions, skipped=tuple(skipped[:10_000]))


def _from_seed(row: SeedRow) -> ImportedCase:
    tools = parse_names(row.tool_sequence)
    fixes: tuple[ImportedFix, ...] = ()
    if row.resolution and row.resolution.strip():
        text, original = readable(row.resolution)
        fixes = (ImportedFix(text, resolved_by=row.resolved_by, tools=tools, original=original),)
    return ImportedCase(row.error_raw, row.error_normalized, row.ts, row.use_count, row.last_used, fixes)


def _csv_rows(path: Path) -> _Rows:
    from core.errors.exchange.fix_csv import read_csv

    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for line, found in read_csv(file):
            yield line, found if isinstance(found, str) else case_from(found)


def _markdown_rows(path: Path) -> _Rows:
    from core.errors.exchange.markdown import read_markdown

    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        for line, found in read_markdown(file):
            yield line, found if isinstance(found, str) else case_from(found)


def _jsonl_rows(path: Path) -> _Rows:
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


def _parse_line(raw: bytes) -> ImportedCase | str:
    """One JSONL line as a case, or the reason why it is none."""
    try:
        value: object = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return "not JSON"
    return case_from(cast("Mapping[str, object]", value)) if isinstance(value, dict) else "not a JSON object"
