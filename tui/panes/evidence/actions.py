"""What a person can do about the quotes that entries rest on: the part of the registry that reviews evidence."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import LIST_IS_EMPTY, NO_FILTER, Action, Needs, Pane, Place, Situation, needs

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


_PANE = needs(EvidenceNow, lambda now: now.focus == "evidence", "Only available in the Evidence pane.")
_ROWS = needs(EvidenceNow, lambda now: now.cases, LIST_IS_EMPTY, _PANE)
_UNREAD = "The quote is still loading."
_READ = Needs(EvidenceNow, lambda now: "" if now.quote else _UNREAD if now.cases else LIST_IS_EMPTY, _PANE)
_FILTERED = needs(EvidenceNow, lambda now: now.filtered, NO_FILTER, _PANE)
_WRITABLE = needs(EvidenceNow, lambda now: not now.around.readonly, _READONLY, _PANE)
_DECIDABLE = Needs(EvidenceNow, _WRITABLE.unmet, _READ)
_PLACE = needs(
    EvidenceNow, lambda now: now.places, "This quote has no known location. Press {evidence.find} to find one.",
    _DECIDABLE,
)  # fmt: skip
_SEVERAL = needs(EvidenceNow, lambda now: now.places > 1, "This quote has no other location.", _READ)
_READY = Needs(EvidenceNow, lambda now: "" if now.marked else now.blocked, _DECIDABLE)
_ACCEPTABLE = Needs(EvidenceNow, lambda now: "" if now.marked else _PLACE.unmet(now), _DECIDABLE)


def _has_no_numbers(now: EvidenceNow) -> bool:
    return not now.numbered


_ACTIONS: tuple[Action, ...] = (
    Action("evidence.accept", "Accept the quote at this location", ("a",), "evidence", REVIEW, "accept", 1,
           needs=_ACCEPTABLE),
    Action("evidence.reject", "Reject the quote", ("x",), "evidence", REVIEW, "reject", 2, needs=_DECIDABLE),
    Action("evidence.words", "Replace the quote with the words of the source", ("o",), "evidence", REVIEW, "use source",
           3, needs=_PLACE),
    Action("evidence.mark", "Select for a bulk action", ("space",), "evidence", REVIEW, "select", 11, needs=_ROWS),
    Action("evidence.mark_all", "Select all or none", ("A",), "evidence", REVIEW, needs=_ROWS),
    Action("evidence.next", "Next open quote", ("n",), "evidence", REVIEW, "next", 4, needs=_PANE),
    Action("evidence.next_near", "Next near miss", ("N",), "evidence", REVIEW, needs=_PANE),
    Action("evidence.place", "Show the next possible location", ("m",), "evidence", REVIEW, "location", 5,
           needs=_SEVERAL),
    *(
        Action(f"evidence.choose_{number}", f"Show location {number}", (str(number),), "evidence", REVIEW,
               palette=False, needs=_SEVERAL, passes=_has_no_numbers)
        for number in range(1, PLACES_CHOSEN + 1)
    ),
    Action("evidence.end_out", "Extend the selection at the end by a word", ("right_square_bracket",), "evidence",
           REVIEW, needs=_PLACE),
    Action("evidence.end_in", "Shorten the selection at the end by a word", ("left_square_bracket",), "evidence",
           REVIEW, needs=_PLACE),
    Action("evidence.start_out", "Extend the selection at the start by a word", ("left_curly_bracket",), "evidence",
           REVIEW, needs=_PLACE),
    Action("evidence.start_in", "Shorten the selection at the start by a word", ("right_curly_bracket",), "evidence",
           REVIEW, needs=_PLACE),
    Action("evidence.find", "Find the quote elsewhere in the session", ("L",), "evidence", REVIEW, "find", 6,
           needs=_READ),
    Action("find.focus", "Search quotes and entries, or the session of the open message", ("slash",),
           "evidence", REVIEW, "search", 8, needs=_PANE, alias="evidence.search"),
    Action("evidence.promote", "Verify the entry of this quote, or of the selected quotes", ("p",), "evidence", REVIEW,
           "verify", 7, needs=_READY),
    Action("evidence.promote_ready", "Verify all ready entries", ("P",), "evidence", REVIEW, needs=_WRITABLE),
    Action("list.filter", "Filter by state, session or entry type", ("f",), "evidence", REVIEW, "filter", 9,
           needs=_PANE, alias="evidence.filter"),
    Action("evidence.session", "Show this session or all sessions", ("s",), "evidence", REVIEW, needs=_READ),
    Action("evidence.type", "Show this entry type or all types", ("e",), "evidence", REVIEW, needs=_READ),
    Action("list.unfilter", "Clear the filters", ("F",), "evidence", REVIEW, needs=_FILTERED,
           alias="evidence.unfilter"),
    Action("list.why", "Show or hide the entry and the trace", ("t",), "evidence", REVIEW, "entry, trace", 8,
           needs=_PANE, alias="evidence.why"),
    Action("evidence.whole", "Show the full message", ("w",), "evidence", REVIEW, "full", 10, needs=_READ),
    Action("list.copy", "Copy the quote", ("y",), "evidence", REVIEW, needs=_READ, alias="evidence.copy"),
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
