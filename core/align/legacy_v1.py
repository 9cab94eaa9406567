"""The seed's first call, `align(claims, source)`, kept as a thin shim over the aligner (evidence-aligner-v2 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.align.alignment import align
from core.align.input import quotes_of
from core.align.settings import AlignSettings


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """A claim and where it stands in the source: a half-open range of code points."""

    claim: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class ClaimAlignment:
    """The claims that stand in the source, and those that do not, or not beyond doubt."""

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
