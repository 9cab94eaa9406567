"""The filter menu: every value one can filter by, with how many cases it shows; typing narrows it down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from core.fault import Fault
from tui.jobs import Jobs
from tui.panes.errors.filters import KINDS, PERIODS, STATUSES, Kind, Scope
from tui.panes.errors.queries import count_values
from tui.render.filters import KIND_NAMES, draw_choice
from tui.render.foreign import inline
from tui.render.signs import Signs

if TYPE_CHECKING:
    from core.errors import Facets

_SHOWN = 200
_HELP = "enter picks, tab picks more, esc closes"


class FilterScreen(ModalScreen[None]):
    """Each pick is applied at once, so that the list behind shows what it does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
        Binding("tab", "pick(False)", "Pick, and stay"),  # no priority: what was typed before it counts first
    ]

    def __init__(
        self, scope: Scope, jobs: Jobs, signs: Signs, clock: Callable[[], datetime], apply: Callable[[Scope], None]
    ) -> None:
        super().__init__()
        self._scope = scope
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self._apply = apply
        self._found: Facets | None = None
        self._choices: list[tuple[Kind, str]] = []
        self._tabbed: tuple[Kind, str] | None = None  # what Tab has turned on or off: Enter leaves it so
        self._box = Input(placeholder="Type a status, a tool or a project", select_on_focus=False)
        self._lines = OptionList(id="filter-lines")
        self._lines.can_focus = False

    def compose(self) -> ComposeResult:
        """A box to narrow in, and the values."""
        with Vertical(id="filter") as frame:
            frame.border_title = Content("Show only")
            frame.border_subtitle = Content(_HELP)
            yield self._box
            yield self._lines

    def on_mount(self) -> None:
        """What is always there at once; tools, projects and counts when they are read."""
        self._list()
        self._box.focus()
        self._count()

    def on_unmount(self) -> None:
        """Nobody waits for the counts any more."""
        self._jobs.cancel("facets")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow it down."""
        event.stop()
        self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter picks."""
        event.stop()
        self.action_pick(True)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A value was clicked."""
        event.stop()
        self._pick(event.option_index, close=False)

    def on_click(self, event: events.Click) -> None:
        """A click beside the menu closes it."""
        if event.widget is self:
            self.dismiss()

    def action_move(self, by: int) -> None:
        """Another value."""
        if self._choices:
            self._lines.highlighted = ((self._lines.highlighted or 0) + by) % len(self._choices)

    def action_pick(self, close: bool) -> None:
        """Turn the value on, or off again."""
        self._list()
        at = self._lines.highlighted
        if at is None:
            return
        if close and self._choices[at] == self._tabbed:
            self.dismiss()
            return
        self._tabbed = None if close else self._choices[at]
        self._pick(at, close=close)

    def _pick(self, index: int, *, close: bool) -> None:
        self._scope = self._scope.toggled(*self._choices[index])
        self._apply(self._scope)
        if close:
            self.dismiss()
            return
        self._list()
        self._count()

    def _count(self) -> None:
        self._jobs.run("facets", count_values(self._scope, self._clock()), self._counted, self._failed)

    def _counted(self, found: Facets, _final: bool) -> None:
        self._found = found
        self._list()

    def _failed(self, fault: Fault) -> None:
        self.query_one("#filter").border_subtitle = Content(inline(fault.message, 200))

    def _list(self) -> None:
        at = self._lines.highlighted or 0
        was = self._choices[at] if at < len(self._choices) else None
        words = self._box.value.casefold().split()
        lines = [
            line
            for line in self._values()
            if all(word in f"{KIND_NAMES[line[0]]} {line[1]}".casefold() for word in words)
        ][:_SHOWN]
        self._choices = [(kind, value) for kind, value, _ in lines]
        complete = self._found is None or self._found.complete
        self._lines.set_options(
            Option(
                draw_choice(kind, value, cases, self._signs, on=(kind, value) in self._scope.picked, complete=complete)
            )
            for kind, value, cases in lines
        )
        if self._choices:
            self._lines.highlighted = self._choices.index(was) if was in self._choices and not words else 0

    def _values(self) -> list[tuple[Kind, str, int | None]]:
        """Every value with its count, where that is known; what is on is always among them."""
        found = self._found
        counts: dict[tuple[Kind, str], int | None] = {("status", status): None for status in STATUSES}
        counts |= {("period", period): None for period in PERIODS}
        if found is not None:
            counts = dict.fromkeys(counts, 0)
            counts |= {("status", facet.value): facet.cases for facet in found.statuses}
            counts |= {("period", period): one.cases for period, one in zip(PERIODS, found.since, strict=True)}
            counts |= {("tool", facet.value): facet.cases for facet in found.tools}
            counts |= {("project", facet.value): facet.cases for facet in found.projects}
        for picked in self._scope.picked:
            counts.setdefault(picked, None)
        order = sorted(counts, key=lambda choice: KINDS.index(choice[0]))
        return [(*choice, counts[choice]) for choice in order]
