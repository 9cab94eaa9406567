"""Help: every action with its keys, those of this place first, and the signs; searchable by name, key and sign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.actions.action import IN, Action, Situation
from tui.actions.registry import ACTIONS, holds_at, is_pane, key_name, matching, nearest_first
from tui.render.common.glyphs import Mark, Signs
from tui.render.hits import match_marks
from tui.render.ranking import label_marks, standing_marks
from tui.widgets.scroll_text import Reading

_KEYS, _INDENT, _ROOMY = 16, 2, 48
_WHERE: Mapping[str, str] = {
    "box": "in the box",
    "pane": "outside the box",
    "list": "in a list",
    "scroll": "in a text",
    "case": "in the text next to a list",
    "why": "in the trace",
    "whole": "in the full text",
    "write": "while writing",
    "conflict": "in a conflict",
    "library": "outside the passage",
    "passage": "in the passage",
}
"""Where a key holds, said only where one key does two things in a group."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the help: the keys, what they do, where if that must be said, and why not here."""

    keys: str
    title: str
    where: str = ""
    why_not: str = ""


def draw_help(actions: Sequence[Action], now: Situation, signs: Signs, width: int) -> Content:
    """Draw the actions by group in lines of `width` cells; wrapped lines continue under their title."""
    lines: list[Content] = []
    for group in dict.fromkeys(action.group for action in actions):
        lines += Content.styled(group, "bold $cb-accent").wrap(max(1, width))
        lines += _group(entries([action for action in actions if action.group == group], now, signs), width)
        lines.append(Content(""))
    return Content("\n").join(lines)


def entries(actions: Sequence[Action], now: Situation, signs: Signs) -> tuple[Entry, ...]:
    """The lines of one group: actions that differ in a digit are one line."""
    twice = _twice(signs, actions[0].group) if actions else set[str]()
    found: list[Entry] = []
    for run in _runs(actions, signs):
        action, last = run[0], run[-1]
        held = signs.keys.of(action.name, action.keys)
        keys = " ".join(key_name(key, ascii_only=signs.plain) for key in held) or "no key"
        span = f" {'..' if signs.plain else '…'} {last.keys[0]}" if last is not action else ""
        where = _WHERE.get(action.scope, "") if twice.intersection(held) else ""
        if where.split(" ", 2)[-1] in action.title:  # it says so itself
            where = ""
        if action.keys and not holds_at(action, now.focus) and (action.group == IN or not is_pane(now.focus)):
            where = "in Errors"
        found.append(Entry(keys + span, action.title + span, where, signs.fill_keys(action.enabled(now))))
    return tuple(found)


def _runs(actions: Sequence[Action], signs: Signs) -> Iterable[list[Action]]:
    """Yield the actions one by one, or together if they are adjacent and only their digit differs."""
    run: list[Action] = []
    for action in actions:
        if run and _numbered(action, signs) and _numbered(action, signs) == _numbered(run[-1], signs):
            run.append(action)
            continue
        if run:
            yield run
        run = [action]
    if run:
        yield run


def _numbered(action: Action, signs: Signs) -> str:
    """The title of an action without its last word, where that is its key, a digit; else blank."""
    head, _, last = action.title.rpartition(" ")
    return head if last.isdigit() and signs.keys.of(action.name, action.keys) == (last,) else ""


def _twice(signs: Signs, group: str) -> set[str]:
    """The keys that do more than one thing in a group, in different places."""
    held = (signs.keys.of(action.name, action.keys) for action in ACTIONS if action.group == group)
    return {key for key, times in Counter(key for keys in held for key in keys).items() if times > 1}


def _group(found: Sequence[Entry], width: int) -> list[Content]:
    """What is possible; then the rest, under the reason if several share one."""
    shared = {reason for reason, times in Counter(entry.why_not for entry in found).items() if reason and times > 1}
    lines = [line for entry in found if not entry.why_not for line in _entry(entry, width)]
    for reason in dict.fromkeys(entry.why_not for entry in found if entry.why_not):
        if reason in shared:
            lines += _hung(Content(" " * _INDENT), Content.styled(reason, "italic $cb-dim"), width)
        for entry in found:
            if entry.why_not == reason:
                lines += _entry(entry, width, has_heading=reason in shared)
    return lines


def _entry(entry: Entry, width: int, *, has_heading: bool = False) -> list[Content]:
    possible = not entry.why_not
    gap = " " * max(1, _KEYS - cell_len(entry.keys))
    head = Content.styled(" " * _INDENT + entry.keys + gap, "bold $cb-text" if possible else "$cb-dim")
    body = Content.assemble(
        (entry.title, "$cb-soft" if possible else "$cb-dim"),
        (f", {entry.where}" if entry.where else "", "$cb-faint"),
        (f"  ({entry.why_not})" if entry.why_not and not has_heading else "", "$cb-faint"),
    )
    return _hung(head, body, width)


