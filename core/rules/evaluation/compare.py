"""Comparison of the matcher on labelled calls, with a baseline: plain bm25 over all fields and the whole call."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from core.rules.evaluation.labels import Half, LabelledCall
from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.matching.api import SHOWN, RuleMatch, Semantic, weigh
from core.rules.matching.call import ToolCall
from core.rules.matching.score import CUTOFF, Scored, companion_factor, ranking_of, titled
from core.text import tokens

_K1, _B = 1.2, 0.75

_EVERYTHING = 1_000_000

Result = Literal["right", "beside", "part", "second", "missed", "wrong", "loud", "unwanted", "gone"]
"""`right`: an expected rule is first and all are shown, or silence where none is; `beside`: so it is, and a rule that
was said to be wrong is shown with it; `part`: one is first, and another is not shown; `second`: one is shown, but
not first; `missed`: nothing is shown; `wrong`: others are; `loud`: something is shown where nothing should be.
Where nothing is said but which rules are wrong: `unwanted`: one of these is shown; `gone`: none of them is."""
FINE = ("right", "gone")
"""The results that need no look."""


class PlainBm25:
    """Never silent: whatever shares a word is ranked."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._docs = [Counter(tokens(_all(rule))) for rule in rules]
        self._lengths = [doc.total() for doc in self._docs]
        self._mean = sum(self._lengths) / max(1, len(self._docs)) or 1.0
        self._df = Counter(word for doc in self._docs for word in doc)

    def rank(self, call: ToolCall, limit: int = 5) -> list[int]:
        """The places of the best rules, the best first."""
        query = set(tokens(f"{call.tool_name} {json.dumps(dict(call.tool_input), ensure_ascii=False)}"))
        size = len(self._docs)
        scores: list[tuple[float, int]] = []
        for at, doc in enumerate(self._docs):
            norm = _K1 * (1 - _B + _B * self._lengths[at] / self._mean)
            score = sum(
                math.log(1 + (size - self._df[word] + 0.5) / (self._df[word] + 0.5))
                * doc[word] * (_K1 + 1) / (doc[word] + norm)
                for word in query
                if word in doc
            )  # fmt: skip
            if score > 0:
                scores.append((-score, at))
        return [at for _, at in sorted(scores)[:limit]]


def _all(rule: Rule) -> str:
    parts = (rule.id, rule.title, rule.problem, rule.root_cause, rule.solution, rule.prevention, rule.category)
    return "\n".join((*parts, rule.project, rule.notes, *rule.extra.values()))


@dataclass(frozen=True, slots=True)
class Bars:
    """The cut-off of each way of matching; that of meaning alone is measured only."""

    hybrid: float = CUTOFF
    keyword: float = CUTOFF
    semantic: float = 0.32


