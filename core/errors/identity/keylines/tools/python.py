"""Python: tracebacks (chained, grouped, without a header, IPython, rich) and what the interpreter itself says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, rule, tool
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part

_HEADER = "Traceback (most recent call last)"
_GUTTER = lazy_pattern(r"[ |]*(?:\+[-+ ]*(?:\d+ )?[-]*)? ?(?:\| )*", re.ASCII)
_GROUP_LINE = lazy_pattern(r"\s*(?:\||\+)")
_MEMBER = lazy_pattern(r"\s*+(?:(?:\| )+\s*+)?\+-[+-]*- (?:\d+|\.\.\.) -+\Z")
_EXCEPTION = lazy_pattern(r"(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\.<locals>)*)(?:: |:?\Z)")
_SUBPROCESS = lazy_pattern(r"(?:subprocess\.)?CalledProcessError: ")
_FILE = lazy_pattern(r'\s*File "[^"\n]{1,600}", line \d+', re.ASCII)
_BUILTIN = (
    "ModuleNotFoundError|ImportError|AttributeError|KeyError|ValueError|IndexError|NameError|UnboundLocalError|OSError|"
    "FileNotFoundError|FileExistsError|PermissionError|NotADirectoryError|IsADirectoryError|ZeroDivisionError|"
    "RuntimeError|NotImplementedError|RecursionError|IndentationError|TabError|UnicodeDecodeError|UnicodeEncodeError|"
    "AssertionError|ConnectionRefusedError|ConnectionResetError|BrokenPipeError|"
    "LookupError|MemoryError|OverflowError|StopIteration|ExceptionGroup|EOFError|BlockingIOError"
)
_REACH = 4000
_INVALID = lazy_pattern(r"\b\d+ validation errors? for \S+\Z", re.ASCII)
_BELOW = lazy_pattern(r"(?:E {2,}|[ |]*)(?P<said>[^\s|].*)")
_FIELD_REASON = lazy_pattern(r"\[type=\w+, input_value=|\(type=[\w.]+(?:; [^()]*)?\)\Z", re.ASCII)


class Raised(NamedTuple):
    """An exception's line: where its text begins, and how deep it is nested (its column)."""

    number: int
    start: int
    depth: int


def exceptions(page: Page, first: int = 0, last: int | None = None) -> list[Raised]:
    """The lines that name an exception below a traceback, in order, between two line numbers."""
    last = len(page.lines) if last is None else last
    found: list[Raised] = []
    number = first
    while number < last:
        text = page.text(number)
        header = text.find(_HEADER)
        if header >= 0:
            raised = _below(page, number, header, last)
            if raised:
                found.append(raised)
                number = max(number, raised.number)
        elif _FILE.match(text) and (raised := _headless(page, number, text, last)):
            found.append(raised)
            number = raised.number
        elif _MEMBER.match(text) and (raised := _bare_member(page, number + 1, last)):
            found.append(raised)
        number += 1
    return found


def _below(page: Page, number: int, header: int, last: int) -> Raised | None:
    """Return the exception of the traceback with its header on line `number` at `header`."""
    before = page.text(number)[:header]
    if "─" in before or "╭" in before:
        return _after_box(page, number, last)
    name = before.strip()
    if name and _EXCEPTION.match(name) and header > 30:
        return _ipython(page, number, name, last)
    depth = header - len("Exception Group ") if before.endswith("Exception Group ") else header
    for at in range(number + 1, min(last, number + _REACH)):
        text = page.text(at)
        start = depth if _GROUP_LINE.match(text) and depth else len(text) - len(text.lstrip())
        content = text[start:]
        if not content.strip() or content[0] == " " or start > depth:
            continue
        if _HEADER in content:
            return None
        if _EXCEPTION.match(content.strip()):
            return Raised(at, start, depth)
    return None


def _headless(page: Page, number: int, text: str, last: int) -> Raised | None:
    """A frame without a header above: a syntax error, or a traceback whose head was cut off."""
    depth = max(0, len(text) - len(text.lstrip()) - 2)
    for at in range(number + 1, min(last, number + 400)):
        line = page.text(at)
        start = len(line) - len(line.lstrip())
        if line.strip() and start <= depth:
            return Raised(at, start, depth) if _EXCEPTION.match(line.strip()) and _HEADER not in line else None
    return None


