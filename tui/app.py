"""The workbench: holds the parts together, hands actions and reports to whom they belong, and does nothing itself."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

from textual.app import App, ComposeResult
from textual.types import CSSPathType

from core.config import Config
from core.fault import Fault
from tui.actions import BY_ID, Situation, bindings, keymap, keys_for
from tui.jobs import JobReport, Jobs
from tui.keys import Keys, Wish
from tui.panes.errors.first_run import Roots, roots_of
from tui.panes.errors.pane import ErrorsPane
from tui.panes.messages import PaneCopied, PaneCounted, PaneSaid, PaneShowAll, PaneTroubled
from tui.render.bars import Place
from tui.render.foreign import inline, title
from tui.render.signs import ASCII, UNICODE
from tui.render.states import of_fault
from tui.themes import DARK, own_themes, tokens
from tui.widgets.bars import KeyFooter, TopBar

STYLES = Path(__file__).resolve().parent.parent / "styles"

SHEETS = ("base", "errors", "session", "incoming", "narrow")

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


class CasebookApp(App[None], inherit_bindings=False):
    """The workbench on one casebook."""

    TITLE = "casebook"
    CSS_PATH: ClassVar[CSSPathType | None] = [STYLES / f"{name}.tcss" for name in SHEETS]
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
        roots: Callable[[], Roots] = dict,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__()
        for own in own_themes():
            self.register_theme(own)
        self.theme = theme
        self._ascii = ascii_only
        self.signs = ASCII if ascii_only else UNICODE
        self.jobs = Jobs(db_path, self.post_message)
        self.top = TopBar(Place(title or db_path.name), ascii_only=ascii_only)
        self.errors = ErrorsPane(self.jobs, self.signs, clock, roots)
        self.user_keys, self._troubles = keys_for(wishes) if wishes else (Keys(), ())
        self.set_keymap(keymap(self.user_keys))
        self.keys = KeyFooter(self.user_keys, ascii_only=ascii_only)
        self._told: set[str] = set()
        self.set_class(ascii_only, "-ascii")

    def get_css_variables(self) -> dict[str, str]:
        """The theme's variables, and the tokens that our sheets and renderers name."""
        variables = super().get_css_variables()
        own = tokens(variables, ansi=self.current_theme.ansi)
        self.theme_variables = {**self.theme_variables, **own}
        return {**variables, **own}

    def compose(self) -> ComposeResult:
        """One line, the pane, one line."""
        yield self.top
        yield self.errors
        yield self.keys

    def on_ready(self) -> None:
        """The first frame is out. What is loaded stays: to look through all of it for garbage is a stall of 100 ms."""
        self.set_timer(_WARM, _collect_from_here)
        for trouble in self._troubles[:3]:
            self.say(trouble, severity="warning", seconds=12)

    # Reports and actions ---------------------------------------------------------------------------------------------

    def on_job_report(self, report: JobReport) -> None:
        """A job has something to say."""
        self.jobs.deliver(report)

    def situation(self) -> Situation:
        """What one can do now depends on this."""
        return self.errors.situation() if self.errors.is_mounted else Situation()

    def action_perform(self, action_id: str) -> None:
        """Do an action of the registry, or say why it is not possible now."""
        if why_not := BY_ID[action_id].enabled(self.situation()):
            self.say(why_not, severity="warning")
            return
        nearby = [] if self.focused is None else self.focused.ancestors_with_self
        for part in (*nearby, self.errors):
            if part is not self and isinstance(part, Performer) and part.perform(action_id):
                return
        self._perform_own(action_id)

    def _perform_own(self, action_id: str) -> None:
        acts: dict[str, Callable[[], object]] = {
            "app.quit": self.leave,
            "app.help": self._help,
            "app.palette": self._palette,
            "app.interrupt": lambda: self.say("Nothing is selected. q quits, in the search box ctrl+q."),
            "view.theme": self.search_themes,
        }
        if act := acts.get(action_id):
            act()

    def _palette(self) -> None:
        from textual.command import CommandPalette

        from tui.palette import ActionProvider

        if len(self.screen_stack) == 1:
            self.push_screen(CommandPalette(providers=[ActionProvider], placeholder="Search for an action"))

    def _help(self) -> None:
        from tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.situation(), self.signs, self.user_keys, ascii_only=self._ascii))

    def leave(self) -> None:
        """Quit: interrupt what runs; while Textual restores the terminal (0.2 s), it ends."""
        self.jobs.close(0.0)
        self.exit()

    def on_unmount(self) -> None:
        """However the app ends, no job goes on: the last moment for one that is about to end."""
        self.jobs.close()

    # What the pane tells ---------------------------------------------------------------------------------------------

    def on_pane_changed(self) -> None:
        """Other actions are possible now."""
        self.keys.situation = self.situation()

    def on_pane_counted(self, event: PaneCounted) -> None:
        """The casebook was counted: the first line shows it, and that it cannot be written, if so."""
        self.top.place = Place(self.top.place.name, event.cases, event.readonly)
        if event.readonly:
            self._say_once(f"Read-only: {event.readonly}. Searching works; uses are not counted.")

    def on_pane_troubled(self, event: PaneTroubled) -> None:
        """The core could not answer: once in a toast, and the pane shows its state."""
        if event.fault.code != "not_indexed":
            self._say_once(_told(event.fault), severity="error")

    def on_pane_said(self, event: PaneSaid) -> None:
        """Something is to be told once, as it happens."""
        self.say(event.text, severity=event.severity, seconds=10)

    def on_pane_copied(self, event: PaneCopied) -> None:
        """Send a text to the terminal's clipboard, cleaned."""
        from core.text import clean

        text = event.text if event.exact else clean(event.text)
        self.copy_to_clipboard(text)
        size = len(text.encode())
        if size > _CLIPBOARD:
            self.say(f"The {event.what} was sent to the terminal, but {size:,} bytes may be too much for it.")
        else:
            self.say(f"The {event.what} was sent to the terminal's clipboard.")

    def on_pane_show_all(self, event: PaneShowAll) -> None:
        """Show a long text whole."""
        from tui.screens.whole_text import WholeText

        self.push_screen(WholeText(event.text, event.heading, self.jobs, self.signs))

    def say(self, text: str, *, severity: str = "information", seconds: float = 4) -> None:
        """A toast: inert text, no markup."""
        self.notify(inline(text, 400), severity=severity, markup=False, timeout=seconds)  # pyright: ignore[reportArgumentType]

    def _say_once(self, text: str, *, severity: str = "information") -> None:
        if text not in self._told:
            self._told.add(text)
            self.say(text, severity=severity)


def _told(fault: Fault) -> str:
    return " ".join(part for part in (f"{of_fault(fault).what}.", title(fault.message), title(fault.hint)) if part)


def _collect_from_here() -> None:
    """Whoever opens the app may have put collecting off until it is warm."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def run(db_path: Path, *, title: str = "", ascii_only: bool = False, config: Config | None = None) -> int:
    """Open the workbench on the casebook at `db_path`; the exit code when it is left (0, or 1 after a crash)."""
    wishes = [Wish(one.action, one.keys, one.where) for one in config.keys] if config else []
    app = CasebookApp(db_path, title=title, ascii_only=ascii_only, wishes=wishes, roots=lambda: roots_of(config))
    app.run()
    gc.freeze()  # the process ends: to look through every object for garbage would be most of what leaving takes
    return app.return_code or 0