Ranked = Sequence[tuple[str, float]]
"""Rules with their score, the best first."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, of how many, and its 95 % confidence interval (Wilson)."""

    value: float
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SystemScore:
    """How one way of matching did. `shown`: rules shown a call on average; `cutoff` null: it is never silent.

    `hit_at_1`: a rule that applies is first; `recall_at_5`: of a call that several rules apply to it counts the share.
    `unwanted`: of the calls with rules that were said to be wrong, on how many one of these is shown. A call of which
    nothing else was said counts there, and in no other share. `companions_right` and `companions_wrong`: rules shown
    beside the first one that apply, and that do not.
    """

    name: str
    cutoff: float | None
    hit_at_1: Rate
    recall_at_5: Rate
    quiet: Rate
    shown: float
    unwanted: Rate
    companions_right: int = 0
    companions_wrong: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """A call on which the ways of matching do not do equally well: the ids each shows (`semantic` null without a
    model), and the names of those that are `right`: a rule that applies is first, and none is missed.

    `call` is its place among the calls measured, from 0; `better`: `hybrid` is right where `bm25` is not.
    """

    call: int
    tool_name: str
    about: str
    expected: tuple[str, ...]
    bm25: tuple[str, ...]
    keyword: tuple[str, ...]
    semantic: tuple[str, ...] | None
    hybrid: tuple[str, ...]
    right: tuple[str, ...]
    better: bool

    def between(self, one: str, other: str) -> int:
        """1 where the one way is right and the other is not, -1 the other way round, else 0."""
        return (one in self.right) - (other in self.right)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of a comparison (`rule_compare.v1`); `half` says which of the calls it was measured on.

    `keyword` is what answers without a model; `fitted` are the cut-offs that fit the tuned half best, where asked for.
    """

    SCHEMA: ClassVar[str] = "rule_compare.v1"

    half: Half
    calls: int
    rules: int
    model: str
    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...]
    fitted: Mapping[str, float] = field(default_factory=dict[str, float])


def compare(
    book: Book,
    calls: Sequence[LabelledCall],
    semantic: Semantic | None,
    *,
    half: Half = "all",
    model: str = "",
    quiet: float | None = None,
) -> Comparison:
    """Measure every way of matching on these calls (of one half already), at the shipped cut-offs, or at those with
    which the share `quiet` of the hard negatives is met with silence: then the order of the rules is what differs."""
    plain = PlainBm25(book.rules)
    both = [ranked(book, one, semantic) for one in calls]
    words = [ranked(book, one, None)["keyword"] for one in calls]
    bars = Bars()
    if quiet is not None:
        ways = ([one["hybrid"] for one in both], words, [one["semantic"] for one in both])
        bars = Bars(*(silent_from(calls, found, quiet) for found in ways))
    shown = {
        "bm25": [tuple(one.name_of(book.rules[at]) for at in plain.rank(one.call)) for one in calls],
        "keyword": [above(one, bars.keyword) for one in words],
        "semantic": [above(one["semantic"], bars.semantic) for one in both],
        "hybrid": [above(one["hybrid"], bars.hybrid if one["semantic"] else bars.keyword) for one in both],
    }
    bar: dict[str, float | None] = {"bm25": None, "keyword": bars.keyword, "semantic": bars.semantic}
    bar["hybrid"] = bars.hybrid if semantic is not None else bars.keyword
    names = [name for name in shown if name != "semantic" or semantic is not None]
    systems = tuple(_scored(name, bar[name], calls, shown[name]) for name in names)
    return Comparison(half, len(calls), len(book.rules), model, systems, tuple(_differences(calls, shown, names)))


def ranked(book: Book, labelled: LabelledCall, semantic: Semantic | None) -> Mapping[str, Ranked]:
    """Every rule with a score, by way of matching, whatever the cut-off; named as the call's label does."""
    found = weigh(book, labelled.call, semantic)
    ranking = ranking_of(book, found.rules, _EVERYTHING, 0.0)
    rules = [one for one in ranking.scored if one.at in ranking.shown]
    both = [(labelled.name_of(book.rules[one.at]), one.score) for one in rules]
    near = [] if found.fallback else _by_meaning(book, rules)
    alone = [(labelled.name_of(book.rules[at]), score) for at, score in near]
    return {"keyword": both, "hybrid": both, "semantic": alone}


def _by_meaning(book: Book, rules: Sequence[Scored]) -> list[tuple[int, float]]:
    """The places of rules with what similarity and context alone score, the best first."""
    found = sorted(((one, (one.similarity or 0.0) * one.alone) for one in rules), key=lambda one: -one[1])
    first = found[0][1] if found else 0.0
    behind = [
        (one.at, score * companion_factor(score, first, titled(book, one.at, one.keyword))) for one, score in found[1:]
    ]
    return [*((one.at, score) for one, score in found[:1]), *sorted(behind, key=lambda one: -one[1])]


def above(found: Ranked, cutoff: float) -> tuple[str, ...]:
    """The rules that are shown."""
    return tuple(name for name, score in found[:SHOWN] if score >= cutoff)


def silent_from(calls: Sequence[LabelledCall], found: Sequence[Ranked], share: float) -> float:
    """The least cut-off (in steps of 0.0001) with which at least this share of the calls that no rule applies to is met
    with silence; 0 where there are none of them."""
    tops = sorted(one[0][1] if one else 0.0 for one, call in zip(found, calls, strict=True) if call.silent)
    silent = min(len(tops), math.ceil(share * len(tops)))
    return round(tops[silent - 1] + 0.0001, 4) if silent else 0.0


def fit(book: Book, calls: Sequence[LabelledCall], semantic: Semantic | None) -> Bars:
    """The cut-offs that do best on these calls: the highest sum of hit@1 and quiet rate, in the middle of the range
    that does equally well.

    Each call counts twice, with the error patterns and without: rules of other people are about mistakes that no
    pattern knows, and a bar set with patterns alone is too high for them.
    """
    bare = replace(book, tables=replace(book.tables, error_patterns=()))
    twice = [*calls, *calls]
    cases = [(book, one) for one in calls] + [(bare, one) for one in calls]
    both = [ranked(one, call, semantic) for one, call in cases]
    plain = [ranked(one, call, None)["keyword"] for one, call in cases]
    return Bars(
        _fitted(twice, [one["hybrid"] for one in both]),
        _fitted(twice, plain),
        _fitted(twice, [one["semantic"] for one in both]),
    )


