"""The services that a part of the terminal may use, without importing the app that holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from textual.app import App
from textual.message_pump import MessagePump
from textual.widget import Widget

from tui.actions.action import Situation
from tui.render.common.glyphs import Signs
from tui.runtime.jobs import Jobs
from tui.runtime.state import Memory

if TYPE_CHECKING:
    from core.flows.transcripts.report import Progress

AT_LIST, ELSEWHERE = "{list.back} cancels", "{case.back} {list.back} cancels"
"""How one stops a run, by where the focus is: first to the list, then out of it."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the first line tells: the casebook's name, how many cases, why it cannot be written, and the pane."""

    name: str
    cases: int | None = None
    readonly: str = ""
    pane: str = "Errors"


@dataclass(frozen=True, slots=True)
class Running:
    """A run that lasts: how far it is, whether it was asked to stop, and the actions whose keys ask it.

    `begins`: what it does before it can say how far it is.
    """

    progress: Progress | None = None
    stopping: bool = False
    way_out: str = AT_LIST
    begins: str = "Looking for sessions"


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


Kind = TypeVar("Kind", bound=Widget)


def on_open_screens(app: App[Any], kind: type[Kind]) -> list[Kind]:
    """Every mounted widget of this kind; none of a screen that was left."""
    return [one for screen in app.screen_stack for one in screen.query(kind)]
