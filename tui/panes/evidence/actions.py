"""What a person can do about the quotes that entries rest on: the part of the registry that reviews evidence."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation

REVIEW = "In the evidence"

PLACES_CHOSEN = 9
"""Places that have a key of their own."""


@dataclass(frozen=True, slots=True)
class EvidenceNow(Situation):
    """What the pane shows: whether the chosen quote is read, how many places it may stand at, whether those are
    numbered, how many quotes are marked, and why its entry cannot be promoted."""

    quote: bool = False
    places: int = 0
    numbered: bool = False
    marked: int = 0
    blocked: str = ""


_READONLY = "The casebook is read-only here: nothing can be decided."


def _needs_pane(now: EvidenceNow) -> str:
    return "" if now.focus == "evidence" else "That is done in the evidence pane."


def _needs_quote(now: EvidenceNow) -> str:
    lacking = "This quote is still being read." if now.cases else "No quote is listed here."
    return _needs_pane(now) or ("" if now.quote else lacking)


def _can_decide(now: EvidenceNow) -> str:
    return _needs_quote(now) or (_READONLY if now.around.readonly else "")


def _needs_place(now: EvidenceNow) -> str:
    return _can_decide(now) or ("" if now.places else "This quote has no known place: {evidence.find} looks for one.")


def _needs_several(now: EvidenceNow) -> str:
    return _needs_quote(now) or ("" if now.places > 1 else "This quote has no other place.")


def _needs_ready(now: EvidenceNow) -> str:
    return _can_decide(now) or ("" if now.marked else now.blocked)


def _can_write(now: EvidenceNow) -> str:
    return _needs_pane(now) or (_READONLY if now.around.readonly else "")


def _can_accept(now: EvidenceNow) -> str:
    return _can_decide(now) if now.marked else _needs_place(now)


def _needs_rows(now: EvidenceNow) -> str:
    return _needs_pane(now) or ("" if now.cases else "No quote is listed here.")


def _needs_filtered(now: EvidenceNow) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is on.")


def _has_no_numbers(now: EvidenceNow) -> bool:
    return not now.numbered


_ACTIONS: tuple[Action, ...] = (
    Action("evidence.accept", "Accept: the quote stands at this place", ("a",), "evidence", REVIEW, "accept", 1,
           needs=_can_accept, kind=EvidenceNow),
    Action("evidence.reject", "Reject the quote", ("x",), "evidence", REVIEW, "reject", 2,
           needs=_can_decide, kind=EvidenceNow),
    Action("evidence.words", "Take the original's words as the quote", ("o",), "evidence", REVIEW, "take words", 3,
           needs=_needs_place, kind=EvidenceNow),
    Action("evidence.mark", "Mark, to accept, reject or promote several at once", ("space",), "evidence", REVIEW,
           "mark", 11, needs=_needs_rows, kind=EvidenceNow),
    Action("evidence.mark_all", "Mark all that are listed, or none", ("A",), "evidence", REVIEW,
           needs=_needs_rows, kind=EvidenceNow),
    Action("evidence.next", "Next quote to decide on", ("n",), "evidence", REVIEW, "next", 4, needs=_needs_pane,
           kind=EvidenceNow),
    Action("evidence.next_near", "Next near miss", ("N",), "evidence", REVIEW, needs=_needs_pane, kind=EvidenceNow),
    Action("evidence.place", "Look at the next place it may stand at", ("m",), "evidence", REVIEW, "place", 5,
           needs=_needs_several, kind=EvidenceNow),
    *(
        Action(f"evidence.choose_{number}", f"Look at place {number}", (str(number),), "evidence", REVIEW,
               palette=False, needs=_needs_several, kind=EvidenceNow, passes=_has_no_numbers)
        for number in range(1, PLACES_CHOSEN + 1)
    ),
    Action("evidence.end_out", "Widen by a word at the end", ("right_square_bracket",), "evidence", REVIEW,
           needs=_needs_place, kind=EvidenceNow),
    Action("evidence.end_in", "Narrow by a word at the end", ("left_square_bracket",), "evidence", REVIEW,
           needs=_needs_place, kind=EvidenceNow),
    Action("evidence.start_out", "Widen by a word at the start", ("left_curly_bracket",), "evidence", REVIEW,
           needs=_needs_place, kind=EvidenceNow),
    Action("evidence.start_in", "Narrow by a word at the start", ("right_curly_bracket",), "evidence", REVIEW,
           needs=_needs_place, kind=EvidenceNow),
    Action("evidence.find", "Find it elsewhere in the session", ("L",), "evidence", REVIEW,
           "find", 6, needs=_needs_quote, kind=EvidenceNow),
    Action("find.focus", "Search the list by words of quotes and entries; in the message, its session", ("slash",),
           "evidence", REVIEW, "search", 8, needs=_needs_pane, kind=EvidenceNow, alias="evidence.search"),
    Action("evidence.promote", "Promote the entry of this quote, or those of the marked quotes", ("p",), "evidence",
           REVIEW, "promote", 7, needs=_needs_ready, kind=EvidenceNow),
    Action("evidence.promote_ready", "Promote every entry that is ready", ("P",), "evidence", REVIEW,
           needs=_can_write, kind=EvidenceNow),
    Action("list.filter", "Filter by state, session, type of entry", ("f",), "evidence", REVIEW, "filter", 9,
           needs=_needs_pane, kind=EvidenceNow, alias="evidence.filter"),
    Action("evidence.session", "Only the session of this quote, or all", ("s",), "evidence", REVIEW,
           needs=_needs_quote, kind=EvidenceNow),
    Action("evidence.type", "Only entries of this type, or all", ("e",), "evidence", REVIEW, needs=_needs_quote,
           kind=EvidenceNow),
    Action("list.unfilter", "Clear the filters of the evidence", ("F",), "evidence", REVIEW,
           needs=_needs_filtered, kind=EvidenceNow, alias="evidence.unfilter"),
    Action("list.why", "Show or hide the entry and the trace", ("t",), "evidence", REVIEW, "entry, why", 8,
           needs=_needs_pane, kind=EvidenceNow, alias="evidence.why"),
    Action("evidence.whole", "Show the message whole", ("w",), "evidence", REVIEW, "whole", 10,
           needs=_needs_quote, kind=EvidenceNow),
    Action("list.copy", "Copy the quote", ("y",), "evidence", REVIEW, needs=_needs_quote, kind=EvidenceNow,
           alias="evidence.copy"),
)  # fmt: skip

PANE = Pane(
    "evidence",
    "Evidence: is it in the transcript?",
    (
        # its digits show places where several are listed, else they go to the panes
        Place("evidence", (("list",), ("case", "scroll")), "shown", also={
            "undo.last": 28, "undo.redo": 0, "history.open": 0, "import.begin": 0, "view.zoom": 0,
        }),
    ),
    _ACTIONS,
)  # fmt: skip
