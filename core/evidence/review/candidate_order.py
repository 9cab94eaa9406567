"""Which of a quote's places is offered first, and why: the one that a person most likely means."""

from __future__ import annotations

import apsw

from core.align import Span
from core.evidence.review.decisions import choices
from core.evidence.rows import Kept, quotes_of


def offered(con: apsw.Connection, one: Kept) -> tuple[int, str]:
    """The number of the place, counted from 1 as in `choices` (0: there is none), and why that one, in plain words.

    Of several equal places: the nearest to the entry's other quotes in that message, and none that another quote of
    the entry with the same words has taken already.
    """
    places = choices(one)
    if one.aligned is None or one.aligned.status != "ambiguous" or not places:
        return (1, "") if places else (0, "")
    others = [other for other in quotes_of(con, one.entry_id) if other.id != one.id]
    taken = {other.spans for other in others if other.quote == one.quote}
    free = [at for at, spans in enumerate(places) if spans not in taken] or list(range(len(places)))
    index = places[0][0].message_index
    near = [span for other in others if other.quote != one.quote for span in other.spans if span.message_index == index]
    if near:
        at = min(free, key=lambda place: min(_apart(places[place][0], span) for span in near))
        return at + 1, "the nearest to another quote of the entry"
    return free[0] + 1, "the first that no other quote of the entry has" if taken & set(places) else "the first of them"


def _apart(one: Span, other: Span) -> int:
    return max(one.start - other.end, other.start - one.end, 0)
