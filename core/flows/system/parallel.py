"""Work in pieces, shared with a second process: it has the next few, and this one does what it would wait for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, Generic, TypeVar

from core.flows.system.worker_process import Gone, Question, Second

_DEPTH: Final = 5
"""Pieces the second process has at a time; while it has them, this one does further ones itself."""
_MOST: Final = 8
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
    work = _Work(second, iter(pieces), elsewhere, here)
    try:
        while True:
            work.hand_over()  # before each piece is taken, so that it never runs out while its results are used here
            if work.due() or not work.begin_here():
                if not work.begun:
                    return
                yield work.taken()
    finally:
        if work.asked:
            second.close()  # nobody waits for its answers any more


class _Work(Generic[Piece, Result]):
    """The pieces that are begun; those without a result the second process has."""

    def __init__(
        self,
        second: Second,
        pieces: Iterator[Piece],
        elsewhere: Callable[[Piece], Question],
        here: Callable[[Piece], Result],
    ) -> None:
        self.second, self.pieces, self.elsewhere, self.here = second, pieces, elsewhere, here
        self.begun = deque[tuple[Piece, Result | None]]()
        self.asked = 0
        self.gone = False

    def hand_over(self) -> None:
        """Let the second process have enough to do."""
        while not self.gone and self.asked - self.second.arrived < _DEPTH and len(self.begun) < _MOST:
            piece = next(self.pieces, None)
            if piece is None:
                return
            self.begun.append((piece, None))
            try:
                self.second.ask(self.elsewhere(piece))
                self.asked += 1
            except Gone:
                self._lost()

    def due(self) -> bool:
        """Whether the next piece has its result."""
        return bool(self.begun) and (self.begun[0][1] is not None or self.second.arrived > 0 or self.gone)

    def begin_here(self) -> bool:
        """Do the next piece that nobody has; False where there is none, or enough are kept."""
        if len(self.begun) >= _MOST:
            return False
        piece = next(self.pieces, None)
        if piece is not None:
            self.begun.append((piece, self.here(piece)))
        return piece is not None

    def taken(self) -> tuple[Piece, Result]:
        """The next piece with its result; waits for it."""
        piece, result = self.begun.popleft()
        result = self._answer() if result is None else result
        return piece, self.here(piece) if result is None else result

    def _answer(self) -> Result | None:
        if self.gone:
            return None
        self.asked -= 1
        try:
            return self.second.take()
        except Gone:
            self._lost()
            return None

    def _lost(self) -> None:
        self.asked, self.gone = 0, True
