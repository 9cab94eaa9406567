"""Every decision carries the ordered steps that led to it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["hit", "miss", "skipped", "rejected", "failed", "timeout"]
Fact = str | int | float | bool | None
Facts = tuple[tuple[str, Fact], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a decision: which `stage`, what came of it, and why.

    `facts` are ordered name-value pairs (counts, distances, caps); `steps` are sub-steps;
    `elapsed_ms` is wall time and no part of equality, so that two traces of the same decision are equal.
    """

    stage: str
    outcome: Outcome
    reason: str
    facts: Facts = ()
    steps: tuple[Step, ...] = ()
    elapsed_ms: float = field(default=0.0, compare=False)

    def fact(self, name: str) -> Fact:
        """The value of the fact `name`, or None if this step has no such fact."""
        return next((value for key, value in self.facts if key == name), None)


def facts(values: Mapping[str, Fact] | None = None, /, **more: Fact) -> Facts:
    """Name-value pairs in the order given."""
    return (*((values or {}).items()), *more.items())


def fact_text(value: Fact) -> str:
    """A value as people read it: numbers with a point to four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Stopwatch:
    """Wall time since it was made, in milliseconds."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def ms(self) -> float:
        """Milliseconds since the start, to a microsecond."""
        return round((time.perf_counter() - self._start) * 1000, 3)


def lines(steps: tuple[Step, ...], indent: str = "") -> list[str]:
    """A trace as plain lines for people, one a step, sub-steps indented by two blanks."""
    out: list[str] = []
    for step in steps:
        shown = " ".join(f"{name}={fact_text(value)}" for name, value in step.facts)
        out.append(f"{indent}{step.stage}: {step.outcome}, {step.reason}" + (f" ({shown})" if shown else ""))
        out.extend(lines(step.steps, indent + "  "))
    return out
