"""What a person can do about the quotes that entries rest on: the part of the registry that reviews evidence."""

from __future__ import annotations

from tui.actions.action import Action, Situation

REVIEW = "In the evidence"

PLACES_CHOSEN = 9
"""Places that have a key of their own."""

_READONLY = "The casebook is read-only here: nothing can be decided."


def _needs_pane(now: Situation) -> str:
    return "" if now.focus == "evidence" else "That is done in the evidence pane."


def _needs_quote(now: Situation) -> str:
    lacking = "This quote is still being read." if now.cases else "No quote is listed here."
    return _needs_pane(now) or ("" if now.quote else lacking)


def _can_decide(now: Situation) -> str:
    return _needs_quote(now) or (_READONLY if now.readonly else "")


def _needs_place(now: Situation) -> str:
    return _can_decide(now) or ("" if now.places else "This quote has no known place: {evidence.find} looks for one.")


def _needs_several(now: Situation) -> str:
    return _needs_quote(now) or ("" if now.places > 1 else "This quote has no other place.")


def _needs_ready(now: Situation) -> str:
    return _can_decide(now) or ("" if now.marked else now.blocked)


def _can_write(now: Situation) -> str:
    return _needs_pane(now) or (_READONLY if now.readonly else "")


def _can_accept(now: Situation) -> str:
    return _can_decide(now) if now.marked else _needs_place(now)


def _needs_rows(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.cases else "No quote is listed here.")


def _needs_filtered(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is on.")


EVIDENCE: tuple[Action, ...] = (
    Action("evidence.accept", "Accept: the quote stands at this place", ("a",), "evidence", REVIEW, "accept", 1,
           enabled=_can_accept),
    Action("evidence.reject", "Reject the quote", ("x",), "evidence", REVIEW, "reject", 2,
           enabled=_can_decide),
    Action("evidence.words", "Take the original's words as the quote", ("o",), "evidence", REVIEW, "take words", 3,
           enabled=_needs_place),
    Action("evidence.mark", "Mark, to accept, reject or promote several at once", ("space",), "evidence", REVIEW,
           "mark", 11, enabled=_needs_rows),
    Action("evidence.mark_all", "Mark all that are listed, or none", ("A",), "evidence", REVIEW, enabled=_needs_rows),
    Action("evidence.next", "Next quote to decide on", ("n",), "evidence", REVIEW, "next", 4, enabled=_needs_pane),
    Action("evidence.next_near", "Next near miss", ("N",), "evidence", REVIEW, enabled=_needs_pane),
    Action("evidence.place", "Look at the next place it may stand at", ("m",), "evidence", REVIEW, "place", 5,
           enabled=_needs_several),
    *(
        Action(f"evidence.choose_{number}", f"Look at place {number}", (str(number),), "evidence", REVIEW,
               palette=False, enabled=_needs_several, passes=lambda now: not now.numbered)
        for number in range(1, PLACES_CHOSEN + 1)
    ),
    Action("evidence.end_out", "Widen by a word at the end", ("right_square_bracket",), "evidence", REVIEW,
           enabled=_needs_place),
    Action("evidence.end_in", "Narrow by a word at the end", ("left_square_bracket",), "evidence", REVIEW,
           enabled=_needs_place),
    Action("evidence.start_out", "Widen by a word at the start", ("left_curly_bracket",), "evidence", REVIEW,
           enabled=_needs_place),
    Action("evidence.start_in", "Narrow by a word at the start", ("right_curly_bracket",), "evidence", REVIEW,
           enabled=_needs_place),
    Action("evidence.find", "Find it elsewhere in the session", ("L",), "evidence", REVIEW,
           "find", 6, enabled=_needs_quote),
    Action("evidence.search", "Search the list by words of quotes and entries; in the message, its session", ("slash",),
           "evidence", REVIEW, "search", 8, enabled=_needs_pane),
    Action("evidence.promote", "Promote the entry of this quote, or those of the marked quotes", ("p",), "evidence",
           REVIEW, "promote", 7, enabled=_needs_ready),
    Action("evidence.promote_ready", "Promote every entry that is ready", ("P",), "evidence", REVIEW,
           enabled=_can_write),
    Action("evidence.filter", "Filter by state, session, type of entry", ("f",), "evidence", REVIEW, "filter", 9,
           enabled=_needs_pane),
    Action("evidence.session", "Only the session of this quote, or all", ("s",), "evidence", REVIEW,
           enabled=_needs_quote),
    Action("evidence.type", "Only entries of this type, or all", ("e",), "evidence", REVIEW, enabled=_needs_quote),
    Action("evidence.unfilter", "Clear the filters of the evidence", ("F",), "evidence", REVIEW,
           enabled=_needs_filtered),
    Action("evidence.why", "Show or hide the entry and the trace", ("t",), "evidence", REVIEW, "entry, why", 8,
           enabled=_needs_pane),
    Action("evidence.whole", "Show the message whole", ("w",), "evidence", REVIEW, "whole", 10, enabled=_needs_quote),
    Action("evidence.copy", "Copy the quote", ("y",), "evidence", REVIEW, enabled=_needs_quote),
)  # fmt: skip
