"""Why a rule is not shown for a call, and what it would have needed: any rule, also one that no tier named.

Each need is tried out: the rules are ranked again with that part changed, so that what follows from it is counted in
(a rule that comes nearer pushes others back, may raise the line, and may turn how the tiers are fused).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.rules.explanation.score_text import bounded
from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.matching.api import SHOWN, MatchedRule, Semantic, Similarities, matched_rule, weigh, weighed
from core.rules.matching.call import CallText, ToolCall
from core.rules.matching.keyword import KeywordScore, QueryTerm, query_terms
from core.rules.matching.score import Context, Ranking, Regime, Weighed, ranking_of
from core.rules.matching.terms import shares, spans

_WORDS = 8
"""Words of the rule that are named as missing in the call."""
_STEPS = 100
"""Steps of the scale that are tried for what would have been enough: as fine as it is told."""

What = Literal["similarity", "keyword", "context", "together", "place"]


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


@dataclass(frozen=True, slots=True)
class _Tried:
    """The rules of a match, to be ranked again with one of them changed."""

    book: Book
    mine: Weighed
    others: tuple[Weighed, ...]

    def ranking(self) -> Ranking:
        """As it is."""
        return self.with_mine(self.mine)

    def with_mine(self, mine: Weighed, others: Sequence[Weighed] | None = None) -> Ranking:
        """As it would be."""
        return ranking_of(self.book, (mine, *(self.others if others is None else others)), SHOWN)

    def shows(self, mine: Weighed, others: Sequence[Weighed] | None = None) -> bool:
        """Whether the rule would be shown."""
        return mine.at in self.with_mine(mine, others).shown

    def score(self, mine: Weighed) -> float:
        """What it would score."""
        return next(one.score for one in self.with_mine(mine).scored if one.at == mine.at)


def why_not(book: Book, call: ToolCall, semantic: Semantic | None, at: int) -> WhyNot:
    """How the rule at this place of the book fared with the call, and what it would have needed. Raises nothing."""
    found = weigh(book, call, None if semantic is None else _Also(semantic, at))
    others = tuple(one for one in found.rules if one.at != at)
    named = next((one for one in found.rules if one.at == at), None)
    tried = _Tried(book, named or weighed(book, found.text, found.matched, at), others)
    ranking = ranking_of(book, found.rules, SHOWN)
    rank = next((n for n, one in enumerate(ranking.scored, 1) if one.at == at), 0)
    matched = _unscored(book.rules[at])
    if rank:
        matched = matched_rule(book, ranking, ranking.scored[rank - 1], SHOWN, found.text)
    shown = at in ranking.shown
    words = _lacking(book, found.text, at)
    lacking = tuple(LackedWord(word, round(gain, 4)) for word, gain, _ in words)
    needs = () if shown else tuple(_needs(tried, rank, meaning=not found.fallback))
    enough = () if shown else _enough(tried, words)
    return WhyNot(book.rules[at], matched, rank, shown, ranking.cutoff, ranking.regime, needs, lacking, enough)


def _unscored(rule: Rule) -> MatchedRule:
    why = ("no tier named it: it shares no word with the call, and no similarity was taken",)
    return MatchedRule(rule.id, rule.title, 0.0, "keyword", None, 0.0, why, rule.solution, path=rule.path,
                       line=rule.line)  # fmt: skip


def _needs(tried: _Tried, rank: int, *, meaning: bool) -> Iterator[Need]:
    """What each part of the sum would have had to be, the others as they are."""
    mine, now = tried.mine, tried.ranking()
    if next(one.score for one in now.scored if one.at == mine.at) >= now.cutoff:
        told = f"it reaches the cut-off, but {SHOWN} rules are shown, each id once"
        yield Need("place", float(rank), float(SHOWN), told)
        return
    alone: list[float | None] = []
    if meaning:
        similar = mine.similarity or 0.0
        alone.append(_least(tried, similar, _with_similarity))
        yield Need("similarity", similar, alone[-1], _told("similarity", similar, alone[-1]))
    words = mine.keyword.score
    alone.append(_least(tried, words, _with_words))
    yield Need("keyword", words, alone[-1], _told("keyword score", words, alone[-1]))
    fits = mine.fits.factor
    if fits < 1:
        alone.append(_least(tried, fits, _with_fit))
        yield Need("context", fits, alone[-1], _fit_told(tried, fits, alone[-1]))
    if not any(alone):
        yield from _together(tried, meaning=meaning)


def _with_similarity(one: Weighed, value: float) -> Weighed:
    return replace(one, similarity=value)


def _with_words(one: Weighed, value: float) -> Weighed:
    return replace(one, keyword=replace(one.keyword, score=value))


def _with_fit(one: Weighed, value: float) -> Weighed:
    return replace(one, fits=replace(one.fits, factor=value))


def _together(tried: _Tried, *, meaning: bool) -> Iterator[Need]:
    """Where no part alone would do: words and meaning at once, and if need be in a call that the rule fits."""

    def both(one: Weighed, value: float) -> Weighed:
        more = _with_words(one, max(value, one.keyword.score))
        return _with_similarity(more, max(value, one.similarity or 0.0)) if meaning else more

    name = "similarity and keyword score of {:.2f} each" if meaning else "keyword score of {:.2f}"
    fitting = replace(tried, mine=_with_fit(tried.mine, max(1.0, tried.mine.fits.factor)))
    for asked, where in ((tried, ""), (fitting, " in a call that the rule fits")):
        if (least := _least(asked, 0.0, both)) is not None:
            yield Need("together", 0.0, least, f"{name.format(least)} would do{where}")
            return


def _least(tried: _Tried, now: float, change: Callable[[Weighed, float], Weighed]) -> float | None:
    """The least value above `now`, on a scale to 1, with which the rule would be shown."""
    values = (at / _STEPS for at in range(int(now * _STEPS) + 1, _STEPS + 1))
    return next((value for value in values if tried.shows(change(tried.mine, value))), None)


def _told(name: str, now: float, needed: float | None) -> str:
    if needed is None:
        return f"no {name} alone would do"
    return f"{name} {needed:.2f} instead of {now:.2f}"


def _fit_told(tried: _Tried, fits: float, needed: float | None) -> str:
    if needed is not None:
        return f"a factor of {needed:.2f} for how it fits the call, instead of {fits:.2f}"
    bare = tried.score(_with_fit(tried.mine, 1.0))
    return f"without the factor {fits:.2f} for how it fits it would score {bare:.2f}, which is not enough"


_Word = tuple[str, float, tuple[QueryTerm, ...]]
"""A word as it is written, what it would add to the rule's bm25, and the terms that it is to a call."""


