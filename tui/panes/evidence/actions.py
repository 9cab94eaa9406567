"""What a person can do about the quotes that entries rest on: the part of the registry that reviews evidence."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import LIST_IS_EMPTY, NO_FILTER, Action, Needs, Pane, Place, Situation, acting, needs

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


_act = acting("evidence", REVIEW, _PANE)

_ACTIONS: tuple[Action, ...] = (
    _act("accept", "Accept the quote at this location", "a", hint="accept", rank=1, needs=_ACCEPTABLE),
    _act("reject", "Reject the quote", "x", hint="reject", rank=2, needs=_DECIDABLE),
    _act("reject_why", "Reject the quote with a reason", "r", needs=_DECIDABLE),
    _act("words", "Replace the quote with the words of the source", "o", hint="use source", rank=3, needs=_PLACE),
    _act("mark", "Select for a bulk action", "space", hint="select", rank=11, needs=_ROWS),
    _act("mark_all", "Select all or none", "A", needs=_ROWS),
    _act("next", "Next open quote", "n", hint="next", rank=4, needs=_ROWS),
    _act("next_near", "Next near miss", "N", needs=_ROWS),
    _act("place", "Show the next possible location", "m", hint="location", rank=5, needs=_SEVERAL),
    *(
        _act(f"choose_{number}", f"Show location {number}", str(number), palette=False, needs=_SEVERAL,
             passes=lambda now: not now.numbered)
        for number in range(1, PLACES_CHOSEN + 1)
    ),
    _act("end_out", "Extend the selection at the end by a word", "right_square_bracket", hint="extend", rank=4,
         needs=_PLACE),
    _act("end_in", "Shorten the selection at the end by a word", "left_square_bracket", needs=_PLACE),
    _act("start_out", "Extend the selection at the start by a word", "left_curly_bracket", needs=_PLACE),
    _act("start_in", "Shorten the selection at the start by a word", "right_curly_bracket", needs=_PLACE),
    _act("find", "Find the quote elsewhere in the session", "L", hint="find", rank=6, needs=_READ),
    _act("search", "Search quotes and entries, or the session of the open message", "slash", hint="search", rank=8,
         shared="find.focus"),
    _act("promote", "Verify the entry of this quote, or of the selected quotes", "p", hint="verify", rank=7,
         needs=_READY),
    _act("promote_ready", "Verify all ready entries", "P", needs=_WRITABLE),
    _act("filter", "Filter by state, session or entry type", "f", hint="filter", rank=9, shared="list.filter"),
    _act("session", "Show this session or all sessions", "s", needs=_READ),
    _act("type", "Show this entry type or all types", "e", needs=_READ),
    _act("unfilter", "Clear the filters", "F", needs=_FILTERED, shared="list.unfilter"),
    _act("why", "Show or hide the entry and the trace", "t", hint="entry, trace", rank=8, needs=_ROWS,
         shared="list.why"),
    _act("whole", "Show the full message", "w", hint="full", rank=10, needs=_READ),
    _act("copy", "Copy the quote", "y", needs=_READ, shared="list.copy"),
)  # fmt: skip

PANE = Pane(
    "evidence",
    "Evidence: review quotes",
    (
        # its digits show places where several are listed, else they go to the panes
        Place("evidence", (("list",), ("case", "scroll")), "shown", also={
            "undo.last": 28, "undo.redo": 0, "history.open": 0, "view.zoom": 0, "import.begin": 0, "import.setup": 0,
            "import.report": 0, "import.demo": 0,
        }),
    ),
    _ACTIONS,
)  # fmt: skip
