"""The result of aligning one quote. The types cannot hold a confidence that its method does not have (decision 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from core.base.trace import Step

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
            raise ValueError(f"invalid span: message {self.message_index}, {self.start} to {self.end}")


Status = Literal["aligned", "flagged", "ambiguous", "failed"]
Method = Literal["exact", "normalized", "fuzzy", "none"]
Failure = Literal["not_found", "below_threshold", "empty_quote", "quote_too_long", "index_out_of_range"]

BANDS: dict[Method, tuple[float, float]] = {"normalized": (0.95, 1.0), "fuzzy": (0.85, 0.95)}
"""The confidence of each method, half-open; an exact match has 1, none has 0."""


@dataclass(frozen=True, slots=True)
class Concern:
    """Why a person must look: its `kind` (`number`, `negation`, …) and what differs, in the two texts' own words."""

    kind: str
    quote: str
    source: str

    def __str__(self) -> str:
        if self.kind.startswith("cut out of") or self.kind == "taken back":
            return f"{self.kind}: “{self.source}”"
        if not self.quote:
            return f"{self.kind}: the source has “{self.source}”"
        if not self.source:
            return f"{self.kind}: the quote has “{self.quote}”"
        return f"{self.kind}: “{self.source}” in the source, “{self.quote}” in the quote"


@dataclass(frozen=True, slots=True)
class Difference:
    """One run of a word-level diff: the same on both sides, or what each side has there (either may be empty).

    Shown and written ones are verbatim (`diff.verbatim`); those of the guard, which are stored, have words only.
    """

    same: bool
    quote: str
    source: str


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that was not good enough: its span, and how like the quote it is (0 to 1)."""

    span: Span
    similarity: float


@dataclass(frozen=True, slots=True)
class Aligned:
    """The place of a quote, or the reason for a failure.

    `spans`: one place, the fragments of one place in order (an ellipsis), or, where `ambiguous`, one of each place.
    `similarity` is raw (0 to 1), `confidence` lies in its method's band. Raises ValueError for what contradicts itself.
    """

    status: Status
    method: Method
    confidence: float
    spans: tuple[Span, ...] = ()
    similarity: float = 0.0
    failure: Failure | None = None
    concerns: tuple[Concern, ...] = ()
    diff: tuple[Difference, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    relocated_from: int | None = None
    matched_hash: str | None = None
    trace: tuple[Step, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.status == "failed":
            if self.failure is None or self.method != "none" or self.confidence or self.spans:
                raise ValueError("a failed quote must have a reason, but no method, confidence or location")
            return
        if self.failure is not None or not self.spans or self.method == "none":
            raise ValueError(f"an {self.status} quote must have a location and a method, but no failure reason")
        if self.method == "exact":
            fits = self.confidence == 1.0
        else:
            low, high = BANDS[self.method]
            fits = low <= self.confidence < high
        if not fits:
            raise ValueError(f"confidence {self.confidence} is invalid for a match by {self.method}")
        if (self.status == "flagged") != bool(self.concerns):
            raise ValueError("a quote must be flagged if and only if it has concerns")
        if len({span.message_index for span in self.spans}) > 1:
            raise ValueError("all spans of an alignment must be in one message")


def failed(reason: Failure, trace: tuple[Step, ...], near_misses: tuple[NearMiss, ...] = ()) -> Aligned:
    """Return a quote without a place."""
    return Aligned("failed", "none", 0.0, failure=reason, near_misses=near_misses, trace=trace)


def hash_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hex; a lone surrogate counts as U+FFFD."""
    try:
        return sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        return sha256(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()).hexdigest()