def _lacking(book: Book, text: CallText, at: int) -> tuple[_Word, ...]:
    """The words of the rule that tell most and are not in the call, as they are written there."""
    rule = book.rules[at]
    had = frozenset(one.term for one in query_terms(text, book.tables).terms)
    found: dict[str, _Word] = {}
    for said in (rule.title, rule.problem, rule.solution):
        for term, start, end in spans(said, book.tables.glossary):
            if term in had or term.isdigit() or (word := said[start:end]) in found:
                continue
            new = tuple(
                QueryTerm(one, 1.0, "", share)
                for one, share in shares(word, book.tables.glossary).items()
                if one not in had
            )
            gain = book.index.scores(new).get(at)
            found[word] = (word, gain.bm25 if gain is not None else 0.0, new)
    return tuple(sorted((one for one in found.values() if one[1] > 0), key=lambda one: -one[1])[:_WORDS])


def _enough(tried: _Tried, words: Sequence[_Word]) -> tuple[str, ...]:
    """The first words that together would have had it shown, if the call had them too; similarity as it is."""
    terms: dict[str, QueryTerm] = {}
    for count, (_, _, new) in enumerate(words, 1):
        terms.update((one.term, one) for one in new)
        gains = tried.book.index.scores(terms.values())
        known = {one.at for one in (tried.mine, *tried.others)}
        others = [_more(one, gains) for one in tried.others]
        others += [Weighed(at, None, gain, Context(1.0)) for at, gain in gains.items() if at not in known]
        if tried.shows(_more(tried.mine, gains), others):
            return tuple(word for word, _, _ in words[:count])
    return ()


def _more(one: Weighed, gains: Mapping[int, KeywordScore]) -> Weighed:
    """The rule with what more words of the call would add to its keyword score."""
    gain = gains.get(one.at)
    if gain is None:
        return one
    whole = one.keyword.bm25 + gain.bm25
    score, hits = max(one.keyword.score, bounded(whole)), (*one.keyword.hits, *gain.hits)
    return replace(one, keyword=KeywordScore(whole, score, hits))
