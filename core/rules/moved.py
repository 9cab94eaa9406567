"""What moved between two matches of one call: after a rule file was edited, or with a model where there was none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.rules.answer import MatchedRule, RuleMatch

LEAST = 0.005
"""A score that moved by less is the same to whoever reads it."""

Kind = Literal["shown", "hidden", "new", "gone", "up", "down", "score"]


@dataclass(frozen=True, slots=True)
class Move:
    """A rule that moved. `shown` and `hidden`: it crossed the cut-off; `new` and `gone`: it is listed on one side only.

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


def moved(before: RuleMatch, after: RuleMatch) -> tuple[Move, ...]:
    """What moved, what crossed the cut-off first."""
    found = list(_moves(before, after))
    order: tuple[Kind, ...] = ("shown", "hidden", "new", "gone", "up", "down", "score")
    return tuple(sorted(found, key=lambda one: (order.index(one.kind), -abs(one.score - one.score_before), one.id)))


def in_words(before: RuleMatch, after: RuleMatch) -> tuple[str, ...]:
    """What moved, in words, the cut-off first if it did; nothing where nothing moved."""
    lines = [told(one) for one in moved(before, after)]
    if abs(after.cutoff - before.cutoff) >= LEAST:
        lines.insert(0, f"cut-off {before.cutoff:.2f} to {after.cutoff:.2f}")
    return tuple(lines)


def told(move: Move) -> str:
    """A move in words."""
    still = abs(move.score - move.score_before) < LEAST
    scores = f"{move.score:.2f}" if still else f"{move.score_before:.2f} to {move.score:.2f}"
    return {
        "shown": f"{move.id} is shown now ({scores})",
        "hidden": f"{move.id} fell below the cut-off ({scores})",
        "new": f"{move.id} came in ({move.score:.2f})",
        "gone": f"{move.id} went out of the list",
        "up": f"{move.id} rose to {move.rank} ({scores})",
        "down": f"{move.id} fell to {move.rank} ({scores})",
        "score": f"{move.id} {scores}",
    }[move.kind]


def _moves(before: RuleMatch, after: RuleMatch) -> Iterator[Move]:
    old, new = _ranked(before), _ranked(after)
    for key in {**old, **new}:
        was, now = old.get(key), new.get(key)
        if now is None and was is not None:
            rank, shown, one = was
            kind: Kind = "hidden" if shown else "gone"
            yield Move(kind, one.path, one.id, one.title, rank, 0, one.relevance_score, 0.0)
        elif now is not None:
            rank, shown, one = now
            rank_before, shown_before, score_before = (0, False, 0.0) if was is None else _of(was)
            named = _kind(rank_before, rank, shown_before, shown, score_before, one.relevance_score)
            if named is not None:
                yield Move(named, one.path, one.id, one.title, rank_before, rank, score_before, one.relevance_score)


def _of(place: tuple[int, bool, MatchedRule]) -> tuple[int, bool, float]:
    return place[0], place[1], place[2].relevance_score


def _kind(rank_before: int, rank: int, shown_before: bool, shown: bool, before: float, after: float) -> Kind | None:
    if shown != shown_before:
        return "shown" if shown else "hidden"
    if not rank_before:
        return "new"
    if abs(after - before) < LEAST and rank == rank_before:
        return None
    return "score" if rank == rank_before else "up" if rank < rank_before else "down"


def _ranked(found: RuleMatch) -> dict[tuple[str, str, int], tuple[int, bool, MatchedRule]]:
    """Rules by file, id and which one of that id: lines move with every edit."""
    out: dict[tuple[str, str, int], tuple[int, bool, MatchedRule]] = {}
    count = len(found.rules)
    seen: dict[tuple[str, str], list[int]] = {}
    listed = (*found.rules, *found.below)
    for one in listed:
        seen.setdefault((one.path, one.id), []).append(one.line)
    for at, one in enumerate(listed):
        nth = sorted(seen[one.path, one.id]).index(one.line)
        out[one.path, one.id, nth] = (at + 1, at < count, one)
    return out
