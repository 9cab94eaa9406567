"""The pane opened at one quote, from elsewhere: the quote chosen, whichever filter lists it, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.panes.evidence.queries import PAGE, FilterName, Shown, filters_of
from tui.panes.evidence.review.controller import can_be_promoted
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen

LANE = "evidence-led"
_LISTED_BY: dict[str, FilterName] = {"aligned": "aligned", "accepted": "accepted", "rejected": "rejected"}
"""The filter that lists a state; any other is to be decided on."""


@dataclass(frozen=True, slots=True)
class Where:
    """A filter that lists the quote, and how many stand before it there."""

    shown: Shown
    rank: int


def read_where(evidence_id: int, shown: Shown) -> Callable[[Job[Where | None]], Where | None]:
    """Under which filter a quote is listed soon: the one that is on, if it is; None where the quote is gone."""

    def work(job: Job[Any]) -> Where | None:
        from core.evidence import rank_of_quote, show_quote

        store = job.store()
        quote = show_quote(store, evidence_id)
        if quote is None:
            return None
        row = quote.row
        by_state = Shown(_LISTED_BY.get(row.state, "to decide"))
        ways = [by_state, replace(by_state, session=row.session)]
        listed = shown.lets(row.state) and (shown.name != "ready" or can_be_promoted(quote.promotion))
        if listed and shown.session in (None, row.session) and shown.type in (None, row.type):
            ways.insert(0, shown)
        found = [Where(way, rank_of_quote(store, evidence_id, filters_of(way))) for way in ways]
        return next((one for one in found if one.rank < PAGE), found[-1])

    return work


class Led:
    """Goes to a quote. `visiting`: Esc leads back to where one came from, and `came_back` says that it did."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._visiting = False
        self._shown = Shown()
        self.came_back = False

    def go_to(self, evidence_id: int, *, visiting: bool = False) -> None:
        """Choose this quote, in the list."""
        screen, self._visiting = self._screen, visiting

        def found(where: Where | None, _final: bool) -> None:
            if not screen.is_attached:
                return
            if where is None:
                screen.say("This quote is gone: its entry is not in the casebook any more.", "warning")
                return
            screen.search.clear()
            screen.wanted, self._shown = evidence_id, where.shown
            screen.show_only(where.shown, max(PAGE, where.rank + PAGE // 10))
            screen.list.body.take_focus()

        screen.jobs.run(LANE, read_where(evidence_id, screen.shown), found, lambda fault: screen.say(fault.message))

    def back(self) -> bool:
        """Back to where one came from; False where one came from nowhere, or has filtered since."""
        if not self._visiting or self._screen.shown not in (self._shown, Shown()):
            return False
        self.came_back = True
        self._screen.dismiss()
        return True
