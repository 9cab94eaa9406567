"""The box for a fix, and the box for a question with its history."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Input, TextArea

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


LONGEST = 2_000


class QuestionBox(Input):
    """`earlier`: what was asked of this casebook, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier", "An earlier question", show=False),
        Binding("down", "later", "A later question; to the answer", show=False),
    ]

    def __init__(self, question: str) -> None:
        super().__init__(
            question, placeholder="Ask in whole words; Enter asks", id="ask-box", max_length=LONGEST,
            select_on_focus=False,
        )  # fmt: skip
        self.earlier: tuple[str, ...] = ()
        self._typed = ""
        self._at = -1  # which of the earlier ones is in the box

    def asked(self, question: str) -> None:
        """This one was asked now: it is the newest, and the box is free."""
        self.earlier = (question, *(one for one in self.earlier if one != question))
        self._at = -1
        self.value = ""

    def action_earlier(self) -> None:
        """The question before; of the first one Up stays there."""
        at = self._place
        if at < 0:
            self._typed = self.value
        if at + 1 < len(self.earlier):
            self._put(at + 1)

    async def action_later(self) -> None:
        """The question after, then what was being typed; from there on to the answer."""
        if (at := self._place) < 0:
            await self.run_action("screen.read")
        else:
            self._put(at - 1)

    @property
    def _place(self) -> int:
        """Which of the earlier ones is in the box; -1 for none, also where it was changed since."""
        return self._at if self._at >= 0 and self.value == self._shown(self._at) else -1

    def _put(self, at: int) -> None:
        self._at = at
        self.value = self._shown(at)
        self.cursor_position = len(self.value)

    def _shown(self, at: int) -> str:
        return self._typed if at < 0 else " ".join(visible(self.earlier[at]).split())[:LONGEST]
