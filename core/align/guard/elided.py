"""What an ellipsis passes over: a negation in the same sentence, too much text, or the order of the fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.align.answer import Concern
from core.align.guard.kinds import negations

FAR = 600
"""Code points between two fragments from which they are no longer one passage."""
_LIMITS = re.compile(
    r"\b(?:unless|except|only if|only when|as long as|provided that|assuming|allegedly|according to|rather than)\b"
    r"|경우에만|때에만|때만|한해|하는 한|않는 한|제외하고|가정하|따르면|주장",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?。…](?:\s|$)|\n")


def elided(text: str, spans: Sequence[tuple[int, int]], *, in_order: bool) -> Iterator[Concern]:
    """The concerns about what lies between the fragments of a quote."""
    if not in_order:
        yield Concern("order", "the fragments stand in another order", "")
        return
    for (_, end), (start, _) in pairwise(spans):
        between = text[end:start]
        if len(between) > FAR:
            yield Concern("far apart", "", f"{len(between)} characters lie between two fragments")
        pieces = _END.split(between)
        near = between if len(pieces) == 1 else f"{pieces[0]}\n{pieces[-1]}"
        if said := negations(near):
            yield Concern("negation left out", "", " ".join(said))
        if found := _LIMITS.search(near):
            yield Concern("limit left out", "", found[0])
