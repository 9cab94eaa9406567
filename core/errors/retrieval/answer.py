"""What a search for an error answers: the match, the candidates, and the trace that led there (`error_search.v1`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NamedTuple

from core.base.trace import Step, facts
from core.errors.lessons import Lesson
from core.errors.practice import Practice

Tier = Literal["fingerprint", "exact", "prefix", "vector", "text"]
Confidence = Literal["high", "low"]
Strength = Literal["strong", "weak"]
Worth = Literal["general", "project", "slip", "none"]
Status = Literal["draft", "verified", "rejected"]
Part = Literal["error", "fix", "tag", "output"]
Origin = Literal["here", "team"]


@dataclass(frozen=True, slots=True)
class Query:
    """The error asked for, as typed and as identified."""

    raw: str
    key_line: str
    normalized: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a resolution comes from: a session and its 0-based message indexes; both empty for one typed by hand."""

    session: str | None
    messages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The part of a case that a search found: one of its errors, or what else has the words that were asked for.

    `says`: the error says `exactly` this and no more, has `every` word that was asked for, or only `some`.
    `fingerprint`: which error; null where it is none, or has no fingerprint. `own_fix`: the fix beside it is of this
    very error, or of all errors of the case.
    """

    part: Part
    says: Literal["exactly", "every", "some"]
    fingerprint: str | None = None
    own_fix: bool = False


@dataclass(frozen=True, slots=True)
class OtherName:
    """A name of the known error and the one that the searched error has in its place."""

    known: str
    searched: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A case that answers, or nearly did.

    `confidence` is the lower of both: `likeness` says how like the errors are, `fix_strength` how good the fix is
    (decision 3b; null without a fix, and where the case was only browsed). `worth` is what a harvest says of its own
    draft, `resolution_id` the fix in the history of the case; both are null where there is none.

    `score` lies in 0..1; `distance` is the L2 distance of the vector tier, else None. `why` says in plain words what
    made it match. `accepted` and `reason` say whether it may answer, and why not. `place`: which of its errors it is,
    or where it has the words; null where no tier looked for that. `other_names`: the names in quotes in which the error
    differs from the one that was searched: then it is another error of the same kind, with low confidence. `lesson`:
    what `resolution` says, structured; null where the text is all there is. `origin`: team where the fix came from the
    lessons file of a repository, or a team's server. `id` is 0 for a candidate that only the server holds.
    """

    id: int
    tier: Tier
    confidence: Confidence
    score: float
    distance: float | None
    error_normalized: str
    key_line: str
    resolution: str | None
    status: Status | None
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    use_count: int
    last_used: str | None
    source: Source
    why: tuple[str, ...]
    accepted: bool = True
    reason: str = ""
    place: Place | None = None
    other_names: tuple[OtherName, ...] = ()
    likeness: Confidence = "low"
    fix_strength: Strength | None = None
    worth: Worth | None = None
    resolution_id: int | None = None
    lesson: Lesson | None = None
    origin: Origin = "here"


@dataclass(frozen=True, slots=True)
class Similar:
    """A case near the query that is never an answer.

    `similarity`: the cosine, 0 for a negative one; the share of words, 0..1, where no model reads the question.
    `worth`: what a harvest says of the fix, where that is its own draft.
    """

    id: int
    similarity: float
    error_normalized: str
    resolution: str | None
    worth: Worth | None = None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """One answer to one query (error-kb REQ-RA-002): the match or None, every candidate looked at, and the trace.

    `practice`: what a repository does about such errors, where somebody who knows the repository looked.
    """

    SCHEMA: ClassVar[str] = "error_search.v1"

    query: Query
    match: Hit | None
    candidates: tuple[Hit, ...] = ()
    similar: tuple[Similar, ...] = ()
    trace: tuple[Step, ...] = field(default=())
    practice: Practice | None = None

    @property
    def unfixed(self) -> Hit | None:
        """The searched error itself, where it is known and no fix of it answers; None if it is unknown or answered."""
        same = (one for one in self.candidates if one.tier in ("fingerprint", "exact") and one.likeness == "high")
        return next((one for one in same if self.match is None and not one.accepted), None)


class VectorResult(NamedTuple):
    """What the vector tier found: a match, near misses, similar cases, the step, why a weak prefix match is refuted."""

    match: Hit | None
    step: Step
    candidates: tuple[Hit, ...] = ()
    similar: tuple[Similar, ...] = ()
    refuted: str = ""


SLIP = "the error was an agent mistake: stored as history, not shown to agents"


def for_agents(answer: SearchAnswer) -> SearchAnswer:
    """The answer without fixes that a harvest calls a slip; a match with one becomes a candidate without a fix."""
    match, looked_at, trace = answer.match, answer.candidates, answer.trace
    if match is not None and match.worth == "slip":
        looked_at = (match, *looked_at)
        trace = (*trace, Step("worth", "rejected", SLIP, facts(case=match.id)))
        match = None
    return replace(
        answer,
        match=match,
        candidates=tuple(map(_without_slip, looked_at)),
        similar=tuple(replace(one, resolution=None) if one.worth == "slip" else one for one in answer.similar),
        trace=trace,
    )


def _without_slip(one: Hit) -> Hit:
    if one.worth != "slip":
        return one
    return replace(one, resolution=None, resolved_by=None, tool_sequence=(), lesson=None, accepted=False, reason=SLIP)
