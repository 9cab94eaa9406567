"""The quotes as the pane has them: what was read, and what was decided here and is on its way to disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from core.evidence import QuoteRow
    from core.evidence.rows import State
    from tui.panes.evidence.queries import Listed, Shown

PROBLEMS = frozenset({"flagged", "ambiguous", "near", "failed", "waiting"})


@dataclass(frozen=True, slots=True)
class Quotes:
    """Rows for the list. `decided`: what a decision that is not read again yet makes of a quote."""

    read: Listed | None = None
    decided: Mapping[int, str] = field(default_factory=dict[int, str])
    rows: tuple[QuoteRow, ...] = ()
    marked: frozenset[int] = frozenset()

    @property
    def seen(self) -> tuple[QuoteRow, ...]:
        """The marked ones in their order, each in the state it is shown in."""
        return tuple(row for row in self.rows if row.id in self.marked)

    def toggled(self, evidence_id: int) -> Quotes:
        """Marked, or no longer."""
        return replace(self, marked=self.marked ^ {evidence_id})

    def all_marked(self) -> Quotes:
        """Every row that is there is marked; none, if all are already."""
        every = frozenset(row.id for row in self.rows)
        return replace(self, marked=frozenset() if self.marked >= every else every)

    @property
    def total(self) -> int:
        """How many rows."""
        return len(self.rows)

    @property
    def left(self) -> int:
        """How many quotes wait for a person, read or not."""
        if self.read is None:
            return 0
        before = {row.id: row.state for row in self.read.rows}
        return self.read.counts.left - sum(before.get(one, "") in PROBLEMS for one in self.decided)

    def searched_after(self, before: Quotes) -> bool:
        """Whether other words were searched before."""
        return self.read is not None and before.read is not None and self.read.words != before.read.words

    def get(self, index: int) -> QuoteRow | None:
        """The row at `index`."""
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def index_of(self, evidence_id: int | None) -> int | None:
        """Where a quote stands."""
        return next((at for at, row in enumerate(self.rows) if row.id == evidence_id), None)

    def renewed(self, read: Listed, shown: Shown, pending: Collection[int]) -> Quotes:
        """The same, read again; only what is still on its way to disk (`pending`) is kept as it was decided."""
        kept = {one: state for one, state in self.decided.items() if one in pending}
        return Quotes(read, kept, marked=self.marked & {row.id for row in read.rows}).under(shown)

    def after(self, evidence_id: int, state: str, shown: Shown) -> Quotes:
        """With a quote decided about."""
        return replace(self, decided={**self.decided, evidence_id: state}).under(shown)

    def without(self, evidence_id: int, shown: Shown) -> Quotes:
        """With a decision that did not come about forgotten."""
        kept = {one: state for one, state in self.decided.items() if one != evidence_id}
        return replace(self, decided=kept).under(shown)

    def under(self, shown: Shown) -> Quotes:
        """The rows that the filter shows."""
        if self.read is None:
            return self
        rows = (_as_decided(row, self.decided.get(row.id)) for row in self.read.rows)
        return replace(self, rows=tuple(row for row in rows if row.id not in self.decided or shown.lets(row.state)))

    def next_in(self, states: Collection[str], after: int) -> int | None:
        """The next row behind number `after` in one of these states, from the start again at the end."""
        order = (*range(after + 1, self.total), *range(min(after + 1, self.total)))
        return next((at for at in order if self.rows[at].state in states), None)


def _as_decided(row: QuoteRow, state: str | None) -> QuoteRow:
    return row if state is None else replace(row, state=cast("State", state), reason=f"{state} by you")
