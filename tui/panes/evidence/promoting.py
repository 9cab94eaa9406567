"""The entry that a decision made ready: a line names it, and it is promoted from there when its quotes left the list.

Nothing is promoted but the entry that this line names, or that of the chosen quote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from tui.panes.evidence.queue import PROBLEMS
from tui.panes.evidence.reviewing import Ended, Named, named
from tui.render.evidence import draw_ready

if TYPE_CHECKING:
    from tui.panes.evidence.screen import EvidenceScreen


class Promoting:
    """Which entry can be promoted now, besides that of the chosen quote."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._ready: tuple[Named, ...] = ()
        self._drawn: object = None
        self.line = Static(id="evidence-ready")
        self.line.display = False

    @property
    def own(self) -> Named | None:
        """The entry of the chosen quote, where nothing blocks it: what the key means then."""
        read = self._screen.view.read
        if read is None or read.quote.row.id != self._screen.chosen_id or self._screen.reviewing.blocked(read):
            return None
        return named(read.quote.row)

    @property
    def offered(self) -> Named | None:
        """The entry of the line, where the key promotes that one.

        Not while a question stands there, nor while the chosen quote is being read and its own entry may be ready."""
        screen = self._screen
        if len(self._ready) != 1 or screen.view.asking or self.own is not None:
            return None
        row, read = screen.quotes.get(screen.list.rows.chosen), screen.view.read
        known = row is None or row.state in PROBLEMS or (read is not None and read.quote.row.id == row.id)
        return self._ready[0] if known else None

    def heard(self, ended: Ended) -> None:
        """A decision has ended: entries can be promoted, or cannot any more; what is taken back may be any of them."""
        about = {one.id for one in ended.entries}
        left = () if ended.back else tuple(one for one in self._ready if one.id not in about)
        self._ready = ended.free or left

    def promote(self) -> bool:
        """Promote what the line offers; False where it offers nothing."""
        if (offered := self.offered) is None:
            return False
        if self._screen.reviewing.pending:
            self._screen.say("Your decision is still being written.", "warning")
        else:
            self._ready = ()
            self._screen.reviewing.promote(offered)
        self._screen.changed()
        return True

    def draw(self) -> None:
        """Tell it in the line, if there is anything to tell."""
        width = self._screen.size.width
        names = tuple(one.name for one in self._ready)
        now = names, self.offered, self.own, width
        if now == self._drawn:
            return
        self._drawn = now
        self.line.display = bool(names)
        own = self.own.name if self.own is not None and self.own not in self._ready else ""
        by_key = self.offered is not None or self.own is not None
        told = draw_ready(names, own, width, self._screen.signs, by_key=by_key) if names else Content("")
        self.line.update(told)
