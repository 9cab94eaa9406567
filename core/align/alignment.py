"""Everything extracted from a session, aligned with its messages: `alignment.v1`, with the seed's names of fields.

`align_claims` is the seed's first call, kept over the aligner (evidence-aligner-v2 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.align.aligner import Session, align_quote, settle
from core.align.diff import reason_of_each, verbatim
from core.align.input import Extracted, ExtractedEntry, ExtractedQuote, quotes_of
from core.align.result import JOIN, Aligned, Difference, Failure, Method, Status, hash_of
from core.align.settings import AlignSettings
from core.base.trace import Step


@dataclass(frozen=True, slots=True)
class Place:
    """A half-open range of code points in a message."""

    messageIndex: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NearPlace:
    """A place that was not good enough, and how like the quote it is (0 to 1)."""

    messageIndex: int
    start: int
    end: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing a person must look at: its kind, what quote and source have there, and the same as a sentence.

    Of kind `moved` the sentence shows the swap, and is the same for each word of it.
    """

    kind: str
    quote: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One quote with its place.

    `messageIndex`: the message it stands in, or the one that was named where it stands nowhere (null: that was no
    index); `relocatedFrom`: the one that was named, where it stands in another. `decidedBy`, `decidedAt`: the person
    who decided, and when; null while no one has.
    """

    index: int
    messageIndex: int | None
    relocatedFrom: int | None
    quote: str
    quoteHash: str
    matchedHash: str | None
    status: Status
    method: Method
    confidence: float
    spans: tuple[Place, ...]
    reason: Failure | None
    reasons: tuple[Reason, ...]
    diff: tuple[Difference, ...]
    nearMisses: tuple[NearPlace, ...]
    decidedBy: Literal["person"] | None = None
    decidedAt: str | None = None
    trace: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class AlignedEntry:
    """One claim: aligned where it has at least one quote and every one of them is (never "all of none")."""

    entryId: str
    evidenceAligned: bool
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class AlignResult:
    """The entries of one extraction with their evidence, how many quotes came to what, and what was ignored."""

    SCHEMA: ClassVar[str] = "alignment.v1"

    entries: tuple[AlignedEntry, ...]
    alignedCount: int
    flaggedCount: int
    ambiguousCount: int
    failedCount: int
    warnings: tuple[str, ...]

    @property
    def evidence_aligned(self) -> bool:
        """Whether there are entries and each of them is aligned."""
        return bool(self.entries) and all(entry.evidenceAligned for entry in self.entries)

    @property
    def failed_quotes(self) -> tuple[str, ...]:
        """The quotes that keep their entries from being promoted, in order."""
        return tuple(one.quote for entry in self.entries for one in entry.evidence if one.status != "aligned")


def align(
    messages: Sequence[str] | Session, extracted: Extracted, settings: AlignSettings | None = None
) -> AlignResult:
    """Align every quote. Raises nothing: what cannot be aligned is `failed`, with its reason."""
    session = messages if isinstance(messages, Session) else Session(messages)
    chosen = AlignSettings() if settings is None else settings
    entries = tuple(_entry(session, entry, chosen) for entry in extracted.entries)
    statuses = [one.status for entry in entries for one in entry.evidence]
    return AlignResult(
        entries,
        statuses.count("aligned"),
        statuses.count("flagged"),
        statuses.count("ambiguous"),
        statuses.count("failed"),
        extracted.warnings,
    )


def align_anywhere(messages: Sequence[str] | Session, quote: str, settings: AlignSettings | None = None) -> AlignResult:
    """Align one quote without a message number: the message where it is found counts as stated."""
    session = messages if isinstance(messages, Session) else Session(messages)

    def at(index: int) -> AlignResult:
        extracted = ExtractedQuote(index, quote)
        return align(session, Extracted((ExtractedEntry("quote", "", "", (extracted,)),)), settings)

    found = at(0)
    (one,) = found.entries[0].evidence
    return found if one.relocatedFrom is None or one.messageIndex is None else at(one.messageIndex)


def _entry(session: Session, entry: ExtractedEntry, settings: AlignSettings) -> AlignedEntry:
    found = [align_quote(session, one.message_index, one.quote, settings) for one in entry.evidence]
    found = _mentions(session, entry.evidence, found, settings)
    evidence = tuple(
        evidence_of(index, quote, one, session.messages)
        for index, (quote, one) in enumerate(zip(entry.evidence, found, strict=True))
    )
    return AlignedEntry(entry.entry_id, bool(evidence) and all(one.status == "aligned" for one in evidence), evidence)


def _mentions(
    session: Session, quotes: Sequence[ExtractedQuote], found: list[Aligned], settings: AlignSettings
) -> list[Aligned]:
    """Assign repeated quotes of one entry to their places in order.

    With any other number nobody knows which place is meant, so it stays ambiguous.
    """
    out = list(found)
    groups: dict[tuple[int | None, str], list[int]] = {}
    for at, (quote, one) in enumerate(zip(quotes, found, strict=True)):
        if one.status == "ambiguous" and one.method != "fuzzy":
            groups.setdefault((quote.message_index, quote.quote), []).append(at)
    for places in groups.values():
        spans = found[places[0]].spans
        if len(spans) == len(places):
            for at, span in zip(places, spans, strict=True):
                reason = f"quoted {len(places)} times by the entry, found {len(spans)} times in the message"
                out[at] = settle(session, quotes[at].quote, found[at], span, settings, reason)
    return out


def evidence_of(index: int, extracted: ExtractedQuote, found: Aligned, messages: Sequence[str]) -> Evidence:
    """The result for one quote, with the diff between the quote and the message."""
    words = [messages[span.message_index][span.start : span.end] for span in found.spans] if found.diff else []
    place = found.spans[0].message_index if found.spans else extracted.message_index
    return Evidence(
        index,
        place,
        found.relocated_from,
        extracted.quote,
        hash_of(extracted.quote),
        found.matched_hash,
        found.status,
        found.method,
        found.confidence,
        tuple(Place(span.message_index, span.start, span.end) for span in found.spans),
        found.failure,
        tuple(
            Reason(one.kind, one.quote, one.source, text)
            for one, text in zip(found.concerns, reason_of_each(found.concerns, found.diff), strict=True)
        ),
        verbatim(extracted.quote, JOIN.join(words)) if words else (),
        tuple(
            NearPlace(near.span.message_index, near.span.start, near.span.end, near.similarity)
            for near in found.near_misses
        ),
        trace=found.trace,
    )


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """A claim and its place in the source: a half-open range of code points."""

    claim: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class ClaimAlignment:
    """Claims found in the source, and claims that are missing or doubtful."""

    spans: tuple[ClaimSpan, ...]
    missing_claims: tuple[str, ...]


def align_claims(claims: Sequence[str], source: str, settings: AlignSettings | None = None) -> ClaimAlignment:
    """Align claims with one text. A claim in fragments spans from the first to the last of them."""
    (entry,) = align([source], quotes_of(claims), settings).entries
    spans = tuple(
        ClaimSpan(one.quote, one.spans[0].start, one.spans[-1].end, one.confidence)
        for one in entry.evidence
        if one.status == "aligned"
    )
    return ClaimAlignment(spans, tuple(one.quote for one in entry.evidence if one.status != "aligned"))
