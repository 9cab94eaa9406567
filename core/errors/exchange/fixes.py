"""Verified fixes as they travel between casebooks (`fix.v1`): each whole by itself, without any number of its own.

Fixes as a table: readable in a spreadsheet, and exact when it is read again.

Lists are JSON. A text that a spreadsheet would run as a formula, or that holds signs a terminal or a table would not
keep, is written as `json:"…"`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, TextIO, cast

import apsw

from core.base.wire import dumps, to_wire
from core.errors.cases.derived import ANSWERS, message_numbers, parse_names
from core.errors.lessons import Lesson, parse_lesson
from core.errors.retrieval.answer import Status
from core.store import Store
from core.text import visible


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


_FixRow = tuple[
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
    fix_row = con.execute(
        "SELECT error_normalized, error_raw, coalesce(use_count, 0), last_used, ts FROM error_kb WHERE id = ?",
        (case_id,),
    ).fetchone()
    columns = con.execute(
        "SELECT text, status, fingerprint, resolved_by, tool_sequence, tags, author, session_id, message_ids, ts,"
        " original, lesson FROM resolution WHERE id = ?",
        (fix_id,),
    ).fetchone()
    key, raw, uses, used, case_ts = cast("tuple[str, str | None, int, str | None, str]", fix_row)
    text, status, mark, by, tools, tags, author, session, messages, ts, original, lesson = cast("_FixRow", columns)
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


COLUMNS = tuple(field.name for field in fields(PortableFix))
LONGEST_CELL = 1 << 23
"""Code points."""
_MARK = "json:"
_RUNS = ("=", "+", "-", "@", "\t", _MARK)


def csv_head() -> str:
    """The line that names the columns."""
    return csv_line(COLUMNS)


def csv_fix(fix: PortableFix) -> str:
    table = cast("dict[str, object]", to_wire(fix))
    return csv_line(tuple(csv_cell(table[name]) for name in COLUMNS))


def read_csv(file: TextIO) -> Iterator[tuple[int, dict[str, object] | str]]:
    """The rows of a table with their line, as the fields of `fix.v1`; or the reason why one is none.

    `file` must be opened with `newline=""`.
    """
    before = csv.field_size_limit(LONGEST_CELL)  # the module knows no other way; put back below
    try:
        reader = csv.DictReader(file)
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield reader.line_num, f"not a CSV row: {error}"
                continue
            yield reader.line_num, _fields(row)
    finally:
        csv.field_size_limit(before)


def csv_line(cells: tuple[str, ...]) -> str:
    """A row of a table."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def csv_cell(value: object) -> str:
    """A value that no spreadsheet runs as a formula and no terminal obeys; `read_csv` reads it back."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return dumps(value)
    plain = value and visible(value) == value and "\r" not in value and not value.startswith(_RUNS)
    return value if plain else _MARK + dumps(value)


def _fields(row: Mapping[str | None, str | list[str] | None]) -> dict[str, object] | str:
    found: dict[str, object] = {}
    for name, cell in row.items():
        if name is None or not isinstance(cell, str) or not cell:
            continue
        value: object = cell
        try:
            if cell.startswith(_MARK):
                value = json.loads(cell[len(_MARK) :])
            elif name in (*_LISTS, *_NUMBERS, *_OBJECTS):
                value = json.loads(cell)
        except (ValueError, RecursionError):
            if name not in _LISTS:
                return f"the column {name} is not JSON"
        found[name] = value
    return found


_LISTS = ("tool_sequence", "tags", "messages", "keys", "fingerprints")
_NUMBERS = ("use_count",)
_OBJECTS = ("lesson",)
