"""A quote and its source as runs that are the same or differ, cut from the texts themselves: nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence

from core.align.guard.comparison import runs
from core.align.guard.tokens import Token, tokens_of
from core.align.normalization.normalized_view import View
from core.align.result import Difference


def verbatim(quote: str, source: str) -> tuple[Difference, ...]:
    """The runs in order: joined, their `quote` is the quote and their `source` the source, letter for letter.

    What differs is what differs for the guard: a run that is the same may be written otherwise in the two (`"`, `“`).
    """
    mine, yours = _Side(quote), _Side(source)
    found: list[Difference] = []
    for same, here, there in runs(mine.canons, yours.canons):
        if same:
            continue
        before, after = mine.up_to(*here), yours.up_to(*there)
        if before[0] or after[0]:
            found.append(Difference(True, before[0], after[0]))
        if before[1] or after[1]:
            found.append(Difference(False, before[1], after[1]))
    if mine.rest or yours.rest:
        found.append(Difference(True, mine.rest, yours.rest))
    return tuple(found)


class _Side:
    """One of the two texts, taken from its beginning on."""

    def __init__(self, text: str) -> None:
        self._view = View(text)
        self._tokens: Sequence[Token] = tokens_of(self._view.lines)
        self.canons = [token.canon for token in self._tokens]
        self._taken = 0

    def up_to(self, first: int, end: int) -> tuple[str, str]:
        """The text up to the tokens `first` to `end`, and those with what is between them; both may be empty."""
        text = self._view.plain
        if end > first:
            start, stop = self._view.original_of_lines(self._tokens[first].start, _end(self._tokens[end - 1]))
        else:  # nothing here: behind the token before, and its blank
            start = self._view.original_of_lines(0, _end(self._tokens[first - 1]))[1] if first else 0
            while start < len(text) and text[start].isspace():
                start += 1
            stop = start
        start = max(start, self._taken)  # two tokens may be of the same letters (`don't`)
        stop = max(start, stop)
        said = text[self._taken : start], text[start:stop]
        self._taken = stop
        return said

    @property
    def rest(self) -> str:
        """What was not taken yet."""
        return self._view.plain[self._taken :]


def _end(token: Token) -> int:
    """Where a token ends, without the comma that a number takes with it."""
    return token.end - len(token.text) + len(token.text.rstrip(","))