def _bare_member(page: Page, number: int, last: int) -> Raised | None:
    """A member of a group that was never raised: its line follows the ruler at once."""
    if number >= last:
        return None
    text = page.text(number)
    start = match.end() if (match := _GUTTER.match(text)) else 0
    return Raised(number, start, start) if _HEADER not in text and _EXCEPTION.match(text[start:]) else None


def _after_box(page: Page, number: int, last: int) -> Raised | None:
    for at in range(number + 1, min(last, number + _REACH)):
        if page.text(at).lstrip().startswith("╰"):
            following = page.next_filled(at + 1)
            return Raised(following, 0, 0) if following is not None and following < last else None
    return None


def _ipython(page: Page, number: int, name: str, last: int) -> Raised | None:
    for at in range(number + 1, min(last, number + _REACH)):
        if page.text(at).startswith((f"{name}:", f"{name} :")) or page.text(at) == name:
            return Raised(at, 0, 0)
    return None


def raised(page: Page, item: Raised, weight: int) -> KeyLineCandidate:
    text = page.text(item.number)
    return KeyLineCandidate(weight, (Part(item.number, item.start, len(text)),))


def invalid_fields(page: Page, number: int, weight: int) -> Iterator[KeyLineCandidate]:
    """What pydantic found wrong below `2 validation errors for Model`: each field with its reason."""
    if "validation error" not in page.text(number) or not _INVALID.search(page.text(number)):
        return
    field: Part | None = None
    for at in range(number + 1, min(number + 60, len(page.lines))):
        text = page.text(at)
        match = _BELOW.match(text)
        if match is None:
            return
        part = Part(at, *match.span("said"))
        if _FIELD_REASON.search(text):
            yield KeyLineCandidate(weight, (part,) if field is None else (field, part))
            field = None
        elif not match["said"].startswith("For further information"):
            field = part


def _is_group(text: str) -> bool:
    """Whether a line names a group of exceptions, which ends with their number."""
    return "ExceptionGroup: " in text and text.endswith((" sub-exception)", " sub-exceptions)"))


def _tracebacks(page: Page) -> Iterator[KeyLineCandidate]:
    """The last traceback of the outermost level is what the program died of; the others are its causes and members.

    A group says only that something in it failed: its first member leads.
    """
    items = exceptions(page)
    if not items:
        return
    top = min(item.depth for item in items)
    primary = [item for item in items if item.depth == top][-1]
    if _is_group(page.text(primary.number)):
        members = [item for item in items if item.number > primary.number and not _is_group(page.text(item.number))]
        primary = members[0] if members else primary
    for item in items:
        text = page.text(item.number)[item.start :]
        weight = CAUSE if item is primary else DETAIL
        yield raised(page, item, REPORT - 1 if weight == CAUSE and _SUBPROCESS.match(text) else weight)
        yield from invalid_fields(page, item.number, weight)


TOOLS = (
    tool("python", signs=(_HEADER, 'File "'), find=_tracebacks),
    tool(
        "python",
        rule("Fatal Python error: ", r"Fatal Python error: ", CAUSE),
        rule(
            ("ython", "pypy"),
            r"(?>\S*(?:python|pypy|Python))[\w.]*+: (?:can't open file|No module named|Error while finding) ?",
            CAUSE,
        ),
        rule(("Error: ", "Error"), rf"(?:{_BUILTIN})(?:: .*|\Z)", REPORT),
        rule(
            ("Error: ", "Exception: "),
            r"(?!java|javax|org|com|net|io|kotlin|scala|android|System|"
            r"Microsoft)(?:[A-Za-z_]\w*\.)+[A-Z]\w*(?:Error|Exception): .*",
            REPORT,
        ),
        rule("Warning: ", r"\w+Warning: .+", DETAIL, located=""),
        rule("usage: ", r"usage: \S+", WRAPPER - 5),
        rule(
            ": error: ",
            r"[\w.-]+(?: [\w-]+)?: error: (?:the following arguments|unrecognized arguments|"
            r"argument |invalid choice|one of the arguments|ambiguous option).*",
            REPORT,
        ),
        rule("environment was not created", r"The virtual environment was not created successfully.*", REPORT),
        rule(": (", r"[\w.-]+: \(\w+\.[EC]\d{3}\) .*", REPORT + 1),
        rule("CommandError: ", r"CommandError: .+", REPORT),
    ),
)
