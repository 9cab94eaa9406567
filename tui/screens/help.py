"""Help: every action with its keys, those of this place first, and the signs; searchable by name, key and sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.actions.action import Situation
from tui.actions.registry import matching, nearest_first
from tui.render.common.glyphs import Signs
from tui.render.common.help import draw_help, draw_legend, legend
from tui.widgets.scroll_text import Reading

_WIDTH = 78
"""Cells of a line before the first layout."""


class Lines(Static):
    """A text that is drawn anew when it gets another width."""

    def __init__(self, draw: Callable[[], None]) -> None:
        super().__init__()
        self._draw, self._cells = draw, 0

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for this width."""
        if event.size.width != self._cells:
            self._cells = event.size.width
            self._draw()


class HelpScreen(ModalScreen[None]):
    """Type to narrow it down; Esc closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("down", "scroll(2)", ""),
        ("up", "scroll(-2)", ""),
        ("pagedown", "page(1)", ""),
        ("pageup", "page(-1)", ""),
    ]

    def __init__(self, situation: Situation, signs: Signs) -> None:
        super().__init__()
        self._situation = situation
        self._signs = signs
        self._lines = Lines(self._show)
        self._box = Input(placeholder="Type an action, a key or a sign", select_on_focus=False)

    def compose(self) -> ComposeResult:
        """A box to search in, and the table."""
        with Vertical(id="help") as frame:
            frame.border_title = Content("Keys and what they do")
            frame.border_subtitle = Content("esc closes")
            yield self._box
            with Reading(id="help-lines", can_focus=False):
                yield self._lines

    def on_mount(self) -> None:
        """Everything, to begin with."""
        self._show()
        self._box.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow it down."""
        event.stop()
        self._show()

    def action_scroll(self, lines: int) -> None:
        """Scroll the table while the box keeps the focus."""
        self.query_one("#help-lines", Reading).scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by what is seen, less a line to go on from."""
        self.action_scroll(pages * max(1, self.query_one("#help-lines", Reading).size.height - 1))

    def _show(self) -> None:
        text = self._box.value
        found = nearest_first(matching(text, self._signs.keys), self._situation)
        signs = legend(self._signs, text)
        if not found and not signs:
            told = "No action has these words, no key is called so, and it is no sign."
            self._lines.update(Content.styled(told, "$cb-dim"))
            return
        table = draw_help(found, self._situation, self._signs, self._lines.size.width or _WIDTH)
        self._lines.update(Content.assemble(table, "\n" if table else "", draw_legend(signs)))
