"""What changed between two matches of one call: after a rule file was edited, or with a model where there was none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.rules.matching.api import MatchedRule, RuleMatch

LEAST = 0.02
"""Minimum change of a score that is reported."""
_NOTHING = 0.005
"""What reads as 0.00."""

Kind = Literal["shown", "hidden", "new", "gone", "up", "down", "score"]


_Place = tuple[int, bool, MatchedRule]


@dataclass(frozen=True, slots=True)
class Move:
    """A rule that moved. `shown` and `hidden`: it crossed the cut-off; `new` and `gone`: it is listed on one side only,
    `itself`: as the rule is only there. `line` is where it stands now, 0: it is not listed.

    Ranks count from 1, over shown and below; 0: not listed. Scores are relevance, 0 where not listed.
    """

    kind: Kind
    path: str
    id: str
    title: str
    rank_before: int
    rank: int
    score_before: float
    score: float
    line: int = 0
    itself: bool = False


Named = tuple[str, str]
"""A rule by file and id."""


def moved(
    before: RuleMatch, after: RuleMatch, had: Sequence[Named] | None = None, has: Sequence[Named] | None = None
) -> tuple[Move, ...]:
    """What moved, what crossed the cut-off first. `had` and `has`: every rule there was and is, listed or not; without
    them no rule is taken for one that came or went itself."""
    found = list(_moves(before, after, _unlisted(before, had), _unlisted(after, has)))
    order: tuple[Kind, ...] = ("shown", "hidden", "new", "gone", "up", "down", "score")
    return tuple(
        sorted(
            found, key=lambda one: (not one.itself, order.index(one.kind), -abs(one.score - one.score_before), one.id)
        )
    )


def in_words(
    before: RuleMatch, after: RuleMatch, had: Sequence[Named] | None = None, has: Sequence[Named] | None = None
) -> tuple[str, ...]:
    """What moved, in words, the cut-off first if it did; nothing where nothing moved."""
    lines = [describe_move(one) for one in moved(before, after, had, has)]
    if abs(after.cutoff - before.cutoff) >= LEAST:
        lines.insert(0, f"cut-off {before.cutoff:.2f} to {after.cutoff:.2f}")
    return tuple(lines)


def describe_move(move: Move) -> str:
    if move.itself:
        return f"{move.id} is new ({move.score:.2f})" if move.kind == "new" else f"{move.id} was removed"
    still = abs(move.score - move.score_before) < _NOTHING
    scores = f"{move.score:.2f}" if still else f"{move.score_before:.2f} to {move.score:.2f}"
    return {
        "shown": f"{move.id} is shown now ({scores})",
        "hidden": f"{move.id} fell below the cut-off ({scores})",
        "new": f"{move.id} entered the list ({move.score:.2f})",
        "gone": f"{move.id} left the list",
        "up": f"{move.id} rose to {move.rank} ({scores})",
        "down": f"{move.id} fell to {move.rank} ({scores})",
        "score": f"{move.id} {scores}",
    }[move.kind]


def _moves(
    before: RuleMatch, after: RuleMatch, had: Counter[Named] | None, has: Counter[Named] | None
) -> Iterator[Move]:
    """`had` and `has`: how many rules of a name are there and not listed."""
    for was, now in _pairs(before, after):
        if was is not None and now is None:
            rank, shown, one = was
            itself = has is not None and not has[one.path, one.id]
            left: Kind = "hidden" if shown and not itself else "gone"
            if left == "gone" and not itself and one.relevance_score < _NOTHING:
                continue  # the tail of a list that is cut somewhere
            yield Move(left, one.path, one.id, one.title, rank, 0, one.relevance_score, 0.0, 0, itself)
        elif now is not None:
            rank, shown, one = now
            rank_before, shown_before, score_before = (0, False, 0.0) if was is None else _of(was)
            itself = was is None and had is not None and not had[one.path, one.id]
            named = _kind(rank_before, rank, shown_before, shown, score_before, one.relevance_score)
            kind = "new" if itself else named
            through_another = was is not None and kind in ("up", "down", "score") and not _changed(was[2], one)
            if kind is not None and not through_another:
                score = one.relevance_score
                yield Move(kind, one.path, one.id, one.title, rank_before, rank, score_before, score, one.line, itself)


def _changed(was: MatchedRule, now: MatchedRule) -> bool:
    """Whether the rule itself, or what a tier says of it, is another; else another rule's change moved its score."""
    if (was.title, was.solution, was.similarity is None) != (now.title, now.solution, now.similarity is None):
        return True
    nearer = abs((now.similarity or 0.0) - (was.similarity or 0.0))
    return max(nearer, abs(now.keyword_score - was.keyword_score)) >= LEAST


def _unlisted(found: RuleMatch, every: Sequence[Named] | None) -> Counter[Named] | None:
    listed = Counter((one.path, one.id) for one in (*found.rules, *found.below))
    return None if every is None else Counter(every) - listed


def _pairs(before: RuleMatch, after: RuleMatch) -> Iterator[tuple[_Place | None, _Place | None]]:
    """Each rule as it was and as it is: of one file and id; where that comes again, what says the same first, then in
    their order (lines move with every edit)."""
    old, new = _ranked(before), _ranked(after)
    for key in {**old, **new}:
        left, right = old.get(key, []), new.get(key, [])
        for was in list(left) if len(left) != len(right) else ():
            now = next((one for one in right if _describe_place(one) == _describe_place(was)), None)
            if now is not None:
                left.remove(was)
                right.remove(now)
                yield was, now
        for at in range(max(len(left), len(right))):
            yield (left[at] if at < len(left) else None), (right[at] if at < len(right) else None)


def _describe_place(place: _Place) -> tuple[str, str]:
    return place[2].title, place[2].solution


def _of(place: _Place) -> tuple[int, bool, float]:
    return place[0], place[1], place[2].relevance_score


def _kind(rank_before: int, rank: int, shown_before: bool, shown: bool, before: float, after: float) -> Kind | None:
    if shown != shown_before:
        return "shown" if shown else "hidden"
    if not rank_before:
        return "new" if after >= LEAST else None
    if abs(after - before) < LEAST:
        return None
    return "score" if rank == rank_before else "up" if rank < rank_before else "down"


def _ranked(found: RuleMatch) -> dict[Named, list[_Place]]:
    """Rules by file and id, those that share both in the order of their lines."""
    out: dict[Named, list[_Place]] = {}
    count = len(found.rules)
    for at, one in enumerate((*found.rules, *found.below)):
        out.setdefault((one.path, one.id), []).append((at + 1, at < count, one))
    return {key: sorted(places, key=lambda place: place[2].line) for key, places in out.items()}
