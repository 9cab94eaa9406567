"""The case in the middle: its state, the fix, the steps, the error as it was seen, where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.actions import bindings
from tui.panes.errors.queries import Read
from tui.render import case as draw
from tui.render.case import Fix, Raw
from tui.render.foreign import BLOCK
from tui.render.signs import Signs
from tui.render.states import draw_notice, no_case
from tui.widgets.reading import Reading

if TYPE_CHECKING:
    from core.errors import Hit

PREVIEW = 8_192
"""Code points of the raw error drawn while a case is only pointed at: wrapping a long one takes more than a frame."""

_STATUSES = ("verified", "draft", "unresolved", "rejected")


class Block(Static):
    """One part of a case under its own heading; hidden while it has nothing to say."""

    def __init__(self, name: str, heading: str = "") -> None:
        super().__init__(id=f"case-{name}", classes="block")
        if heading:
            self.border_title = Content(f" {heading} ")

    def say(self, content: Content) -> None:
        """Show this, or hide the block if it is empty."""
        self.display = bool(content.plain)
        self.update(content)


class CaseView(Reading):
    """Shows one case, or that none is chosen."""

    BINDINGS = bindings("case")

    def __init__(self, signs: Signs, clock: Callable[[], datetime]) -> None:
        super().__init__(id="case")
        self._signs = signs
        self._clock = clock
        self.read: Read | None = None
        self.fix: Fix | None = None
        self.raw: Raw = Raw("")
        self._drawn = PREVIEW
        self.border_title = Content("Case")
        self._head, self._fix = Block("head"), Block("fix", "Fix")
        self._steps, self._raw = Block("steps", "Steps"), Block("raw", "Error as it was seen")
        self._source, self._history = Block("source", "Where from"), Block("history", "Other fixes")

    def compose(self) -> ComposeResult:
        """The blocks, the most wanted first."""
        yield from (self._head, self._fix, self._steps, self._raw, self._history, self._source)

    def on_mount(self) -> None:
        """No case is chosen yet."""
        self.clear()

    def clear(self) -> None:
        """Show that no case is chosen."""
        self.read, self.fix, self.raw = None, None, Raw("")
        self._head.say(draw_notice(no_case()))
        for part in (self._fix, self._steps, self._raw, self._source, self._history):
            part.say(Content(""))
        self.border_subtitle = Content("")

    def show(self, read: Read, hit: Hit | None) -> None:
        """Show a case; for a hit, with the fix that the search answers with and how it matched."""
        moved = self.read is None or self.read.case.id != read.case.id
        case, signs, now = read.case, self._signs, self._clock()
        self.read, self.fix, self.raw = read, draw.fix_of(case, hit), _raw_of(read)
        self._head.say(draw.draw_head(case, hit, signs, now))
        self._fix.border_title = draw.fix_title(self.fix, signs)
        self._fix.say(draw.draw_fix(self.fix, signs))
        status = "unresolved" if self.fix is None else self.fix.status
        for name in _STATUSES:
            self._fix.set_class(name == status, f"-{name}")
        self._steps.say(draw.draw_steps(self.fix.tools if self.fix else (), signs))
        self._draw_raw(BLOCK if self.has_focus else PREVIEW)
        self._source.say(draw.draw_source(case, self.fix, signs))
        self._history.say(draw.draw_history(case.resolutions, signs, now))
        self.border_subtitle = Content(f"#{case.id}")
        if moved:
            self.scroll_home(animate=False)

    @property
    def clipped(self) -> bool:
        """Whether some of the raw error is not shown."""
        return draw.is_clipped(self.raw, self._drawn)

    def on_focus(self) -> None:
        """Someone reads it: show more of a long error."""
        if self.read is not None and self.clipped and self._drawn < BLOCK:
            self._draw_raw(BLOCK)

    def _draw_raw(self, limit: int) -> None:
        self._drawn = limit
        self._raw.say(draw.draw_raw(self.raw, self._signs, limit=limit))


def _raw_of(read: Read) -> Raw:
    """The raw text of the last time, with the key line's span; else what the case itself keeps."""
    if read.latest is not None and read.latest.raw:
        return Raw(read.latest.raw, read.latest.start, read.latest.end)
    return Raw(read.case.error_raw or "\n".join(read.case.key_lines))
