"""Whether a place may be taken for a quote by a word of consent, must be asked about, or is none: a pure decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from core.align import Concern, Difference, Span
from core.align.diff.changes import reasons_of
from core.align.fuzzy import CERTAIN
from core.align.normalization.normalized_view import View
from core.align.spans import JOIN
from core.base.trace import Step, facts
from core.evidence.messages import StoredMessages
from core.evidence.review.span_edit import COMPARED, differences
from core.evidence.rows import Kept
from core.evidence.span_check import words_at

Verdict = Literal["fits", "asks", "too_little"]
HALF = 0.5
"""A place with less of the quote's length than this is asked about."""
LONG = 30
"""From so many characters on, a word or two are no place for a quote."""
_WORDS, _QUARTER = 2, 0.25
TOO_LITTLE = "the selection is too short for this quote; widen it, or choose another place"


@dataclass(frozen=True, slots=True)
class Fit:
    """How words fit a quote. `reasons`: what to ask about, in plain words; `too_little` cannot be said yes to.

    `similarity` (0 to 1): in folded form; `covers`: its length against the quote's, 1 at most.
    """

    verdict: Verdict
    similarity: float
    covers: float
    reasons: tuple[str, ...]
    trace: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a quote as it is judged: the words there, what the quote says otherwise, how they fit."""

    spans: tuple[Span, ...]
    words: str
    concerns: tuple[Concern, ...]
    diff: tuple[Difference, ...]
    fit: Fit


def fit_of(
    quote: str,
    words: str,
    concerns: Sequence[Concern] = (),
    similarity: float | None = None,
    diff: Sequence[Difference] = (),
) -> Fit:
    """How `words` fit `quote`, of which the guard says `concerns`; `similarity` where the aligner knows it."""
    said, there = (View(text[:COMPARED]).folded.strip() for text in (quote, words))
    like = Levenshtein.normalized_similarity(said, there) if similarity is None else similarity
    covers = min(1.0, len(there) / len(said)) if said else 1.0
    count = len(there.split())
    reasons: list[str] = []
    if like < CERTAIN:
        reasons.append(f"only {like:.0%} similar: below the threshold")
    if covers < HALF:
        reasons.append(f"the selection covers {covers:.0%} of the quote")
    reasons += reasons_of(concerns, diff)
    little = len(said) >= LONG and count <= _WORDS and covers < _QUARTER
    verdict: Verdict = "too_little" if little else "asks" if reasons else "fits"
    told = TOO_LITTLE if little else f"{len(reasons)} to ask about" if reasons else "it says the same"
    step = Step(
        "place",
        "hit" if verdict == "fits" else "rejected",
        told,
        facts(similarity=round(like, 4), covers=round(covers, 4), words=count),
        tuple(Step("reason", "rejected", one) for one in reasons),
    )
    return Fit(verdict, like, covers, tuple(reasons), (step,))


def place_at(one: Kept, messages: StoredMessages, spans: tuple[Span, ...]) -> Place:
    """A place of a quote, judged: where the machine looked, by what it found; elsewhere by the words there."""
    found, words = one.aligned, JOIN.join(words_at(messages, spans) or ())
    known: float | None = None
    concerns, diff = differences(one.quote, words)
    if found is not None and one.original is None:
        looked = {(miss.span,): miss.similarity for miss in found.near_misses}
        ways = [(span,) for span in found.spans] if found.status == "ambiguous" else [found.spans]
        known = {**looked, **dict.fromkeys(ways, found.similarity)}.get(spans)
        if found.status in ("aligned", "flagged") and spans == found.spans:
            concerns = found.concerns
    return Place(spans, words, concerns, diff, fit_of(one.quote, words, concerns, known, diff))
