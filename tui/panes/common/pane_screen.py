"""One pane of the workbench: the first line, what the pane shows, the line of its keys, the edge of its list, and what
it remembers.

The list's share of the width, and of the height where both are stacked, is a style of its own. A sheet that gives the
list all of it (one column, zoom) says `min-width: 100%`, which a share does not undo. A remembered value of another
kind, or one that makes no sense any more, counts as none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from textual import events, on
from textual.app import ComposeResult
from textual.dom import DOMNode
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation, perform_of
from tui.actions.registry import bindings
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text
from tui.runtime.jobs import Jobs
from tui.runtime.messages import PaneMessage
from tui.runtime.state import Memory, Scalar
from tui.runtime.vector_process import VectorProcess
from tui.services.db_watch import Following, files_at, watch
from tui.services.environment import Surroundings
from tui.widgets.workbench import KeyFooter, Place, TopBar, fit_size, workbench

PASTE_ELSEWHERE: Final = "To search for pasted text, open Errors ({pane.errors}) or Library ({pane.library}) first."
NARROWER, WIDER = "view.narrower", "view.wider"


class _Side:
    """One direction in which the edge moves: its memory's name, a key's step, the least of the list, both in cells."""

    def __init__(self, memory: Memory, name: str, step: int, least: int) -> None:
        found = memory.get(name)
        self.name, self.step, self.least = name, step, least
        self.share: float | None = None
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 < found < 100:
            self.share = float(found)


class Splitter(Performs):
    """Moves the edge of the widget that `list_id` names, in its container. `stacks`: on a narrow screen the list is
    above the rest, else one of them is there at a time. `detail_widths`: the least cells of the part next to the list,
    by the class of the screen's width."""

    def __init__(
        self, screen: Screen[None], list_id: str, memory: Memory, *, stacks: bool, detail_widths: Mapping[str, int]
    ) -> None:
        self._screen = screen
        self._list_id = list_id
        self._stacks = stacks
        self._detail_widths = detail_widths
        self._across, self._down = _Side(memory, "share", 4, 24), _Side(memory, "share_down", 1, 4)
        self.hovers = False
        self.drags = False
        self.is_due = True

    @property
    def why_not(self) -> str:
        """Why there is no edge to move; empty: there is one."""
        list_pane = self._screen.query_one_optional(f"#{self._list_id}")  # Textual keeps what it found
        if list_pane is None or not list_pane.region.area:
            return "The list is hidden."
        if self._screen.has_class("-narrow") and (not self._stacks or self._screen.has_class("-short", "-tiny")):
            return "The window shows one panel at a time. Widen it to 100 columns."
        if self._extent(self._list) >= self._extent(self._body):
            return "The list fills the screen."
        return ""

    def apply_once(self) -> None:
        """Give the list its share as soon as there is an edge, after the start and after each change of the size."""
        if self.is_due and not self.why_not:
            self.is_due = False
            self.apply()

    def apply(self) -> None:
        """Give the list its share of the room that there is."""
        if self.why_not:
            return
        side, body = self._side, self._extent(self._body)
        is_down = side is self._down
        size: str | int | None = None
        if side.share is not None:
            cells = int(side.share * body / 100)
            within = self._within(cells)
            size = f"{side.share}%" if within == cells else within
        if is_down:
            self._list.styles.height = size
        else:
            self._list.styles.width, self._list.styles.height = size, None

    def remembered(self) -> Memory:
        """What to remember: the shares that were chosen."""
        return {side.name: side.share for side in (self._across, self._down) if side.share is not None}

    def actions(self) -> Acts:
        return {NARROWER: lambda: self._move(-1), WIDER: lambda: self._move(1)}

    def on_mouse(self, event: events.MouseEvent) -> bool:
        """Follow the mouse: True where the edge has moved or was let go, and others need not see it."""
        if self.drags and isinstance(event, events.MouseMove):
            body = self._body.region
            is_down = self._side is self._down
            self._put(event.screen_y + 1 - body.y if is_down else event.screen_x + 1 - body.x)
            return True
        if self.drags and isinstance(event, events.MouseUp):
            self.drags = False
            self._screen.app.capture_mouse(None)
            return True
        self.hovers = not self.why_not and not self._screen.has_class("-short", "-tiny") and self._is_at(event)
        if self.hovers and isinstance(event, events.MouseDown):
            self.drags = True
            self._screen.app.capture_mouse(self._body)
            return True
        return False

    @property
    def _list(self) -> Widget:
        return self._screen.query_one(f"#{self._list_id}")

    @property
    def _body(self) -> Widget:
        parent = self._list.parent
        assert isinstance(parent, Widget)
        return parent

    @property
    def _side(self) -> _Side:
        return self._down if self._screen.has_class("-narrow") else self._across

    def _extent(self, widget: Widget) -> int:
        region = widget.region
        return region.height if self._side is self._down else region.width

    def _is_at(self, event: events.MouseEvent) -> bool:
        """Whether the mouse is on the edge: the two frames that touch."""
        region = self._list.region
        edge = (
            Region(region.x, region.bottom - 1, region.width, 2)
            if self._side is self._down
            else Region(region.right - 1, region.y, 2, region.height)
        )
        return edge.contains(event.screen_x, event.screen_y)

    def _within(self, cells: int) -> int:
        """So many cells for the list, as both sides can still be read with."""
        least = next(
            (least_cells for name, least_cells in self._detail_widths.items() if self._screen.has_class(name)), 6
        )
        return max(self._side.least, min(cells, self._extent(self._body) - least))

    def _move(self, by: int) -> None:
        if not self.why_not:
            self._put(self._extent(self._list) + by * self._side.step)

    def _put(self, cells: int) -> None:
        share = math.ceil(10_000 * self._within(cells) / max(1, self._extent(self._body))) / 100
        if share != self._side.share:
            self._side.share = share
            self.apply()


