"""One table: what was measured, against what, the ratio, the budget."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One promise: `figure` is what decides (a ratio, unless `unit` says otherwise), `budget` its ceiling."""

    what: str
    figure: float
    budget: float | None
    note: str = ""
    unit: str = "x"

    @property
    def holds(self) -> bool:
        return self.budget is None or self.figure <= self.budget


def seconds(run: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def p95(times: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(times, n=20)[-1]


def paired(ours: Callable[[], object], control: Callable[[], object], rounds: int = 7) -> tuple[float, float, float]:
    """Median of the ratio ours/control taken pair by pair, and the two medians in seconds."""
    pairs = [(seconds(ours), seconds(control)) for _ in range(rounds)]
    return (
        statistics.median(a / b for a, b in pairs),
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
    )


def show(rows: list[Row]) -> str:
    """The table as text."""
    width = max(len(row.what) for row in rows)
    lines = [f"{'what':<{width}}  {'measured':>10}  {'budget':>8}  holds  note"]
    for row in rows:
        budget = "" if row.budget is None else f"{row.budget:g}{row.unit}"
        holds = "" if row.budget is None else ("yes" if row.holds else "NO")
        lines.append(f"{row.what:<{width}}  {row.figure:>9.2f}{row.unit}  {budget:>8}  {holds:<5}  {row.note}".rstrip())
    return "\n".join(lines)
