"""What matching answers: the rules above the cut-off, those below it, and why (`rule_match.v1`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.base.trace import Step
from core.rules.matching.keyword import KeywordHit

MatchType = Literal["semantic", "keyword", "hybrid"]


@dataclass(frozen=True, slots=True)
class MatchedRule:
    """One rule and how it scored, all on one scale 0..1.

    `relevance_score` decides; `similarity` is max(0, cosine), null where no vector spoke; `keyword_score` is bounded
    bm25; `context` the factor for language and act; `hits` the terms that call and rule share, the strongest first.
    """

    id: str
    title: str
    relevance_score: float
    match_type: MatchType
    similarity: float | None
    keyword_score: float
    why: tuple[str, ...]
    solution: str
    context: float = 1.0
    hits: tuple[KeywordHit, ...] = ()
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """The rules that apply to a tool call (`rule_match.v1`); none is a right answer too.

    `below` are the next best, which are not shown: under the cut-off, or more than `limit`. `similarity_scores` are
    those of `rules`, in order (null where none was measured); `cutoff` is what every rule shown reaches,
    the first and its companions; `fallback_used`: there was no semantic score at all; `query` is
    the text that was compared by meaning.
    """

    SCHEMA: ClassVar[str] = "rule_match.v1"

    rules: tuple[MatchedRule, ...]
    below: tuple[MatchedRule, ...]
    similarity_scores: tuple[float | None, ...]
    fallback_used: bool
    cutoff: float
    trace: tuple[Step, ...]
    query: str = ""
