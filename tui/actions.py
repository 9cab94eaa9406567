"""Every action of the workbench, once: bindings, footer, palette, help and the key table all come from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Scope = Literal["app", "pane", "box", "list", "scroll", "whole", "case", "why"]
Focus = Literal["box", "list", "case", "why", "none"]


@dataclass(frozen=True, slots=True)
class Situation:
    """What the workbench is doing, as far as an action's being possible depends on it."""

    focus: Focus = "none"
    cases: int = 0
    query: str = ""
    case_open: bool = False
    has_fix: bool = False
    raw_clipped: bool = False
    trace_shown: bool = False
    zoomed: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do.

    `scope` says where its keys hold: everywhere (`app`), in the pane outside inputs (`pane`), or in one part of it.
    `rank` orders the footer, lowest first; 0 keeps it out. `enabled` gives the reason why it is not possible now, or
    an empty string. `hint` is the short title for the footer.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    scope: Scope
    group: str
    hint: str = ""
    rank: int = 0
    palette: bool = True
    priority: bool = False
    enabled: Callable[[Situation], str] = lambda _: ""


def _needs_case(now: Situation) -> str:
    return "" if now.case_open else "No case is chosen yet."


def _needs_fix(now: Situation) -> str:
    if not now.case_open:
        return "No case is chosen yet."
    return "" if now.has_fix else "This case has no fix yet."


def _needs_cases(now: Situation) -> str:
    return "" if now.cases else "The list is empty."


def _needs_query(now: Situation) -> str:
    return "" if now.query else "Nothing was searched."


def _needs_clip(now: Situation) -> str:
    if not now.case_open:
        return "No case is chosen yet."
    return "" if now.raw_clipped else "All of the error is shown already."


FIND, MOVE, READ, CASE, VIEW, APP = "Find", "In the list", "In a text", "The case", "View", "Workbench"

ACTIONS: tuple[Action, ...] = (
    Action("find.focus", "Go to the search box", ("slash",), "pane", FIND, hint="search", rank=20),
    Action("find.results", "From the box to the results", ("down", "escape"), "box", FIND, "results", 1, palette=False),
    Action("find.open", "Open the first result", ("enter",), "box", FIND, "open", 2, palette=False),
    Action("find.clear", "Clear the search", ("ctrl+l",), "app", FIND, "clear", 40, True, True, _needs_query),
    Action("find.recall", "Search the last thing again", ("up",), "box", FIND, palette=False),
    Action("list.status", "Show only one status: all, unresolved, draft, verified", ("f",), "pane", FIND, "filter", 30),
    Action("list.sort", "Sort by last seen, most seen, first seen", ("s",), "pane", FIND, "sort", 31),
    Action("list.down", "Next row", ("j", "down"), "list", MOVE, palette=False),
    Action("list.up", "Previous row", ("k", "up"), "list", MOVE, palette=False),
    Action("list.page_down", "A page down", ("pagedown", "ctrl+f"), "list", MOVE, palette=False),
    Action("list.page_up", "A page up", ("pageup", "ctrl+b"), "list", MOVE, palette=False),
    Action("list.first", "First row", ("g", "home"), "list", MOVE, palette=False),
    Action("list.last", "Last row", ("G", "end"), "list", MOVE, palette=False),
    Action("list.open", "Open the case", ("enter", "l", "right"), "list", MOVE, "open", 1, False, enabled=_needs_cases),
    Action("scroll.down", "Scroll down", ("j", "down"), "scroll", READ, palette=False),
    Action("scroll.up", "Scroll up", ("k", "up"), "scroll", READ, palette=False),
    Action("scroll.page_down", "Scroll a page down", ("pagedown", "ctrl+f", "space"), "scroll", READ, palette=False),
    Action("scroll.page_up", "Scroll a page up", ("pageup", "ctrl+b"), "scroll", READ, palette=False),
    Action("scroll.first", "Scroll to the top", ("g", "home"), "scroll", READ, palette=False),
    Action("scroll.last", "Scroll to the end", ("G", "end"), "scroll", READ, palette=False),
    Action("whole.left", "Scroll to the left", ("h", "left"), "whole", READ, palette=False),
    Action("whole.right", "Scroll to the right", ("l", "right"), "whole", READ, palette=False),
    Action("case.back", "Back to the list", ("escape", "h", "left"), "case", READ, "back", 1, palette=False),
    Action("why.back", "Back to the case", ("escape", "h", "left"), "why", READ, "back", 1, palette=False),
    Action("list.back", "Back: out of the zoom, then out of the search", ("escape",), "list", MOVE, palette=False),
    Action("case.next", "Next case", ("J", "right_square_bracket"), "pane", MOVE, enabled=_needs_cases),
    Action("case.previous", "Previous case", ("K", "left_square_bracket"), "pane", MOVE, enabled=_needs_cases),
    Action("case.copy", "Copy the fix", ("y",), "pane", CASE, "copy fix", 3, enabled=_needs_fix),
    Action("case.copy_error", "Copy the error", ("Y",), "pane", CASE, enabled=_needs_case),
    Action("case.all", "Show all of the error", ("a",), "pane", CASE, "show all", 12, enabled=_needs_clip),
    Action("case.why", "Show or hide the trace: why this answer", ("t",), "pane", CASE, "why", 5),
    Action("view.zoom", "Zoom this part, or back", ("z",), "pane", VIEW, "zoom", 25),
    Action("view.reload", "Read the casebook again", ("f5", "ctrl+r"), "app", VIEW, priority=True),
    Action("view.theme", "Change the theme", (), "app", VIEW),
    Action("app.palette", "All actions, by name", ("ctrl+p",), "app", APP, "actions", 50, False, True),
    Action("app.help", "Keys and what they do", ("question_mark", "f1"), "app", APP, "help", 90, False, True),
    Action("app.interrupt", "Copy the selected text", ("ctrl+c",), "app", APP, palette=False),
    Action("app.quit", "Quit", ("q", "ctrl+q"), "app", APP, "quit", 60, False, True),
)

