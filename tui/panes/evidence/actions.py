"""What a person can do about the quotes that entries rest on: the part of the registry that reviews evidence."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation

REVIEW = "Evidence"

PLACES_CHOSEN = 9
"""Places that have a key of their own."""


@dataclass(frozen=True, slots=True)
class EvidenceNow(Situation):
    """State of the pane: whether the selected quote is read, how many possible places it has, whether those are
    numbered, how many quotes are selected, and why its entry cannot be promoted."""

    quote: bool = False
    places: int = 0
    numbered: bool = False
    marked: int = 0
    blocked: str = ""


_READONLY = "The casebook is read-only. You cannot save decisions."


def _needs_pane(now: EvidenceNow) -> str:
    return "" if now.focus == "evidence" else "Only available in the Evidence pane."


def _needs_quote(now: EvidenceNow) -> str:
    lacking = "The quote is still loading." if now.cases else "The list is empty."
    return _needs_pane(now) or ("" if now.quote else lacking)


def _can_decide(now: EvidenceNow) -> str:
    return _needs_quote(now) or (_READONLY if now.around.readonly else "")


def _needs_place(now: EvidenceNow) -> str:
    return _can_decide(now) or (
        "" if now.places else "This quote has no known location. Press {evidence.find} to find one."
    )


def _needs_several(now: EvidenceNow) -> str:
    return _needs_quote(now) or ("" if now.places > 1 else "This quote has no other location.")


def _needs_ready(now: EvidenceNow) -> str:
    return _can_decide(now) or ("" if now.marked else now.blocked)


def _can_write(now: EvidenceNow) -> str:
    return _needs_pane(now) or (_READONLY if now.around.readonly else "")


def _can_accept(now: EvidenceNow) -> str:
    return _can_decide(now) if now.marked else _needs_place(now)


def _needs_rows(now: EvidenceNow) -> str:
    return _needs_pane(now) or ("" if now.cases else "The list is empty.")


def _needs_filtered(now: EvidenceNow) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is active.")


def _has_no_numbers(now: EvidenceNow) -> bool:
    return not now.numbered


_ACTIONS: tuple[Action, ...] = (
    Action("evidence.accept", "Accept the quote at this location", ("a",), "evidence", REVIEW, "accept", 1,
           needs=_can_accept, kind=EvidenceNow),
    Action("evidence.reject", "Reject the quote", ("x",), "evidence", REVIEW, "reject", 2,
           needs=_can_decide, kind=EvidenceNow),
    Action("evidence.words", "Replace the quote with the words of the source", ("o",), "evidence", REVIEW,
           "use source", 3, needs=_needs_place, kind=EvidenceNow),
    Action("evidence.mark", "Select for a bulk action", ("space",), "evidence", REVIEW,
           "select", 11, needs=_needs_rows, kind=EvidenceNow),
    Action("evidence.mark_all", "Select all or none", ("A",), "evidence", REVIEW,
           needs=_needs_rows, kind=EvidenceNow),
    Action("evidence.next", "Next open quote", ("n",), "evidence", REVIEW, "next", 4, needs=_needs_pane,
           kind=EvidenceNow),
    Action("evidence.next_near", "Next near miss", ("N",), "evidence", REVIEW, needs=_needs_pane, kind=EvidenceNow),
    Action("evidence.place", "Show the next possible location", ("m",), "evidence", REVIEW, "location", 5,
           needs=_needs_several, kind=EvidenceNow),
    *(
        Action(f"evidence.choose_{number}", f"Show location {number}", (str(number),), "evidence", REVIEW,
               palette=False, needs=_needs_several, kind=EvidenceNow, passes=_has_no_numbers)
        for number in range(1, PLACES_CHOSEN + 1)
    ),
    Action("evidence.end_out", "Extend the selection at the end by a word", ("right_square_bracket",), "evidence",
           REVIEW, needs=_needs_place, kind=EvidenceNow),
    Action("evidence.end_in", "Shorten the selection at the end by a word", ("left_square_bracket",), "evidence",
           REVIEW, needs=_needs_place, kind=EvidenceNow),
    Action("evidence.start_out", "Extend the selection at the start by a word", ("left_curly_bracket",), "evidence",
           REVIEW, needs=_needs_place, kind=EvidenceNow),
    Action("evidence.start_in", "Shorten the selection at the start by a word", ("right_curly_bracket",), "evidence",
           REVIEW, needs=_needs_place, kind=EvidenceNow),
    Action("evidence.find", "Find the quote elsewhere in the session", ("L",), "evidence", REVIEW,
           "find", 6, needs=_needs_quote, kind=EvidenceNow),
    Action("find.focus", "Search quotes and entries, or the session of the open message", ("slash",),
           "evidence", REVIEW, "search", 8, needs=_needs_pane, kind=EvidenceNow, alias="evidence.search"),
    Action("evidence.promote", "Verify the entry of this quote, or of the selected quotes", ("p",), "evidence",
           REVIEW, "verify", 7, needs=_needs_ready, kind=EvidenceNow),
    Action("evidence.promote_ready", "Verify all ready entries", ("P",), "evidence", REVIEW,
           needs=_can_write, kind=EvidenceNow),
    Action("list.filter", "Filter by state, session or entry type", ("f",), "evidence", REVIEW, "filter", 9,
           needs=_needs_pane, kind=EvidenceNow, alias="evidence.filter"),
    Action("evidence.session", "Show this session or all sessions", ("s",), "evidence", REVIEW,
           needs=_needs_quote, kind=EvidenceNow),
    Action("evidence.type", "Show this entry type or all types", ("e",), "evidence", REVIEW, needs=_needs_quote,
           kind=EvidenceNow),
    Action("list.unfilter", "Clear the filters", ("F",), "evidence", REVIEW,
           needs=_needs_filtered, kind=EvidenceNow, alias="evidence.unfilter"),
    Action("list.why", "Show or hide the entry and the trace", ("t",), "evidence", REVIEW, "entry, trace", 8,
           needs=_needs_pane, kind=EvidenceNow, alias="evidence.why"),
    Action("evidence.whole", "Show the full message", ("w",), "evidence", REVIEW, "full", 10,
           needs=_needs_quote, kind=EvidenceNow),
    Action("list.copy", "Copy the quote", ("y",), "evidence", REVIEW, needs=_needs_quote, kind=EvidenceNow,
           alias="evidence.copy"),
)  # fmt: skip

PANE = Pane(
    "evidence",
    "Evidence: review quotes",
    (
        # its digits show places where several are listed, else they go to the panes
        Place("evidence", (("list",), ("case", "scroll")), "shown", also={
            "undo.last": 28, "undo.redo": 0, "history.open": 0, "import.begin": 0, "view.zoom": 0,
        }),
    ),
    _ACTIONS,
)  # fmt: skip
