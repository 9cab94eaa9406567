"""Which quotes are listed: those that have the words in the box, of one session, of one type, of a picked filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.panes.evidence.queries import Shown
from tui.runtime.jobs import DEBOUNCE
from tui.services.pending_open import Opening

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen


class Listing:
    """What one does with the box above the list, and with the filters."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._before = ""  # the last words that were searched
        self._searched = ""  # what is searched
        self._opening = Opening(screen.list.box)
        screen.list.asked = self._asked

    @property
    def words(self) -> str:
        """What is searched for."""
        return self._screen.list.box.asked

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        screen = self._screen
        acts: dict[str, Callable[[], object]] = {
            "evidence.filter": self._filter,
            "evidence.unfilter": lambda: (self.clear(), screen.show_only(Shown())),
            "evidence.session": lambda: self._only(session=True),
            "evidence.type": lambda: self._only(session=False),
            "evidence.search": self._search,
            "find.focus": self._search,
            "find.results": screen.list.body.take_focus,
            "find.open": self._open,
            "find.clear": self.clear,
            "find.recall": lambda: None if self.words else screen.list.box.ask(self._before),
        }
        if (act := acts.get(action_id)) is None:
            return False
        act()
        screen.changed()
        return True

    def clear(self) -> bool:
        """Search for nothing any more; False where nothing was searched."""
        searched = bool(self.words)
        if searched:
            self._screen.list.box.ask("")
        return searched

    def _search(self) -> None:
        """In the list its quotes; in the message, the session that it is from."""
        if self._screen.view.message.has_focus:
            self._screen.places.perform("evidence.find")
        else:
            self._screen.list.begin_search()

    def _open(self) -> None:
        """To the quotes that have the words; while they are looked for, once they are listed."""
        if self.words != self._searched or self._screen.jobs.busy("evidence"):
            self._opening.begin()
        else:
            self._screen.list.body.take_focus()

    def came(self) -> None:
        """The quotes are listed, or cannot be."""
        if self._opening.end():
            self._screen.list.body.take_focus()

    def _asked(self, text: str) -> None:
        self._opening.asked(text)
        self._searched = text
        self._before = text if text.strip() else self._before
        self._screen.load(DEBOUNCE if text.strip() else 0.0)
        self._screen.changed()

    def _filter(self) -> None:
        from tui.panes.evidence.filter_menu import QuoteFilters
        from tui.screens.filter import FilterScreen

        screen = self._screen
        screen.app.push_screen(FilterScreen(QuoteFilters(screen.shown, screen.signs, screen.show_only), screen.jobs))

    def _only(self, *, session: bool) -> None:
        screen = self._screen
        if (read := screen.view.read) is not None:
            row, shown = read.quote.row, screen.shown
            screen.show_only(shown.toggled(session=row.session) if session else shown.toggled(type=row.type))
