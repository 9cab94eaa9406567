"""Whether the best neighbour may answer: what speaks for it, in points, against bars some of which rise with the base.

Neither the cosine nor the words can say it alone: names that two errors share bring strangers near, and common words
bring them together. The points and the bar were found on one half of the labelled wordings (docs/internals/vectors.md).

What can be asked of the vectors of errors: frozen values, so that another process may be the one that answers.

Each is called with a casebook and a way to its vectors. Raises Fault where the casebook cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import apsw

from core.base.fault import Fault, remedy_of
from core.base.trace import Outcome, Step, Stopwatch, facts
from core.embedding import distance_of
from core.embedding.index.index import open_index
from core.embedding.index.state import why_off
from core.embedding.models.catalogue import Model
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.errors.equivalence import SMALL_BASE, is_content
from core.errors.retrieval.answer import Confidence, Hit, Query, VectorResult
from core.errors.retrieval.embed_text import embed_text, place_of
from core.errors.retrieval.neighbours import (
    SHOWN,
    CasesLike,
    Neighbour,
    answering_cases,
    by_rare_words,
    cases_like,
    nearest_answering,
    similar_by_words,
    similar_cases,
    similarities,
    weighed,
)
from core.errors.retrieval.tiers import neighbour_hit
from core.store import Store, faults
from core.text import hangul_share

if TYPE_CHECKING:
    from core.errors.curation.decisions import Candidate

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
    """Whether a neighbour may answer, and the reason."""
    if one.veto:
        return "no", one.veto
    if not bars.measured:
        return "no", "this model is not calibrated: matches are shown as similar only"
    if bars.cases < SMALL_BASE:
        return _in_small_base(one, bars)
    if one.similarity >= bars.high + ALONE:
        return "high", f"the similarity alone is high enough for {_base(bars.cases)}"
    if one.similarity < bars.low and not one.witness:
        return "no", f"not similar enough for {_base(bars.cases)}"
    points = f"{found.points:.1f} points, {bars.needed:.1f} needed for {_base(bars.cases)}"
    if found.points < bars.needed:
        return "no", f"too little evidence: {points}"
    if one.similarity >= bars.high:
        return "high", f"similar, and the words match: {points}"
    degree = "fairly similar" if one.similarity >= bars.low else "weakly similar"
    return "low", f"{degree}, but the words match: {points}"


def _in_small_base(one: Neighbour, bars: Bars) -> tuple[Verdict, str]:
    """The seed's rule: a small base cannot say which words are rare, so one that says something is enough."""
    if one.similarity >= bars.high:
        return "high", f"similar enough for {_base(bars.cases)}"
    if one.similarity < bars.low:
        return "no", f"not similar enough for {_base(bars.cases)}"
    shared = [word for word in one.shared if is_content(word)]
    if shared:
        return "low", f"similar, and both contain {shared[0]}"
    return "no", "similar, but without a specific word in common"


def _base(cases: int) -> str:
    return f"a casebook with {cases:,} embedded case{'' if cases == 1 else 's'}"


_HANGUL = 0.5
_NEIGHBOURS_IN_TRACE = 3  # neighbors in the trace
_WORDS = 8  # words of each told


def by_vector(con: apsw.Connection, query: Query, vectors: VectorSearch, weak: int | None = None) -> VectorResult:
    """The nearest case with a fix, if it is near enough. `weak`: a prefix match to be looked at as well.

    Raises apsw errors of the store only: whatever is wrong with the model or its vectors becomes a step.
    """
    watch = Stopwatch()
    model = vectors.model()
    if isinstance(model, NoVectors):
        return _without(model, watch)
    if model.languages == "en" and hangul_share(query.key_line) > _HANGUL:
        reason = f"the text is mostly Korean and {model.id} supports English only: showing shared words instead"
        similar = similar_by_words(con, query.key_line)
        step = Step("vector", "skipped", reason, facts(model=model.id, similar=len(similar)), elapsed_ms=watch.ms())
        return VectorResult(None, step, similar=similar)
    place, text = place_of(model), embed_text(query.key_line)
    off = why_off(con, place.kind, place.model, place.recipe) or ("" if text else "the error contains no words")
    if off:
        return _without(NoVectors(off, "casebook embed"), watch)
    vector = vectors.embed(text)
    if isinstance(vector, NoVectors):
        return _without(vector, watch)
    try:
        index = open_index(con, place.kind, place.model, place.recipe, place.dim, vectors.kept)
        found = dict(nearest_answering(con, index, vector))
    except Fault as fault:
        return _without(NoVectors(fault.message, remedy_of(fault), "failed"), watch)
    cases = answering_cases(con)
    by_words = by_rare_words(con, text, cases)
    more = [*by_words, *([] if weak is None else [weak])]
    found |= similarities(con, place, vector, (one for one in more if one not in found))
    near = weighed(con, query.key_line, found, cases, by_words[0] if by_words else None)
    return _decided(con, near, bars_of(model, cases), weak, watch)


def _without(off: NoVectors, watch: Stopwatch) -> VectorResult:
    details = facts(remedy=off.remedy) if off.remedy else ()
    return VectorResult(None, Step("vector", off.outcome, off.reason, details, elapsed_ms=watch.ms()))


