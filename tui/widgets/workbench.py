"""What a part of the workbench may use without importing the app that holds it: its services, bars, style sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from rich.cells import cell_len
from textual import events
from textual.app import App
from textual.content import Content
from textual.message_pump import MessagePump
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from core.base.fault import Fault
from tui.actions.action import Action, Performs, Situation
from tui.actions.registry import footer, key_name, panes
from tui.render.common.amounts import cells_in, draw_progress
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, inline
from tui.runtime.jobs import Job, Jobs
from tui.runtime.messages import PaneChanged, PaneMessage
from tui.runtime.state import Memory

if TYPE_CHECKING:
    from core.flows.transcripts.report import Progress
    from core.process.task import Task


LONG_RUN = 10.0
"""Seconds from which the end of a run is signaled."""
AT_LIST, ELSEWHERE = "{list.back} twice cancels", "in the list, {list.back} twice cancels"
"""How to stop an import, by where the focus is."""
AGAIN = "{list.back} again cancels"
BY_STATUS = "{app.status} then x cancels"
"""How to stop a run that began by itself: not by a key that people press out of habit."""


@dataclass(frozen=True, slots=True)
class Place:
    """Content of the first line: the casebook's name, the number of cases, why it is read-only, the pane, the team."""

    name: str
    cases: int | None = None
    readonly: str = ""
    pane: str = "Errors"
    team: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """A run that lasts: how far it is, whether a stop was requested, and the actions that request it.

    `begins`: what it does before it can say how far it is. `whole`: how far an import is, while it works on a batch.
    """

    progress: Progress | None = None
    whole: Progress | None = None
    stopping: bool = False
    way_out: str = AT_LIST
    begins: str = "Searching for sessions"


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

    def signal_end(self, text: str) -> None:
        """Notify the terminal that a long run has ended, if the person is elsewhere."""
        ...

    def remember(self, pane: str, memory: Memory) -> None:
        """Keep how a pane looks now."""
        ...

    def hold_keys(self) -> None:
        """Let keys wait for the effect of the last one."""
        ...

    def let_keys_go(self) -> None:
        """Hand on the keys that wait."""
        ...

    def show_case(self, case_id: int, leave: Callable[[], object]) -> None:
        """Close what is open over the Errors pane, and show this case there. Its way back is the pane that is
        open now, where `leave` is called."""
        ...

    def show_quote(self, evidence_id: int, leave: Callable[[bool], None]) -> None:
        """Show this quote in the Evidence pane beneath, else in one over the screen, from which Esc returns.

        `leave` is called when that one is left: whether it was by the way back.
        """
        ...

    def open_history(self) -> None: ...

    def theme_names(self) -> Iterable[str]: ...

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


def fit_size(screen: Screen[Any]) -> None:
    """Give a screen the classes of its size before its first frame; Textual sets them behind it."""
    app = screen.app
    for limits, cells in (app.HORIZONTAL_BREAKPOINTS, app.size.width), (app.VERTICAL_BREAKPOINTS, app.size.height):
        fits = [name for least, name in limits or () if cells >= least][-1:]
        screen.update_classes({name: name in fits for _, name in limits or ()}, animate=False)


_NAME = " casebook "


@dataclass(frozen=True, slots=True)
class Tab:
    """A pane as the first line names it: its name, its key as people write it, and the action that goes there."""

    name: str
    key: str
    action: str


def draw_top(place: Place, width: int, tabs: Sequence[Tab] = (), *, ascii_only: bool = False) -> Content:
    """The first line: the panes on the left, the file on the right; the file gives way first, then the other panes."""
    left = _tab_line(place, tabs if _tabs_fit(place, tabs, width) else ())
    right: list[tuple[str, str]] = []
    if place.readonly:
        right.append(("read-only  ", "$cb-draft"))
    if place.team:
        right.append((f"{inline(place.team, 48)}  ", "$cb-dim"))
    if place.cases is not None:
        right.append((f"{place.cases:,} {'case' if place.cases == 1 else 'cases'}  ", "$cb-dim"))
    room = width - left.cell_length - cells_in(right) - 3
    if room < 0:
        right = right[:1] if place.readonly else []
        room = width - left.cell_length - cells_in(right) - 3
    if room >= 6:
        right.append((inline(place.name, min(room, 48), more="~" if ascii_only else "…") + " ", "$cb-soft"))
    gap = width - left.cell_length - cells_in(right)
    return Content.assemble(left, " " * gap, *right) if gap >= 0 else left