def _hung(head: Content, body: Content, width: int) -> list[Content]:
    """Return `head` and then `body`, wrapped under its beginning, or slightly indented without room for that."""
    indent = head.cell_length if width >= _ROOMY else 2 * _INDENT
    if indent < head.cell_length:
        head, body = Content(""), Content.assemble(head, body)
    first, *rest = body.wrap(max(1, width - indent))
    return [head + first, *(Content(" " * indent) + line for line in rest)]


def legend(signs: Signs, text: str = "") -> tuple[tuple[str, tuple[Mark, ...]], ...]:
    """The signs by subject; with a `text` those that are this sign, or whose meaning has all its words."""
    parts = (
        ("Case match", signs.tiers.values()),
        ("Fix", signs.statuses.values()),
        ("Quote", signs.quotes.values()),
        ("Rule", standing_marks(signs)),
        ("Rule label", label_marks(signs)),
        ("Passage match", match_marks(signs)),
        ("Trace step", signs.outcomes.values()),
    )
    words = text.casefold().split()
    found = ((heading, _matching_marks(heading, marks, words)) for heading, marks in parts)
    return tuple((heading, marks) for heading, marks in found if marks)


def _matching_marks(heading: str, marks: Iterable[Mark], words: list[str]) -> tuple[Mark, ...]:
    return tuple(mark for mark in marks if all(_matches(heading, mark, word) for word in words))


def _matches(heading: str, mark: Mark, word: str) -> bool:
    return word == mark.sign.casefold() or (
        len(word) > 1 and word in f"{mark.words} {heading} signs symbols".casefold()
    )


def draw_legend(found: Iterable[tuple[str, tuple[Mark, ...]]]) -> Content:
    """The signs under their subject; blank if there are none."""
    parts: list[tuple[str, str]] = []
    for heading, marks in found:
        parts.append((f"  {heading}\n", "$cb-dim"))
        for mark in marks:
            parts += [(f"    {mark.sign}  ", f"bold {mark.tone}"), (f"{mark.words}\n", "$cb-soft")]
    return Content.assemble(("Symbols\n", "bold $cb-accent"), *parts) if parts else Content("")


_WIDTH = 78
"""Cells of a line before the first layout."""


class Lines(Static):
    """A text that is drawn again for another width."""

    def __init__(self, draw: Callable[[], None]) -> None:
        super().__init__()
        self._draw, self._cells = draw, 0

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._cells:
            self._cells = event.size.width
            self._draw()


class HelpScreen(ModalScreen[None]):
    """Type to narrow it down; Esc closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        Binding("ctrl+l", "clear", "Clear the search", priority=True),
        ("down", "scroll(2)", ""),
        ("up", "scroll(-2)", ""),
        ("pagedown", "page(1)", ""),
        ("pageup", "page(-1)", ""),
    ]

    def __init__(self, situation: Situation, signs: Signs) -> None:
        super().__init__()
        self._situation = situation
        self._signs = signs
        self._lines = Lines(self._show)
        self._box = Input(placeholder="Search actions, keys or symbols", select_on_focus=False)

    def compose(self) -> ComposeResult:
        with Vertical(id="help") as frame:
            frame.border_title = Content("Keys and actions")
            frame.border_subtitle = Content("esc closes")
            yield self._box
            with Reading(id="help-lines", can_focus=False):
                yield self._lines

    def on_mount(self) -> None:
        self._show()
        self._box.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    def action_clear(self) -> None:
        """Clear the search: the same key as in a pane."""
        self._box.value = ""

    def action_scroll(self, lines: int) -> None:
        """Scroll the table while the box keeps the focus."""
        self.query_one("#help-lines", Reading).scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by what is seen, less one line of context."""
        self.action_scroll(pages * max(1, self.query_one("#help-lines", Reading).size.height - 1))

    def _show(self) -> None:
        text = self._box.value
        found = nearest_first(matching(text, self._signs.keys), self._situation)
        signs = legend(self._signs, text)
        if not found and not signs:
            message = "No matching action, key or symbol."
            self._lines.update(Content.styled(message, "$cb-dim"))
            return
        table = draw_help(found, self._situation, self._signs, self._lines.size.width or _WIDTH)
        self._lines.update(Content.assemble(table, "\n" if table else "", draw_legend(signs)))
