"""Cases and fixes as Markdown: one case whole for people, verified fixes that an import reads, a block for agents.

A fix begins with a comment that holds everything but the text, and ends with another; what stands outside of these is
left alone, so a file may hold other things too. The block in a file that agents read has no data for machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from core.base.managed_block import read_text
from core.base.wire import dumps, to_wire
from core.errors.cases.case import Case
from core.errors.cases.resolutions import Resolution
from core.errors.exchange.fixes import PortableFix
from core.text import visible

RAW_SHOWN = 65_536
"""Code points of the raw error."""


def case_markdown(case: Case, raw: str = "") -> str:
    """The case with all its fixes and, if given, the error as it was seen. Every foreign sign is inert."""
    return visible("\n".join(_case_lines(case, raw))) + "\n"


def _case_lines(case: Case, raw: str) -> Iterator[str]:
    yield f"# {code(case.key_lines[0] if case.key_lines else case.error_normalized)}"
    yield ""
    seen = f"seen {case.occurrences} times, {case.first_seen} to {case.last_seen}"
    yield f"Case {case.id}, {case.status}. Tool {code(case.tool)}, {seen}."
    if case.project:
        yield f"Project {code(case.project)}."
    for one in sorted(case.resolutions, key=lambda one: (one.current, one.ts, one.id), reverse=True):
        yield ""
        yield from _fix_section(one)
    if not any(one.current for one in case.resolutions):
        yield from ("", "No fix answers yet.")
    yield from ("", "## Keys", "")
    yield from (f"- {code(key)}" for key in case.keys)
    yield from (f"- fingerprint {code(finer.fingerprint)}: {code(finer.key_line)}" for finer in case.fingerprints)
    if raw:
        yield from ("", "## The error as it was seen", "")
        yield fenced(raw[:RAW_SHOWN])
        if len(raw) > RAW_SHOWN:
            yield f"\n{len(raw) - RAW_SHOWN:,} more characters."


def _fix_section(one: Resolution) -> Iterator[str]:
    yield f"## {'Fix' if one.current else 'Earlier fix'}, {one.status}"
    yield ""
    yield one.text.strip("\n")
    yield ""
    told = [f"by {code(one.author)}" if one.author else "", one.ts]
    told.append("with " + ", ".join(code(name) for name in one.tool_sequence) if one.tool_sequence else "")
    if one.source.session:
        numbers = ", ".join(map(str, one.source.messages))
        told.append(f"session {code(one.source.session)}" + (f", messages {numbers}" if numbers else ""))
    if one.tags:
        told.append("tags " + ", ".join(code(tag) for tag in one.tags))
    if one.reason:
        told.append(f"rejected for {code(one.reason)}")
    yield "(" + "; ".join(part for part in told if part) + ")"


def code(text: str) -> str:
    """One line as inline code, whatever stands in it."""
    line = text.replace("\n", " ").strip()
    if "`" not in line:
        return f"`{line}`"
    ticks = "`" * (max(len(run) for run in re.findall("`+", line)) + 1)
    return f"{ticks} {line} {ticks}"


def fenced(text: str) -> str:
    """A block of code that no line of `text` can end."""
    runs = re.findall("^[ \t]*(`{3,})", text, re.MULTILINE)
    fence = "`" * max(3, *(len(run) + 1 for run in runs)) if runs else "```"
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}text\n{text}{end}{fence}"


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
    return f"\n## {code(visible(_key_line(fix)))}\n\n<!-- casebook:fix {told} -->\n\n{body}\n\n{_END}\n"


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


def _key_line(fix: PortableFix) -> str:
    """The key line of the error that a fix is for, else the first one of its case."""
    own = (one.key_line for one in fix.fingerprints if one.fingerprint == fix.fingerprint)
    return next(own, fix.fingerprints[0].key_line if fix.fingerprints else fix.error_normalized)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:16]


KIND = "fixes"
AGENT_FILES = frozenset(("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"))
_HEAD = """\
## Known errors and their fixes

Written by casebook. A person verified each fix. `casebook errors search "the error"` finds more."""


def is_for_agents(path: Path) -> bool:
    """Whether the fixes go into a block of this Markdown file: agents read it, or it holds text of the user.

    A file that is missing, empty or an export as a whole is written whole, except where agents read it. Raises Fault if
    it cannot be read.
    """
    if path.suffix.lower() not in (".md", ".markdown", ".mdc", ".mdx"):
        return False
    if not path.is_file():
        return path.name in AGENT_FILES or path.parent.parts[-2:] == (".claude", "rules")
    text = read_text(path)
    return bool(text.strip("\ufeff \t\r\n")) and not is_export(text)


def block_body(fixes: Iterable[PortableFix]) -> str:
    """The block's lines: for each fix what it is for and, quoted, what it says. The home folder is `~`."""
    home = os.path.join(os.path.expanduser("~"), "")  # noqa: PTH111, PTH118  text, not a path
    parts = [_HEAD, *(_block_fix(fix) for fix in fixes)]
    return "\n\n".join(parts).replace(home, "~" + os.sep)


def _block_fix(fix: PortableFix) -> str:
    # Quoted, an open code fence or comment ends with the fix.
    quoted = (f"> {one}".rstrip() for one in visible(fix.resolution).strip("\n").split("\n"))
    return f"### {code(visible(_key_line(fix)))}\n\n" + "\n".join(quoted)
