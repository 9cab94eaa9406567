"""Work in pieces, shared with a second process: it has the next few, and this one does what it would wait for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, Generic, TypeVar

from core.flows.second import Gone, Question, Second

_DEPTH: Final = 2
"""Pieces the second process has at a time; while it has them, this one does further ones itself."""
_MOST: Final = 4
"""Pieces kept until their turn comes."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def shared(
    second: Second,
    pieces: Iterable[Piece],
    elsewhere: Callable[[Piece], Question],
    here: Callable[[Piece], Result],
) -> Generator[tuple[Piece, Result]]:
    """Each piece with its result, in order.

    `elsewhere` says what the second process is asked for a piece; where that answers None, or is gone, `here` does it.
    """
    work = _Work(second, elsewhere, here)
    try:
        for piece in pieces:
            work.begin(piece)
            yield from work.ended()
        yield from work.ended(all_of_them=True)
    finally:
        if work.asked:
            second.close()  # nobody waits for its answers any more


class _Work(Generic[Piece, Result]):
    """The pieces that are begun; those without a result the second process has."""

    def __init__(self, second: Second, elsewhere: Callable[[Piece], Question], here: Callable[[Piece], Result]) -> None:
        self.second, self.elsewhere, self.here = second, elsewhere, here
        self.begun = deque[tuple[Piece, Result | None]]()
        self.asked = 0

    def begin(self, piece: Piece) -> None:
        if self.asked - self.second.arrived < _DEPTH:
            try:
                self.second.ask(self.elsewhere(piece))
            except Gone:
                self.asked = 0
            else:
                self.asked += 1
                self.begun.append((piece, None))
                return
        self.begun.append((piece, self.here(piece)))

    def ended(self, *, all_of_them: bool = False) -> Iterator[tuple[Piece, Result]]:
        """The pieces whose turn has come."""
        while self.begun:
            piece, result = self.begun[0]
            if result is None and not (self.second.arrived or all_of_them or len(self.begun) > _MOST):
                return
            self.begun.popleft()
            if result is None:
                result = self._answer()
            yield piece, self.here(piece) if result is None else result

    def _answer(self) -> Result | None:
        if not self.asked:
            return None  # it is gone
        self.asked -= 1
        try:
            return self.second.take()
        except Gone:
            self.asked = 0
            return None
