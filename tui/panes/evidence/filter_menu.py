"""The filter menu of the evidence: every state, session and type of entry, with how many quotes it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

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
from tui.panes.evidence.counting import Counted, count_choices
from tui.panes.evidence.queries import FILTERS, Kind, Shown
from tui.render.evidence import draw_filter_choice
from tui.render.foreign import inline
from tui.render.signs import Signs

LANE = "evidence-counts"
_SHOWN = 300
_HELP = "enter picks, tab picks more, esc closes"


class EvidenceFilter(ModalScreen[None]):
    """Each pick is applied at once, so that the list behind shows what it does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
        Binding("tab", "pick(False)", "Pick, and stay"),
    ]

    def __init__(self, shown: Shown, jobs: Jobs, signs: Signs, apply: Callable[[Shown], None]) -> None:
        super().__init__()
        self._shown = shown
        self._jobs = jobs
        self._signs = signs
        self._apply = apply
        self._found: Counted | None = None
        self._choices: list[tuple[Kind, str]] = []
        self._box = Input(placeholder="Type a state, a type or a session", select_on_focus=False, max_length=200)
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
        """The states at once; sessions, types and counts when they are read."""
        self._list()
        self._box.focus()
        self._count()

    def on_unmount(self) -> None:
        """Nobody waits for the counts any more."""
        self._jobs.cancel(LANE)

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
        if self._lines.highlighted is not None:
            self._pick(self._lines.highlighted, close=close)

    def _pick(self, at: int, *, close: bool) -> None:
        kind, value = self._choices[at]
        # Enter on what is on already leaves it so: whoever confirms a pick does not mean to take it back.
        if not (close and self._shown.has(kind, value)):
            self._shown = self._shown.picked(kind, value)
            self._apply(self._shown)
        if close:
            self.dismiss()
            return
        self._list()
        self._count()

    def _count(self) -> None:
        self._jobs.run(LANE, count_choices(self._shown), self._counted, self._failed)

    def _counted(self, found: Counted, _final: bool) -> None:
        self._found = found
        self._list()

    def _failed(self, fault: Fault) -> None:
        self.query_one("#filter").border_subtitle = Content(inline(fault.message, 200))

    def _list(self) -> None:
        at = self._lines.highlighted or 0
        was = self._choices[at] if at < len(self._choices) else None
        words = self._box.value.casefold().split()
        lines = [one for one in self._values() if all(word in f"{one[0]} {one[1]}".casefold() for word in words)]
        lines = lines[:_SHOWN]
        self._choices = [(kind, value) for kind, value, _ in lines]
        self._lines.set_options(
            Option(draw_filter_choice(kind, value, count, self._signs, on=self._shown.has(kind, value)))
            for kind, value, count in lines
        )
        if self._choices:
            self._lines.highlighted = self._choices.index(was) if was in self._choices and not words else 0

    def _values(self) -> list[tuple[Kind, str, int | None]]:
        """Every value with its count, where that is known; what is on is always among them."""
        found = self._found
        values: list[tuple[Kind, str, int | None]] = []
        for name in FILTERS:
            values.append(("state", name, None if found is None else found.states.get(name, 0)))
        values += _named("type", self._shown.type, () if found is None else found.types)
        values += _named("session", self._shown.session, () if found is None else found.sessions)
        return values


def _named(kind: Kind, on: str | None, counts: Sequence[tuple[str, int]]) -> list[tuple[Kind, str, int | None]]:
    unknown: list[tuple[Kind, str, int | None]] = (
        [(kind, on, None)] if on is not None and on not in dict(counts) else []
    )
    return [*unknown, *((kind, value, count) for value, count in counts)]
