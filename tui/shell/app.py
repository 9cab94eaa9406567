"""The workbench: connects the parts and dispatches actions and reports; it does nothing itself."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.types import CSSPathType
from textual.widget import Widget
from textual.widgets import Input, TextArea

from core.base.config.settings_sources import Config
from core.base.paths import log_file
from core.text import clean
from tui.actions.action import Around, Scope, Situation
from tui.actions.registry import PANES, Keys, Wish, action_here, bindings, keymap, keys_for
from tui.panes.common.decisions import LANE as DECISIONS
from tui.panes.common.pane_screen import PaneContext, PaneScreen
from tui.panes.errors.screen import ErrorsScreen
from tui.panes.library.ingest import Ingesting
from tui.render.common.empty_states import of_fault
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.untrusted import fault_text, inline, title
from tui.runtime.jobs import JobReport, Jobs
from tui.runtime.messages import (
    PaneCopied,
    PaneCounted,
    PaneMessage,
    PaneOpenCase,
    PaneOpenCitation,
    PaneSearchLibrary,
    PaneShowAll,
    PaneTroubled,
)
from tui.runtime.state import Keeper, Memory, State, read_state, state_file
from tui.services.environment import Surroundings
from tui.services.importing import Roots, roots_of
from tui.services.tasks import TeamSyncing
from tui.shell.appearance import DARK, Look, colours_forbidden
from tui.shell.pane_router import HOME, PaneRouter
from tui.terminal.crash import Crash, CrashSafe, Logger, heed_signals, no_log, note_lost_threads, traceback_of
from tui.terminal.display import CollectsAtRest, OneToast
from tui.terminal.keyboard import KeysInOrder, read_alt_digits, read_input_so
from tui.widgets.inputs import SearchBox
from tui.widgets.row_list import RowList
from tui.widgets.workbench import FIRST_SHEETS, LATER_SHEETS, KeyFooter, Place, Running, TopBar, on_open_screens


@runtime_checkable
class TakesPastes(Protocol):
    """A box that makes a paste inert itself, and keeps its lines."""

    takes_pastes: bool


class InertPaste(App[None], inherit_bindings=False):
    """An app whose small boxes never hold a control character; the search box takes its pastes whole itself."""

    async def on_event(self, event: events.Event) -> None:
        """Make a paste inert before anything sees it."""
        if isinstance(event, events.Paste) and _holds_it(self.focused):
            event = events.Paste(inline(event.text.strip()))
        await super().on_event(event)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy through the terminal, and through the clipboard programs: tmux and some terminals drop OSC 52."""
        super().copy_to_clipboard(text)
        if not self.is_headless:
            from core.process.spawn import copy_text

            copy_text(text, os.environ)


def _holds_it(focused: Widget | None) -> bool:
    """Whether a box would take a paste as it is."""
    return isinstance(focused, Input | TextArea) and not isinstance(focused, SearchBox | TakesPastes)


_CLIPBOARD = 74_994
"""Bytes that most terminals take at most by OSC 52."""

_WARM = 1.0
"""Seconds after the first frame until the core's modules are loaded too."""


@runtime_checkable
class Performer(Protocol):
    """A part that can do actions of the registry."""

    def perform(self, action_id: str) -> bool:
        """Do it; False if it is not this part's."""
        ...


@runtime_checkable
class Situated(Protocol):
    """A screen over the workbench with actions of its own, which hold instead of those of the pane."""

    def situation(self) -> Situation:
        """What is possible there."""
        ...


@runtime_checkable
class Keeps(Protocol):
    """A screen with a text that is not saved."""

    def keep_draft(self) -> None:
        """Keep what is typed for the next time."""
        ...