def _fitted(calls: Sequence[LabelledCall], found: Sequence[Ranked]) -> float:
    best: list[float] = []
    top = -1.0
    for cutoff in (at / 200 for at in range(10, 190)):
        shown = [above(one, cutoff) for one in found]
        quiet = [not one for one, call in zip(shown, calls, strict=True) if call.silent]
        hits = [one[:1] and one[0] in call.expected for one, call in zip(shown, calls, strict=True) if call.expected]
        score = round(sum(quiet) / max(1, len(quiet)) + sum(map(bool, hits)) / max(1, len(hits)), 6)
        if score > top:
            best, top = [cutoff], score
        elif score == top:
            best.append(cutoff)
    return round(best[len(best) // 2], 3)


def _scored(
    name: str, cutoff: float | None, calls: Sequence[LabelledCall], shown: Sequence[tuple[str, ...]]
) -> SystemScore:
    pairs = list(zip(calls, shown, strict=True))
    expecting = [(call, one) for call, one in pairs if call.expected]
    silent = [one for call, one in pairs if call.silent]
    faulted = [(call, one) for call, one in pairs if call.unwanted]
    companions = [(call, name) for call, one in pairs if not call.undecided for name in one[1:]]
    return SystemScore(
        name,
        cutoff,
        rate(sum(bool(one) and one[0] in call.expected for call, one in expecting), len(expecting)),
        rate(sum(_recalled(call, one[:SHOWN]) for call, one in expecting), len(expecting)),
        rate(sum(not one for one in silent), len(silent)),
        round(sum(map(len, shown)) / max(1, len(shown)), 3),
        rate(sum(bool(set(one) & set(call.unwanted)) for call, one in faulted), len(faulted)),
        sum(companion in call.expected for call, companion in companions),
        sum(companion not in call.expected for call, companion in companions),
    )


def _recalled(call: LabelledCall, shown: tuple[str, ...]) -> float:
    return 1 - len(call.missed(shown)) / len(set(call.expected))


def rate(count: float, of: int) -> Rate:
    """`count` of `of` with its Wilson interval."""
    if not of:
        return Rate(0.0, 0, 0.0, 1.0)
    share, z = count / of, 1.96
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Rate(round(share, 4), of, round(max(0.0, middle - reach), 4), round(min(1.0, middle + reach), 4))


def _differences(
    calls: Sequence[LabelledCall], shown: Mapping[str, Sequence[tuple[str, ...]]], names: Sequence[str]
) -> list[Difference]:
    out: list[Difference] = []
    for at, call in enumerate(calls):
        right = tuple(name for name in names if _right(call, shown[name][at]))
        if call.undecided or len(right) in (0, len(names)):
            continue
        about = call.about or " ".join(str(value) for value in call.call.tool_input.values())[:120]
        meant = shown["semantic"][at] if "semantic" in names else None
        plain, words, both = (shown[name][at] for name in ("bm25", "keyword", "hybrid"))
        better = "hybrid" in right and "bm25" not in right
        out.append(Difference(at, call.call.tool_name, about, call.expected, plain, words, meant, both, right, better))
    return out


def _right(call: LabelledCall, shown: tuple[str, ...]) -> bool:
    if not call.expected or not shown:
        return not call.expected and not shown
    return shown[0] in call.expected and not call.missed(shown)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One labelled call with what was shown for it, and how that compares; `ways`: how the ways of matching differ on
    it, if they do."""

    labelled: LabelledCall
    match: RuleMatch
    result: Result
    ways: Difference | None = None

    @property
    def shown_rules(self) -> tuple[str, ...]:
        """The rules shown, in order, by the names that the label has for them."""
        return tuple(map(self.labelled.name_of, self.match.rules))

    @property
    def missed(self) -> tuple[str, ...]:
        """The expected rules that are not shown."""
        return self.labelled.missed(self.shown_rules)


def case_results(
    calls: tuple[LabelledCall, ...], answer: Callable[[ToolCall], RuleMatch], differences: Iterable[Difference] = ()
) -> tuple[CaseResult, ...]:
    """Each call answered and judged; those that are not right first. Raises what `answer` raises."""
    ways = {one.call: one for one in differences}
    found = [_judged(one, answer(one.call), ways.get(at)) for at, one in enumerate(calls)]
    return tuple(sorted(found, key=lambda one: one.result in FINE))


def _judged(one: LabelledCall, match: RuleMatch, ways: Difference | None) -> CaseResult:
    shown = [one.name_of(rule) for rule in match.rules]
    result: Result
    if one.undecided:
        result = "unwanted" if set(shown) & set(one.unwanted) else "gone"
    elif not one.expected:
        result = "loud" if shown else "right"
    elif not shown:
        result = "missed"
    elif shown[0] in one.expected:
        result = "part" if one.missed(shown) else "beside" if set(shown) & set(one.unwanted) else "right"
    else:
        result = "second" if set(shown) & set(one.expected) else "wrong"
    return CaseResult(one, match, result, ways)
