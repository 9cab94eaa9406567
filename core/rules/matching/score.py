"""One scale for every tier: similarity, keyword score and their fusion lie in 0..1, and one cut-off says what is shown.

Every rule that is shown reaches the cut-off, the first and its companions. A companion scores less the farther it is
behind the first rule. Source: semantic-rule-matching REQ-SEM-002, 008; decision 13.
The figures were chosen on the labelled calls of twelve rule files (docs/guide/rules.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.format.snippets import FULL, RuleCode, cured
from core.rules.matching.call import CallText
from core.rules.matching.keyword import KeywordScore
from core.rules.matching.languages import agree

ENOUGH = 0.5
"""From this best similarity on the keyword score breaks ties between what is about as near; below it both are fused
(REQ-SEM-008)."""
TIE = 0.25
"""What a full keyword score adds there: a small model cannot tell apart what lies closer."""
SHARE = 0.55
"""Similarity's share where both are fused."""
KEYWORD_SCALE, SEMANTIC_SCALE = 0.3 / 0.325, 0.3 / 0.36
"""What keywords alone, and what similarity decides, are multiplied by: one bar then holds for every way of scoring."""
CUTOFF = 0.3
"""The relevance that every rule needs to be shown, the first and its companions, whichever tiers answered."""
_TITLED = 0.3
"""The share of a title in the call that changes nothing for a companion. Chosen among 0.2 to 0.5 with the weight 1 of
the share, and the power 1 of the distance, on 18 sets of labelled calls: it keeps most right companions where the wrong
ones are at most a tenth of 872 with the model and of 1,027 without."""
_LOOK, _PROSE = 0.2, 0.3
_SAYS_IT_LOOKS = 0.3
_LOOKS_AT_IT = 0.7
"""Factor of a call that says so, but contains half of a mistake's code, or matches a pattern."""
_NO_CODE = 0.1
"""Reduction if a rule shows its mistake as code and the call contains none of it; half of a snippet is enough."""
_CURE = 1.5
"""How steeply a cure in the call takes away: half of it leaves a third, a whole one nothing."""
_OTHER_LANGUAGE = 0.8
_EMBEDDED = frozenset(("sql",))
"""Languages embedded in code of any language: no other language contradicts them."""
_FEWER_WORDS, _FARTHER = 0.5, 1.0
"""How steeply a rule falls that has less of the call's words, or means less of the same, than another one."""

Regime = Literal["semantic", "hybrid", "keyword"]


@dataclass(frozen=True, slots=True)
class Context:
    """How well a rule fits besides words and meaning: a factor, the reasons in words, and its components.
    `done` is the part of it that the cure in the call has."""

    factor: float
    reasons: tuple[str, ...] = ()
    parts: tuple[float, ...] = ()
    done: float = 1.0

    def times(self, by: float, why: str) -> Context:
        """Return the same with this factor applied; 1.00 appears in `factor` only."""
        if abs(by - 1) < 0.005:
            return Context(self.factor * by, self.reasons, self.parts, self.done)
        reasons = (*self.reasons, f"{why}: x {by:.2f}")
        return Context(self.factor * by, reasons, (*self.parts, by), self.done)

    def noting(self, why: str) -> Context:
        """The same, with a reason that changes nothing."""
        return Context(self.factor, (*self.reasons, why), self.parts, self.done)


@dataclass(frozen=True, slots=True)
class Best:
    """The most that any rule has: keyword score, and similarity (0 where none was taken)."""

    keyword: float
    similarity: float = 0.0


def behind(context: Context, best: Best, similarity: float | None, keyword: float) -> Context:
    """The context of a rule, less where another one shares more words with the call or is nearer to it: what applies
    mostly leads in both. A rule without a vector is no farther than any."""
    fewer = _FEWER_WORDS * (best.keyword - keyword)
    farther = 0.0 if similarity is None else _FARTHER * (best.similarity - similarity)
    reason = "another rule shares more words with the call" if fewer > farther else "another rule is closer in meaning"
    return context.times(math.exp(-fewer - farther), reason)


def companion_factor(score: float, first: float, titled: float | None) -> float:
    """What the relevance `score` of a rule behind the first is multiplied by: its share of the relevance of the first,
    and more the more of its title (`titled`, 0 to 1; None: it has none) is in the call. No companion passes the first.
    """
    if not score or not first:
        return 1.0
    named = 1.0 if titled is None else math.exp(titled - _TITLED)
    return min(score / first * named, first / score)


