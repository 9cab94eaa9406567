"""The vector tier: the same error in other words (error-kb REQ-RA-002 tier 3, DESIGN 7).

No answer is better than a wrong one: a near case answers only from a bar on that rises with the base, is vetoed where
codes or kinds of failure differ, and what lies below is shown as similar, which is never an answer.
"""

from __future__ import annotations

import apsw

from core.base.fault import Fault
from core.base.trace import Outcome, Step, Stopwatch, facts
from core.embedding import distance_of
from core.embedding.index.index import open_index
from core.embedding.index.state import why_off
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.errors.equivalence.acceptance import Bars, Evidence, Verdict, bars_of, evidence, judged
from core.errors.equivalence.idf import SMALL_BASE
from core.errors.retrieval.answer import Confidence, Hit, Query, VectorLooked
from core.errors.retrieval.embed_text import embed_text, place_of
from core.errors.retrieval.neighbours import (
    Neighbour,
    answering_cases,
    by_rare_words,
    nearest_answering,
    similarities,
    weighed,
)
from core.errors.retrieval.similar import SHOWN, similar_by_words, similar_cases
from core.errors.retrieval.tiers import neighbour_hit
from core.text import hangul_share

_HANGUL = 0.5
_TOLD = 3  # neighbours told in the trace
_WORDS = 8  # words of each told


def by_vector(con: apsw.Connection, query: Query, vectors: VectorSearch, weak: int | None = None) -> VectorLooked:
    """The nearest case with a fix, if it is near enough. `weak`: a prefix match to be looked at as well.

    Raises apsw errors of the store only: whatever is wrong with the model or its vectors becomes a step.
    """
    watch = Stopwatch()
    model = vectors.model()
    if isinstance(model, NoVectors):
        return _without(model, watch)
    if model.languages == "en" and hangul_share(query.key_line) > _HANGUL:
        reason = f"the text is mostly Korean and {model.id} reads English: shared words are shown instead"
        similar = similar_by_words(con, query.key_line)
        step = Step("vector", "skipped", reason, facts(model=model.id, similar=len(similar)), elapsed_ms=watch.ms())
        return VectorLooked(None, step, similar=similar)
    place, text = place_of(model), embed_text(query.key_line)
    off = why_off(con, place.kind, place.model, place.recipe) or ("" if text else "there is no word in it")
    if off:
        return _without(NoVectors(off, "casebook embed"), watch)
    vector = vectors.embed(text)
    if isinstance(vector, NoVectors):
        return _without(vector, watch)
    try:
        index = open_index(con, place.kind, place.model, place.recipe, place.dim, vectors.kept)
        found = dict(nearest_answering(con, index, vector))
    except Fault as fault:
        return _without(NoVectors(fault.message, fault.hint or "", "failed"), watch)
    cases = answering_cases(con)
    by_words = by_rare_words(con, text, cases)
    more = [*by_words, *([] if weak is None else [weak])]
    found |= similarities(con, place, vector, (one for one in more if one not in found))
    near = weighed(con, query.key_line, found, cases, by_words[0] if by_words else None)
    return _decided(con, near, bars_of(model, cases), weak, watch)


def _without(off: NoVectors, watch: Stopwatch) -> VectorLooked:
    told = facts(remedy=off.remedy) if off.remedy else ()
    return VectorLooked(None, Step("vector", off.outcome, off.reason, told, elapsed_ms=watch.ms()))


def _decided(
    con: apsw.Connection, near: list[Neighbour], bars: Bars, weak: int | None, watch: Stopwatch
) -> VectorLooked:
    """The best neighbour is judged, and only it: where the best one may not answer, nothing does."""
    best, second = near[0] if near else None, near[1] if len(near) > 1 else None
    found = [evidence(one, second if one is best else best, bars) for one in near[:_TOLD]]
    verdicts = [judged(one, spoken, bars) for one, spoken in zip(near, found, strict=False)]
    verdict, reason = verdicts[0] if verdicts else ("no", "no case with a fix has a vector")
    told = tuple(_told(*each, bars) for each in zip(near, found, verdicts, strict=False))
    match = None
    if best is not None and verdict != "no":
        match = _hit(con, best, verdict, accepted=True, reason="")
    misses = tuple(
        _hit(con, one, "low", accepted=False, reason=reason if one is best else "another case is nearer")
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
    step = Step("vector", outcome, reason, seen, told, watch.ms())
    return VectorLooked(match, step, misses, similar, _refuted(near, weak, bars))


def _refuted(near: list[Neighbour], weak: int | None, bars: Bars) -> str:
    """Why the weak prefix match is another error, as far as the vectors can tell; empty if they cannot."""
    one = next((one for one in near if one.id == weak), None)
    if one is None or not bars.measured:
        return ""
    if one.veto:
        return one.veto
    return f"its similarity is only {one.similarity:.2f}" if one.similarity < bars.similar else ""


def _hit(con: apsw.Connection, one: Neighbour, confidence: Verdict, *, accepted: bool, reason: str) -> Hit:
    distance = distance_of(one.similarity)
    why = (f"similarity {one.similarity:.2f} (distance {distance:.2f})", *_words(one))
    level: Confidence = "high" if confidence == "high" else "low"
    return neighbour_hit(
        con,
        one.id,
        one.key_line,
        one.similarity,
        distance,
        why,
        likeness=level,
        accepted=accepted,
        reason=reason,
    )


def _words(one: Neighbour) -> tuple[str, ...]:
    said: list[str] = []
    if one.shared:
        said.append(f"both say {', '.join(one.shared[:_WORDS])}")
    if one.missing:
        said.append(f"it does not say {', '.join(one.missing[:_WORDS])}")
    return tuple(said)


def _told(one: Neighbour, found: Evidence, judgement: tuple[Verdict, str], bars: Bars) -> Step:
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
