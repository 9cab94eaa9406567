"""How strictly quotes are aligned: the seed's three settings, and the guard's level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LONGEST_QUOTE = 2000
"""Code points up to which a quote may be aligned fuzzily at all: the time for it grows with their square."""

Level = Literal["strict", "normal", "off"]
"""`strict`: any word that differs is a concern; `normal`: whatever may change the sense; `off`: nothing."""


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """`fuzzy_threshold`: least similarity of a fuzzy match, in [0.85, 1); `max_quote_length`: a longer quote (code
    points) is tried exact and normalized only; `enable_fuzzy` False: the best place is only reported (decision 11b).

    Raises ValueError for a threshold or a length out of range.
    """

    fuzzy_threshold: float = 0.85
    max_quote_length: int = 500
    enable_fuzzy: bool = True
    guard: Level = "normal"

    def __post_init__(self) -> None:
        if not 0.85 <= self.fuzzy_threshold < 1:
            raise ValueError(f"fuzzy_threshold {self.fuzzy_threshold} is not in [0.85, 1)")
        if not 1 <= self.max_quote_length <= LONGEST_QUOTE:
            raise ValueError(f"max_quote_length {self.max_quote_length} is not in 1 to {LONGEST_QUOTE}")
