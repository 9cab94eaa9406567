"""Why a rule is not shown for a call, and what it would have needed: any rule, also one that no tier named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.rules.answer import MatchedRule, RuleMatch
from core.rules.book import Book
from core.rules.call import ToolCall, call_text
from core.rules.keyword import KeywordScore, QueryTerm, bounded, query_terms
from core.rules.match import SHOWN, Semantic, Similarities, match
from core.rules.rule import Rule
from core.rules.score import ENOUGH, SHARE, TIE, Cutoffs, Regime, relevance
from core.rules.terms import spans

_EVERYTHING = 1_000_000
_OPEN = Cutoffs(0.0, 0.0, 0.0)
_WORDS = 8
"""Words of the rule that are named as missing in the call."""

What = Literal["similarity", "keyword", "context", "place"]


@dataclass(frozen=True, slots=True)
class Need:
    """One way in which the rule would have been shown, all else as it is; `needed` null: not even the most would do."""

    what: What
    now: float
    needed: float | None
    told: str


@dataclass(frozen=True, slots=True)
class LackedWord:
    """A word of the rule that the call does not have, and what it would add to the keyword tier's bm25."""

    word: str
    gain: float


@dataclass(frozen=True, slots=True)
class WhyNot:
    """How one rule fared: its score, its rank among all that scored (from 1; 0: none did), and what it lacked.

    `enough`: the first of `lacking` that together would have lifted it over the cut-off; none: words cannot.
    """

    rule: Rule
    matched: MatchedRule
    rank: int
    shown: bool
    cutoff: float
    regime: Regime
    needs: tuple[Need, ...]
    lacking: tuple[LackedWord, ...]
    enough: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Also:
    """The semantic tier asked about one rule more."""

    semantic: Semantic
    at: int

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        return self.semantic.similar(text, also | {self.at})


def why_not(book: Book, call: ToolCall, semantic: Semantic | None, at: int) -> WhyNot:
    """How the rule at this place of the book fared with the call, and what it would have needed. Raises nothing."""
    found = match(book, call, None if semantic is None else _Also(semantic, at), limit=_EVERYTHING, cutoffs=_OPEN)
    regime = _regime(found)
    cutoff = Cutoffs().of(regime)
    rule = book.rules[at]
    scored = (*found.rules, *found.below)
    rank = next((n for n, one in enumerate(scored, 1) if _same(one, rule)), 0)
    matched = scored[rank - 1] if rank else _unscored(rule)
    above = [one for one in found.rules if one.relevance_score >= cutoff]
    shown = any(_same(one, rule) for one in above[:SHOWN])
    asked, _, _ = query_terms(call_text(call), book.tables)
    keyword = book.index.scores(asked).get(at, KeywordScore(0.0, 0.0, ()))
    lacking = tuple(_lacking(book, at, frozenset(one.term for one in asked)))
    needs = tuple(_needs(regime, matched, cutoff, rank)) if not shown else ()
    wanted = next((need.needed for need in needs if need.what == "keyword"), None)
    return WhyNot(rule, matched, rank, shown, cutoff, regime, needs, lacking, _enough(keyword, lacking, wanted))


def _regime(found: RuleMatch) -> Regime:
    said = next((step.fact("regime") for step in found.trace if step.stage == "cutoff"), "keyword")
    return "semantic" if said == "semantic" else "hybrid" if said == "hybrid" else "keyword"


def _same(one: MatchedRule, rule: Rule) -> bool:
    return (one.path, one.id, one.line) == (rule.path, rule.id, rule.line)


def _unscored(rule: Rule) -> MatchedRule:
    why = ("no tier named it: it shares no word with the call, and no similarity was taken",)
    return MatchedRule(rule.id, rule.title, 0.0, "keyword", None, 0.0, why, rule.solution, path=rule.path,
                       line=rule.line)  # fmt: skip


def _needs(regime: Regime, one: MatchedRule, cutoff: float, rank: int) -> Iterator[Need]:
    """What each part of the sum would have had to be, the others as they are."""
    similar, keyword, context = one.similarity or 0.0, one.keyword_score, one.context or 1.0
    if one.relevance_score >= cutoff:
        told = f"it reaches the cut-off, but {SHOWN} rules are shown, each id once"
        yield Need("place", float(rank), float(SHOWN), told)
        return
    base = cutoff / context
    if regime != "keyword":
        least = _similarity(regime, base, keyword)
        yield Need("similarity", similar, least, _told("similarity", similar, least))
    if regime == "keyword":
        words: float | None = base
    elif regime == "hybrid":
        words = (base - SHARE * similar) / (1 - SHARE)
    else:
        words = (base - similar) / TIE
    words = _reachable(words)
    yield Need("keyword", keyword, words, _told("keyword score", keyword, words))
    if context < 1:
        bare = relevance(regime, one.similarity, keyword, 1.0)
        told = f"without the factor {context:.2f} it would score {bare:.2f}"
        yield Need(
            "context", context, min(1.0, context * cutoff / one.relevance_score) if bare >= cutoff else None, told
        )


def _similarity(regime: Regime, base: float, keyword: float) -> float | None:
    """The least similarity that would do; from `ENOUGH` on another sum holds than below it."""
    decides = max(ENOUGH, base - TIE * keyword)
    if regime == "hybrid":
        fused = (base - (1 - SHARE) * keyword) / SHARE
        decides = fused if fused < ENOUGH else decides
    return _reachable(decides)


def _reachable(value: float) -> float | None:
    return round(max(0.0, value), 4) if value <= 1 else None


def _told(name: str, now: float, needed: float | None) -> str:
    if needed is None:
        return f"no {name} alone would do"
    return f"{name} {needed:.2f} instead of {now:.2f}"


def _lacking(book: Book, at: int, asked: frozenset[str]) -> Iterator[LackedWord]:
    """The words of the rule that tell most and are not in the call, as they are written there."""
    rule = book.rules[at]
    words: dict[str, str] = {}
    for text in (rule.title, rule.problem, rule.solution):
        for term, start, end in spans(text, book.tables.glossary):
            if term not in asked:
                words.setdefault(term, text[start:end])
    gains = {term: found[at].bm25 for term in words if at in (found := book.index.scores([QueryTerm(term, 1.0, "")]))}
    once: set[str] = set()
    for term in sorted(gains, key=lambda one: (-gains[one], one)):
        if words[term] not in once and len(once) < _WORDS:
            once.add(words[term])
            yield LackedWord(words[term], round(gains[term], 4))


def _enough(keyword: KeywordScore, lacking: tuple[LackedWord, ...], wanted: float | None) -> tuple[str, ...]:
    """The first words that together reach the keyword score wanted."""
    if wanted is None or keyword.score >= wanted:
        return ()
    bm25 = keyword.bm25
    for count, one in enumerate(lacking, 1):
        bm25 += one.gain
        if bounded(bm25) >= wanted:
            return tuple(word.word for word in lacking[:count])
    return ()
