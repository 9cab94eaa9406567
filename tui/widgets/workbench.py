"""What a part of the terminal may ask of the app that holds it, without knowing the app."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, cast

from textual.app import App
from textual.message_pump import MessagePump

from tui.actions.action import Situation
from tui.render.common.bars import Place
from tui.render.common.glyphs import Signs
from tui.runtime.jobs import Jobs
from tui.runtime.state import Memory
from tui.widgets.status_line import Running


class Workbench(Protocol):
    """The services of the app: jobs, signs, toasts, the state that is kept, and the ways to the other panes."""

    jobs: Jobs
    signs: Signs

    @property
    def place(self) -> Place:
        """The casebook: its name, how many cases it holds, why it cannot be written."""
        ...

    @property
    def reading(self) -> Running | None:
        """The run that reads folders into the library, if there is one."""
        ...

    def situation(self) -> Situation:
        """What an action's being possible depends on now."""
        ...

    def action_perform(self, action_id: str) -> None:
        """Do an action of the registry, or say why it is not possible now."""
        ...

    def say(self, text: str, *, severity: str = "information", seconds: float = 4) -> None:
        """A toast: inert text, no markup."""
        ...

    def remember(self, pane: str, memory: Memory) -> None:
        """Keep how a pane looks now."""
        ...

    def hold_keys(self) -> None:
        """Let keys wait for what the last one has asked for."""
        ...

    def let_keys_go(self) -> None:
        """Hand on the keys that wait."""
        ...

    def show_case(self, case_id: int) -> None:
        """Close what is open over the Errors pane, and show this case there."""
        ...

    def show_quote(self, evidence_id: int, leave: Callable[[bool], None]) -> None:
        """Show this quote in the Evidence pane beneath, else in one over the screen, from which Esc leads back.

        `leave` is called when that one is left: whether it was by the way back.
        """
        ...

    def open_history(self) -> None:
        """Open the history of all changes."""
        ...

    def begin_import(self) -> None:
        """Go to the Errors pane, which tells how far an import is, and begin one."""
        ...

    def theme_names(self) -> Iterable[str]:
        """The themes to choose from."""
        ...

    def choose_theme(self, name: str) -> None:
        """Apply this theme, and remember it."""
        ...


def workbench(part: MessagePump | App[Any]) -> Workbench:
    """The app that holds this part."""
    return cast("Workbench", part.app)
