"""What the Errors pane remembers from one day to the next: filter, order, zoom, trace, and the case one was at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.panes.common.memory import lay_out, layout_of, number_of, one_of, text_of
from tui.panes.errors.filters import PERIODS, SORTS, STATUSES, Scope
from tui.runtime.state import Memory

if TYPE_CHECKING:
    from tui.panes.errors.screen import ErrorsScreen

_NAME = 200


def memory_of(pane: ErrorsScreen) -> Memory:
    """What to remember now."""
    scope, chosen = pane.results.scope, pane.results.chosen
    return {
        "status": scope.status,
        "sort": scope.sort,
        "period": scope.period,
        "tool": scope.tool,
        "project": scope.project,
        "tag": scope.tag,
        **layout_of(pane),
        "told_no_model": pane.embedding.told_no_model,
        "case": chosen.id if chosen is not None else pane.results.resume,
    }


def recall(pane: ErrorsScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    pane.results.scope = Scope(
        status=one_of(STATUSES, memory.get("status")),
        sort=one_of(SORTS, memory.get("sort")) or Scope().sort,
        period=one_of(PERIODS, memory.get("period")),
        tool=text_of(memory.get("tool"), _NAME),
        project=text_of(memory.get("project"), _NAME),
        tag=text_of(memory.get("tag"), _NAME),
    )
    lay_out(pane, memory)
    pane.embedding.told_no_model = memory.get("told_no_model") is True
    pane.results.resume = number_of(memory.get("case"))
