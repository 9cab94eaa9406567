"""Small screens over another one: a question to confirm, a line to enter, a list with a box to pick from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from core.base.fault import Fault
from tui.render.common.untrusted import inline
from tui.widgets.inputs import LineBox
from tui.widgets.row_list import RowList
from tui.widgets.scroll_text import Reading

T = TypeVar("T")


class Confirm(ModalScreen[bool]):
    """Return whether to do it. `verb`: what Enter does, as in `enter merges`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "Confirm"),
        Binding("escape,q,ctrl+c", "dismiss(False)", "Cancel"),
    ]

    def __init__(self, frame: str, title: str, verb: str, question: Content) -> None:
        super().__init__()
        self._frame = Reading(Static(question), id=frame)
        self._frame.border_title = Content(title)
        self._frame.border_subtitle = Content(f"enter {verb}, esc cancels")

    def compose(self) -> ComposeResult:
        yield self._frame

    def on_mount(self) -> None:
        """What is too long for the screen can be scrolled at once."""
        self._frame.focus()


class Boxed(ModalScreen[T], Generic[T]):
    """A frame with a box that has the focus, and other widgets around it. `frame`: its id."""

    def __init__(self, frame: str, title: str, hint: str, box: Input, *widgets: Widget) -> None:
        super().__init__()
        self._box = box
        self._frame = Vertical(*(widgets if box in widgets else (box, *widgets)), id=frame)
        self._frame.border_title = Content(title)
        self.tell(hint)

    def compose(self) -> ComposeResult:
        yield self._frame

    def on_mount(self) -> None:
        self._box.focus()

    def tell(self, text: str) -> None:
        """Say something in the lower edge of the frame."""
        self._frame.border_subtitle = Content(text)

    def tell_fault(self, fault: Fault) -> None:
        """Say a fault there."""
        self.tell(inline(fault.message, 200))


class AskLine(Boxed["str | None"]):
    """Ends with the line that was entered, with `blank` if that is empty, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss(None)", "Close")]  # in its turn

    def __init__(
        self, frame: str, title: str, hint: str, box: LineBox, *below: Widget, blank: str | None = None
    ) -> None:
        super().__init__(frame, title, hint, box, *below)
        self._blank = blank

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip() or self._blank)


class Picker(Boxed["T | None"], Generic[T]):
    """Ends with what was picked, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
    ]


class RowPicker(Picker[T], Generic[T]):
    """Picks from `rows`, all of which are loaded; `pick` ends with the chosen one."""

    def __init__(self, frame: str, title: str, hint: str, box: Input, rows: RowList) -> None:
        super().__init__(frame, title, hint, box, rows)
        self.rows = rows
        rows.can_focus = False

    def pick(self) -> None:
        """End with the chosen row."""
        raise NotImplementedError

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.pick()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.pick()

    def action_move(self, by: int) -> None:
        self.rows.choose(self.rows.chosen + by)


class LinePicker(Picker[T], Generic[T]):
    """Picks from lines; `take` gets the number of the picked one."""

    def __init__(self, frame: str, title: str, hint: str, box: Input, lines: str, *above: Widget) -> None:
        self._lines = OptionList(id=lines)
        self._lines.can_focus = False
        super().__init__(frame, title, hint, box, *above, box, self._lines)

    def take(self, at: int) -> None:
        """A line was picked."""
        raise NotImplementedError

    def show_lines(self, lines: Iterable[Content], at: int | None = 0) -> None:
        """Show these; the line `at` is the chosen one."""
        self._lines.set_options(Option(line) for line in lines)
        self._lines.highlighted = at if self._lines.option_count else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.take(event.option_index)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)

    def action_move(self, by: int) -> None:
        """One on, going round; a page on, as far as there are lines."""
        if last := self._lines.option_count:
            at = (self._lines.highlighted or 0) + by
            self._lines.highlighted = at % last if abs(by) == 1 else min(max(0, at), last - 1)
