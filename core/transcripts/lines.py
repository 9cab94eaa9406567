"""Lines of a file that may be huge, hostile or still being written, in bounded memory; each read as JSON, or not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, cast

import orjson

from core.transcripts.records import Record, SessionStart, Skipped

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


def read_objects(
    lines: Iterable[Line], session: SessionStart, read: Callable[[Fields, SessionStart, int], Iterator[Record]]
) -> Iterator[Record]:
    """The records that `read` makes of each line's object and number; `session` comes before the first of them.

    A line without an object is a `Skipped` in its place.
    """
    announced = False
    for number, _, value in objects(lines):
        for record in (value,) if isinstance(value, Skipped) else read(value, session, number):
            if not announced and not isinstance(record, Skipped):
                announced = True
                yield session
            yield record


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "constant" if value is None or isinstance(value, bool) else "number"


HEAD = 256 * 1024
"""Bytes of a file that are enough to know it (a Codex header carries its instructions)."""

_HEAD_RECORDS = 50
_BROKEN = object()


@lru_cache(maxsize=1)
def head_values(head: bytes) -> tuple[object, ...]:
    """The JSON values of the first lines that are complete; a document over many lines is one value.

    Remembered: detection and the reader of the agent ask for it.
    """
    complete = list(islice(_complete_lines(head), _HEAD_RECORDS))
    first = _parsed(complete[0]) if complete else _BROKEN
    document = _parsed(head) if complete and len(head) < HEAD and first is _BROKEN else _BROKEN
    if document is not _BROKEN:
        return (document,)
    spread = bool(complete) and complete[0].strip(_BLANK + _BOM) in (b"{", b"[")
    rest = () if spread else map(_parsed, complete[1:])
    found = tuple(value for value in (first, *rest) if value is not _BROKEN)
    if found:
        return found
    opening = _opening(head.lstrip(_BLANK + _BOM).decode("utf-8", "replace"), 0, 0)[0] if len(head) >= HEAD else None
    return (opening,) if opening else ()


def _complete_lines(head: bytes) -> Iterator[bytes]:
    """The lines that are not blank and that the head does not cut."""
    at = 0
    while (end := head.find(b"\n", at)) >= 0:
        if not is_blank(line := head[at:end]):
            yield line
        at = end + 1
    if len(head) < HEAD and not is_blank(line := head[at:]):
        yield line


_DECODER = json.JSONDecoder(strict=False)
_NEXT = re.compile(r"[\s,]{0,200}")
_KEY = re.compile(r'"((?:[^"\\]|\\.){0,200})"\s{0,20}:\s{0,20}')
_OPENING_DEPTH = 4
_OPENING_ITEMS = 50


def _opening(text: str, at: int, depth: int) -> tuple[object, int]:
    """The value that begins at `at`, as far as a cut document holds it, and where it ends (-1: cut)."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        pass
    opens = text[at : at + 1]
    if depth >= _OPENING_DEPTH or not opens or opens not in "[{":
        return None, -1
    found: dict[str, object] = {}
    at += 1
    while len(found) < _OPENING_ITEMS:
        at = cast("re.Match[str]", _NEXT.match(text, at)).end()
        key = _KEY.match(text, at) if opens == "{" else None
        if opens == "{" and key is None:
            break
        value, end = _opening(text, key.end() if key else at, depth + 1)
        if value is not None:
            found[key[1] if key else str(len(found))] = value
        if end == -1:
            break
        at = end
    return (found if opens == "{" else list(found.values())), -1


def head_objects(head: bytes) -> Iterator[Fields]:
    """Those of `head_values` that are objects and not empty."""
    for value in head_values(head):
        if value and isinstance(value, dict):
            yield cast("Fields", value)


def first_match(pattern: bytes, head: bytes) -> str:
    """The first group of a pattern in a head that is no complete JSON; '' where there is none."""
    found = re.search(pattern, head)
    return found[1].decode("utf-8", "replace") if found else ""


def _parsed(data: bytes) -> object:
    try:
        return parse(data)
    except ValueError:
        return _BROKEN


LINE_CAP = 16 * 1024 * 1024
"""The longest line that is read, in bytes; a longer one is passed over."""

_CHUNK = 1024 * 1024


class RawLine(NamedTuple):
    """One line: its 1-based `number`, its bytes (None: longer than the cap), and the position after it.

    `end` is the byte offset behind it, `lines` the number of lines read by then. A last line that lacks its newline
    but is complete does not count into `lines`: the newline that may come later still ends it.
    """

    number: int
    data: bytes | None
    end: int
    lines: int


def read_lines(file: BinaryIO, offset: int = 0, lines: int = 0, cap: int = LINE_CAP) -> Iterator[RawLine]:
    """The lines of `file` from byte `offset` on, where `lines` lines lie before it.

    A last line without a newline is given only if it is a complete JSON value; else it is half written, and left for
    the next time. Never holds more than `cap` bytes.
    """
    file.seek(offset)
    while data := file.readline(cap + 1):
        ended = data.endswith(b"\n")
        offset += len(data)
        if not ended and len(data) > cap:
            data = None
            while chunk := file.readline(_CHUNK):
                offset += len(chunk)
                ended = chunk.endswith(b"\n")
                if ended:
                    break
        if not ended and (data is None or not is_complete(data)):
            return
        yield RawLine(lines + 1, data, offset, lines + 1 if ended else lines)
        lines += 1
