"""The list kept true to a casebook that others write into, and the person left where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from core.base.fault import Fault
from tui.actions.action import EXPORTS, Acts, Performs
from tui.panes.errors.queries import (
    Place,
    Renewed,
    Scope,
    SearchResult,
    ask_team,
    deepen,
    find,
    joined,
    renew,
)
from tui.panes.errors.results import (
    PagedRows,
    ResultRows,
    Results,
    first_run,
    importing_first,
    keep_first,
    keep_visible,
)
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import UNICODE
from tui.render.common.untrusted import inline
from tui.runtime.jobs import Jobs
from tui.runtime.messages import PaneCounted, PaneMessage
from tui.services.db_watch import AFTER, Change, Following, Later, files_at, watch
from tui.services.exporting import Kind, Listed, export_of, proposed
from tui.services.importing import Source
from tui.widgets.row_list import RowList
from tui.widgets.workbench import Running

if TYPE_CHECKING:
    from core.errors import SearchAnswer

CALM = 3.0
"""Seconds between two renewals while something writes again and again that changes little of what is shown."""

_NOTHING_YET = (first_run(None).what, importing_first(None, UNICODE).what)

_LANES = ("count", "rows", "search", "renew", "case", "cited")
"""What reads the list, and the case that is chosen in it."""


class LiveResults(Performs, Results):
    """A list that can be read again in its place, and filtered.

    `filling`: an empty casebook is being filled; until the person moves, the newest case stays the chosen one.
    """

    filling = False
    _import: Running | None = None  # the import that fills it
    _moved = False  # whether the person has moved in the list since the search began
    _folder: Path | None = None  # where the last file went that was written here

    def on_unmount(self) -> None:
        self.meaning.end()

    def _search(self, delay: float) -> None:
        self._jobs.cancel("meaning")
        self._jobs.cancel("team")
        self._moved = False
        super()._search(delay)

    def _on_found(self, found: SearchResult, final: bool) -> bool:
        answered = super()._on_found(found, final)
        if final and found.answer is not None:
            self._ask_later(found, found.answer)
        return answered

    def _ask_later(self, found: SearchResult, text_answer: SearchAnswer) -> None:
        """Ask the vector tier, then, of what was pasted, the team's server: neither keeps what is known waiting."""
        request = self.query_text, self.scope

        def join(deeper: SearchResult | None) -> bool:
            current = request == (self.query_text, self.scope) and not self.search.busy
            if deeper is not None and current:
                before = self.rows.rows.rows if isinstance(self.rows.rows, ResultRows) else found.rows
                self._join_vectors(joined(deeper, before))
            return current

        def ask_server(answer: SearchAnswer) -> None:
            if answer.match is None and not self.typed:
                work = ask_team(answer, self.scope)
                self._jobs.run("team", work, lambda deeper, _final: join(deeper), lambda _fault: None)

        def on_vectors(deeper: SearchResult | None, _final: bool) -> None:
            if join(deeper):
                ask_server(text_answer if deeper is None or deeper.answer is None else deeper.answer)

        if self.meaning.is_needed(text_answer):
            work = deepen(text_answer, self.scope, self.meaning)
            self._jobs.run("meaning", work, on_vectors, lambda _fault: ask_server(text_answer))
        else:
            ask_server(text_answer)

    def _join_vectors(self, found: SearchResult) -> None:
        """What the vector tier says joins the rows. Only an answer takes the place of the chosen row.

        If the person has moved, what is on the screen and above it stays where it is: new rows come below.
        """
        rows, now, chosen = ResultRows(found.rows, found.hidden), self.place, self.chosen
        inside = self._moved or self._is_chosen_by_hand()
        if inside:
            rows = ResultRows(keep_visible(self.rows.rows, now.top + now.height, found.rows), found.hidden)
        elif not inside and chosen is not None:
            rows = ResultRows(keep_first(chosen, found.rows), found.hidden)
        at = (rows.index_of(now.chosen) if now.chosen is not None else None) or 0
        if inside:
            self.rows.renew(rows, at, max(0, now.top + at - now.at))
        else:
            self.rows.renew(rows, 0, 0)
        self.answered_in(found.answer)
        self._settle(rows)
        self.post_message(self.Answered(found.answer))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Keep the place of a user who moves in the list. (The list gets the event too.)"""
        event.stop()
        self._moved = True

    def set_sources(self, sources: Sequence[Source]) -> None:
        """There is this to import: an empty casebook says so."""
        self._sources = sources
        self._renew_notice()

    def set_import(self, running: Running | None) -> None:
        """An import runs, or no more: an empty casebook says how far it is."""
        self._import = running if self.filling else None
        self._renew_notice()

    def _nothing_yet(self) -> Notice:
        if self._import is not None:
            return importing_first(self._import.progress, self._signs)
        return super()._nothing_yet()

    def _renew_notice(self) -> None:
        notice = self.body.notice
        if notice.display and notice.notice is not None and notice.notice.what in _NOTHING_YET:
            self._show_notice(self._nothing_yet())

    @property
    def listed(self) -> Listed:
        """The cases in the list as they can be exported: in a sentence, and what names them."""
        rows, count = self.rows.rows, counted(self.rows.rows.total, "case")
        if isinstance(rows, ResultRows):
            return Listed(f"Results of the search: {count}.", tuple(row.id for row in rows.rows))
        chips = ", ".join(f"{name} {inline(value, 60)}" for name, value in self.scope.picked)
        summary = f"{count} of {self.every:,}: {chips}." if chips else f"All {count}."
        return Listed(summary, self.scope.filters())

    @property
    def place(self) -> Place:
        """Where one is in the list."""
        rows, chosen = self.rows, self.chosen
        return Place(None if chosen is None else chosen.id, rows.chosen, round(rows.scroll_y), rows.size.height)

    @property
    def is_notice_shown(self) -> bool:
        """Return whether a notice replaces the rows, other than that a search or a filter left none."""
        return not self.rows.rows.total and not self.query_text and not (self.scope.picked and self.every)

    def refreshed_scope(self) -> Scope:
        """The scope, its period reckoned from now."""
        self.scope = self.scope.at(self._clock())
        return self.scope

    def renewed(self, renewed: Renewed, place: Place) -> None:
        """Show what was read again, the person left where they are: they were at `place` when the read began."""
        self.every = renewed.counted.every
        rows: PagedRows | ResultRows
        if renewed.found is not None:
            rows = ResultRows(renewed.found.rows, renewed.found.hidden)
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
        self.post_message(self.CountChanged(renewed.counted))

    def vanish(self) -> None:
        """The casebook is not there: if it ever was, say that it is gone."""
        for lane in ("count", "rows", "search"):
            self._jobs.cancel(lane)
        self.failed(Fault("not_indexed", ""))
        self.post_message(PaneCounted(None, ""))

    def ask_filter(self) -> None:
        """Open the filter menu."""
        from tui.panes.common.filter_menu import FilterScreen
        from tui.panes.errors.filter_menu import CaseFilters

        self.app.push_screen(FilterScreen(CaseFilters(self.scope, self._signs, self._clock, self.load), self._jobs))

    def actions(self) -> Acts:
        return {one.id: lambda action_id=one.id: self._export(action_id.rpartition(".")[2]) for one in EXPORTS}

    def _export(self, kind: str) -> None:
        from tui.screens.export import ExportScreen

        export = export_of(cast("Kind", kind), self._clock(), self.every, self.listed)

        def ended(folder: str | None) -> None:
            if folder is not None and kind != "backup":
                self._folder = Path(folder)

        notify = lambda text, severity: self.post_message(PaneMessage(text, severity))  # noqa: E731
        folder = None if kind == "backup" else self._folder  # an export's folder is mostly a project's
        self.app.push_screen(ExportScreen(export, proposed(folder, export.name), self._jobs, notify), ended)

    def unfilter(self) -> None:
        """Show what the filter hid."""
        self.load(self.scope.cleared())


class Watching:
    """Keeps the list true to the casebook while others write into it, and the person where they are."""

    def __init__(
        self, jobs: Jobs, results: LiveResults, later: Later, tell: Callable[[], object], calm: Callable[[], bool]
    ) -> None:
        """Call `tell` after each change; while `calm`, show changes now and then."""
        self._tell = tell
        self._calm = calm
        self._jobs = jobs
        self._results = results
        self._later = later
        self._due = False
        self._following = Following(jobs, _LANES, self._read, later)

    def start(self) -> None:
        """Begin to watch in a moment: the first read goes first."""
        before = files_at(self._jobs.path)
        self._jobs.run("watch", watch(before), self._on_change, lambda _fault: None, delay=AFTER)

    def _on_change(self, change: Change, _final: bool) -> None:
        self._tell()
        if change == "gone":
            self._jobs.cancel("renew")
            self._results.vanish()
        elif self._results.is_notice_shown or not self._calm():
            self.renew()
        elif not self._due:
            self._due = True
            self._later(CALM, self._again)

    def renew(self) -> None:
        """Read again what is shown; not while the list reads something itself, then a moment later."""
        self._following.changed()

    def _read(self) -> None:
        results = self._results
        if results.is_notice_shown:
            results.load()
            return
        place, scope, text = results.place, results.refreshed_scope(), results.query_text
        searched = None
        if text:
            searched = find(text, scope, results.meaning, typed=results.typed, deep=results.meaning.warm)

        def keep(renewed: Renewed, final: bool) -> None:
            unmoved = (results.query_text, results.scope) == (text, scope) and not self._jobs.busy("rows")
            if final and unmoved and not results.search.busy:
                results.renewed(renewed, place)
            elif final:
                self.renew()

        self._jobs.run("renew", renew(scope, place, searched), keep, results.failed)

    def _again(self) -> None:
        self._due = False
        self.renew()
