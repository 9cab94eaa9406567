"""Fixes as a table: readable in a spreadsheet, and exact when it is read again.

Lists are JSON. A text that a spreadsheet would run as a formula, or that holds signs a terminal or a table would not
keep, is written as `json:"…"`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TextIO, cast

from core.base.wire import dumps, to_wire
from core.errors.exchange.fixes import PortableFix
from core.text import visible

COLUMNS = tuple(field.name for field in fields(PortableFix))
LONGEST_CELL = 1 << 23
"""Code points."""
_MARK = "json:"
_RUNS = ("=", "+", "-", "@", "\t", _MARK)


def csv_head() -> str:
    """The line that names the columns."""
    return _line(COLUMNS)


def csv_fix(fix: PortableFix) -> str:
    """One fix as one row."""
    table = cast("dict[str, object]", to_wire(fix))
    return _line(tuple(_cell(table[name]) for name in COLUMNS))


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


def _line(cells: tuple[str, ...]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _cell(value: object) -> str:
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
                return f"the column {name} holds no JSON"
        found[name] = value
    return found


_LISTS = ("tool_sequence", "tags", "messages", "keys", "fingerprints")
_NUMBERS = ("use_count",)
_OBJECTS = ("lesson",)
