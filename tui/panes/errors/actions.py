"""What a person can do in the Errors pane: find cases, read one, go to where it was seen."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place
from tui.actions.shared import FIND, MOVE, SESSION_ACTIONS, needs_cases, needs_filter, needs_some
from tui.panes.errors.curation.actions import CURATION, CURATION_PLACES, CaseNow

CASE = "The case"


@dataclass(frozen=True, slots=True)
class ErrorsNow(CaseNow):
    """What the pane shows: `cites`: documents that the fix cites."""

    raw_clipped: bool = False
    seen_older: bool = False
    seen_newer: bool = False
    history: bool = False
    like: bool = False
    cites: int = 0


def _needs_case(now: CaseNow) -> str:
    return "" if now.case_open else "No case is chosen yet."


def _needs_fix(now: CaseNow) -> str:
    return _needs_case(now) or ("" if now.has_fix else "This case has no fix yet.")


def _needs_like(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.like else "No similar case is known.")


def _needs_clip(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.raw_clipped else "All of the error is shown already.")


def _needs_older(now: ErrorsNow) -> str:
    return "" if now.seen_older else "It was never seen before that."


def _needs_newer(now: ErrorsNow) -> str:
    return "" if now.seen_newer else "This is the last time it was seen."


def _needs_history(now: ErrorsNow) -> str:
    return "" if now.history else "This case has no other fixes. {history.open} shows every change, undone ones too."


def _needs_cited(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.cites else "The fix of this case cites nothing.")


_ACTIONS: tuple[Action, ...] = (
    Action("list.filter", "Filter by status, time, tool, project", ("f",), "pane", FIND, "filter", 30,
           needs=needs_some, kind=ErrorsNow),
    Action("list.unfilter", "Clear the filter", ("F",), "pane", FIND, "unfilter", 29, needs=needs_filter,
           kind=ErrorsNow),
    Action("list.sort", "Sort by last seen, most seen, first seen", ("s",), "pane", FIND, "sort", 31,
           needs=needs_some),
    Action("list.next", "Next case", ("J", "right_square_bracket"), "pane", MOVE, needs=needs_cases, kind=ErrorsNow,
           alias="case.next"),
    Action("list.previous", "Previous case", ("K", "left_square_bracket"), "pane", MOVE, needs=needs_cases,
           kind=ErrorsNow, alias="case.previous"),
    Action("list.copy", "Copy the fix", ("y",), "pane", CASE, "copy fix", 3, needs=_needs_fix, kind=ErrorsNow,
           alias="case.copy"),
    Action("list.copy_as", "Copy as: key line, error, Markdown, JSON, command", ("Y",), "pane", CASE,
           needs=_needs_case, kind=ErrorsNow, alias="case.copy_as"),
    Action("case.all", "Show all of the error", ("a",), "pane", CASE, "show all", 12, needs=_needs_clip,
           kind=ErrorsNow),
    Action("case.older", "An older time it was seen", ("n",), "pane", CASE, "older", 8, needs=_needs_older,
           kind=ErrorsNow),
    Action("case.newer", "A newer time it was seen", ("p",), "pane", CASE, "newer", 9, needs=_needs_newer,
           kind=ErrorsNow),
    Action("case.source", "Open the session it was seen in", ("o",), "pane", CASE, "session", 7, needs=_needs_case,
           kind=CaseNow),
    Action("case.enter", "Open the session it was seen in", ("enter",), "case", CASE, palette=False),
    Action("case.fix_source", "Open the session the fix is from", ("O",), "pane", CASE, needs=_needs_fix,
           kind=CaseNow),
    Action("case.masked", "Explain what the key masks", ("m",), "pane", CASE, "masked", 26, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.history", "Show the other fixes whole", ("H",), "pane", CASE, "history", 11, needs=_needs_history,
           kind=ErrorsNow),
    Action("case.like", "Go to the similar cases", ("L",), "pane", CASE, "similar", 10, needs=_needs_like,
           kind=ErrorsNow),
    Action("case.pager", "View the error in your pager", ("v",), "pane", CASE, "pager", 27, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.editor", "Open the case in your editor, to read", ("V",), "pane", CASE, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.library", "Search the library for this case", ("b",), "pane", CASE, "library", 21,
           needs=_needs_case, kind=ErrorsNow),
    Action("case.cited", "Go to what the fix cites", ("c",), "pane", CASE, "cited", 22, needs=_needs_cited,
           kind=ErrorsNow),
    Action("case.cited_editor", "Open what the fix cites in your editor, at its line", ("E",), "pane", CASE,
           needs=_needs_cited, kind=ErrorsNow),
    Action("list.why", "Show or hide the trace: why this answer", ("t",), "pane", CASE, "why", 5, needs=needs_some,
           kind=ErrorsNow, alias="case.why"),
)  # fmt: skip

PANE = Pane(
    "errors",
    "Errors: have we met this?",
    (
        Place("pane", (("list",), ("scroll", "case"), ("scroll", "why")), "both", names=("list", "case", "why")),
        *CURATION_PLACES,
    ),
    (*_ACTIONS, *SESSION_ACTIONS, *CURATION),
)
