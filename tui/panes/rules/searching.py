"""The box above the calls: what is typed in it narrows the list, while the choice stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.services.pending_open import Opening

if TYPE_CHECKING:
    from tui.panes.rules.screen import RulesScreen


class Searching:
    """What one does with the box, and what comes of it."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self._opening = Opening(screen.calls.box)
        self._asked = ""  # what is searched
        self._before = ""  # the last words that were searched

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[], object]] = {
            "find.focus": self._begin,
            "find.results": self._screen.calls.take_focus,
            "find.open": self._open,
            "find.clear": self.clear,
            "find.recall": self._recall,
        }
        if (act := acts.get(action_id)) is None:
            return False
        act()
        self._screen.changed()
        return True

    def asked(self, text: str) -> None:
        """Something else is asked for."""
        self._opening.asked(text)
        self._asked = text
        self._before = text if text.strip() else self._before
        self._screen.calls.search(self._came)
        self._screen.changed()

    def clear(self) -> bool:
        """All calls again; False where nothing was searched."""
        searched = bool(self._screen.calls.box.asked)
        if searched:
            self._screen.calls.box.ask("")
        return searched

    def _begin(self) -> None:
        if self._screen.calls.typing:
            self._screen.own_call.leave()
        self._screen.calls.begin_search()

    def _open(self) -> None:
        """To the rules of the chosen call; while it is looked for, as soon as there is one."""
        if self._screen.jobs.busy("rules-calls") or self._screen.calls.box.asked != self._asked:
            self._opening.begin()
        elif self._screen.calls.calls.total:
            self._screen.rank.place.take_focus()

    def _recall(self) -> None:
        if not self._screen.calls.box.asked and self._before:
            self._screen.calls.box.ask(self._before)

    def _came(self) -> None:
        self._screen.asking.chosen()
        if self._opening.end() and self._screen.calls.calls.total:
            self._screen.rank.place.take_focus()
