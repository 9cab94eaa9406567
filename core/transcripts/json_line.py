"""One line of JSON from a file nobody vouches for: what can be read is read, the rest says why not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

import orjson

from core.transcripts.records import Skipped

_BLANK = b" \t\r\n\0"
_INT_DIGITS = 4000
_BOM = b"\xef\xbb\xbf"

Line = tuple[int, bytes]
Fields = dict[str, Any]


def parse(data: bytes) -> object:
    """The JSON value in `data`; invalid UTF-8 becomes U+FFFD, a byte-order mark and NUL padding are ignored.

    Raises ValueError, whose text is the reason in plain words, without any of the content.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _parse_slowly(data)


def _parse_slowly(data: bytes) -> object:
    """What orjson refuses and a person would still call JSON: lone surrogates, huge numbers, raw control characters."""
    text = data.strip(_BLANK).removeprefix(_BOM).decode("utf-8", "replace").replace("\0", "\ufffd")
    try:
        return json.loads(text, strict=False, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg.lower()} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _INT_DIGITS else digits


def is_blank(data: bytes) -> bool:
    """Whether the line holds nothing (NUL padding left by a crash is nothing)."""
    return not data.strip(_BLANK)


def is_complete(data: bytes) -> bool:
    """Whether a line without its newline is complete: an object, array or string is never the start of a longer one."""
    if is_blank(data):
        return False
    try:
        return isinstance(parse(data), (dict, list, str))
    except ValueError:
        return False


def values(lines: Iterable[Line]) -> Iterator[tuple[int, bytes, object]]:
    """Each line's number, bytes and JSON value; a `Skipped` in its place where there is none. Blank: nothing."""
    loads = orjson.loads
    for number, data in lines:
        try:
            yield number, data, loads(data)
            continue
        except orjson.JSONDecodeError:
            if is_blank(data):
                continue
        try:
            yield number, data, _parse_slowly(data)
        except ValueError as error:
            yield number, data, Skipped(number, str(error))


def objects(lines: Iterable[Line]) -> Iterator[tuple[int, bytes, Fields | Skipped]]:
    """Like `values`, for lines that must be JSON objects."""
    for number, data, value in values(lines):
        if value.__class__ is dict or value.__class__ is Skipped:
            yield number, data, cast("Fields | Skipped", value)
        else:
            yield number, data, Skipped(number, f"a JSON {_kind(value)}, not a record")


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "constant" if value is None or isinstance(value, bool) else "number"