class CasebookApp(CrashSafe, KeysInOrder, InertPaste, OneToast, CollectsAtRest, Look, inherit_bindings=False):
    """The workbench on one casebook."""

    TITLE = "casebook"
    CSS_PATH: ClassVar[CSSPathType | None] = list(FIRST_SHEETS)
    BINDINGS = bindings("app")
    ENABLE_COMMAND_PALETTE = False  # the registry binds its key; `_palette` opens it
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-xwide")]  # noqa: RUF012  as Textual has it
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (9, "-short"), (18, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        db_path: Path,
        *,
        title: str = "",
        ascii_only: bool = False,
        theme: str = DARK,
        wishes: Iterable[Wish] = (),
        around: Surroundings | None = None,
        roots: Callable[[], Roots] = dict,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        around = around or Surroundings()
        super().__init__(theme=theme, themes=around.themes, ascii_only=ascii_only)
        self._around = around
        self.log_line, self.signals_by = around.log_line, around.notify
        wishes = (*wishes, *around.wishes)
        self.user_keys, self._troubles = keys_for(wishes) if wishes else (Keys(), ())
        self.signs = replace(ASCII if ascii_only else UNICODE, keys=self.user_keys)
        self.jobs = Jobs(db_path, self.post_message)
        self._clock = clock
        self._place = Place(title or db_path.name)
        self._team = TeamSyncing(
            self.jobs,
            lambda line: self._show_place(replace(self._place, team=line)),
            lambda fault: self.log_line("warning", "team sync", fault=fault),
        )
        self._contexts: dict[str, dict[str, Any]] = {}
        self._state = around.state
        self.errors = ErrorsScreen(self.pane_context(HOME), roots)
        self.ingesting = Ingesting(
            self.jobs, self.signs, around.chunking, self.errors.embedding.changed, around.korean, ocr=around.ocr
        )
        self.errors.reading = lambda: self.ingesting.busy
        self.errors.lines = (self.ingesting,)
        self.set_keymap(keymap(self.user_keys))
        self._panes = PaneRouter(self, self.pane_context)
        self._notified: set[str] = set()
        self._keeper = Keeper(around.state_path, self._state, self.jobs, self.log_line) if around.state_path else None

    def get_default_screen(self) -> ErrorsScreen:
        """The pane that is always there."""
        return self.errors

    def pane_context(self, pane: str) -> PaneContext:
        values = self._contexts.setdefault(pane, {})
        process = self.errors.meaning.process if pane != HOME else None
        log = partial(self._log_toast, pane)
        memory = self._state.panes.get(pane, {})
        return PaneContext(self.jobs, self.signs, self._clock, self._around, self._place, memory, process, log, values)

    def _log_toast(self, pane: str, text: str) -> None:
        self.log_line("warning", pane, told=text)

    def on_mount(self) -> None:
        """Open the pane of the last time before anything is drawn."""
        self._panes.begin(self._around.cited, self._around.state.pane)

    def on_ready(self) -> None:
        self.screen_change_signal.subscribe(self, lambda _screen: self.on_pane_changed())
        self.set_timer(_WARM, lambda: (self.read_sheets(LATER_SHEETS), self.collect_at_rest()))
        if not self.is_headless:
            heed_signals(self, self.leave)
        for trouble in (*self._troubles, *self.theme_troubles)[:3]:
            self.say(trouble, severity="warning", seconds=12)

    # Reports and actions ---------------------------------------------------------------------------------------------

    def on_job_report(self, report: JobReport) -> None:
        """A job has something to say. A fault of our own in it goes to the log, the pane shows that there was one."""
        if report.fault is not None and report.fault.code == "generic" and report.fault.__cause__ is not None:
            trace = traceback_of(report.fault.__cause__)
            self.log_line("error", "a job failed", lane=report.job.lane.name, trace=trace)
        self.jobs.deliver(report)

    def situation(self) -> Situation:
        over = self._situated
        return _everywhere(self, over.situation() if over else Situation())

    @property
    def _situated(self) -> Situated | None:
        return next((one for one in reversed(self.screen_stack) if isinstance(one, Situated)), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Return whether a key is active here; one that passes on is handled elsewhere."""
        return action != "perform" or not _passes_on(self, str(parameters[0]))

    def action_perform(self, action_id: str) -> None:
        """Do an action of the registry, or say why it is not possible now."""
        now = self.situation()
        action = action_here(action_id, now)
        if why_not := action.enabled(now):
            self.refuse(inline(self.signs.fill_keys(why_not), 400))
            return
        self.take_refusal_back()
        nearby = [] if self.focused is None else self.focused.ancestors_with_self
        for part in (*nearby, self._situated):
            if part is not self and isinstance(part, Performer) and part.perform(action.id):
                return
        self._perform_own(action.id)

    def _perform_own(self, action_id: str) -> None:
        acts: dict[str, Callable[[], object]] = {
            "app.quit": self.leave,
            "app.help": self._help,
            "app.palette": self._palette,
            "app.interrupt": lambda: self.say(self.signs.fill_keys("No text selected. Press {app.quit} to quit.")),
            "app.suspend": self.action_suspend_process,
            "app.jump": self._jump,
            "app.status": self._status,
            **{f"pane.{pane}": partial(self._panes.show, pane) for pane in PANES},
            "view.theme": self.search_themes,
        }
        if act := acts.get(action_id):
            act()
        else:  # actions of every pane
            below = self.errors
            any(one.perform(action_id) for one in (self.ingesting, below.incoming, below.embedding, below.results))

    def _palette(self) -> None:
        from textual.command import CommandPalette

        from tui.screens.palette import ActionProvider

        if self._panes.covered and not isinstance(self.screen, Situated):
            return
        self.push_screen(CommandPalette(providers=[ActionProvider], placeholder="Search for an action"))

    def search_themes(self) -> None:
        """Offer every theme, the user's too."""
        from textual.command import CommandPalette

        from tui.screens.palette import ThemeProvider

        self._read_themes()
        for trouble in self.theme_troubles:
            self._notify_once(trouble, severity="warning")
        self.push_screen(CommandPalette(providers=[ThemeProvider], placeholder="Search for a theme"))

    def choose_theme(self, name: str) -> None:
        """Put this theme on, and remember it."""
        self.theme = name
        self._state = replace(self._state, theme=name, setting=self._around.theme)
        self._keep()

    def _jump(self) -> None:
        from tui.screens.palette import JumpScreen, focus_on, targets

        if not self._panes.covered:
            self.push_screen(JumpScreen(targets(self.screen)), focus_on)

    def _status(self) -> None:
        from tui.screens.status import StatusScreen

        if not self._panes.covered:
            self.push_screen(StatusScreen(self.jobs, self._around.config, self.signs))

    def _help(self) -> None:
        from tui.screens.help import HelpScreen

        if footers := self.screen.query(KeyFooter):  # a screen that shows its keys explains them too
            now = replace(self.situation(), focus=footers.first().situation.focus)
            self.push_screen(HelpScreen(now, self.signs))

    def leave(self, code: int = 0) -> None:
        """Quit: interrupt what runs; while Textual restores the terminal (0.2 s), it ends.

        SIGTERM, SIGHUP, SIGINT: the exit code says that it was not the user.
        """
        for screen in self.screen_stack:
            if isinstance(screen, Keeps):
                screen.keep_draft()
        if self._keeper is not None:
            self._keep()
            self._keeper.last()
        self.jobs.close(0.0)
        self.exit(return_code=code)

    def remember(self, pane: str, memory: Memory) -> None:
        """How a pane other than the errors looks now."""
        self._state = replace(self._state, panes={**self._state.panes, pane: memory})
        self._keep()

    def _keep(self) -> None:
        """Remember how it looks now."""
        if self._keeper is not None and self.errors.is_mounted:
            panes = {**self._state.panes, HOME: self.errors.kept()}
            self._state = replace(self._state, pane=self._panes.pane, panes=panes)
            self._keeper.keep(self._state)

    def on_unmount(self) -> None:
        """Stop every job when the app ends, in whatever way."""
        self.jobs.close()

    def on_pane_changed(self) -> None:
        if self.screen_stack and isinstance(screen := self.screen, PaneScreen):
            screen.footer.situation = self.situation()
        self._keep()

    def on_pane_import_began(self) -> None:
        self._panes.show(HOME)

    @property
    def place(self) -> Place:
        """The casebook: its name, how many cases it holds, why it cannot be written."""
        return self._place

    @property
    def reading(self) -> Running | None:
        """The run that reads folders into the library, if there is one."""
        return self.ingesting.running

    def show_case(self, case_id: int, leave: Callable[[], object]) -> None:
        """Show this case in the Errors pane, with a way back."""
        self._panes.visit_case(case_id, leave)

    def show_quote(self, evidence_id: int, leave: Callable[[bool], None]) -> None:
        """Show this quote in the Evidence pane."""
        self._panes.show_quote(evidence_id, leave)

    def open_history(self) -> None:
        self.errors.curating.open_history(None)

    def on_click(self, event: events.Click) -> None:
        """In the lower edge of a frame, the text that names esc can be clicked."""
        x, y = int(event.screen_x), int(event.screen_y)
        if self.screen.region.contains(x, y):
            frame, region = self.screen.get_widget_at(x, y)
            if y == region.bottom - 1 and re.search(r"\besc\b", str(frame.border_subtitle or "")):
                self.simulate_key("escape")

    def on_pane_counted(self, event: PaneCounted) -> None:
        """The casebook was counted: the first line shows it, and that it cannot be written, if so."""
        self._show_place(replace(self._place, cases=event.cases, readonly=event.readonly))
        if event.cases is not None:
            self._team.begin()
        if event.readonly:
            self._notify_once(f"Read-only: {event.readonly}. You can search. Uses are not counted.")

    def _show_place(self, place: Place) -> None:
        self._place = place
        for bar in on_open_screens(self, TopBar):
            bar.follow(place)

    def on_pane_troubled(self, event: PaneTroubled) -> None:
        """The core could not answer: once in a toast, and the pane shows its state."""
        if event.fault.code != "not_indexed":
            self._notify_once(f"{of_fault(event.fault).what}. {fault_text(event.fault)}", severity="error")

    def on_pane_message(self, event: PaneMessage) -> None:
        """Show a toast once, as it happens; several that come without a key share one."""
        self.take_back(inline(event.replaces, 400))
        if event.severity == "information":
            self.notify_below(inline(event.text, 400), timeout=10)
        else:
            self.say(event.text, severity=event.severity, seconds=10)

    @on(PaneSearchLibrary)
    @on(PaneOpenCitation)
    def to_library(self, event: PaneSearchLibrary | PaneOpenCitation) -> None:
        """The library is to be searched, or to show what is cited."""
        self._panes.library(event)

    def on_pane_open_case(self, event: PaneOpenCase) -> None:
        """Show a case in the Errors pane, or what has these words."""
        self._panes.open_case(event)

    def on_pane_copied(self, event: PaneCopied) -> None:
        """Send a text to the terminal's clipboard, cleaned."""
        text = event.text if event.exact else clean(event.text)
        self.copy_to_clipboard(text)
        self.say(_sent(event.what, len(text.encode())))

    def on_pane_show_all(self, event: PaneShowAll) -> None:
        from tui.screens.pager import WholeText

        self.push_screen(
            WholeText(event.text, event.heading, self.jobs, self.signs, event.highlights, wrapped=event.wrapped)
        )

    def say(self, text: str, *, severity: str = "information", seconds: float = 4) -> None:
        """A toast: inert text, no markup."""
        self.notify(inline(text, 400), severity=severity, markup=False, timeout=seconds)  # pyright: ignore[reportArgumentType]

    def _notify_once(self, text: str, *, severity: str = "information") -> None:
        if text not in self._notified:
            self._notified.add(text)
            self.say(text, severity=severity)


def _passes_on(app: CasebookApp, action_id: str) -> bool:
    """Whether a key is for what lies over the pane: a search box there is the one to be cleared."""
    if action_id == "find.clear" and app.screen is not app._situated and isinstance(app.focused, Input):  # pyright: ignore[reportPrivateUsage]
        return True
    now = app.situation()
    return action_here(action_id, now).passes_on(now)


def _everywhere(app: CasebookApp, now: Situation) -> Situation:
    """The situation of a pane, with what is so in all of them."""
    incoming, embedding = app.errors.incoming, app.errors.embedding
    around = Around(
        no_color=colours_forbidden(), readonly=bool(app.place.readonly),
        absent=app.errors.results.absent, gone=app.errors.results.gone, empty=app.place.cases == 0,
        ingesting=app.ingesting.busy, importing=incoming.busy,
        imported=incoming.report is not None, embedding=embedding.busy, no_embedding=embedding.why_not,
        no_edge=_no_edge(app), visiting=_is_visiting(app), text=_text_scope(app),
    )  # fmt: skip
    return replace(now, rows=_rows(app, now), around=around)


def _no_edge(app: CasebookApp) -> str:
    """Why the edge of the list cannot be moved on the screen that is shown."""
    screen = app.screen if app.screen_stack else None
    return screen.splitter.why_not if isinstance(screen, PaneScreen) else "Only available in a pane."


def _is_visiting(app: CasebookApp) -> bool:
    screen = app.screen if app.screen_stack else None
    return isinstance(screen, PaneScreen) and screen.way_back() is not None


def _text_scope(app: CasebookApp) -> Scope:
    """The scope of the text that has the focus, from which a key goes back to the list; empty: none has."""
    focused = app.focused if app.screen_stack else None
    held = {one.id for one in type(focused).BINDINGS if isinstance(one, Binding)} if focused is not None else set()
    return next((scope for scope in ("case", "why") if f"{scope}.back" in held), "")


def _rows(app: CasebookApp, now: Situation) -> int:
    """How many rows the list has that has the focus; there is no screen any more while the app ends."""
    focused = app.focused if app.screen_stack else None
    return focused.rows.total if isinstance(focused, RowList) else now.cases


def _sent(what: str, size: int) -> str:
    if size > _CLIPBOARD:
        return f"Copied the {what}, but {size:,} bytes may be too large for the terminal."
    return f"Copied the {what}."


def crash_line(crash: Crash, log_file: Path | None) -> str:
    where = f" at {title(crash.place)}" if crash.place else ""
    off = "The log is disabled (log.level)."
    rest = f"Details are in the log: {title(str(log_file))}" if log_file else off
    return f"casebook crashed: {crash.kind}{where}. Your casebook is safe. {rest}"


def run(
    db_path: Path,
    *,
    title: str = "",
    ascii_only: bool = False,
    config: Config | None = None,
    log_line: Logger = no_log,
    remember: bool = False,
    rules: tuple[Path, ...] = (),
    cited: str = "",
) -> int:
    """Open the workbench on the casebook at `db_path`; the exit code when it is left.

    0; 1 after an internal fault or a decision that was not saved, shown in one line; 128 and the signal's number if a
    signal ended it. A job may still run in its thread then: the process ends by `cli.main.end_process`. With `remember`
    it looks as it was left the last time. `rules`: rule files that hold instead of those of the settings. `cited`: a
    citation, at which the library opens.
    """
    place = state_file(db_path) if remember else None
    state, trouble = read_state(place) if place else (State(), "")
    if trouble:
        log_line("warning", "cannot read the state", reason=trouble)
    around = Surroundings(config, log_line, place, state, rules, Path.cwd(), cited)
    theme = state.theme_under(around.theme) or DARK
    app = CasebookApp(
        db_path, title=title, ascii_only=ascii_only, theme=theme, around=around, roots=lambda: roots_of(config)
    )
    note_lost_threads(log_line)
    read_alt_digits()
    read_input_so()
    app.run(mouse=config is None or config.values.ui.mouse)
    gc.freeze()  # the process ends: to look through every object for garbage would be most of what leaving takes
    if app.crash is not None:
        logged = config is None or config.values.log.level != "off"
        sys.stderr.write(crash_line(app.crash, log_file() if logged else None) + "\n")
    if lost := app.jobs.gave_up(DECISIONS):
        sys.stderr.write("Your last decision was not saved. Another process may have locked the casebook.\n")
    return app.return_code or int(app.crash is not None or lost)
