"""Matching: the rules of a tool call above and below the cut-off, and the reasons (`rule_match.v1`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar, Literal, Protocol

from core.base.trace import Step, Stopwatch, facts
from core.rules.format.book import Book
from core.rules.format.rule import rule_text
from core.rules.format.snippets import likest
from core.rules.matching.call import READ, CallText, ToolCall, call_text
from core.rules.matching.keyword import KeywordHit, KeywordScore, format_scores, query_terms, short_of, with_code
from core.rules.matching.score import (
    CUTOFF,
    Context,
    Ranking,
    Regime,
    Scored,
    Weighed,
    arithmetic,
    context_of,
    ranking_of,
    same_rule,
)
from core.rules.matching.terms import as_written

MatchType = Literal["semantic", "keyword", "hybrid", "exact"]

SHOWN = 5
BELOW = 10
CANDIDATES = 30
"""Rules the keyword tier may propose."""
_NAMED = 6
"""Shared words that are named."""
LATE = "no_time_for"
"""The fact that names the user's own patterns which were not tried to their end."""
_NO_KEYWORD = KeywordScore(0.0, 0.0, ())


@dataclass(frozen=True, slots=True)
class MatchedRule:
    """One rule and how it scored, all on one scale 0..1.

    `relevance_score` decides; `similarity` is max(0, cosine), null where no vector spoke; `keyword_score` is bounded
    bm25; `context` the factor for language and act; `hits` the terms that call and rule share, the strongest first.
    `match_type` exact: the call has code that a sentence of the file forbids (a ban); its `id` is its place.
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


@dataclass(frozen=True, slots=True)
class Similarities:
    """What the semantic tier says: max(0, cosine) by the place of a rule in the book, and the step it took.

    Another model's cosines are told as MiniLM would say them, with which the cut-offs were found (`Thresholds.alike`).
    A rule without a vector is missing; `scores` is empty where there was no semantic score at all.
    """

    scores: Mapping[int, float]
    step: Step


class Semantic(Protocol):
    """The semantic tier. `similar` keeps its own deadline and never raises."""

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        """The rules nearest to a query, and in any case those of `also`."""
        ...


def match(
    book: Book,
    call: ToolCall,
    semantic: Semantic | None = None,
    *,
    limit: int = SHOWN,
    cutoff: float = CUTOFF,
    use_fallback: bool = True,
) -> RuleMatch:
    """The rules that apply to `call`, best first, at most `limit`; the next best, which are not shown; and the trace.

    Without `use_fallback` keywords do not answer where there is no semantic score. Raises nothing.
    """
    found = weigh(book, call, semantic, use_fallback=use_fallback)
    return _decided(book, found, ranking_of(book, found.rules, limit, cutoff), limit)


@dataclass(frozen=True, slots=True)
class Weighing:
    """What every tier says of the rules that any of them names: all there is before they are ranked."""

    rules: tuple[Weighed, ...]
    query: str
    fallback: bool
    steps: tuple[Step, ...]
    text: CallText


def _unread(text: CallText) -> str:
    return (
        f", {text.unread:,} characters ignored (only the first {READ:,} of each field are read)" if text.unread else ""
    )


def weigh(book: Book, call: ToolCall, semantic: Semantic | None, *, use_fallback: bool = True) -> Weighing:
    """Ask both tiers about a call. Raises nothing."""
    watch = Stopwatch()
    text = call_text(call)
    terms = query_terms(text, book.tables)
    matched = tuple(one for one in book.tables.error_patterns if one.name in terms.patterns)
    words = " ".join(dict.fromkeys(word for one in matched for word in one.terms))
    query = f"{text.model_text}\n{words}" if words else text.model_text
    first = Step(
        "query",
        "hit" if query.strip() else "miss",
        f"{text.tool}: {len(text.parts)} field{'s'[: len(text.parts) != 1]}, {len(terms.terms)} terms{_unread(text)}",
        facts(
            act=text.act,
            languages=", ".join(sorted(text.languages)),
            project="",  # of rule_match.v1; no longer read
            patterns=", ".join(terms.patterns),
            **({"unread": text.unread} if text.unread else {}),
            **({LATE: ", ".join(terms.late)} if terms.late else {}),
        ),
        elapsed_ms=watch.ms(),
    )
    watch = Stopwatch()
    keyword = book.index.scores(terms.terms, CANDIDATES)
    keyword.update(_named(book, terms.named, keyword))
    keyword_ms = watch.ms()
    if semantic is None:
        found = Similarities({}, Step("semantic", "skipped", "no model used"))
    else:
        found = semantic.similar(query, frozenset(keyword))
    places = found.scores.keys() | keyword.keys() if found.scores or use_fallback else ()
    rules = tuple(weighed(book, text, at, found.scores.get(at), keyword.get(at)) for at in places)
    second = Step(
        "keyword",
        "hit" if keyword else "miss",
        f"{len(keyword)} of {len(book.rules)} rules share a term" if keyword else "no rule shares a term with the call",
        facts(best=round(max((one.keyword.score for one in rules), default=0.0), 4)),
        elapsed_ms=keyword_ms,
    )
    return Weighing(rules, query, not found.scores, (first, second, found.step), text)


def weighed(
    book: Book,
    text: CallText,
    at: int,
    similarity: float | None = None,
    keyword: KeywordScore | None = None,
) -> Weighed:
    """The rule at this place with what the tiers say of it, its own code, and how it fits the call."""
    likely = likest(book.shown[at], text.code)
    shown = book.shown[at]
    code = likely[1] if likely else 0.0
    fits = context_of(text, book.languages[at], shown, code, known=_by_patterns(keyword))
    return Weighed(at, similarity, with_code(keyword or _NO_KEYWORD, likely), fits)


def _by_patterns(keyword: KeywordScore | None) -> bool:
    """Whether patterns of mistakes that match the call have several words of the rule."""
    return keyword is not None and sum(hit.source.startswith("pattern ") for hit in keyword.hits) > 1


def _named(book: Book, named: tuple[str, ...], keyword: Mapping[int, KeywordScore]) -> dict[int, KeywordScore]:
    """Rules that a user's pattern names outright: their keyword score is full."""
    wanted = frozenset(named)
    if not wanted:
        return {}
    return {
        at: replace(keyword.get(at, _NO_KEYWORD), score=1.0) for at, rule in enumerate(book.rules) if rule.id in wanted
    }


