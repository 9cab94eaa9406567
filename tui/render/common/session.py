"""A session: its name in a line, and its messages as lines with the error and the fix marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from textual.content import Content

from core.text import visible
from tui.render.common.amounts import stamp
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import cut, inline, short_id, title, wrap

if TYPE_CHECKING:
    from core.errors import SourceMessage
    from core.errors.cases.source import Judged


_FOLDER = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")


def session_name(session: str, started: str, project: str, cells: int = 60) -> str:
    """`2026-10-12 weather 01946826` in at most `cells` cells: of a long project as much as there is room for.

    `project` is a repository's short name, or a folder of which the last part is shown.
    """
    name, day = short_id(session), stamp(started)[:10]
    room = cells - sum(cell_len(part) + 1 for part in (day, name) if part)
    if room < 1:
        return cut(name, cells)
    if _FOLDER.match(project):
        project = project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return " ".join(part for part in (day, inline(project, room), name) if part)


MAX_CHARS = 4_000
"""Code points of one message; the whole of it is one key away."""

Kind = Literal["head", "text", "more", "gap"]
Mark = Literal["", "error", "fix"]
_WORDS = {"tool_use": "call", "tool_result": "result", "thinking": "thought"}
_VERDICTS = {"agent_tool": "agent's tool"}
_SIGNED = {"+": "$cb-good on $cb-added", "-": "$cb-bad on $cb-removed", "@": "$cb-accent", ":": "$cb-soft"}
_TONES = {"user": "$cb-accent", "assistant": "$cb-text", "tool": "$cb-dim"}


@dataclass(frozen=True, slots=True)
class Marks:
    """What to light: the messages with the error (and its key line's span there), and those the fix comes from."""

    errors: Mapping[int, tuple[int | None, int | None]] = field(
        default_factory=dict[int, "tuple[int | None, int | None]"]
    )
    fixes: frozenset[int] = frozenset()

    def of(self, index: int) -> Mark:
        """The mark of a message; an error that is its own fix's source is an error first."""
        return "error" if index in self.errors else "fix" if index in self.fixes else ""

    @property
    def indexes(self) -> tuple[int, ...]:
        """Every marked message, in order."""
        return tuple(sorted({*self.errors, *self.fixes}))


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the screen, inert: its message, its kind, the highlighted part; the sign of a patch's line.

    `judged`: the verdict on the result that a head line begins.
    """

    index: int
    kind: Kind
    text: str
    role: str = ""
    mark: Mark = ""
    highlight: tuple[int, int] | None = None
    sign: str = ""
    judged: Judged | None = None


def lines_of(
    messages: Sequence[SourceMessage], width: int, marks: Marks, check: Callable[[], None] = lambda: None
) -> tuple[Line, ...]:
    """The messages as lines of at most `width` cells. Made off the interface's thread; `check` may end it."""
    found: list[Line] = []
    for message in messages:
        check()
        found += _message(message, max(1, width), marks)
    return tuple(found)


def _message(message: SourceMessage, width: int, marks: Marks) -> Iterator[Line]:
    mark, index = marks.of(message.index), message.index
    facts = [message.role, _WORDS.get(message.kind, "" if message.kind == "text" else message.kind)]
    facts += [message.tool or "", stamp(message.ts), "" if message.chain in ("", "main") else f"agent {message.chain}"]
    yield Line(
        index, "head", "  ".join(title(part) for part in facts if part), message.role, mark, judged=message.judged
    )
    if message.kind == "tool_use":
        yield from _call(message, width)
        yield Line(index, "gap", "")
        return
    start, end = marks.errors.get(index, (None, None))
    first = 0 if end is None or end <= MAX_CHARS else max(0, (start or 0) - MAX_CHARS // 4)
    text = message.text[first : first + MAX_CHARS]
    if first:
        yield Line(index, "more", f"{first:,} characters before")
    if text.strip():
        yield from _body(index, text.rstrip("\n"), width, _shifted(start, end, first), message.role)
    if (left := len(message.text) - first - len(text)) > 0:
        yield Line(index, "more", f"{left:,} more characters")
    yield Line(index, "gap", "")


def whole_text(message: SourceMessage) -> str:
    """All of a message as it is shown."""
    from core.transcripts.commands import call_lines  # not for the first screen

    return "\n".join(line for _, line in call_lines(message.text)) if message.kind == "tool_use" else message.text


def _call(message: SourceMessage, width: int) -> Iterator[Line]:
    """A tool's call, laid out for a person: a patch as a patch, a command as a command."""
    from core.transcripts.commands import call_lines

    lines = call_lines(message.text.rstrip("\n"))
    left, room = sum(len(text) + 1 for _, text in lines), MAX_CHARS
    for sign, text in lines:
        part = text[:room]
        line = visible(part).expandtabs(4)
        for start, end in wrap(line, width):
            yield Line(message.index, "text", line[start:end], message.role, sign=sign)
        room, left = room - len(part) - 1, left - len(part) - 1
        if room <= 0:
            break
    if left > 0:
        yield Line(message.index, "more", f"{left:,} more characters")


def _shifted(start: int | None, end: int | None, first: int) -> tuple[int, int] | None:
    return None if start is None or end is None else (start - first, end - first)


def _body(index: int, text: str, width: int, highlight: tuple[int, int] | None, role: str) -> Iterator[Line]:
    at = 0
    for raw in text.split("\n"):
        line = visible(raw).expandtabs(4)
        own: tuple[int, int] | None = None
        if highlight is not None and highlight[0] < at + len(raw) and highlight[1] > at:
            own = (_column(raw, highlight[0] - at), _column(raw, highlight[1] - at))
        for start, end in wrap(line, width):
            part = None
            if own is not None and own[0] < end and own[1] > start:
                part = (max(0, own[0] - start), min(end, own[1]) - start)
            yield Line(index, "text", line[start:end], role, "", part)
        at += len(raw) + 1


def _column(raw: str, at: int) -> int:
    """Return the column of the code point `at` of a line after its tabs are expanded."""
    at = min(max(0, at), len(raw))
    return at if "\t" not in raw else len(visible(raw[:at]).expandtabs(4))


def _margin(judged: Judged, room: int) -> tuple[str, str]:
    """The verdict on a result, and its tone; the rest of what is known of it is in the trace."""
    label = f"  {_VERDICTS.get(judged.verdict, judged.verdict)}"
    if judged.repeats is not None:
        label += f", repeats #{judged.repeats}"
    elif judged.verdict == "incident":
        label += "" if judged.worth in ("", "none") else f", {judged.worth}"
    return inline(label, max(1, room)), "bold $cb-bad" if judged.verdict == "incident" else "$cb-draft"


def draw_line(line: Line, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """One line; the chosen message has a bar, its head says its number."""
    bar = (signs.bar if chosen else " ", "$cb-accent")
    if line.kind == "head":
        mark = {"error": ("  error", "bold $cb-bad"), "fix": ("  fix", "bold $cb-good")}.get(line.mark, ("", ""))
        tone = _TONES.get(line.role, "$cb-soft")
        judged = ("", "") if line.judged is None else _margin(line.judged, width - 24)
        head = inline(f" #{line.index}  {line.text}", max(1, width - 9 - cell_len(judged[0])), more=signs.more)
        return Content.assemble(bar, (head, f"bold {tone}"), judged, mark)
    if line.kind == "more":
        way = signs.fill_keys(" ({session.whole} shows all)")
        return Content.assemble(bar, (inline(f" {signs.more} {line.text}{way}", width - 1), "$cb-draft"))
    tone = _SIGNED.get(line.sign) or ("$cb-soft" if line.role != "tool" else "$cb-dim")
    body = Content.styled(" " + line.text, tone)
    if line.highlight is not None:
        body = body.stylize("bold underline $cb-bad", line.highlight[0] + 1, line.highlight[1] + 1)
    return Content.assemble(bar, body)