Known = TypeVar("Known", bound=str)

_NAME = 500


def text_of(found: Scalar, most: int = _NAME) -> str | None:
    """A text that is not empty and not too long."""
    return found if isinstance(found, str) and 0 < len(found) <= most else None


def number_of(found: Scalar) -> int | None:
    """An integer."""
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def one_of(known: Iterable[Known], found: Scalar) -> Known | None:
    return next((one for one in known if one == found), None)


def layout_of(part: DOMNode) -> dict[str, Scalar]:
    """Whether a part is zoomed, and whether the user opened or closed its trace. A trace that leaves little room for
    the rest is not kept open."""
    is_narrow = any(node.has_class("-narrow") for node in part.ancestors_with_self)
    has_trace = part.has_class("-why") and not is_narrow
    why = "shown" if has_trace else "hidden" if part.has_class("-no-why") else None
    return {"zoomed": part.has_class("-zoomed"), "why": why}


def lay_out(part: DOMNode, memory: Memory) -> None:
    """Zoom a part, and show its trace, as it was."""
    zoomed, why = memory.get("zoomed") is True, memory.get("why")
    part.update_classes({"-zoomed": zoomed, "-why": why == "shown", "-no-why": why == "hidden"})


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PaneContext:
    """What a pane is opened with: the casebook, how it was left, and what of it outlives a visit.

    `process` makes vectors, its model loaded; `log` writes a line to the log.
    """

    jobs: Jobs
    signs: Signs
    clock: Callable[[], datetime]
    around: Surroundings
    place: Place
    memory: Memory
    process: VectorProcess | None = None
    log: Callable[[str], object] = lambda _text: None
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """What stays between two visits, made on the first one."""
        if name not in self.values:
            self.values[name] = make()
        return self.values[name]


class Pane(Protocol):
    """What a pane declares."""

    top: TopBar
    footer: KeyFooter
    splitter: Splitter

    def compose_body(self) -> ComposeResult:
        """What the pane shows."""
        ...

    def situation(self) -> Situation:
        """What an action's being possible depends on."""
        ...

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
        ...

    def way_back(self) -> Callable[[], object] | None:
        """The way to the place that it was opened from."""
        ...

    def changed(self) -> None:
        """Other actions are possible now."""
        ...


@runtime_checkable
class Remembers(Protocol):
    """A pane that is found again as it was left."""

    def remembered(self) -> Memory:
        """What to remember now."""
        ...


