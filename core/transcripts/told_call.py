"""A tool call as a person reads it: a patch as a patch, a command as a command, anything else by its fields."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, cast

from core.transcripts.fields import fields, items

Sign = Literal["", "+", "-", "@", ":"]
"""Added, removed, where in a file, a field's name; else plain."""

MOST = 400_000
"""Code points; a longer input is shown as it was sent."""
_COMPARED = 2_000
"""Lines of one change that are compared; of more, all old ones stand before all new ones."""
_PATCHES = ("*** Begin Patch", "diff --git ", "--- a/")


class CallLine(NamedTuple):
    """One line of it. `text` has its sign, as in a patch."""

    sign: Sign
    text: str


def told_call(text: str) -> tuple[CallLine, ...]:
    """The lines of a call, from the text that a transcript's reader made of it. Never raises; split on newline only."""
    given = _input(text)
    return tuple(_plain(text) if given is None else _told(given))


def _input(text: str) -> dict[str, Any] | None:
    """The input as it was sent, or None where the text is none: a command, say."""
    if len(text) > MOST or not text.startswith("{"):
        return None
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) and found else None


def _told(given: dict[str, Any]) -> Iterator[CallLine]:
    rest = dict(given)
    name = next((key for key in ("file_path", "path", "notebook_path") if isinstance(rest.get(key), str)), None)
    edits = [rest, *(fields(one) for one in items(rest.get("edits")))]
    changes = [
        one for one in edits if isinstance(one.get("old_string"), str) and isinstance(one.get("new_string"), str)
    ]
    written = rest.get("content")
    if name is not None and (changes or isinstance(written, str)):
        yield CallLine("@", _line(str(rest.pop(name))))
        for number, one in enumerate(changes):
            if number:
                yield CallLine("@", "@@")
            yield from _change(str(one["old_string"]), str(one["new_string"]))
        if not changes:
            yield from (CallLine("+", f"+ {line}") for line in str(rest.pop("content")).split("\n"))
        for key in ("old_string", "new_string", "edits"):
            rest.pop(key, None)
    for key, value in rest.items():
        yield from _field(key, value)


def _field(key: str, value: object) -> Iterator[CallLine]:
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, list | dict) and value else None)
    if "\n" not in value:
        yield CallLine(":", f"{_line(key)}: {value}")
        return
    yield CallLine(":", f"{_line(key)}:")
    yield from _plain(value, "  ")


def _line(name: str) -> str:
    return name.replace("\n", " ")


def _plain(text: str, indent: str = "") -> Iterator[CallLine]:
    """A text by its lines; those of a patch with their signs."""
    patch = any(line.startswith(_PATCHES) for line in text.split("\n", 40)[:40])
    for line in text.split("\n"):
        sign: Sign = ""
        if patch and line.startswith(("***", "@@", "diff ", "---", "+++")):
            sign = "@"
        elif patch and line.startswith(("+", "-")):
            sign = "+" if line[0] == "+" else "-"
        yield CallLine(sign, indent + line)


def _change(old: str, new: str) -> Iterator[CallLine]:
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > _COMPARED:
        steps = [("replace", 0, len(before), 0, len(after))]
    else:
        steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for step, first, last, begin, end in steps:
        if step == "equal":
            yield from (CallLine("", f"  {line}") for line in before[first:last])
            continue
        yield from (CallLine("-", f"- {line}") for line in before[first:last])
        yield from (CallLine("+", f"+ {line}") for line in after[begin:end])
