"""Rules weighed against each other: what each tier says of each of them becomes one order, and which are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.matching.keyword import KeywordScore
from core.rules.matching.score import CUTOFF, Best, Context, Regime, behind, companion_factor, regime_of, relevance


@dataclass(frozen=True, slots=True)
class Weighed:
    """A rule by its place in the book with what each tier says of it; `fits` is of the rule alone, whatever the others
    have."""

    at: int
    similarity: float | None
    keyword: KeywordScore
    fits: Context


@dataclass(frozen=True, slots=True)
class Scored:
    """A rule by its place, and how it scored among the others: put into words only where it is told. `alone` is the
    factor of its context without the one that companions have."""

    at: int
    score: float
    similarity: float | None
    keyword: KeywordScore
    context: Context
    alone: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rules by their score, the best first; `shown` are the places of those that are shown, `cutoff` the score that
    each of them needs."""

    scored: tuple[Scored, ...]
    shown: frozenset[int]
    cutoff: float
    regime: Regime


_PARTLY = 0.02
"""What a cure in the call leaves of a rule at least, where it may lead: one that is nearly all there settles it."""


def ranking_of(book: Book, rules: Iterable[Weighed], limit: int, cutoff: float = CUTOFF) -> Ranking:
    """The order of these rules and which of them are shown; of each rule (`same_rule`) the best is shown."""
    weighed = tuple(rules)
    near = [one.similarity for one in weighed if one.similarity is not None]
    regime = regime_of(max(near, default=None))
    most = Best(max((one.keyword.score for one in weighed), default=0.0), max(near, default=0.0))
    scored = [_scored(one, regime, most) for one in weighed]
    scored.sort(key=lambda one: (-one.score, *_order(book, one.at)))
    scored = _companions_behind(book, _leader_first(scored))
    shown: list[int] = []
    for one in scored:
        if one.score < cutoff or len(shown) >= limit:
            break
        if not any(same_rule(book.rules[one.at], book.rules[at]) for at in shown):
            shown.append(one.at)
    return Ranking(tuple(scored), frozenset(shown), cutoff, regime)


def same_rule(one: Rule, other: Rule) -> bool:
    """Whether two entries are one rule written twice: of one id in one file, or of one id and title in several. Two
    files that both count from 1 hold different rules under each number (REQ-SEM-012)."""
    return one.id == other.id and (one.path == other.path or one.title.casefold() == other.title.casefold())


def titled(book: Book, at: int, keyword: KeywordScore) -> float | None:
    """The share of the terms of a rule's title that the call has, 0 to 1; None where it has no title."""
    title = book.titles[at]
    if not title:
        return None
    return len(title.intersection(hit.term for hit in keyword.hits if hit.source != "code")) / len(title)


def _companions_behind(book: Book, scored: list[Scored]) -> list[Scored]:
    """The same first rule, and the others by what they score as its companions: mostly one rule applies to a call, and
    what is about as near as the first, or has its title in the call, applies more often."""
    if not scored:
        return scored
    first, *others = scored
    behind_first = [_companion(one, first.score, titled(book, one.at, one.keyword)) for one in others]
    return [first, *sorted(behind_first, key=lambda one: -one.score)]


def _companion(one: Scored, first: float, named: float | None) -> Scored:
    factor = companion_factor(one.score, first, named)
    title = "" if named is None else f", {named:.0%} of its title in the call"
    context = one.context.times(factor, f"behind the first rule{title}")
    return replace(one, score=round(one.score * factor, 4), context=context)


def _leader_first(scored: list[Scored]) -> list[Scored]:
    """The same rules, none of them before the one that leads in words and meaning only since the call has some of that
    one's cure: where anything applies, it is what the call is about. Whether anything does stays as it was."""
    partly = [one for one in scored if one.context.done >= _PARTLY]
    lead = max(partly, key=lambda one: one.score / one.context.done, default=scored[0] if scored else None)
    if lead is None or lead is scored[0] or not lead.score:
        return scored
    best = scored[0].score
    context = lead.context.times(best / lead.score, "but for that cure it leads in words and meaning")
    lifted = replace(lead, score=best, context=context, alone=context.factor)
    return [lifted, *(one for one in scored if one is not lead)]


def _order(book: Book, at: int) -> tuple[str, str, int]:
    rule = book.rules[at]
    return rule.id, rule.path, rule.line


def _scored(one: Weighed, regime: Regime, most: Best) -> Scored:
    context = behind(one.fits, most, one.similarity, one.keyword.score)
    score = relevance(regime, one.similarity, one.keyword.score, context.factor)
    return Scored(one.at, round(score, 4), one.similarity, one.keyword, context, context.factor)
