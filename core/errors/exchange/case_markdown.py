"""One case whole as Markdown, for people: what it is, what fixes it, what was tried, how it looked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.cases.case import Case
from core.errors.cases.resolutions import Resolution
from core.text import visible

RAW_SHOWN = 65_536
"""Code points of the raw error."""


def case_markdown(case: Case, raw: str = "") -> str:
    """The case with all its fixes and, if given, the error as it was seen. Every foreign sign is inert."""
    return visible("\n".join(_lines(case, raw))) + "\n"


def _lines(case: Case, raw: str) -> Iterator[str]:
    yield f"# {code(case.key_lines[0] if case.key_lines else case.error_normalized)}"
    yield ""
    seen = f"seen {case.occurrences} times, {case.first_seen} to {case.last_seen}"
    yield f"Case {case.id}, {case.status}. Tool {code(case.tool)}, {seen}."
    if case.project:
        yield f"Project {code(case.project)}."
    for one in sorted(case.resolutions, key=lambda one: (one.current, one.ts, one.id), reverse=True):
        yield ""
        yield from _fix(one)
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


def _fix(one: Resolution) -> Iterator[str]:
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
