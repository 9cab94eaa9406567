"""A conversation with the library as it stands: its questions with their answers, what is half typed, where one reads.

It outlives the screen that asks, for as long as the workbench runs.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.base.fault import Fault

if TYPE_CHECKING:
    from core.library.ask.answer import Answer
    from core.library.ask.store import TurnRow

OURS = "workbench-"
"""What the names of the workbench's own conversations begin with."""
LEFT = "One went back to the library in the middle of it."


def new_session() -> str:
    """The name of a conversation of the workbench's own, unlike any other."""
    return OURS + secrets.token_hex(6)


@dataclass(slots=True)
class Asked:
    """One question, and how its answer stands. `kept`: all there is of an old one whose checks cannot be read again."""

    question: str
    text: str = ""
    found: int | None = None
    hops: int = 0
    answer: Answer | None = None
    fault: Fault | None = None
    stopping: bool = False
    kept: TurnRow | None = None

    @property
    def open(self) -> bool:
        """Whether its answer is still on its way."""
        return self.answer is None and self.fault is None and self.kept is None


@dataclass(slots=True)
class Talk:
    """`typed`: what stands in the box; `offered`: what was put there to begin with. `scrolled`: how far the answers
    are, `None` where the last one is to be read; `reading`: whether one was in them and comes back to them, from a
    source. `left_out`: turns not shown."""

    session: str = field(default_factory=new_session)
    turns: list[Asked] = field(default_factory=list[Asked])
    typed: str = ""
    offered: str = ""
    scrolled: float | None = None
    reading: bool = False
    in_steps: bool = False
    left_out: int = 0

    @property
    def last(self) -> Asked | None:
        """The question that was asked last."""
        return self.turns[-1] if self.turns else None

    @property
    def answered(self) -> Asked | None:
        """The last question whose answer has come."""
        return next((turn for turn in reversed(self.turns) if turn.answer is not None), None)

    @property
    def answer(self) -> Answer | None:
        """The last one that has come."""
        return None if self.answered is None else self.answered.answer

    def in_box(self, searched: str) -> str:
        """What the box is to hold now: what is half typed, else what was searched since."""
        if (self.typed and self.typed != self.offered) or searched == self.offered:
            return self.typed
        self.offered = searched
        return searched

    def left(self) -> None:
        """Nobody waits any more for an answer that is on its way."""
        if (turn := self.last) is not None and turn.open:
            turn.fault = Fault("generic", LEFT)

    def begin_anew(self) -> None:
        """Another conversation, of which nothing was asked yet."""
        self.become(Talk())

    def become(self, other: Talk) -> None:
        """Go on with that one; what is typed stays."""
        self.session, self.turns, self.left_out, self.scrolled = other.session, other.turns, other.left_out, None