BY_ID = {action.id: action for action in ACTIONS}

_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "escape": "esc",
    "enter": "enter",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "f1": "F1",
    "f5": "F5",
}
_TYPED = {"slash", "question_mark", "space", "left_square_bracket", "right_square_bracket"}
"""Keys with a long name that still type a character."""
_ASCII_NAMES = {"down": "down", "up": "up", "left": "left", "right": "right"}


def key_name(key: str, *, ascii_only: bool = False) -> str:
    """A key as people write it: `ctrl+p` is `^p`."""
    if key.startswith("ctrl+"):
        return "^" + key_name(key.removeprefix("ctrl+"), ascii_only=ascii_only)
    if ascii_only and key in _ASCII_NAMES:
        return _ASCII_NAMES[key]
    return _NAMES.get(key, key)


def bindings(*scopes: Scope) -> list[BindingType]:
    """The key bindings of these scopes. Each carries its action's id, so that keys can be set by id."""
    return [
        Binding(
            key,
            f"app.perform('{action.id}')",
            action.title,
            show=False,
            priority=action.priority and (len(key) > 1 and key not in _TYPED),
            id=action.id,
        )
        for action in ACTIONS
        if action.scope in scopes
        for key in action.keys
    ]


def footer(now: Situation) -> tuple[tuple[Action, str], ...]:
    """What the footer offers now, with the key of each, the most useful first. Impossible actions are left out."""
    scopes = {"app", now.focus} if now.focus == "box" else {"app", "pane", now.focus}
    offered = [a for a in ACTIONS if a.rank and a.keys and a.scope in scopes and not a.enabled(now)]
    offered.sort(key=lambda action: action.rank)
    return tuple((action, _key_for(action, now.focus)) for action in offered if _key_for(action, now.focus))


def matching(text: str, actions: Iterable[Action] = ACTIONS) -> tuple[Action, ...]:
    """The actions whose title, group or key has every word of `text`."""
    words = text.casefold().split()
    return tuple(
        action
        for action in actions
        if all(word in _searchable(action) or word in {key_name(k).casefold() for k in action.keys} for word in words)
    )


def key_table() -> str:
    """The keys as a Markdown table, for the documentation."""
    rows = ["| key | what it does |", "| --- | --- |"]
    for group in dict.fromkeys(action.group for action in ACTIONS):
        rows.append(f"| **{group}** | |")
        rows += [
            f"| {' '.join(f'`{key_name(key)}`' for key in action.keys)} | {action.title} |"
            for action in ACTIONS
            if action.group == group and action.keys
        ]
    return "\n".join(rows) + "\n"


def _searchable(action: Action) -> str:
    return f"{action.title} {action.group} {action.hint}".casefold()


def _key_for(action: Action, focus: Focus) -> str:
    """The key to show: inside the box a plain letter would be typed, so only the others count there."""
    usable = [k for k in action.keys if focus != "box" or action.scope == "box" or (len(k) > 1 and k not in _TYPED)]
    return usable[0] if usable else ""
