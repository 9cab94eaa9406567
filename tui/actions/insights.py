"""What a person can do in the Insights pane: the part of the registry for pane 5."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.action import Action, Situation

INSIGHTS_GROUP = "In the insights"


def _needs_pane(now: Situation) -> str:
    return "" if now.focus == "insights" else "That is done in the Insights pane."


def _needs_row(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.cases else "The list is empty.")


def _needs_session(now: Situation) -> str:
    return _needs_row(now) or ("" if now.leads else "This row has no session of its own.")


def _act(
    name: str, title: str, *keys: str, hint: str = "", rank: int = 0, needs: Callable[[Situation], str] = _needs_pane
) -> Action:
    return Action(f"insights.{name}", title, keys, "insights", INSIGHTS_GROUP, hint, rank, enabled=needs)


INSIGHT_ACTIONS: tuple[Action, ...] = (
    _act("next", "Next view: worst, came back, answers, time, did it work", "v", "tab", hint="view", rank=2),
    _act("previous", "Previous view", "V", "shift+tab"),
    _act("since", "All weeks, the last twelve, the last four", "s", hint="weeks", rank=3),
    _act("project", "Next project, or all", "p", hint="project", rank=4),
    _act("unscope", "All weeks and projects", "F", hint="all", rank=6, needs=_needs_pane),
    _act("copy", "Copy the view as Markdown, without paths", "y", hint="copy", rank=5, needs=_needs_row),
    _act("picture", "Save the view as a picture, without paths", "w", hint="picture", rank=7, needs=_needs_row),
    _act("session", "Show the last session of the row as a strip", "o", hint="session", rank=8, needs=_needs_session),
)


STRIP = "In a session's strip"


def _strip(name: str, title: str, *keys: str, hint: str = "", rank: int = 0) -> Action:
    return Action(f"strip.{name}", title, keys, "strip", STRIP, hint, rank, palette=False)


STRIP_ACTIONS: tuple[Action, ...] = (
    _strip("next", "Next result", "l", "right", "j", "down"),
    _strip("previous", "Previous result", "h", "left", "k", "up"),
    _strip("next_failed", "Next failure", "n", hint="next failure", rank=2),
    _strip("previous_failed", "Previous failure", "p", "N", hint="previous", rank=3),
    _strip("first", "First result", "g", "home"),
    _strip("last", "Last result", "G", "end"),
    _strip("open", "Read the session at this result", "enter", hint="read", rank=4),
    _strip("picture", "Save the strip as a picture, without paths", "w", hint="picture", rank=5),
    _strip("copy", "Copy the strip as Markdown, without paths", "y", hint="copy", rank=6),
    _strip("back", "Back from the strip", "escape", "q", hint="back", rank=1),
)
