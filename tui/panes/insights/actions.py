"""What a person can do in the Insights pane: the part of the registry for pane 5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation

INSIGHTS_GROUP = "Insights"


@dataclass(frozen=True, slots=True)
class InsightsNow(Situation):
    """What the pane shows. `leads`: the chosen row has a session."""

    leads: bool = False


def _needs_pane(now: InsightsNow) -> str:
    return "" if now.focus == "insights" else "Only available in the Insights pane."


def _needs_row(now: InsightsNow) -> str:
    return _needs_pane(now) or ("" if now.cases else "The list is empty.")


def _needs_session(now: InsightsNow) -> str:
    return _needs_row(now) or ("" if now.leads else "This row has no session.")


def _act(
    name: str,
    title: str,
    *keys: str,
    hint: str = "",
    rank: int = 0,
    needs: Callable[[InsightsNow], str] = _needs_pane,
    shared: str = "",
) -> Action:
    """An action of the pane; `shared`: its id, where other panes have it too."""
    own, alias = f"insights.{name}", f"insights.{name}" if shared else ""
    return Action(
        shared or own, title, keys, "insights", INSIGHTS_GROUP, hint, rank, needs=needs, kind=InsightsNow, alias=alias
    )


_ACTIONS: tuple[Action, ...] = (
    _act("next", "Next view", "v", "tab", hint="view", rank=2),
    _act("previous", "Previous view", "V", "shift+tab"),
    _act("since", "Show all weeks, the last 12 or the last 4", "s", hint="weeks", rank=3),
    _act("project", "Show the next project or all projects", "p", hint="project", rank=4),
    _act("unscope", "Show all weeks and projects", "F", hint="all", rank=6, shared="list.unfilter"),
    _act("copy", "Copy the view as Markdown (paths removed)", "y", hint="copy", rank=5, needs=_needs_row,
         shared="list.copy"),
    _act("picture", "Save the view as an image (paths removed)", "w", hint="image", rank=7, needs=_needs_row),
    _act("session", "Show the last session as a strip", "o", hint="session", rank=8, needs=_needs_session),
)  # fmt: skip

PANE = Pane(
    "insights",
    "Insights: failures, cost and results",
    (Place("insights", (("list",), ("scroll",)), "both", also={"import.begin": 0}, shows=("list.open",)),),
    _ACTIONS,
)
