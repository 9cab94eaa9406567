"""Why a rule is not shown for a call, and what it would have needed: any rule, also one that no tier named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Literal

from core.rules.answer import MatchedRule, RuleMatch
from core.rules.book import Book
from core.rules.call import ToolCall, call_text
from core.rules.keyword import QueryTerm, bounded, query_terms
from core.rules.match import SHOWN, Semantic, Similarities, match
from core.rules.rule import Rule
from core.rules.score import Cutoffs, Regime, regime_of, relevance
from core.rules.terms import spans

_EVERYTHING = 1_000_000
_OPEN = Cutoffs(**{one.name: 0.0 for one in fields(Cutoffs)})
_WORDS = 8
"""Words of the rule that are named as missing in the call."""
_STEPS = 400
"""Steps of the scale that are tried for what would have been enough."""

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
    asked = None if semantic is None else _Also(semantic, at)
    real = match(book, call, asked)
    everything = match(book, call, asked, limit=_EVERYTHING, cutoffs=_OPEN)
    scored = (*everything.rules, *everything.below)
    rule = book.rules[at]
    rank = next((n for n, one in enumerate(scored, 1) if _same(one, rule)), 0)
    known = next((one for one in (*real.rules, *real.below) if _same(one, rule)), None)
    matched = known or (scored[rank - 1] if rank else _unscored(rule))
    shown = any(_same(one, rule) for one in real.rules)
    nearest = max((one.similarity for one in scored if one.similarity is not None), default=None)
    lacking = tuple(_lacking(book, call, at))
    needs = () if shown else tuple(_needs(matched, real.cutoff, nearest, rank))
    wanted = next((need.needed for need in needs if need.what == "keyword"), None)
    enough = () if wanted is None else _enough(matched.keyword_score, lacking, wanted)
    return WhyNot(rule, matched, rank, shown, real.cutoff, _regime(real), needs, lacking, enough)


def _regime(found: RuleMatch) -> Regime:
    said = next((step.fact("regime") for step in found.trace if step.stage == "cutoff"), "keyword")
    return "semantic" if said == "semantic" else "hybrid" if said == "hybrid" else "keyword"


def _same(one: MatchedRule, rule: Rule) -> bool:
    return (one.path, one.id, one.line) == (rule.path, rule.id, rule.line)


def _unscored(rule: Rule) -> MatchedRule:
    why = ("no tier named it: it shares no word with the call, and no similarity was taken",)
    return MatchedRule(rule.id, rule.title, 0.0, "keyword", None, 0.0, why, rule.solution, path=rule.path,
                       line=rule.line)  # fmt: skip


def _needs(one: MatchedRule, cutoff: float, nearest: float | None, rank: int) -> Iterator[Need]:
    """What each part of the sum would have had to be, the others as they are."""
    similar, keyword, context = one.similarity, one.keyword_score, one.context
    if one.relevance_score >= cutoff:
        told = f"it reaches the cut-off, but {SHOWN} rules are shown, each id once"
        yield Need("place", float(rank), float(SHOWN), told)
        return

    def with_similarity(value: float) -> float:
        """The score, told on the scale of the cut-off that holds now: another one holds where similarity decides."""
        regime = regime_of(max(value, nearest or 0.0))
        turned = regime != regime_of(nearest)
        scale = cutoff / Cutoffs().near if turned else 1.0
        return scale * relevance(regime, value, keyword, context)

    if nearest is not None:
        least = _least(with_similarity, similar or 0.0, cutoff)
        yield Need("similarity", similar or 0.0, least, _told("similarity", similar or 0.0, least))
    least = _least(lambda value: relevance(regime_of(nearest), similar, value, context), keyword, cutoff)
    yield Need("keyword", keyword, least, _told("keyword score", keyword, least))
    if context < 1:
        least = _least(lambda value: relevance(regime_of(nearest), similar, keyword, value), context, cutoff)
        bare = relevance(regime_of(nearest), similar, keyword, 1.0)
        yield Need("context", context, least, f"without the factor {context:.2f} it would score {bare:.2f}")


def _least(score: Callable[[float], float], now: float, cutoff: float) -> float | None:
    """The least value above `now`, on a scale to 1, from which the score reaches the cut-off."""
    return next((at / _STEPS for at in range(int(now * _STEPS) + 1, _STEPS + 1) if score(at / _STEPS) >= cutoff), None)


def _told(name: str, now: float, needed: float | None) -> str:
    if needed is None:
        return f"no {name} alone would do"
    return f"{name} {needed:.2f} instead of {now:.2f}"


def _lacking(book: Book, call: ToolCall, at: int) -> Iterator[LackedWord]:
    """The words of the rule that tell most and are not in the call, as they are written there."""
    rule, asked = book.rules[at], query_terms(call_text(call), book.tables)[0]
    had = frozenset(one.term for one in asked)
    words: dict[str, str] = {}
    for text in (rule.title, rule.problem, rule.solution):
        for term, start, end in spans(text, book.tables.glossary):
            if term not in had and not term.isdigit():
                words.setdefault(term, text[start:end])
    gains = {term: _gain(book, at, term) for term in words}
    once: set[str] = set()
    for term in sorted(gains, key=lambda one: -gains[one]):
        if gains[term] > 0 and words[term] not in once and len(once) < _WORDS:
            once.add(words[term])
            yield LackedWord(words[term], round(gains[term], 4))


def _gain(book: Book, at: int, term: str) -> float:
    found = book.index.scores([QueryTerm(term, 1.0, "")]).get(at)
    return found.bm25 if found is not None else 0.0


def _enough(keyword: float, lacking: tuple[LackedWord, ...], wanted: float) -> tuple[str, ...]:
    """The first words that together reach the keyword score wanted."""
    now, top = 0.0, 1000.0
    for _ in range(40):  # the bm25 behind the score, by halving
        middle = (now + top) / 2
        now, top = (middle, top) if bounded(middle) < keyword else (now, middle)
    for count, one in enumerate(lacking, 1):
        now += one.gain
        if bounded(now) >= wanted:
            return tuple(word.word for word in lacking[:count])
    return ()
