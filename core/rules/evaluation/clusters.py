"""Rules that say nearly the same, and rules that belong together (semantic-rule-matching REQ-SEM-014)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from core.embedding.index.vectors import cosine, unpack
from core.embedding.models.catalogue import Thresholds
from core.embedding.runtime.embedder import Vector
from core.rules.format.rule import Rule, rule_text
from core.rules.matching.terms import terms

if TYPE_CHECKING:
    from core.store import Store

Check = Callable[[], None]
NEAR, RELATED = 0.85, 0.62
"""MiniLM's cosines from which two rules are near-duplicates, or related; by words (Dice of their terms) those below."""
NEAR_WORDS, RELATED_WORDS = 0.7, 0.4


@dataclass(frozen=True, slots=True)
class Member:
    """A rule of a cluster."""

    id: str
    title: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """Rules that belong together. `similarity` is the lowest that joined them; `suggestion` what a person might do."""

    kind: Literal["duplicate", "related"]
    rules: tuple[Member, ...]
    similarity: float
    suggestion: str


@dataclass(frozen=True, slots=True)
class Clusters:
    """All clusters (`rule_clusters.v1`); `by` says whether meaning or words were compared."""

    SCHEMA: ClassVar[str] = "rule_clusters.v1"

    clusters: tuple[Cluster, ...]
    rules: int
    by: Literal["meaning", "words"]


@dataclass(frozen=True, slots=True)
class ToGroup:
    """Rules that are to be grouped, with the vectors they have: a value, so that another process may do it."""

    rules: tuple[Rule, ...]
    glossary: Mapping[str, str]
    vectors: Mapping[int, tuple[Vector, ...]]
    thresholds: Thresholds | None = None

    def __call__(self, store: Store | None = None, *_given: object) -> Clusters:
        """See `clusters`. Ends where the store is interrupted: it is nothing else that it has to do with it."""
        check = _never if store is None else store.check
        return clusters(self.rules, self.glossary, self.vectors, check, self.thresholds)


def _never() -> None:
    """Never stop."""


def clusters(
    rules: Sequence[Rule],
    glossary: Mapping[str, str],
    vectors: Mapping[int, tuple[Vector, ...]],
    check: Check = _never,
    thresholds: Thresholds | None = None,
) -> Clusters:
    """The near-duplicates, then the groups of related rules. Vectors by place; without enough of them words serve.

    `check` is called every now and then: what it raises ends the work, which takes minutes for ten thousand rules.
    `thresholds`: what the cosines of the vectors' model mean; None: as MiniLM's.
    """
    if len(vectors) == len(rules) and vectors:
        bars = (NEAR, RELATED) if thresholds is None else (_bar(NEAR, thresholds), _bar(RELATED, thresholds))
        return _grouped(rules, _by_meaning(vectors, bars[1], check), bars, "meaning", check)
    return _grouped(rules, _by_words(rules, glossary, check), (NEAR_WORDS, RELATED_WORDS), "words", check)


def _bar(minilm: float, thresholds: Thresholds) -> float:
    """That bar for another model; never below it: rules are all written in one way, which brings strangers near."""
    return max(minilm, thresholds.cosine_for(minilm))


def _by_meaning(
    vectors: Mapping[int, tuple[Vector, ...]], related: float, check: Check
) -> Sequence[tuple[int, int, float]]:
    order = sorted(vectors)
    if len(order) > 200:
        return _by_arrays(vectors, order, related, check)
    return [
        (one, other, max(cosine(a, b) for a in vectors[one] for b in vectors[other]))
        for at, one in enumerate(order)
        for other in order[at + 1 :]
    ]


def _by_arrays(
    vectors: Mapping[int, tuple[Vector, ...]], order: Sequence[int], related: float, check: Check
) -> Sequence[tuple[int, int, float]]:
    """The same for many: pairs from `related` on, by numpy; of a long rule its first window."""
    import numpy as np

    rows = np.array([unpack(vectors[at][0]) for at in order], dtype=np.float32)
    out: list[tuple[int, int, float]] = []
    for start in range(0, len(order), 500):
        for one, values in enumerate(rows[start : start + 500] @ rows.T, start):
            check()
            (near,) = np.nonzero(values[one + 1 :] >= related)
            near += one + 1
            found = zip(near.tolist(), values[near].tolist(), strict=True)
            out.extend((order[one], order[other], value) for other, value in found)
    return out


