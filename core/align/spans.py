"""Places in messages: half-open ranges of code points."""

from __future__ import annotations

from dataclasses import dataclass

JOIN = " … "
"""Between the fragments of one place, where its words are shown or become the quote."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """`text[start:end]` of the message `message_index`, in code points of the original."""

    message_index: int
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.message_index < 0 or not 0 <= self.start < self.end:
            raise ValueError(f"no span: message {self.message_index}, {self.start} to {self.end}")
