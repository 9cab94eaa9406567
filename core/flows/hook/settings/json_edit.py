"""Where the parts of a JSON text stand, so that one of them can be changed and every other byte left alone.

The standard library reads a value and says where it ends, which is all it takes; no library edits JSON in place.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from core.base.fault import Fault

_DECODER = json.JSONDecoder()
_BLANK = " \t\n\r"


class Part(NamedTuple):
    """A member of an object or an element of an array: `start` to `end`, half-open; its value begins at `value`."""

    key: str
    start: int
    value: int
    end: int


def parse(text: str, name: str) -> Any:
    """The value of a JSON text. Raises Fault invalid_input that names the line of what is wrong, comments included."""
    try:
        return json.loads(text, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].lstrip(_BLANK + ",")
        what = "a comment, which JSON has not" if rest.startswith(("//", "/*", "#")) else error.msg
        raise Fault(
            "invalid_input", f"{name}:{error.lineno}: {what}", "mend the file by hand; nothing was changed"
        ) from error
    except (_TwinError, RecursionError) as error:
        raise Fault("invalid_input", f"{name}: {error}", "mend the file by hand; nothing was changed") from error


def parts_of(text: str, start: int) -> list[Part]:
    """The members or elements of the object or array that begins at `start` in a text that `parse` took."""
    in_object = text[start] == "{"
    at, found = _skip(text, start + 1), list[Part]()
    while text[at] not in "}]":
        begin, key = at, ""
        if in_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        found.append(Part(key, begin, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def add_part(text: str, start: int, source: str, outer: str, step: str, newline: str) -> str:
    """`text` with `source` as a further member or element of the container at `start`, on lines of its own.

    `outer` is the indent of the line that the container begins on, `step` one level of it.
    """
    source = source.replace("\n", newline + outer + step)
    parts = parts_of(text, start)
    if parts:
        end = parts[-1].end
        return f"{text[:end]},{newline}{outer}{step}{source}{text[end:]}"
    close = _skip(text, start + 1)
    return f"{text[: start + 1]}{newline}{outer}{step}{source}{newline}{outer}{text[close:]}"


def drop_part(text: str, start: int, index: int) -> str:
    """`text` without the part number `index` of the container at `start`, its comma and the blanks before it."""
    parts = parts_of(text, start)
    if len(parts) == 1:
        return text[: start + 1] + text[_skip(text, parts[0].end) :]
    if index:
        return text[: parts[index - 1].end] + text[parts[index].end :]
    return text[: parts[0].start] + text[parts[1].start :]


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at


class _TwinError(ValueError):
    """An object names one key twice: which of them counts is anybody's guess."""


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwinError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice")
    return found