def _decided(
    con: apsw.Connection, near: list[Neighbour], bars: Bars, weak: int | None, watch: Stopwatch
) -> VectorResult:
    """The best neighbour is judged, and only it: where the best one may not answer, nothing does."""
    best, second = near[0] if near else None, near[1] if len(near) > 1 else None
    found = [evidence(one, second if one is best else best, bars) for one in near[:_NEIGHBOURS_IN_TRACE]]
    verdicts = [judged(one, spoken, bars) for one, spoken in zip(near, found, strict=False)]
    verdict, reason = verdicts[0] if verdicts else ("no", "no case with a fix has a vector")
    steps = tuple(_neighbour_step(*each, bars) for each in zip(near, found, verdicts, strict=False))
    match = None
    if best is not None and verdict != "no":
        match = _hit(con, best, verdict, accepted=True, reason="")
    misses = tuple(
        _hit(con, one, "low", accepted=False, reason=reason if one is best else "another case is more similar")
        for one in near[:SHOWN]
        if match is None or one.id != match.id
    )
    similar = similar_cases(con, near, bars.similar, best if match is not None else None)
    outcome: Outcome = "miss" if best is None else "hit" if match else "rejected"
    seen = facts(
        model=bars.model,
        cases=bars.cases,
        looked_at=len(near),
        bar_high=round(bars.high, 3) if bars.measured else None,
        bar_low=round(bars.low, 3) if bars.measured else None,
        points_needed=round(bars.needed, 2) if bars.measured and bars.cases >= SMALL_BASE else None,
        best=round(best.similarity, 3) if best else None,
        similar=len(similar),
    )
    step = Step("vector", outcome, reason, seen, steps, watch.ms())
    return VectorResult(match, step, misses, similar, _refuted(near, weak, bars))


def _refuted(near: list[Neighbour], weak: int | None, bars: Bars) -> str:
    """Why the weak prefix match is another error, as far as the vectors can tell; empty if they cannot."""
    one = next((one for one in near if one.id == weak), None)
    if one is None or not bars.measured:
        return ""
    if one.veto:
        return one.veto
    return f"similarity only {one.similarity:.2f}" if one.similarity < bars.similar else ""


def _hit(con: apsw.Connection, one: Neighbour, confidence: Verdict, *, accepted: bool, reason: str) -> Hit:
    distance = distance_of(one.similarity)
    level: Confidence = "high" if confidence == "high" else "low"
    return neighbour_hit(
        con,
        one.id,
        one.key_line,
        one.similarity,
        distance,
        _words(one),
        likeness=level,
        accepted=accepted,
        reason=reason,
    )


def _words(one: Neighbour) -> tuple[str, ...]:
    parts: list[str] = []
    if one.shared:
        parts.append(f"both contain {', '.join(one.shared[:_WORDS])}")
    line = one.key_line.lower()
    if missing := [word for word in one.missing if word not in line]:
        parts.append(f"lacks {', '.join(missing[:_WORDS])}")
    return tuple(parts)


def _neighbour_step(one: Neighbour, found: Evidence, judgement: tuple[Verdict, str], bars: Bars) -> Step:
    """One neighbour in the trace: everything that spoke for it and against it."""
    verdict, reason = judgement
    return Step(
        "neighbour",
        "hit" if verdict != "no" else "rejected",
        reason,
        facts(
            case=one.id,
            cosine=round(one.similarity, 4),
            distance=round(distance_of(one.similarity), 4),
            shared=" ".join(one.shared[:_WORDS]),
            missing=" ".join(one.missing[:_WORDS]),
            idf=round(one.weight, 2),
            overlap=round(one.overlap, 3),
            rare=round(one.rare, 2),
            likeness=round(one.likeness, 3),
            wording=round(one.wording, 2),
            same_kind=round(one.kinds, 2),
            same_subjects=one.subjects,
            bar=round(bars.high if verdict == "high" else bars.low, 3) if bars.measured else None,
            points=round(found.points, 2),
            points_near=round(found.near, 2),
            points_words=round(found.words, 2),
            points_bm25_agrees=round(found.witness, 2),
            points_same_code=round(found.code, 2),
            points_lead=round(found.lead, 2),
            same_code=one.same_code,
            veto=one.veto or None,
        ),
    )


@dataclass(frozen=True, slots=True)
class Nearest:
    """What the vector tier says of a query; `weak` is the case that only a weak prefix has matched, if one has."""

    query: Query
    weak: int | None = None

    def __call__(self, store: Store, vectors: VectorSearch) -> VectorResult:
        from core.errors.retrieval.api import look_by_vector

        with faults(store.path):
            return look_by_vector(store, self.query, self.weak, vectors)


@dataclass(frozen=True, slots=True)
class Like:
    """The cases that are like one."""

    case_id: int

    def __call__(self, store: Store, vectors: VectorSearch) -> CasesLike:
        return cases_like(store, self.case_id, vectors.kept)


@dataclass(frozen=True, slots=True)
class AlsoFor:
    """The waiting cases that the fix of one may be for."""

    case_id: int

    def __call__(self, store: Store, vectors: VectorSearch) -> tuple[Candidate, ...]:
        from core.errors.curation.decisions import apply_to_these

        return apply_to_these(store, self.case_id, vectors.kept)
