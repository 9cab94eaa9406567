"""What a person can do in the Insights pane: the part of the registry for pane 5."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation, acting, needs

INSIGHTS_GROUP = "Insights"


@dataclass(frozen=True, slots=True)
class InsightsNow(Situation):
    """What the pane shows. `has_target`: the chosen row has a session. `scoped`: weeks or projects are filtered."""

    has_target: bool = False
    scoped: bool = False


_PANE = needs(InsightsNow, lambda now: now.focus == "insights", "Only available in the Insights pane.")
_ROW = needs(InsightsNow, lambda now: now.cases, "The list is empty.", _PANE)
_SCOPED = needs(InsightsNow, lambda now: now.scoped, "All weeks and projects are already shown.", _PANE)
_SESSION = needs(InsightsNow, lambda now: now.has_target, "This row has no session.", _ROW)


_act = acting("insights", INSIGHTS_GROUP, _PANE)


_ACTIONS: tuple[Action, ...] = (
    _act("next", "Next view", "v", "tab", hint="view", rank=2),
    _act("previous", "Previous view", "V", "shift+tab"),
    _act("since", "Show all weeks, the last 12 or the last 4", "s", hint="weeks", rank=3),
    _act("project", "Show the next project or all projects", "p", hint="project", rank=4),
    _act("unscope", "Show all weeks and projects", "F", hint="all", rank=6, needs=_SCOPED, shared="list.unfilter"),
    _act("copy", "Copy the view as Markdown (paths removed)", "y", hint="copy", rank=5, needs=_ROW, shared="list.copy"),
    _act("picture", "Save the view as an image (paths removed)", "w", hint="image", rank=7, needs=_ROW),
    _act("session", "Show the last session as a strip", "o", hint="session", rank=8, needs=_SESSION),
)  # fmt: skip

PANE = Pane(
    "insights",
    "Insights: failures, cost and results",
    (
        Place("insights", (("list",), ("scroll",)), "both", shows=("list.open",), also={
            "import.begin": 0, "import.setup": 0, "import.report": 0, "import.demo": 0,
        }),
    ),
    _ACTIONS,
)  # fmt: skip
