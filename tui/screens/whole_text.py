"""A long text shown whole: unwrapped lines, drawn as they come onto the screen."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.fault import Fault
from tui.actions import Situation, bindings
from tui.jobs import Job, Jobs
from tui.render.foreign import inline, title
from tui.render.progress import counted
from tui.render.signs import Signs
from tui.widgets.bars import KeyFooter

CHUNK = 400
"""Code points of a line drawn in one row; a longer line goes on in the next row, marked."""

_CHECKED = 8_192


def cut_rows(text: str, check: Callable[[], None] = lambda: None) -> array[int]:
    """Where each row begins: at each line, and every `CHUNK` code points of a long one. Split on newline only."""
    starts = array("q")
    at, size = 0, len(text)
    while at <= size:
        if len(starts) % _CHECKED == 0:
            check()
        starts.append(at)
        end = text.find("\n", at, at + CHUNK + 1)
        at = end + 1 if end >= 0 else at + CHUNK
        if end < 0 and at >= size:
            break
    return starts


class LongText(ScrollView, can_focus=True, inherit_bindings=False):
    """Every character of a text, in rows of one line or a piece of one."""

    BINDINGS = bindings("scroll", "whole")
    COMPONENT_CLASSES: ClassVar[set[str]] = {"long-text--mark"}

    def __init__(self, text: str, signs: Signs) -> None:
        super().__init__(id="whole-text")
        self._text = text
        self._signs = signs
        self.starts = array("q")

    def show(self, starts: array[int]) -> None:
        """Show the rows that begin there."""
        self.starts = starts
        widest = min(CHUNK, len(self._text)) * (1 if self._text.isascii() else 2)
        self.virtual_size = Size(widest + 2, len(starts))
        self.refresh()

    def row(self, at: int) -> tuple[str, bool]:
        """The text of a row, inert, and whether it goes on with the line above."""
        start = self.starts[at]
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self._text)
        continued = start > 0 and self._text[start - 1] != "\n"
        return inline(self._text[start:end].removesuffix("\n").expandtabs(4)), continued

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        base = self.visual_style.rich_style
        if at >= len(self.starts) or width < 3:
            return Strip.blank(max(0, width), base)
        line, continued = self.row(at)
        mark = f"{self._signs.continued} " if continued else "  "
        dim = self.get_visual_style("long-text--mark").rich_style
        strip = Strip([Segment(mark, dim), Segment(line, base)], 2 + cell_len(line))
        left = self.scroll_offset.x
        return strip.crop(left, left + width).adjust_cell_length(width, base)

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        page = max(1, self.size.height - 2)
        steps = {"scroll.down": (0, 1), "scroll.up": (0, -1), "scroll.page_down": (0, page)}
        steps |= {"scroll.page_up": (0, -page), "whole.left": (-20, 0), "whole.right": (20, 0)}
        if action_id in steps:
            x, y = steps[action_id]
            self.scroll_relative(x=x, y=y, animate=False)
        elif action_id == "scroll.first":
            self.scroll_home(animate=False)
        elif action_id == "scroll.last":
            self.scroll_to(y=len(self.starts), animate=False)
        elif action_id == "whole.back":
            self.screen.dismiss()
        else:
            return False
        return True


class WholeText(ModalScreen[None]):
    """Covers the workbench with one long text; Esc goes back."""

    BINDINGS = bindings(only=("app.help",))

    def __init__(self, text: str, heading: str, jobs: Jobs, signs: Signs) -> None:
        super().__init__()
        self._text = text
        self._jobs = jobs
        self._long = LongText(text, signs)
        self._long.border_title = Content(title(heading))
        self._keys = KeyFooter(signs, Situation("whole"))

    def compose(self) -> ComposeResult:
        """The text, and its keys."""
        yield self._long
        yield self._keys

    def on_mount(self) -> None:
        """Find the lines off this thread: there may be millions."""

        def work(job: Job[array[int]]) -> array[int]:
            return cut_rows(self._text, job.check)

        self._jobs.run("whole", work, self._cut, self._failed)
        self._long.focus()

    def on_unmount(self) -> None:
        """Nobody waits for the lines any more."""
        self._jobs.cancel("whole")

    def _cut(self, starts: array[int], _final: bool) -> None:
        self._long.show(starts)
        told = f"{counted(len(self._text), 'character')}, {counted(len(starts), 'row')}"
        self._long.border_subtitle = Content(told)

    def _failed(self, fault: Fault) -> None:
        self._long.border_subtitle = Content(inline(fault.message, 200))
