"""How an ingest stands while it runs: phase, file, rate, what came of the files so far, the slowest of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from core.library.ingest.report import IngestEvent

SLOWEST: Final = 5
"""Files that are named as the slowest."""

Phase = Literal["looking", "reading", "tidying", "completed", "aborted"]


@dataclass(frozen=True, slots=True)
class IngestPace:
    """An ingest so far. `done` of `total` files are settled, `path` is the one being read, or the last.

    `counts`: files by what came of them (new, updated, unchanged, …); `passages` written. `elapsed_s` since it began,
    `reading_s` since its first file. `slowest`: milliseconds and path, the slowest first.
    """

    phase: Phase = "looking"
    done: int = 0
    total: int = 0
    path: str = ""
    media: str = ""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    passages: int = 0
    elapsed_s: float = 0.0
    reading_s: float = 0.0
    slowest: tuple[tuple[float, str], ...] = ()

    @property
    def rate(self) -> float:
        """Files a second since the first one; 0 where nothing can be said."""
        return self.done / self.reading_s if self.reading_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go at this rate; None where nothing can be said."""
        return (self.total - self.done) / self.rate if self.phase == "reading" and self.rate > 0 else None


def paced(pace: IngestPace, event: IngestEvent, elapsed_s: float) -> IngestPace:
    """How it stands after this event, so many seconds after the ingest began."""
    spent = elapsed_s - pace.elapsed_s
    pace = replace(pace, elapsed_s=elapsed_s, reading_s=pace.reading_s + (spent if pace.phase == "reading" else 0.0))
    if event.kind == "scan_completed":
        total = event.total or 0
        return replace(pace, phase="reading" if total else "tidying", total=total)
    if event.kind == "asset_started":
        return replace(pace, path=event.path or "", media=event.media or "")
    if event.kind == "asset_finished":
        return _settled(pace, event)
    if event.kind in ("completed", "aborted"):
        return replace(pace, phase=event.kind, path="", media="")
    return pace


def _settled(pace: IngestPace, event: IngestEvent) -> IngestPace:
    done = event.idx or pace.done + 1
    slowest = pace.slowest
    if event.ms is not None and (len(slowest) < SLOWEST or event.ms > slowest[-1][0]):
        slowest = tuple(sorted((*slowest, (event.ms, event.path or "")), key=lambda one: -one[0])[:SLOWEST])
    result = event.result or "unchanged"
    return replace(
        pace,
        phase="tidying" if done >= pace.total else pace.phase,
        done=done,
        counts={**pace.counts, result: pace.counts.get(result, 0) + 1},
        passages=pace.passages + (event.chunks or 0 if result not in ("unchanged", "skipped", "error") else 0),
        slowest=slowest,
    )
