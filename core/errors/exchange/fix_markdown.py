"""Fixes as Markdown for a CLAUDE.md or AGENTS.md: headings and texts to read, comments from which they come back.

A block begins with a comment that holds everything but the text, and ends with another; what stands outside of blocks
is left alone, so a file may hold other things too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import cast

from core.base.wire import dumps, to_wire
from core.errors.exchange.case_markdown import code
from core.errors.exchange.fixes import PortableFix
from core.text import visible

HEAD = "# Errors and the fixes that were checked\n"
_SIGN = "<!-- casebook:"
_BEGIN = re.compile(r"<!-- casebook:fix (.*) -->")
_END = "<!-- casebook:end -->"
LONGEST_BLOCK = 1 << 23
"""Code points."""


def markdown_fix(fix: PortableFix) -> str:
    """One fix as a block."""
    table = cast("dict[str, object]", to_wire(fix))
    body = visible(fix.resolution).replace(_SIGN, "<!- casebook:").strip("\n")
    if body == fix.resolution:
        del table["resolution"]
    told = dumps({**table, "body": _digest(body)}).replace("--", "-\\u002d").replace(">", "\\u003e")
    line = next((one.key_line for one in fix.fingerprints if one.fingerprint == fix.fingerprint), None)
    if line is None:
        line = fix.fingerprints[0].key_line if fix.fingerprints else fix.error_normalized
    return f"\n## {code(visible(line))}\n\n<!-- casebook:fix {told} -->\n\n{body}\n\n{_END}\n"


def read_markdown(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, object] | str]]:
    """The blocks of a file with their line, as the fields of `fix.v1`; or the reason why one is none.

    A text that was changed by hand since comes as a draft.
    """
    at, told, body, size = 0, "", list[str](), 0
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        begins = _BEGIN.fullmatch(line.strip()) if _SIGN in line else None
        if begins is not None:
            if at:
                yield at, "a block that does not end"
            at, told, body, size = number, begins[1], [], 0
        elif at and line.strip() == _END:
            yield at, _fields(told, "\n".join(body).strip("\n"))
            at = 0
        elif at:
            size += len(line)
            if size > LONGEST_BLOCK:
                yield at, f"longer than {LONGEST_BLOCK} characters"
                at = 0
            body.append(line)
    if at:
        yield at, "a block that does not end"


def is_export(text: str) -> bool:
    """Whether a file holds an export and nothing else: its head, headings and blocks as they were written."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] != HEAD.strip():
        return False
    outside, inside = list[str](), False
    for line in lines[1:]:
        if _BEGIN.fullmatch(line) and not inside:
            inside = True
            if not (outside and outside.pop().startswith("## ")):  # the heading of this block
                return False
        elif inside:
            inside = line != _END
        elif line:
            outside.append(line)
    unedited = (isinstance(one, dict) and "ts" in one and one["ts"] is not None for _, one in read_markdown(lines))
    return not outside and not inside and all(unedited)


def _fields(told: str, body: str) -> dict[str, object] | str:
    try:
        found: object = json.loads(told)
    except (ValueError, RecursionError):
        return "the comment holds no JSON"
    if not isinstance(found, dict):
        return "the comment holds no JSON object"
    table = cast("dict[str, object]", found)
    if table.pop("body", None) != _digest(body):
        changed = {"status": "draft", "author": "import", "ts": None, "original": None, "lesson": None}
        return {**table, "resolution": body, **changed}
    table.setdefault("resolution", body)
    return table


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:16]
