"""Earlier conversations with the library: words of the first question find one, Enter opens it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from core.base.fault import Fault
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.library.ask import draw_talk
from tui.runtime.stylesheets import sheet
from tui.widgets.row_list import PicksRow, RowList

if TYPE_CHECKING:
    from core.library.ask.store import SessionRow
    from tui.panes.library.ask.ask_process import Answering


@dataclass(frozen=True, slots=True)
class Talks:
    """Conversations as rows."""

    read: tuple[SessionRow, ...] = ()

    @property
    def total(self) -> int:
        """How many."""
        return len(self.read)

    def get(self, index: int) -> SessionRow | None:
        """The one at `index`."""
        return self.read[index] if 0 <= index < len(self.read) else None


class PickTalk(PicksRow, ModalScreen[str | None]):
    """Ends with the name of a conversation, or with None."""

    CSS_PATH = sheet("ask")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
        Binding("pagedown", "move(10)", "A page down", priority=True),
        Binding("pageup", "move(-10)", "A page up", priority=True),
    ]

    def __init__(self, answering: Answering, signs: Signs, now: datetime) -> None:
        super().__init__()
        self._answering = answering
        self._signs = signs
        self._now = now
        self._all: tuple[SessionRow, ...] = ()
        self._box = Input(placeholder="Words of its first question, or its name", select_on_focus=False)
        self.rows = RowList(self._paint, id="talks-rows")
        self.rows.can_focus = False

    def compose(self) -> ComposeResult:
        """A box, and the conversations."""
        with Vertical(id="talks") as frame:
            frame.border_title = Content("Earlier conversations")
            frame.border_subtitle = Content("enter opens it, esc closes")
            yield self._box
            yield self.rows

    def on_mount(self) -> None:
        """Read them."""
        self._box.focus()
        self._answering.talks(self._came, self._failed)

    def _came(self, found: tuple[SessionRow, ...]) -> None:
        self._all = found
        self._show()

    def _failed(self, fault: Fault) -> None:
        if fault.code == "not_indexed":  # there is no casebook yet
            self._show()
        else:
            self._say(inline(fault.message, 200))

    def _say(self, text: str) -> None:
        self.query_one("#talks").border_subtitle = Content(text)

    def _show(self) -> None:
        words = self._box.value.casefold().split()
        found = [one for one in self._all if all(word in f"{one.title} {one.session_id}".casefold() for word in words)]
        self.rows.show(Talks(tuple(found)))
        if not found:
            self._say("none has these words; esc closes" if self._all else "there is none yet; esc closes")
        else:
            self._say(f"{len(found):,}; enter opens it, esc closes")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Only those with these words."""
        event.stop()
        if self._all:
            self._show()

    def pick(self) -> None:
        """End with the chosen row."""
        row = cast("SessionRow | None", self.rows.rows.get(self.rows.chosen))
        if row is not None and self.is_current:
            self.dismiss(row.session_id)

    def _paint(self, row: Hashable | None, width: int, _chosen: bool) -> Content:
        return Content("") if row is None else draw_talk(cast("SessionRow", row), width, self._signs, self._now)
