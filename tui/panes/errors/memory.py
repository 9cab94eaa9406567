"""What the Errors pane remembers from one day to the next: filter, order, zoom, trace, and the case one was at."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tui.panes.errors.filters import PERIODS, SORTS, STATUSES, Scope
from tui.runtime.state import Memory, Scalar

if TYPE_CHECKING:
    from core.errors.cases.case import Sort
    from tui.panes.errors.pane import ErrorsPane

_NAME = 200


def memory_of(pane: ErrorsPane) -> Memory:
    """What to remember now."""
    scope, chosen = pane.results.scope, pane.results.chosen
    why = "shown" if pane.has_class("-why") else "hidden" if pane.has_class("-no-why") else None
    return {
        "status": scope.status,
        "sort": scope.sort,
        "period": scope.period,
        "tool": scope.tool,
        "project": scope.project,
        "tag": scope.tag,
        "zoomed": pane.has_class("-zoomed"),
        "why": why,
        "told_no_model": pane.embedding.told_no_model,
        "case": chosen.id if chosen is not None else pane.results.resume,
    }


def recall(pane: ErrorsPane, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    pane.results.scope = Scope(
        status=_one_of(STATUSES, memory.get("status")),
        sort=cast("Sort", _one_of(SORTS, memory.get("sort")) or Scope().sort),
        period=_one_of(PERIODS, memory.get("period")),
        tool=_text(memory.get("tool")),
        project=_text(memory.get("project")),
        tag=_text(memory.get("tag")),
    )
    pane.set_class(memory.get("zoomed") is True, "-zoomed")
    pane.set_class(memory.get("why") == "shown", "-why")
    pane.set_class(memory.get("why") == "hidden", "-no-why")
    pane.embedding.told_no_model = memory.get("told_no_model") is True
    case = memory.get("case")
    pane.results.resume = case if isinstance(case, int) and not isinstance(case, bool) else None


def _one_of(known: tuple[str, ...] | dict[str, int] | dict[Sort, str], found: Scalar) -> str | None:
    return found if isinstance(found, str) and found in known else None


def _text(found: Scalar) -> str | None:
    return found if isinstance(found, str) and 0 < len(found) <= _NAME else None