def regime_of(best: float | None) -> Regime:
    """Which rule of fusion holds, by the best similarity; None: there was no semantic score."""
    return "keyword" if best is None else "semantic" if best >= ENOUGH else "hybrid"


def relevance(regime: Regime, similarity: float | None, keyword: float, context: float) -> float:
    """The score that decides, 0..1. A rule without a vector is not unlike the call: its words alone decide, on the
    scale of the others, so that they count as much as where no rule has one (REQ-SEM-003)."""
    return max(0.0, min(1.0, _base(regime, similarity, keyword) * context))


def _base(regime: Regime, similarity: float | None, keyword: float) -> float:
    if similarity is None or regime == "keyword":
        return keyword * KEYWORD_SCALE
    if regime == "semantic":
        return (similarity + TIE * keyword) * SEMANTIC_SCALE
    return SHARE * similarity + (1 - SHARE) * keyword


def arithmetic(regime: Regime, similarity: float | None, keyword: float, context: Context) -> str:
    """The sum behind `relevance`, for people: with every factor that its reasons name."""
    similar = similarity or 0.0
    if similarity is None or regime == "keyword":
        base = f"keyword {keyword:.2f} x scale {KEYWORD_SCALE:.2f}" + (
            " (no vector yet)" if regime != "keyword" else ""
        )
    elif regime == "semantic":
        base = f"(similarity {similar:.2f} + {TIE:g} x keyword {keyword:.2f}) x scale {SEMANTIC_SCALE:.2f}"
    else:
        base = f"{SHARE:g} x similarity {similar:.2f} + {1 - SHARE:g} x keyword {keyword:.2f}"
    whole = f"({base})" if context.parts and regime == "hybrid" and similarity is not None else base
    product = " x ".join((whole, *(f"{part:.2f}" for part in context.parts)))
    return product if _base(regime, similarity, keyword) * context.factor <= 1 else f"{product}, at most 1"


def context_of(
    call: CallText,
    rule_languages: frozenset[str],
    shown: RuleCode = RuleCode(),  # noqa: B008  frozen
    code: float = 0.0,
    *,
    known: bool = False,
) -> Context:
    """Return the factor for a rule with these languages and code; `code` is how much of that code is in the call
    (0 to `FULL`), `known`: a pattern matches."""
    found = Context(1.0)
    if call.act != "do":
        looks = call.act == "look"
        found = found.times(_LOOK if looks else _PROSE, "the call is read-only" if looks else "the call writes prose")
    elif call.looks:
        by = _SAYS_IT_LOOKS if code < FULL / 2 and not known else _LOOKS_AT_IT
        found = found.times(by, "the call describes itself as read-only")
    if shown.mistakes and code < FULL / 2:
        reason = (
            "few of the rule's code snippets are in the call"
            if code
            else "none of the rule's code snippets are in the call"
        )
        found = found.times(1 - _NO_CODE * (1 - 2 * code / FULL), reason)
    if (done := cured(shown, call.code)) is not None:
        left = (1 - done[1]) ** _CURE
        found = replace(found.times(left, f"the call already contains {done[1]:.0%} of the fix {done[0]}"), done=left)
    return _of_language(found, call, rule_languages)


def _of_language(found: Context, call: CallText, rule_languages: frozenset[str]) -> Context:
    same = agree(call.languages - {"data"}, rule_languages)
    if (same is False and rule_languages == _EMBEDDED) or same is None:
        return found
    ours = ", ".join(sorted(call.languages))
    if same:
        return found.noting(f"both are about {ours}")
    return found.times(_OTHER_LANGUAGE, f"the call is {ours}, but the rule is not")


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
    """A rule by its place, and its score among the others: put into words only on display. `alone` is the factor of its
    context without the companions' one."""

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
    title = "" if named is None else f", the call contains {named:.0%} of its title words"
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
    context = lead.context.times(best / lead.score, "it would otherwise be the best match")
    lifted = replace(lead, score=best, context=context, alone=context.factor)
    return [lifted, *(one for one in scored if one is not lead)]


def _order(book: Book, at: int) -> tuple[str, str, int]:
    rule = book.rules[at]
    return rule.id, rule.path, rule.line


def _scored(one: Weighed, regime: Regime, most: Best) -> Scored:
    context = behind(one.fits, most, one.similarity, one.keyword.score)
    score = relevance(regime, one.similarity, one.keyword.score, context.factor)
    return Scored(one.at, round(score, 4), one.similarity, one.keyword, context, context.factor)
