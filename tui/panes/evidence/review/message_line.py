"""The one fixed line of the review, above the keys: a question, else what was done or refused, else what is ready."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline

_TONES = {"information": "$cb-soft", "warning": "bold $cb-draft", "error": "bold $cb-bad"}


class MessageLine(Static):
    """Always there, so that nothing moves when something is said."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence-line")
        self._signs = signs
        self.said = ""
        self._tone = ""
        self._drawn: object = None

    def tell(self, text: str, severity: str = "information") -> None:
        """Say this until the next decision or move."""
        self.said, self._tone = text, _TONES.get(severity, _TONES["information"])

    def forget(self) -> None:
        """Say nothing any more."""
        self.said = ""

    def draw(self, question: str, offered: str, width: int) -> None:
        """Show what there is to say; the part that is cut is the end of what was done, never the key."""
        now = question, self.said, self._tone, offered, width
        if now == self._drawn:
            return
        self._drawn = now
        room = max(8, width - 2)
        if question:
            told = Content.styled(inline(question, room, more=self._signs.more), "bold $cb-draft")
        else:
            dot = f" {self._signs.dot} " if self.said and offered else ""
            left = max(0, room - len(dot) - Content(offered).cell_length)
            said = inline(self.said, left, more=self._signs.more)
            told = Content.assemble((said, self._tone), (dot, "$cb-dim"), (inline(offered, room), "$cb-good"))
        self.set_class(bool(told.plain), "-on")
        self.update(told)
