"""Which cases the list shows, and in which order: what a person picks, and what the core is asked with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from core.errors import Filters
    from core.errors.cases.case import Sort

Kind = Literal["status", "period", "tool", "project", "tag"]
KINDS: tuple[Kind, ...] = ("status", "period", "tool", "project", "tag")
STATUSES = ("unresolved", "draft", "verified")
PERIODS = {"today": 0, "7 days": 7, "30 days": 30}
"""The times to pick, each with how many days it goes back; today begins at midnight where the person is."""

SORTS: dict[Sort, str] = {"last_seen": "last seen first", "seen": "most seen first", "first_seen": "newest first"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What was picked. `since` is what `period` means now, an ISO 8601 time."""

    status: str | None = None
    sort: Sort = "last_seen"
    period: str | None = None
    tool: str | None = None
    project: str | None = None
    since: str | None = None
    tag: str | None = None

    @property
    def picked(self) -> tuple[tuple[Kind, str], ...]:
        """Each filter that is on, in the order of the menu."""
        values: tuple[str | None, ...] = (self.status, self.period, self.tool, self.project, self.tag)
        return tuple((kind, value) for kind, value in zip(KINDS, values, strict=True) if value is not None)

    def toggled(self, kind: Kind, value: str) -> Scope:
        """With this filter on, in the place of another of its kind; or off, if it was on."""
        was_on = (kind, value) in self.picked
        return replace(self, since=None, **{kind: None if was_on else value})

    def cleared(self) -> Scope:
        """In the same order, without a filter."""
        return Scope(sort=self.sort)

    def reordered(self) -> Scope:
        """In the next order."""
        orders = list(SORTS)
        return replace(self, sort=orders[(orders.index(self.sort) + 1) % len(orders)])

    def at(self, now: datetime) -> Scope:
        """With the period reckoned from `now`."""
        return replace(self, since=None if self.period is None else since_of(self.period, now))

    def filters(self) -> Filters:
        """The core's own filters."""
        from core.errors import Filters

        return Filters(self.status, self.tool, self.project, self.since, self.tag)  # pyright: ignore[reportArgumentType]


def since_of(period: str, now: datetime) -> str:
    """When a period began, as the casebook writes times."""
    days = PERIODS[period]
    start = now - timedelta(days=days) if days else now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return start.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