def _decided(book: Book, found: Weighing, ranking: Ranking, limit: int) -> RuleMatch:
    cutoff, regime = ranking.cutoff, ranking.regime
    scored = ranking.scored
    shown = [matched_rule(book, ranking, one, limit, found.text) for one in scored if one.at in ranking.shown]
    rest = (one for one in scored if one.at not in ranking.shown)
    reach = sum(one.score >= cutoff for one in scored)
    reason = f"{reach} of {len(scored)} rules reach {cutoff:.2f}" if shown else f"no rule reaches {cutoff:.2f}"
    if shown and len(shown) < reach:
        reason += f", {len(shown)} shown"
    given = facts(regime=regime, cutoff=cutoff, best=scored[0].score if scored else 0.0)
    return RuleMatch(
        rules=tuple(shown),
        below=tuple(matched_rule(book, ranking, one, limit, found.text) for one in islice(rest, BELOW)),
        similarity_scores=tuple(one.similarity for one in shown),
        fallback_used=found.fallback,
        cutoff=cutoff,
        trace=(*found.steps, Step("cutoff", "hit" if shown else "miss", reason, given)),
        query=found.query,
    )


def matched_rule(book: Book, ranking: Ranking, one: Scored, limit: int, text: CallText) -> MatchedRule:
    """A ranked rule in full, with the reasons for its score and its place."""
    rule, similarity, keyword = book.rules[one.at], one.similarity, one.keyword
    kind: MatchType = (
        "keyword" if similarity is None else "hybrid" if keyword.hits and ranking.regime != "semantic" else "semantic"
    )
    reason = "" if one.at in ranking.shown else _exclusion_reason(book, ranking, one, limit)
    texts = (text.pattern_text, rule_text(rule))
    words = dict.fromkeys(as_written(hit.term, texts) for hit in keyword.hits[:_NAMED])
    why = _why(ranking.regime, similarity, keyword, one.context, one.score, words)
    return MatchedRule(
        rule.id,
        rule.title,
        one.score,
        kind,
        None if similarity is None else round(similarity, 4),
        round(keyword.score, 4),
        (*why, reason) if reason else why,
        rule.solution,
        round(one.context.factor, 4),
        keyword.hits[:12],
        rule.path,
        rule.line,
    )


def _exclusion_reason(book: Book, ranking: Ranking, one: Scored, limit: int) -> str:
    if one.score < ranking.cutoff:
        return f"{short_of(one.score, ranking.cutoff)} below the cut-off {format_scores(one.score, ranking.cutoff)[1]}"
    if any(same_rule(book.rules[at], book.rules[one.at]) for at in ranking.shown):
        return "another rule with this id scored higher"
    return f"above the cut-off, but only {limit} {'rule is' if limit == 1 else 'rules are'} shown"


def _why(
    regime: Regime,
    similarity: float | None,
    keyword: KeywordScore,
    context: Context,
    score: float,
    words: Iterable[str],
) -> tuple[str, ...]:
    out: list[str] = []
    if keyword.hits:
        out.append("shares " + ", ".join(words))
    patterns = dict.fromkeys(hit.source[8:] for hit in keyword.hits if hit.source.startswith("pattern "))
    if patterns:
        out.append("the call looks like " + ", ".join(patterns))
    out.extend(context.reasons)
    out.append(f"{arithmetic(regime, similarity, keyword.score, context)} = {score:.2f}")
    return tuple(out)
