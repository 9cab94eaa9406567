"""How much speaks for a passage: a few signals, each with its weight, as one number between 0 and 1.

The weights are those of a small logistic model, fitted on labelled questions about several corpora (`bench ask_gate`
names them), each judged by what was fitted on the others; 0.30 is where the share of wrong refusals and that of wrong
answers were about alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one passage beside a question; each 0 to 1 unless it says otherwise.

    `near`: cosine of the passage and of its best sentence, less what the question says that nobody knows. `share`: of
    the question's weight, what stands there in other words too; `stretch`: what stands in one place, word for word.
    `beside`: how much nearer it is without one of the question's words (a cosine). `kind`: the kind of answer that is
    asked for is not in the place (0.5), nor in the passage (1). `nameless`: it lacks a name. `program`: it is one.
    `table`: how much of it is data or rows of figures.
    """

    near: float = 0.0
    share: float = 0.0
    stretch: float = 0.0
    beside: float = 0.0
    kind: float = 0.0
    nameless: float = 0.0
    program: float = 0.0
    table: float = 0.0


_READ: Final = Signals(near=5.3, share=5.5, beside=-15.0, kind=-4.6, nameless=-3.8, program=-1.9, table=-2.7)
_READ_LEAST: Final = -3.6
_WORDS: Final = Signals(stretch=6.5, kind=-3.3, nameless=-2.4, program=-1.6, table=-2.0)
_WORDS_LEAST: Final = -3.0
_BAR: Final = math.log(0.30 / 0.70)


def evidence(signals: Signals, *, by_words: bool) -> float:
    """The evidence of a passage; `by_words`: no model read it."""
    weights, least = (_WORDS, _WORDS_LEAST) if by_words else (_READ, _READ_LEAST)
    total = sum(getattr(weights, one.name) * getattr(signals, one.name) for one in fields(signals))
    return 1 / (1 + math.exp(-(total + least + _BAR)))