def _by_words(rules: Sequence[Rule], glossary: Mapping[str, str], check: Check) -> Sequence[tuple[int, int, float]]:
    words_of_rules = [frozenset(terms(rule_text(rule).partition(": ")[2], glossary)) for rule in rules]
    out: list[tuple[int, int, float]] = []
    for one, words in enumerate(words_of_rules):
        check()
        for other in range(one + 1, len(words_of_rules)):
            shared = len(words & words_of_rules[other])
            if shared:
                out.append((one, other, 2 * shared / (len(words) + len(words_of_rules[other]))))
    return out


def _grouped(
    rules: Sequence[Rule],
    pairs: Sequence[tuple[int, int, float]],
    bars: tuple[float, float],
    by: Literal["meaning", "words"],
    check: Check,
) -> Clusters:
    """Single links for duplicates; a related rule joins a group only where it is related to all of it. What is nearly
    the same in one group is not told once more as related."""
    near, related = bars
    score: dict[tuple[int, int], float] = {}
    for one, other, value in pairs:
        check()
        if value >= related:
            score[one, other] = value
    falling = sorted(((*pair, value) for pair, value in score.items()), key=lambda pair: -pair[2])
    same = _linked([pair for pair in falling if pair[2] >= near], check)
    home = {at: number for number, (members, _) in enumerate(same) for at in members}
    akin: list[tuple[set[int], float]] = []
    for one, other, value in falling:
        check()
        if value < near and (one not in home or home[one] != home.get(other)):
            _join(akin, one, other, value, score, related)
    found = [_cluster(rules, sorted(members), low, "duplicate") for members, low in same]
    found += [_cluster(rules, sorted(members), low, "related") for members, low in akin]
    return Clusters(tuple(found), len(rules), by)


def _linked(pairs: Sequence[tuple[int, int, float]], check: Check) -> list[tuple[set[int], float]]:
    """Groups in which each is paired with one of the others, with the value of the last pair that joined them."""
    home: dict[int, int] = {}
    groups: dict[int, tuple[set[int], float]] = {}
    for one, other, value in pairs:
        check()
        at, there = (home.setdefault(place, place) for place in (one, other))
        mine, others = (groups.get(number, ({number}, value))[0] for number in (at, there))
        if at == there:
            continue
        if len(mine) < len(others):
            at, there, mine, others = there, at, others, mine
        home.update(dict.fromkeys(others, at))
        mine.update(others)
        groups.pop(there, None)
        groups[at] = (mine, value)
    return list(groups.values())


def _join(
    groups: list[tuple[set[int], float]],
    one: int,
    other: int,
    value: float,
    score: Mapping[tuple[int, int], float],
    bar: float,
) -> None:
    for at, (members, low) in enumerate(groups):
        new = {one, other} - members
        if len(new) == 2:
            continue
        values = [score.get((min(a, b), max(a, b)), 0.0) for a in new for b in members]
        if all(found >= bar for found in values):
            groups[at] = (members | new, min([low, *values]))
            return
    if not any({one, other} <= members for members, _ in groups):
        groups.append(({one, other}, value))


def _cluster(
    every: Sequence[Rule], members: Sequence[int], low: float, kind: Literal["duplicate", "related"]
) -> Cluster:
    rules = [every[at] for at in members]
    keep = max(rules, key=lambda rule: len(rule_text(rule)) + len(rule.prevention) + len(rule.root_cause))
    often = Counter(rule.id for rule in rules)
    if kind == "duplicate":
        others = _listed([_name(rule, often) for rule in rules if rule is not keep])
        advice = f"merge {others} into {_name(keep, often)}, the most complete rule"
    else:
        advice = f"compare {_listed([_name(rule, often) for rule in rules])}: merge them, or link them"
    listed = tuple(Member(rule.id, rule.title, rule.path, rule.line) for rule in rules)
    return Cluster(kind, listed, round(low, 4), advice)


def _name(rule: Rule, often: Mapping[str, int]) -> str:
    """The id; with file and line where another one has it too."""
    if often[rule.id] == 1:
        return rule.id
    return f"{rule.id} ({Path(rule.path).name}, line {rule.line})"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