def tab_places(place: Place, width: int, tabs: Sequence[Tab]) -> tuple[tuple[int, str], ...]:
    """The column where each tab begins in the first line, and its action; none where they have no room."""
    found: list[tuple[int, str]] = []
    at = cell_len(_NAME)
    for tab in tabs if _tabs_fit(place, tabs, width) else ():
        found.append((at, tab.action))
        at += _tab(tab, here=False).cell_length
    return tuple(found)


def _tabs_fit(place: Place, tabs: Sequence[Tab], width: int) -> bool:
    return _tab_line(place, tabs).cell_length <= width - 12


def _tab_line(place: Place, tabs: Sequence[Tab]) -> Content:
    """Draw the name, and each pane with its key; the open one is emphasized."""
    name = (_NAME, "bold $cb-accent")
    if not tabs:
        return Content.assemble(name, (f" {place.pane}", "bold $cb-text"))
    return Content.assemble(name, *(_tab(tab, tab.name == place.pane) for tab in tabs))


def _tab(tab: Tab, here: bool) -> Content:
    tone = "bold $cb-text" if here else "$cb-dim"
    text = Content.assemble((f" {tab.key} ", "bold $cb-accent" if here else "$cb-dim"), (f"{tab.name} ", tone))
    text = text.stylize("on $cb-cursor-idle") if here else text
    return text.stylize(Style.from_meta({"perform": tab.action}))


def draw_footer(offers: Sequence[tuple[Action, str]], width: int, *, ascii_only: bool = False) -> Content:
    """The keys that matter now, as many as fit; help always does, at the right."""
    last = [offer for offer in offers if offer[0].id == "app.help"]
    room = width - sum(_offer_cells(offer, ascii_only) for offer in last)
    visible: list[tuple[Action, str]] = []
    for offer in offers:
        if offer in last:
            continue
        need = _offer_cells(offer, ascii_only)
        if need > room:
            continue  # a shorter one may fit
        room -= need
        visible.append(offer)
    parts = [_offer(offer, ascii_only) for offer in visible]
    if room >= 0:
        parts += [Content(" " * room), *(_offer(offer, ascii_only) for offer in last)]
    return Content.assemble(*parts)


def _offer(offer: tuple[Action, str], ascii_only: bool) -> Content:
    action, key = offer
    text = Content.assemble(
        (f" {key_name(key, ascii_only=ascii_only)} ", "bold $cb-accent"), (f"{action.hint} ", "$cb-dim")
    )
    return text.stylize(Style.from_meta({"perform": action.id}))


def _offer_cells(offer: tuple[Action, str], ascii_only: bool) -> int:
    return cell_len(f" {key_name(offer[1], ascii_only=ascii_only)} {offer[0].hint} ")


class TopBar(Widget):
    """Where one is, and which panes there are; each can be clicked."""

    place: reactive[Place] = reactive(Place(""))

    def __init__(self, place: Place, signs: Signs) -> None:
        super().__init__(id="top")
        self._ascii = signs.plain
        self._tabs = [
            Tab(action.title.partition(":")[0], key_name(key, ascii_only=signs.plain), action.id)
            for action, key in panes(signs.keys)
        ]
        self.set_reactive(TopBar.place, place)

    def on_mount(self) -> None:
        """Show the current state: the casebook may have been counted since."""
        self.follow(workbench(self).place)

    def follow(self, place: Place) -> None:
        """The casebook was counted: the pane's own name stays."""
        self.place = replace(place, pane=self.place.pane)

    def render(self) -> Content:
        """The line in the width there is."""
        return draw_top(self.place, self.size.width, self._tabs, ascii_only=self._ascii)

    @property
    def tab_places(self) -> tuple[tuple[int, str], ...]:
        """Where each pane is named, and the action that goes there; none where the line is too short for them."""
        return tab_places(self.place, self.size.width, self._tabs)

    async def on_click(self, event: events.Click) -> None:
        if action_id := event.style.meta.get("perform"):
            await self.run_action(f"app.perform('{action_id}')")


class KeyFooter(Widget):
    """What one can do here and now, from the action registry; each entry can be clicked."""

    situation: reactive[Situation] = reactive(Situation())

    def __init__(self, signs: Signs, situation: Situation = Situation()) -> None:  # noqa: B008  frozen
        super().__init__(id="keys")
        self._signs = signs
        self.set_reactive(KeyFooter.situation, situation)

    def render(self) -> Content:
        """The line in the width there is."""
        return draw_footer(footer(self.situation, self._signs.keys), self.size.width, ascii_only=self._signs.plain)

    async def on_click(self, event: events.Click) -> None:
        if action_id := event.style.meta.get("perform"):
            await self.run_action(f"app.perform('{action_id}')")


