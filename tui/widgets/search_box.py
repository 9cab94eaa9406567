"""The search box: one line to type in, and a paste of many lines kept whole behind its key line."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input

from tui.actions.registry import bindings
from tui.render.common.untrusted import inline

_SHOWN = 500
"""Cells of a pasted line that the box shows; the query keeps all of the text."""


class SearchBox(Input):
    """What is asked for is `asked`: the typed text, or the whole of what was pasted."""

    BINDINGS = bindings("box")

    virtual_size = Reactive(Size(0, 0))
    """How long the text is: Textual's own would lay the whole screen out anew at each key."""

    class Asked(Message):
        """The query changed. `pasted`: it is a text kept whole, of which the box shows one line."""

        def __init__(self, text: str, *, pasted: bool) -> None:
            super().__init__()
            self.text = text
            self.pasted = pasted

    def __init__(self, *, id: str | None = None, placeholder: str = "Type or paste an error") -> None:
        super().__init__(placeholder=placeholder, id=id, select_on_focus=False)
        self._pasted: str | None = None
        self._face = ""

    @property
    def asked(self) -> str:
        """The query: all of a pasted text, else what was typed."""
        return self._pasted if self._pasted is not None else self.value

    @property
    def pasted_lines(self) -> int:
        """How many lines the pasted text has; 0 where the query was typed."""
        return 0 if self._pasted is None else self._pasted.rstrip("\n").count("\n") + 1

    def ask(self, text: str) -> None:
        """Put a query into the box, whole, whatever it holds."""
        if inline(text) == text:
            self._pasted = None
            self.value = text
            self.cursor_position = len(text)
        else:
            self._hold(text, _first_line(text))
        self.post_message(self.Asked(self.asked, pasted=self._pasted is not None))

    def take(self, event: events.Paste) -> None:
        """What was pasted elsewhere becomes the query."""
        event.stop()
        if (text := _as_lines(event.text)).strip():
            self.ask(text.strip("\n"))

    def face(self, line: str) -> None:
        """Show this line of the pasted text: the one that names the error."""
        if self._pasted is not None and line:
            self._hold(self._pasted, line)

    def _hold(self, text: str, line: str) -> None:
        self._face = inline(line.strip(), _SHOWN)
        self._pasted = text
        self.value = self._face
        self.cursor_position = len(self._face)

    def on_paste(self, event: events.Paste) -> None:
        """Textual's own keeps only the first line."""
        event.stop()
        event.prevent_default()
        text = _as_lines(event.text)
        if not text.strip():
            return
        line = text.strip("\n")
        if inline(line) != line:  # several lines, control signs, or too long to be shown
            self._hold(text, _first_line(text))
            self.post_message(self.Asked(text, pasted=True))
        elif self.selection.is_empty:
            self.insert_text_at_cursor(line)
        else:
            self.replace(line, *self.selection)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Typing changes the query; a line that was put there for a pasted text does not."""
        event.stop()
        if event.value != self.value:
            return  # a newer change is on its way
        if self._pasted is not None:
            if event.value == self._face:
                return
            self._pasted = None
        self.post_message(self.Asked(event.value, pasted=False))


def _as_lines(text: str) -> str:
    """Terminals send line ends as carriage returns."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _first_line(text: str) -> str:
    return next((line for line in text[:100_000].split("\n") if line.strip()), "")
