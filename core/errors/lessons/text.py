"""A lesson in words: a card for people, and at most 60 tokens for an agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from core.errors.identity.lack import lack_of
from core.errors.lessons.lesson import NO_SANDBOX, Lesson, Scope
from core.text import clean, estimate_tokens

AGENT_TOKENS: Final = 60
"""Tokens of the form for an agent, as `estimate_tokens` counts them."""
_CLOSED: Final = frozenset(("network", "service", "write"))
"""Kinds of lack that a sandbox can be the reason of."""
_DO_BYTES: Final = 132
_WHEN_BYTES: Final = 60
_WHEN_LEAST: Final = 24
_DIFF_LINE: Final = 76
_SCOPES: Final[dict[Scope, str]] = {
    "session": "this session",
    "project": "this project",
    "general": "every project",
}


def card(lesson: Lesson) -> tuple[tuple[str, str], ...]:
    """The lesson as labels and texts, in the order in which a person reads them; what is not known is left out."""
    when, do = lesson.when, lesson.do
    tool = " ".join(part for part in (when.tool, when.version) if part)
    where = f" ({', '.join(part for part in (tool, when.system) if part)})" if tool or when.system else ""
    rows = (
        ("When", f"{when.error}{where}"),
        ("Sandbox", sandbox_that_matters(lesson)),
        ("Do", (f"in {do.file}\n{do.text}" if do.file else do.text)),
        ("Instead of", do.instead_of),
        ("Not", "\n".join(lesson.dead_ends)),
        ("Check", lesson.check),
        ("Because", lesson.because or ""),
        ("Scope", _scope(lesson)),
        ("Workaround", "it hides the failure instead of fixing it" if lesson.workaround else ""),
        ("Recheck", lesson.recheck or ""),
        ("Used", _used(lesson)),
    )
    return tuple((label, text) for label, text in rows if text)


def sandbox_that_matters(lesson: Lesson) -> str:
    """The sandbox of the failure, where it may be why it failed: the error names what a sandbox closes (the network, a
    port, a file), or the fix speaks of the sandbox. Else empty."""
    sandbox = lesson.when.sandbox
    if sandbox in ("", NO_SANDBOX):
        return ""
    lack = lack_of(lesson.when.error)
    spoken = (lesson.do.text, lesson.because or "", *(one.why for one in lesson.evidence))
    named = any("sandbox" in text.lower() for text in spoken)
    return sandbox if named or (lack is not None and lack.kind in _CLOSED) else ""


def scope_name(scope: Scope) -> str:
    """Where a lesson holds, in words."""
    return _SCOPES[scope]


def _scope(lesson: Lesson) -> str:
    offered = "; the same fix worked in another repository" if lesson.offered else ""
    return f"{_SCOPES[lesson.scope]}{offered}"


def _used(lesson: Lesson) -> str:
    if not lesson.told:
        return ""
    last = f", last {lesson.last_helped[:10]}" if lesson.last_helped else ""
    return f"shown {_times(lesson.told)}, helped {_times(lesson.helped)}{last}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def agent_text(lesson: Lesson, most: int = AGENT_TOKENS) -> str:
    """The lesson in lines for an agent, at most `most` tokens: what to do first, the rest as far as it fits.

    The error is cut (`…`), the other lines are left out where they do not fit; a command is only cut where it would not
    fit alone.
    """
    do = _do_lines(lesson, min(_DO_BYTES, 3 * most - 3))
    used = list(do)

    def take(label: str, text: str, least: int = 0) -> list[str]:
        left = 3 * most - 2 - len("\n".join((*used, "")).encode("utf-8", "replace"))
        line = f"{label}: {_flat(text)}"
        line = _cut(line, min(left, _WHEN_BYTES)) if least and left >= least else line
        if not text or estimate_tokens("\n".join((*used, line))) > most:
            return []
        used.append(line)
        return [line]

    check = [] if _flat(lesson.check) == _flat(lesson.do.text) else take("check", lesson.check)
    when = take("when", lesson.when.error, _WHEN_LEAST)
    sandbox = take("sandbox", sandbox_that_matters(lesson))
    tried = (lesson.do.instead_of, *lesson.dead_ends)
    dead = [line for one in tried for line in take("not", one)]
    because = take("because", lesson.because or "")
    return "\n".join((*when, *sandbox, *do, *dead, *check, *because))


def _do_lines(lesson: Lesson, room: int) -> list[str]:
    do, label = lesson.do, "do (workaround)" if lesson.workaround else "do"
    if do.kind != "hunk":
        return [_cut(f"{label}: {_flat(do.text)}", room)]
    head = _cut(f"{label}: edit {do.file.replace(chr(92), '/').rpartition('/')[2]}", room)
    changed = list(_dedented(do.text))
    for shown in (changed, [line for line in changed if line[0] == "+"]):
        lines = [head, *(_cut(line, _DIFF_LINE) for line in shown)]
        if len("\n".join(lines).encode("utf-8", "replace")) <= room:
            return lines
    lines = [head]
    for line in [line for line in changed if line[0] == "+"] or changed:
        shorter = _cut(line, _DIFF_LINE)
        if len("\n".join((*lines, shorter, "…")).encode("utf-8", "replace")) > room:
            break
        lines.append(shorter)
    return [*lines, "…"] if len(lines) > 1 else lines


def _dedented(diff: str) -> Iterator[str]:
    """The changed lines of a diff that say something, without the indent that all of them share."""
    changed = [line.expandtabs(2) for line in diff.split("\n") if line[:1] in ("+", "-") and line[1:].strip()]
    indent = min((len(line[2:]) - len(line[2:].lstrip()) for line in changed), default=0)
    return (f"{line[:2]}{line[2 + indent :].rstrip()}" for line in changed)


def _flat(text: str) -> str:
    return " ".join(clean(text).split())


def _cut(text: str, size: int) -> str:
    """`text` in at most `size` bytes of UTF-8, whole characters, with a sign where it was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    return f"{data[: max(size - 3, 0)].decode('utf-8', 'ignore')}…"
