"""The box a fix is written in: several lines, pastes kept whole, and never a control sign on the terminal."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea

from core.text import visible

LONG_LINE = 2_000
"""Code points of a line from which lines are not wrapped: wrapping one of 60,000 at each key takes too long."""


class FixArea(TextArea):
    """What is typed and pasted is made inert, so that what one sees is what is saved."""

    takes_pastes = True

    def __init__(self, text: str) -> None:
        shown = as_shown(text)
        super().__init__(
            shown, id="fix-text", soft_wrap=_wraps(shown), tab_behavior="focus", show_line_numbers=False,
            placeholder="What fixed it? Markdown: steps, commands, why.", highlight_cursor_line=False,
        )  # fmt: skip

    def put(self, text: str) -> None:
        """Another text in the place of this one; ctrl+z brings this one back."""
        shown = as_shown(text)
        self.soft_wrap = _wraps(shown)
        self.replace(shown, (0, 0), self.document.end)

    async def on_paste(self, event: events.Paste) -> None:
        """Textual's own takes whatever comes."""
        event.prevent_default()
        event.stop()
        if not self.read_only and (text := as_shown(event.text.replace("\r", "\n"))):
            if not _wraps(text):
                self.soft_wrap = False
            self.replace(text, *self.selection)


def as_shown(text: str) -> str:
    """The text as it may be drawn and edited: line ends plain, control signs drawn."""
    return visible(text.replace("\r\n", "\n"))


def _wraps(text: str) -> bool:
    return max(map(len, text.split("\n"))) < LONG_LINE
