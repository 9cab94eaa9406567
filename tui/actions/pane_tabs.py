"""The panes as tabs: the part of the registry that goes from one to another."""

from __future__ import annotations

from tui.actions.action import Action

APP = "Workbench"


def _pane(name: str, title: str, digit: str) -> Action:
    return Action(f"pane.{name}", title, (f"alt+{digit}", digit), "app", APP, priority=True)


TABS: tuple[Action, ...] = (
    _pane("errors", "Errors: have we met this?", "1"),
    _pane("evidence", "Evidence: is it in the transcript?", "2"),
    _pane("rules", "Rules: why did this fire?", "3"),
    _pane("library", "Library: where does it say so?", "4"),
    _pane("insights", "Insights: what failed, what it cost, what helped", "5"),
)

PANES = tuple(action.id.removeprefix("pane.") for action in TABS)
"""The panes by name, in the order of their digits."""
