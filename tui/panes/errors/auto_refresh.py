"""The list kept true to a casebook that others write into, and the person left where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from core.base.fault import Fault
from tui.actions.export import EXPORTS
from tui.panes.errors.filters import Scope
from tui.panes.errors.first_run import Source, first_run
from tui.panes.errors.paged_rows import FoundRows, PagedRows, kept_above, kept_in_place
from tui.panes.errors.queries import Found, Place, Renewed, deepen, joined
from tui.panes.errors.results import Results
from tui.runtime.messages import PaneSaid
from tui.widgets.row_list import RowList


class LiveResults(Results):
    """A list that can be read again in its place, and filtered.

    `filling`: an empty casebook is being filled; until the person moves, the newest case stays the chosen one.
    """

    filling = False
    _moved = False  # whether the person has moved in the list since the search was asked for
    _folder: Path | None = None  # where the last file went that was written here

    def on_unmount(self) -> None:
        """Nobody asks any more."""
        self.meaning.end()

    def _search(self, delay: float) -> None:
        self._jobs.cancel("meaning")
        self._moved = False
        super()._search(delay)

    def _on_found(self, found: Found, final: bool) -> None:
        super()._on_found(found, final)
        if final and found.answer is not None and self.meaning.wanted(found.answer):
            asked = self.query_text, self.scope

            def meant(deeper: Found | None, _final: bool) -> None:
                if deeper is not None and asked == (self.query_text, self.scope) and not self._jobs.busy("search"):
                    before = self.rows.rows.rows if isinstance(self.rows.rows, FoundRows) else found.rows
                    self._meant(joined(deeper, before))

            self._jobs.run("meaning", deepen(found.answer, self.scope, self.meaning), meant, lambda _fault: None)

    def _meant(self, found: Found) -> None:
        """What the vector tier says joins the rows. Only an answer takes the place of the chosen row.

        If the person has moved, what is on the screen stays where it is, and the choice with it.
        """
        rows, now, chosen = FoundRows(found.rows, found.hidden), self.place, self.chosen
        inside = self._moved or self._is_chosen_by_hand()
        if inside and self.rows.rows.total < now.height:  # too few to scroll: what is new stands below them
            rows = FoundRows(kept_in_place(self.rows.rows, found.rows), found.hidden)
        elif not inside and chosen is not None:
            rows = FoundRows(kept_above(chosen, found.rows), found.hidden)
        at = (rows.index_of(now.chosen) if now.chosen is not None else None) or 0
        if inside:
            self.rows.renew(rows, at, max(0, now.top + at - now.at))
        else:
            self.rows.renew(rows, 0, 0)
        self.answered_in(found.answer)
        self._settle(rows)
        self.post_message(self.Answered(found.answer))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Whoever moves in the list is not to be moved. (The list hears of it too.)"""
        event.stop()
        self._moved = True

    def found_sources(self, sources: Sequence[Source]) -> None:
        """There is this to import: an empty casebook says so."""
        self._sources = sources
        notice = self.body.notice
        if notice.display and notice.notice is not None and notice.notice.what == first_run(None).what:
            self._tell(first_run(sources))

    @property
    def place(self) -> Place:
        """Where one is in the list."""
        rows, chosen = self.rows, self.chosen
        return Place(None if chosen is None else chosen.id, rows.chosen, round(rows.scroll_y), rows.size.height)

    @property
    def nothing_shown(self) -> bool:
        """Whether a notice stands in the place of rows, other than that a search or a filter left none."""
        return not self.rows.rows.total and not self.query_text and not (self.scope.picked and self.every)

    def refreshed_scope(self) -> Scope:
        """The scope, its period reckoned from now."""
        self.scope = self.scope.at(self._clock())
        return self.scope

    def renewed(self, renewed: Renewed, place: Place) -> None:
        """Show what was read again, the person left where they are: they were at `place` when it was asked for."""
        self.every = renewed.counted.every
        rows: PagedRows | FoundRows
        if renewed.found is not None:
            rows = FoundRows(renewed.found.rows, renewed.found.hidden)
            self.answered_in(renewed.found.answer)
            self.post_message(self.Answered(renewed.found.answer))
        else:
            rows = self._paged = PagedRows(renewed.counted.listed)
            for pages in renewed.pages:
                rows.put(pages)
        now = self.place
        at = None if now.chosen is None else rows.index_of(now.chosen)
        if at is None and now.at == place.at:
            at = renewed.place.at
        if self.filling and not self.touched:
            at = 0
        here = now.moved_to(now.at if at is None else at)
        self.rows.renew(rows, here.at, here.top)
        self._settle(rows)
        self.post_message(self.Told(renewed.counted))

    def vanish(self) -> None:
        """The casebook is not there: if it ever was, say that it is gone."""
        for lane in ("count", "rows", "search"):
            self._jobs.cancel(lane)
        self.failed(Fault("not_indexed", ""))

    def ask_filter(self) -> None:
        """Open the filter menu."""
        from tui.panes.errors.filter_menu import CaseFilters
        from tui.screens.filter import FilterScreen

        self.app.push_screen(FilterScreen(CaseFilters(self.scope, self._signs, self._clock, self.load), self._jobs))

    def perform(self, action_id: str) -> bool:
        """Ask where to write what goes out; False for any other action."""
        if action_id not in {action.id for action in EXPORTS}:
            return False
        from tui.screens.export import ExportScreen
        from tui.services.exporting import Kind, export_of, proposed

        export = export_of(cast("Kind", action_id.rpartition(".")[2]), self, self._clock())

        def ended(folder: str | None) -> None:
            self._folder = self._folder if folder is None else Path(folder)

        def said(text: str, severity: str) -> None:
            self.post_message(PaneSaid(text, severity))

        self.app.push_screen(ExportScreen(export, proposed(self._folder, export.name), self._jobs, said), ended)
        return True

    def unfilter(self) -> None:
        """Show what the filter hid."""
        self.load(self.scope.cleared())
