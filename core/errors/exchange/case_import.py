"""Cases and fixes in: JSONL, CSV and Markdown exports, and the seed's own databases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import cast

from core.base.fault import Fault
from core.base.reports import ImportReport, SkippedLine
from core.errors.cases.columns import parse_names
from core.errors.cases.derived import refresh_case
from core.errors.cases.resolutions import readable
from core.errors.exchange.import_fields import case_from
from core.errors.exchange.import_row import ImportedCase, ImportedFix, import_row
from core.store import SeedRow, Store, faults, read_seed

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
    from core.errors.exchange.fix_markdown import read_markdown

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