class StatusLine(Widget):
    """Shows one run; a click asks it to stop."""

    running: reactive[Running | None] = reactive(None)

    stop_action = "import.stop"

    def __init__(self, signs: Signs, *, id: str) -> None:
        super().__init__(id=id)
        self._signs = signs

    def watch_running(self, running: Running | None) -> None:
        """It takes its line only while it has a text. A toast is shown above such lines."""
        on = running is not None
        if on != self.has_class("-on"):
            self.set_class(on, "-on")
            lines = sum(line.has_class("-on") for line in self.screen.query(StatusLine)) if self.is_attached else 0
            self.screen.set_class(lines == 1, "-one-line").set_class(lines > 1, "-two-lines")

    def render(self) -> Content:
        """The line in the width there is."""
        if self.running is None:
            return Content("")
        now = self.running
        way_out = self._signs.fill_keys("click cancels" if self._signs.lacks(now.way_out) else now.way_out)
        width = self.size.width
        return draw_progress(
            now.progress, width, self._signs, way_out, stopping=now.stopping, begins=now.begins, whole=now.whole
        )

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        await self.run_action(f"app.perform('{self.stop_action}')")


class TaskLine(Performs, StatusLine):
    """A run in another process, one at a time, with its line; outlives every pane."""

    def __init__(self, jobs: Jobs, signs: Signs, *, id: str) -> None:
        super().__init__(signs, id=id)
        self._jobs = jobs
        self._run: Task[Any] | None = None
        self._began = 0.0
        self._way_out: str | None = None  # where the focus is; None: the run says it

    @property
    def busy(self) -> bool:
        """Return whether a run of this workbench is active."""
        return self._run is not None

    def start(
        self,
        lane: str,
        task: Task[Any],
        work: Callable[[Job[object]], object],
        came: Callable[[object, bool], None],
        running: Running | None,
    ) -> None:
        """Begin a run: `came` hears its progress and its report. Without `running` it is not shown."""
        if running is not None and self._way_out is not None:
            running = replace(running, way_out=self._way_out)
        self._run, self.running, self._began = task, running, monotonic()
        self._jobs.run(lane, work, came, self.failed)
        self.post_message(PaneChanged())

    def stop(self) -> None:
        """Ask it to stop after the part it is at; what is stored stays."""
        if self._run is not None:
            self._run.stop()
        if self.running is not None:
            self.running = replace(self.running, stopping=True)

    def stop_soon(self) -> None:
        """The first press of the key back only asks: people press it out of habit, too."""
        if self.running is not None and self.running.way_out != AGAIN:
            self.running = replace(self.running, way_out=AGAIN)
        else:
            self.stop()

    def show_progress(self, value: object) -> None:
        """Show the progress."""
        from core.base.reports import Progress

        if isinstance(value, Progress) and self.running is not None:
            whole = value if value.kind == "import" else self.running.whole
            self.running = replace(self.running, progress=value, whole=whole)

    def show_way_out(self, keys: str) -> None:
        """Which keys stop it, and a later run: that depends on where the focus is."""
        self._way_out = keys
        if self.running is not None:
            self.running = replace(self.running, way_out=keys)

    def failed(self, fault: Fault) -> None:
        """It could not be done."""
        self.end(fault_text(fault), "error")

    def end(self, summary: str, severity: str) -> None:
        """It is over, and this is said about it."""
        if self.running is not None and not self.running.stopping and monotonic() - self._began >= LONG_RUN:
            workbench(self).signal_end(summary)
        self._run = self.running = None
        if summary:
            self.post_message(PaneMessage(summary, severity))
        self.post_message(PaneChanged())


STYLES = Path(__file__).resolve().parents[2] / "styles"

_FIRST = ("base", "errors", "incoming", "library_ingest", "narrow")
_LATER = ("session", "curation", "evidence", "rules", "library", "ask", "insights")


def sheet(name: str) -> Path:
    return STYLES / f"{name}.tcss"


FIRST_SHEETS = tuple(map(sheet, _FIRST))
"""What the first frame needs: each rule that is parsed before it makes it later."""
LATER_SHEETS = tuple(map(sheet, _LATER))
"""What other screens need. Each names its own; the app reads all of them once it is warm, so that none waits for it."""
