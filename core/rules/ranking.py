"""Rules weighed against each other: what each tier says of each of them becomes one order, a line, and who is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.rules.book import Book
from core.rules.keyword import KeywordScore
from core.rules.rule import Rule
from core.rules.score import Best, Context, Cutoffs, Regime, behind, regime_of, relevance


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
    """A rule by its place, and how it scored among the others: put into words only where it is told."""

    at: int
    score: float
    similarity: float | None
    keyword: KeywordScore
    context: Context


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rules by their score, the best first; `shown` are the places of those that are shown, `cutoff` the score that
    each of them needs, `beside` the score that those beside the first one need."""

    scored: tuple[Scored, ...]
    shown: frozenset[int]
    cutoff: float
    beside: float
    regime: Regime


_PARTLY = 0.02
"""What a cure in the call leaves of a rule at least, where it may lead: one that is nearly all there settles it."""


def ranking_of(book: Book, rules: Iterable[Weighed], limit: int, cutoffs: Cutoffs) -> Ranking:
    """The order of these rules and which of them are shown; of each rule (`same_rule`) the best is shown."""
    weighed = tuple(rules)
    near = [one.similarity for one in weighed if one.similarity is not None]
    regime = regime_of(max(near, default=None))
    most = Best(max((one.keyword.score for one in weighed), default=0.0), max(near, default=0.0))
    scored = [_scored(one, regime, most) for one in weighed]
    scored.sort(key=lambda one: (-one.score, *_order(book, one.at)))
    scored = _leader_first(scored)
    beside = round(cutoffs.beside_from(scored[0].score if scored else 0.0), 4)
    shown: list[int] = []
    for one in scored:
        if one.score < (beside if shown else cutoffs.bar) or len(shown) >= limit:
            break
        if not any(same_rule(book.rules[one.at], book.rules[at]) for at in shown):
            shown.append(one.at)
    return Ranking(tuple(scored), frozenset(shown), cutoffs.bar, beside, regime)


def same_rule(one: Rule, other: Rule) -> bool:
    """Whether two entries are one rule written twice: of one id in one file, or of one id and title in several. Two
    files that both count from 1 hold different rules under each number (REQ-SEM-012)."""
    return one.id == other.id and (one.path == other.path or one.title.casefold() == other.title.casefold())


def _leader_first(scored: list[Scored]) -> list[Scored]:
    """The same rules, none of them before the one that leads in words and meaning only since the call has some of that
    one's cure: where anything applies, it is what the call is about. Whether anything does stays as it was."""
    partly = [one for one in scored if one.context.done >= _PARTLY]
    lead = max(partly, key=lambda one: one.score / one.context.done, default=scored[0] if scored else None)
    if lead is None or lead is scored[0] or not lead.score:
        return scored
    best = scored[0].score
    context = lead.context.times(best / lead.score, "but for that cure it leads in words and meaning")
    lifted = replace(lead, score=best, context=context)
    return [lifted, *(one for one in scored if one is not lead)]


def _order(book: Book, at: int) -> tuple[str, str, int]:
    rule = book.rules[at]
    return rule.id, rule.path, rule.line


def _scored(one: Weighed, regime: Regime, most: Best) -> Scored:
    context = behind(one.fits, most, one.similarity, one.keyword.score)
    score = relevance(regime, one.similarity, one.keyword.score, context.factor)
    return Scored(one.at, round(score, 4), one.similarity, one.keyword, context)
