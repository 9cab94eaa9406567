"""Shares at equal false answers, and how sure a figure is: intervals by resampling causes, not single questions."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

RESAMPLED = 500
_One = TypeVar("_One")


def share(part: int, whole: int) -> float:
    """`part` of `whole`, 0.0 of nothing."""
    return part / whole if whole else 0.0


def at_equal(scored: Sequence[tuple[int | None, int, float]], false: float) -> float:
    """Known questions answered rightly by a score alone, with the bar that lets the same share of the unknown through.

    Of each question: its own case (None: unknown), the one found, the score.
    """
    strangers = sorted((score for own, _, score in scored if own is None), reverse=True)
    through = int(false * len(strangers) + 1e-9)
    bar = strangers[through] if through < len(strangers) else -math.inf
    known = [(own, case, score) for own, case, score in scored if own is not None]
    return share(sum(score > bar and case == own for own, case, score in known), len(known))


def intervals(
    found: Sequence[tuple[str, _One]], figures: Mapping[str, Callable[[list[_One]], float]]
) -> dict[str, str]:
    """Each figure with its 95 % interval. `found` gives the cause of each question: those of one stay together."""
    causes: defaultdict[str, list[_One]] = defaultdict(list)
    for cause, one in found:
        causes[cause].append(one)
    groups, rng = list(causes.values()), random.Random(1)
    drawn = [[one for group in rng.choices(groups, k=len(groups)) for one in group] for _ in range(RESAMPLED)]
    said: dict[str, str] = {}
    for name, figure in figures.items():
        values = sorted(figure(some) for some in drawn)
        low, high = values[int(0.025 * RESAMPLED)], values[int(0.975 * RESAMPLED)]
        said[name] = f"{figure([one for _, one in found]):+.3f}  [{low:+.3f}, {high:+.3f}]"
    return said
