"""Which rules a tool call meets: keywords and meaning on one scale, a cut-off, and silence where nothing applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from core.rules.answer import MatchedRule, MatchType, RuleMatch
from core.rules.book import Book
from core.rules.call import CallText, ToolCall, call_text
from core.rules.keyword import KeywordScore, query_terms, with_code
from core.rules.rule import Rule
from core.rules.score import Best, Context, Cutoffs, Regime, arithmetic, behind, context_of, regime_of, relevance
from core.rules.snippets import Snippet, likest
from core.trace import Step, Stopwatch, facts

SHOWN = 5
BELOW = 10
CANDIDATES = 30
"""Rules the keyword tier may propose."""
_NO_KEYWORD = KeywordScore(0.0, 0.0, ())


@dataclass(frozen=True, slots=True)
class Similarities:
    """What the semantic tier says: max(0, cosine) by the place of a rule in the book, and the step it took.

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
    cutoffs: Cutoffs | None = None,
    use_fallback: bool = True,
) -> RuleMatch:
    """The rules that apply to `call`, best first, at most `limit`; those just below the cut-off; and the trace.

    Without `use_fallback` keywords do not answer where there is no semantic score. Raises nothing.
    """
    watch = Stopwatch()
    text = call_text(call)
    asked, patterns, named = query_terms(text, book.tables)
    words = " ".join(
        dict.fromkeys(word for one in book.tables.error_patterns if one.name in patterns for word in one.terms)
    )
    query = f"{text.model_text}\n{words}" if words else text.model_text
    first = Step(
        "query",
        "hit" if query.strip() else "miss",
        f"{text.tool}: {len(text.parts)} fields, {len(asked)} terms",
        facts(
            act=text.act,
            languages=", ".join(sorted(text.languages)),
            project=", ".join(text.project),
            patterns=", ".join(patterns),
        ),
        elapsed_ms=watch.ms(),
    )
    watch = Stopwatch()
    keyword = book.index.scores(asked, CANDIDATES)
    keyword.update(_named(book, named, keyword))
    second = Step(
        "keyword",
        "hit" if keyword else "miss",
        f"{len(keyword)} of {len(book.rules)} rules share a term" if keyword else "no rule shares a term",
        facts(best=max((one.score for one in keyword.values()), default=0.0)),
        elapsed_ms=watch.ms(),
    )
    if semantic is None:
        found = Similarities({}, Step("semantic", "skipped", "no model was asked"))
    else:
        found = semantic.similar(query, frozenset(keyword))
    return _decided(
        book, text, keyword, found, (first, second, found.step), query, limit, cutoffs or Cutoffs(), use_fallback
    )


def _named(book: Book, named: tuple[str, ...], keyword: Mapping[int, KeywordScore]) -> dict[int, KeywordScore]:
    """Rules that a user's pattern names outright: their keyword score is full."""
    wanted = frozenset(named)
    if not wanted:
        return {}
    return {
        at: replace(keyword.get(at, _NO_KEYWORD), score=1.0) for at, rule in enumerate(book.rules) if rule.id in wanted
    }


def _decided(
    book: Book,
    text: CallText,
    keyword: Mapping[int, KeywordScore],
    found: Similarities,
    steps: tuple[Step, ...],
    query: str,
    limit: int,
    cutoffs: Cutoffs,
    use_fallback: bool,
) -> RuleMatch:
    regime = regime_of(max(found.scores.values()) if found.scores else None)
    places = found.scores.keys() | keyword.keys() if found.scores or use_fallback else ()
    likely = {at: likest(book.shown[at], text.code) for at in places}
    coded = {at: with_code(keyword.get(at, _NO_KEYWORD), likely[at]) for at in places}
    most = Best(max((one.score for one in coded.values()), default=0.0), max(found.scores.values(), default=0.0))
    scored = [_scored(book, at, regime, found.scores.get(at), coded[at], likely[at], most, text) for at in places]
    scored.sort(key=lambda one: (-one.score, *_order(book.rules[one.at])))
    best = scored[0].score if scored else 0.0
    cutoff = cutoffs.line(regime, best)
    shown: dict[str, MatchedRule] = {}
    below: list[MatchedRule] = []
    for one in scored:
        rule = book.rules[one.at]
        if one.score < cutoff:
            reason = f"{cutoff - one.score:.2f} below the cut-off {cutoff:.2f}"
        elif rule.id in shown:
            reason = "another rule of this id scored higher"
        elif len(shown) < limit:
            shown[rule.id] = _told(rule, one, regime)
            continue
        else:
            reason = f"above the cut-off, but {limit} rules are shown"
        if len(below) == BELOW:
            break
        below.append(_told(rule, one, regime, reason))
    said = (
        f"{len(shown)} of {len(scored)} rules reach {cutoff:.2f}" if shown else f"no rule reaches {cutoff:.2f}: silence"
    )
    given = facts(regime=regime, cutoff=cutoff, best=round(best, 4))
    return RuleMatch(
        rules=tuple(shown.values()),
        below=tuple(below),
        similarity_scores=tuple(one.similarity or 0.0 for one in shown.values()),
        fallback_used=not found.scores,
        cutoff=cutoff,
        trace=(*steps, Step("cutoff", "hit" if shown else "miss", said, given)),
        query=query,
    )


@dataclass(frozen=True, slots=True)
class _Scored:
    """A rule by its place, and how it scored: put into words only where it is told."""

    at: int
    score: float
    similarity: float | None
    keyword: KeywordScore
    context: Context


def _order(rule: Rule) -> tuple[str, str, int]:
    return rule.id, rule.path, rule.line


def _scored(
    book: Book,
    at: int,
    regime: Regime,
    similarity: float | None,
    keyword: KeywordScore,
    code: tuple[Snippet, float] | None,
    most: Best,
    text: CallText,
) -> _Scored:
    fits = context_of(text, book.languages[at], book.words[at], book.shown[at], code[1] if code else 0.0)
    context = behind(fits, most, similarity, keyword.score)
    score = relevance(regime, similarity, keyword.score, context.factor)
    return _Scored(at, round(score, 4), similarity, keyword, context)


def _told(rule: Rule, one: _Scored, regime: Regime, reason: str = "") -> MatchedRule:
    similarity, keyword = one.similarity, one.keyword
    kind: MatchType = (
        "keyword" if similarity is None else "hybrid" if keyword.hits and regime != "semantic" else "semantic"
    )
    why = _why(regime, similarity, keyword, one.context, one.score)
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


def _why(
    regime: Regime, similarity: float | None, keyword: KeywordScore, context: Context, score: float
) -> tuple[str, ...]:
    out: list[str] = []
    if keyword.hits:
        out.append("shares " + ", ".join(hit.term for hit in keyword.hits[:6]))
    patterns = dict.fromkeys(hit.source[8:] for hit in keyword.hits if hit.source.startswith("pattern "))
    if patterns:
        out.append("the call looks like " + ", ".join(patterns))
    out.extend(context.reasons)
    out.append(f"{arithmetic(regime, similarity, keyword.score, context.factor)} = {score:.2f}")
    return tuple(out)
