"""What a decision does to the screen: off it at once and on to the next; back, where it did not come about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.panes.evidence.queue import PROBLEMS
from tui.panes.evidence.review.controller import Ended

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen


class Outcome:
    """Shows decisions on a screen."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen

    def decided(self, evidence_id: int, state: str) -> None:
        """Off the screen at once, and on to the next; on disk in its turn."""
        screen = self._screen
        quotes = screen.quotes.after(evidence_id, state, screen.shown)
        at = quotes.index_of(evidence_id)
        following = None if at is None else quotes.next_in(PROBLEMS, at)
        row = None if following is None else quotes.get(following)
        screen.put(quotes, row.id if row is not None else None)

    def mark(self) -> None:
        """Mark the chosen quote, or no longer, and on to the next."""
        screen = self._screen
        if (at := screen.chosen_id) is not None:
            following = screen.quotes.get(screen.list.rows.chosen + 1)
            screen.put(screen.quotes.toggled(at), following.id if following is not None else at)

    def mark_all(self) -> None:
        """Mark all, or none."""
        self._screen.put(self._screen.quotes.all_marked(), self._screen.chosen_id)

    def unmark(self) -> bool:
        """No quote is marked any more; False if none was."""
        if not self._screen.quotes.marked:
            return False
        self._screen.put(replace(self._screen.quotes, marked=frozenset()), self._screen.chosen_id)
        return True

    def ended(self, ended: Ended) -> None:
        """On disk, or not done: read again."""
        screen = self._screen
        screen.line.tell(ended.told, "information" if ended.done else "warning")
        screen.promoting.heard(ended)
        screen.quotes = replace(screen.quotes, marked=screen.quotes.marked - ended.decided)
        if ended.evidence_id is not None and (not ended.done or ended.back):
            screen.quotes = screen.quotes.without(ended.evidence_id, screen.shown)
            screen.wanted = ended.evidence_id
        if screen.is_attached:
            screen.put(screen.quotes, screen.chosen_id)
            screen.again()
