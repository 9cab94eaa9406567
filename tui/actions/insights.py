"""What a person can do in the Insights pane: the part of the registry for pane 5."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.action import Action, Situation

INSIGHTS_GROUP = "In the insights"


def _needs_pane(now: Situation) -> str:
    return "" if now.focus == "insights" else "That is done in the Insights pane."


def _needs_row(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.cases else "The list is empty.")


def _act(
    name: str, title: str, *keys: str, hint: str = "", rank: int = 0, needs: Callable[[Situation], str] = _needs_pane
) -> Action:
    return Action(f"insights.{name}", title, keys, "insights", INSIGHTS_GROUP, hint, rank, enabled=needs)


INSIGHT_ACTIONS: tuple[Action, ...] = (
    _act("next", "Next view: worst, came back, answers, time", "v", "tab", hint="view", rank=2),
    _act("previous", "Previous view", "V", "shift+tab"),
    _act("since", "All weeks, the last twelve, the last four", "s", hint="weeks", rank=3),
    _act("project", "Next project, or all", "p", hint="project", rank=4),
    _act("unscope", "All weeks and projects", "F", hint="all", rank=6, needs=_needs_pane),
    _act("copy", "Copy the view as Markdown, without paths", "y", hint="copy", rank=5, needs=_needs_row),
)
