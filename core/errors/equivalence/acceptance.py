"""Whether the best neighbour may answer: what speaks for it, in points, against bars some of which rise with the base.

Neither the cosine nor the words can say it alone: names that two errors share bring strangers near, and common words
bring them together. The points and the bar were found on one half of the labelled wordings (docs/vectors.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from core.embedding.models.catalogue import Model
from core.errors.equivalence.idf import SMALL_BASE, is_content
from core.errors.retrieval.neighbours import Neighbour

WORDS: Final = 5.0
"""Points for words that are the same in both, as rare ones count more; none shared gives none."""
WITNESS: Final = 1.0
"""Points if bm25, which knows no meaning, puts the same case first."""
CODE: Final = 1.0
"""Points if both carry the same code."""
LEAD: Final = 8.0
MOST_LEAD: Final = 0.4
"""Points for each 1.0 of rank that the second best lies behind, and how much of that counts. A stranger is seldom
alone: others that say the same lie close behind it."""
NEEDED: Final = 4.3
"""The points that an answer needs, in a base of any size: as one grows the second best comes nearer by itself."""
ALONE: Final = 0.15
"""So far above the bar of a high answer no words are needed."""
Verdict = Literal["high", "low", "no"]


@dataclass(frozen=True, slots=True)
class Bars:
    """What a neighbour of this model needs in a base of `cases`: `similar`, `low` and `high` are cosines.

    `point` is how much cosine above `similar` makes one point: the way from there to the high bar of a small base.
    """

    model: str
    cases: int
    high: float
    low: float
    similar: float
    point: float
    measured: bool

    @property
    def needed(self) -> float:
        """The points that an answer needs; not asked for below `SMALL_BASE`, which cannot weigh words."""
        return NEEDED


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a neighbour, in points: nearness, words, a second witness, a code, how far ahead of the next."""

    near: float
    words: float
    witness: float
    code: float
    lead: float

    @property
    def points(self) -> float:
        """All of it."""
        return self.near + self.words + self.witness + self.code + self.lead


def bars_of(model: Model, cases: int) -> Bars:
    """The bars of a model in a base of so many `cases` with a fix; of an unmeasured one none is ever reached."""
    bars = model.thresholds
    if bars is None:
        return Bars(model.id, cases, 1.0, 1.0, 0.5, 0.2, measured=False)
    point = max(1e-6, bars.high - bars.similar)
    return Bars(model.id, cases, bars.high_at(cases), bars.low_at(cases), bars.similar, point, measured=True)


def evidence(one: Neighbour, second: Neighbour | None, bars: Bars) -> Evidence:
    """What speaks for `one`; `second` is the next best, None if there is none."""
    lead = MOST_LEAD if second is None else one.rank - second.rank
    return Evidence(
        (one.similarity - bars.similar) / bars.point,
        WORDS * one.overlap,
        WITNESS * one.witness,
        CODE * one.same_code,
        LEAD * max(0.0, min(MOST_LEAD, lead)),
    )


def judged(one: Neighbour, found: Evidence, bars: Bars) -> tuple[Verdict, str]:
    """Whether a neighbour may answer, and why, in plain words."""
    if one.veto:
        return "no", one.veto
    if not bars.measured:
        return "no", "nobody has measured this model: its neighbours are shown as similar only"
    if bars.cases < SMALL_BASE:
        return _in_small_base(one, bars)
    if one.similarity >= bars.high + ALONE:
        return "high", f"so near in {_base(bars.cases)} that words do not matter"
    if one.similarity < bars.low and not one.witness:
        return "no", f"not near enough in {_base(bars.cases)}"
    said = f"{found.points:.1f} points of {bars.needed:.1f} needed in {_base(bars.cases)}"
    if found.points < bars.needed:
        return "no", f"too little speaks for it: {said}"
    if one.similarity >= bars.high:
        return "high", f"near, and the words agree: {said}"
    return "low", f"{'rather near' if one.similarity >= bars.low else 'not very near'}, but the words agree: {said}"


def _in_small_base(one: Neighbour, bars: Bars) -> tuple[Verdict, str]:
    """The seed's rule: a small base cannot say which words are rare, so one that says something is enough."""
    if one.similarity >= bars.high:
        return "high", f"near enough in {_base(bars.cases)}"
    if one.similarity < bars.low:
        return "no", f"not near enough in {_base(bars.cases)}"
    shared = [word for word in one.shared if is_content(word)]
    if shared:
        return "low", f"rather near, and both say {shared[0]}"
    return "no", "rather near, but no telling word is shared"


def _base(cases: int) -> str:
    return "a base of one case" if cases == 1 else f"a base of {cases:,} cases"