class PaneScreen(Screen[None]):
    """A pane: declares what `Pane` and `Remembers` name. `PANE`: its name in the ids of actions, in the
    state that is kept and in the first line; `LIST`: the id of its list, at the edge that can be moved; `STACKS`:
    whether that is above the rest on a narrow screen; `DETAIL_WIDTHS`: the least cells of the part next to the list, by
    the class of the screen's width; `LANES`: the jobs that are cancelled when the pane is left."""

    PANE: ClassVar[str]
    LIST: ClassVar[str]
    STACKS: ClassVar[bool] = True
    DETAIL_WIDTHS: ClassVar[Mapping[str, int]] = {"-wide": 44, "-xwide": 88}
    LANES: ClassVar[Sequence[str]] = ()
    BINDINGS = bindings("visit")

    def __init__(self, context: PaneContext, classes: str = "") -> None:
        super().__init__(classes=classes)
        self.jobs = context.jobs
        self.signs = context.signs
        self.clock = context.clock
        self.top = TopBar(replace(context.place, pane=self.PANE.title()), context.signs)
        self.footer = KeyFooter(context.signs)
        self.splitter = Splitter(self, self.LIST, context.memory, stacks=self.STACKS, detail_widths=self.DETAIL_WIDTHS)

    @property
    def allow_select(self) -> bool:
        """No text is selected by what moves the edge."""
        return super().allow_select and not self.splitter.hovers

    def on_mount(self) -> None:
        # A style sheet that comes later lays the pane out again: only then there is an edge.
        self.screen_layout_refresh_signal.subscribe(self, lambda _screen: self.splitter.apply_once())

    def on_resize(self) -> None:
        """Another width has room for another share."""
        self.splitter.is_due = True
        self.call_after_refresh(self.splitter.apply_once)

    @on(events.MouseDown)
    @on(events.MouseMove)
    @on(events.MouseUp)
    def _move_edge(self, event: events.MouseEvent) -> None:
        if self.splitter.on_mouse(event):
            event.stop()
            if isinstance(event, events.MouseUp):
                self.changed()

    def compose(self: Pane) -> ComposeResult:
        assert isinstance(self, Screen)
        fit_size(self)
        self.footer.set_reactive(KeyFooter.situation, self.situation())
        yield self.top
        yield from self.compose_body()
        yield self.footer

    def perform(self: Pane, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        if action_id == "visit.back" and (back := self.way_back()) is not None:
            back()
            return True
        done = self.splitter.perform(action_id) or perform_of(self.actions(), action_id)
        if done:
            self.changed()
        return done

    def way_back(self) -> Callable[[], object] | None:
        """Return the way to the place that this one was opened from; None: it was opened from none."""
        return None

    def changed(self) -> None:
        """Other actions are possible now, and there may be something else to remember."""
        if self.is_attached and isinstance(self, Remembers):
            bench = workbench(self)
            self.footer.situation = bench.situation()
            bench.remember(self.PANE, self.kept())

    def kept(self) -> Memory:
        """What is remembered of the pane: what it says itself, and where the edge is."""
        own = self.remembered() if isinstance(self, Remembers) else {}
        return {**own, **self.splitter.remembered()}

    def follow_casebook(self, lane: str, reading: Sequence[str], read: Callable[[], object]) -> None:
        """Call `read` after each change that others make, once none of the lanes `reading` is busy.

        Called before the first read: what changes from then on is seen.
        """
        following = Following(self.jobs, reading, read, self.set_timer)
        before = files_at(self.jobs.path)
        self.jobs.run(lane, watch(before), lambda _change, _final: following.changed(), lambda _fault: None)

    def say(self, text: str, severity: str = "information") -> None:
        """A toast."""
        self.post_message(PaneMessage(text, severity))

    def say_fault(self, fault: Fault) -> None:
        """A fault, in a toast."""
        self.say(fault_text(fault), "error")

    def on_unmount(self) -> None:
        """Drop pending reads; decisions are still carried out."""
        for lane in self.LANES:
            self.jobs.cancel(lane)


_FREE = 0.3
"""Seconds between two looks whether a dialog may open by itself."""


def push_when_free(
    pane: PaneScreen,
    dialog: Screen[T],
    answered: Callable[[T | None], None],
    ready: str,
    *,
    over_panes: bool = False,
    announced: bool = False,
) -> None:
    """Open a dialog by itself once the person types nothing: their next key would answer it. Until then say `ready`.

    `over_panes`: only over a pane.
    """
    app = pane.app
    over_pane, focused = isinstance(app.screen, PaneScreen), app.focused
    typing = isinstance(focused, TextArea) or (isinstance(focused, Input) and (focused.value or not over_pane))
    if not typing and (over_pane or not over_panes):
        app.push_screen(dialog, answered)
        return
    if not announced:
        pane.say(ready)
    again = partial(push_when_free, pane, dialog, answered, ready, over_panes=over_panes, announced=True)
    pane.set_timer(_FREE, again)
