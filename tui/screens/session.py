"""A session: its messages around one place, loaded while scrolling, and the strip of all its results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from core.base.fault import Fault
from core.flows.insights.pictures import markdown_of, picture_of_session
from core.flows.insights.report import SessionStrip
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice, draw_notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.session import Line, Marks, draw_line, lines_of, session_name, whole_text
from tui.render.common.untrusted import inline, short_id, title
from tui.render.insights import draw_strip
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneCopied
from tui.widgets.scroll_text import TraceView
from tui.widgets.workbench import KeyFooter, sheet, workbench

if TYPE_CHECKING:
    from core.errors import SourcePage
    from core.errors.cases.source import Judged


PAGE = 30
"""Messages read at a time."""

_ABSENT = Notice(
    "The messages of this session are not in the casebook",
    "A hook recorded the error, or the session was not imported.",
    (("casebook import auto", "import the sessions of your agents"), ("{session.back}", "back")),
)
_UNJUDGED = Notice("No verdict", "This message has no failure or was not harvested.")

MAX_LINES = 8_000
"""Lines kept; those farthest away are dropped and read again when needed."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages read in a row, as lines; `first` and `last` are the ends of the session itself."""

    first: int
    last: int
    agent: str
    project: str
    started: str
    lines: tuple[Line, ...]


@job_work
def read_stretch(
    job: Job[Stretch | None], session: str, index: int, before: int, after: int, width: int, marks: Marks
) -> Stretch | None:
    """Read messages around `index` and lay them out; None if the casebook does not hold the session."""
    from core.errors import messages_around

    page = messages_around(job.store(), session, index, before, after)
    if page is None:
        return None
    lines = lines_of(page.messages, width, marks, job.check)
    return Stretch(page.first, page.last, page.agent, page.project, page.started, lines)


class Transcript(ScrollView, can_focus=True, inherit_bindings=False):
    """The lines on the screen. One message is the chosen one."""

    BINDINGS = bindings("scroll", "session")
    COMPONENT_CLASSES: ClassVar[set[str]] = {"transcript--line", "transcript--chosen"}

    class Moved(Message):
        """Another message is selected, or it was read again."""

    class Missing(Message):
        """The casebook does not hold the messages."""

    class TraceRequested(Message):
        """The trace of the chosen message's verdict is to be shown, or hidden."""

    def __init__(self, jobs: Jobs, session: str, index: int, marks: Marks, signs: Signs) -> None:
        super().__init__(id="transcript")
        self._jobs = jobs
        self._session = session
        self._marks = marks
        self._signs = signs
        self.chosen = index
        self.ends = (0, 0)
        self.lines: tuple[Line, ...] = ()
        self._instead: list[Content] = []
        self._width = 0
        self.border_title = Content(short_id(session))

    # Reading ---------------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Lay the lines out again for the new width, around the selected message."""
        width = self.scrollable_content_region.width - 2
        if width > 0 and width != self._width:
            self._width = width
            self._load(self.chosen)

    def on_unmount(self) -> None:
        self._jobs.cancel("session")

    def _read(self, index: int, before: int, after: int, done: Callable[[Stretch | None, bool], None]) -> None:
        work = read_stretch(self._session, index, before, after, self._width, self._marks)
        self._jobs.run("session", work, done, self._failed)

    def _load(self, index: int, *, back: bool = False) -> None:
        """Read the messages around one again; if it is missing, the next one is chosen, or with `back` the previous."""

        def on_messages(stretch: Stretch | None, _final: bool) -> None:
            if stretch is None:
                self._instead = _wrapped(_ABSENT, self._signs, self._width)
                self.refresh()
                self.post_message(self.Missing())
                return
            self.ends = (stretch.first, stretch.last)
            facts = [session_name(self._session, stretch.started, stretch.project), title(stretch.agent)]
            self.border_title = Content(f" {self._signs.dot} ".join(part for part in facts if part))
            self._put(stretch.lines)
            if stretch.lines:
                self.choose(_present(stretch.lines, index, back=back))

        self._read(index, PAGE, PAGE, on_messages)

    def _go_on(self) -> None:
        """Read what is about to come onto the screen: earlier messages above, later ones below."""
        if not self.lines or self._jobs.busy("session"):
            return
        height = max(1, self.size.height)
        top = round(self.scroll_y)
        first, last = self.lines[0].index, self.lines[-1].index
        if top < height and first > self.ends[0]:
            self._read(first - 1, PAGE, 0, self._earlier)
        elif top + 2 * height > len(self.lines) and last < self.ends[1]:
            self._read(last + 1, 0, PAGE, self._later)

    def _earlier(self, stretch: Stretch | None, _final: bool) -> None:
        if stretch is None or not stretch.lines:
            return
        top = round(self.scroll_y) + len(stretch.lines)
        self._put(_whole_messages((*stretch.lines, *self.lines)[: MAX_LINES + len(stretch.lines)], end=True))
        self.scroll_to(y=top, animate=False, force=True)

    def _later(self, stretch: Stretch | None, _final: bool) -> None:
        if stretch is None or not stretch.lines:
            return
        lines = (*self.lines, *stretch.lines)
        visible = _whole_messages(lines[-(MAX_LINES + len(stretch.lines)) :], end=False)
        top = round(self.scroll_y) - (len(lines) - len(visible))
        self._put(visible)
        self.scroll_to(y=max(0, top), animate=False, force=True)

    def _put(self, lines: tuple[Line, ...]) -> None:
        self.lines = lines
        self.virtual_size = Size(0, len(lines))
        self._caption()
        self.refresh()

    def _failed(self, fault: Fault) -> None:
        self.border_subtitle = Content(inline(fault.message, 200))

    def _caption(self) -> None:
        self.border_subtitle = Content(
            f"message {self.chosen:,} {self._signs.dot} {counted(self.ends[1] - self.ends[0] + 1, 'message')}"
        )
        self.post_message(self.Moved())

    @property
    def judged(self) -> Judged | None:
        """The verdict on the chosen message, if it is a result with a sign of failure."""
        own = (line.judged for line in self.lines if line.index == self.chosen and line.kind == "head")
        return next(own, None)

    # Moving ----------------------------------------------------------------------------------------------------------

    def choose(self, index: int) -> None:
        """Select a message and bring its highlight into the upper third of the screen."""
        index = min(max(index, self.ends[0]), self.ends[1])
        own = [at for at, line in enumerate(self.lines) if line.index == index]
        if not own:
            back, self.chosen = index < self.chosen, index
            self._load(index, back=back)
            return
        self.chosen = index
        height = max(1, self.size.height)
        match = next((at for at in own if self.lines[at].highlight is not None), own[0])
        above = height // 4  # the context before it is visible too
        y = own[0] - above if match - own[0] < height // 2 else match - height // 3
        self.scroll_to(y=max(0, y), animate=False, force=True)
        self._caption()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The chosen message is one that is on the screen; what comes next is read in time."""
        super().watch_scroll_y(old_value, new_value)
        top = round(new_value)
        seen = self.lines[top : top + max(1, self.size.height)]
        if seen and all(line.index != self.chosen for line in seen):
            self.chosen = next((line.index for line in seen if line.kind == "head"), seen[0].index)
            self._caption()
        self._go_on()

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        page = max(1, self.size.height - 2)
        steps = {"scroll.down": 1, "scroll.up": -1, "scroll.page_down": page, "scroll.page_up": -page}
        acts: dict[str, Callable[[], object]] = {
            "scroll.first": lambda: self.choose(self.ends[0]),
            "scroll.last": lambda: self.choose(self.ends[1]),
            "session.next": lambda: self.choose(self.chosen + 1),
            "session.previous": lambda: self.choose(self.chosen - 1),
            "session.next_mark": lambda: self._to_mark(1),
            "session.previous_mark": lambda: self._to_mark(-1),
            "session.whole": lambda: self._with_text(self._show_whole),
            "session.copy": lambda: self._with_text(self._copy),
            "session.why": lambda: self.post_message(self.TraceRequested()),
            "session.strip": self._show_strip,
            "session.back": self.screen.dismiss,
        }
        if action_id in steps:
            self.scroll_relative(y=steps[action_id], animate=False)
        elif act := acts.get(action_id):
            act()
        else:
            return False
        return True

    def _to_mark(self, by: int) -> None:
        ahead = [index for index in self._marks.indexes if (index - self.chosen) * by > 0]
        if ahead:
            self.choose(min(ahead) if by > 0 else max(ahead))
        else:
            workbench(self).say(f"No {'later' if by > 0 else 'earlier'} error or fix is marked.")

    def _with_text(self, use: Callable[[int, str], None]) -> None:
        """Read the whole chosen message; only what is on the screen is in memory. `use` gets its number and text."""
        index = self.chosen

        def work(job: Job[str]) -> str:
            from core.errors import messages_around

            page: SourcePage | None = messages_around(job.store(), self._session, index, 0, 0)
            return whole_text(page.messages[0]) if page is not None and page.messages else ""

        self._jobs.run("message", work, lambda text, _final: use(index, text), self._failed)

    def _copy(self, index: int, text: str) -> None:
        self.app.post_message(PaneCopied(f"message {index}", text))

    def _show_strip(self) -> None:
        self.app.push_screen(StripScreen(self._jobs, self._session, self._signs, datetime.now, self.chosen))

    def _show_whole(self, index: int, text: str) -> None:
        from tui.screens.pager import WholeText

        if not self.is_attached or self.app.screen is not self.screen:
            return  # the person went on
        start, end = self._marks.errors.get(index, (None, None))
        highlights = () if start is None or end is None else ((start, end),)
        self.app.push_screen(WholeText(text, f"Message {index}", self._jobs, self._signs, highlights))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        base = self.get_visual_style("transcript--line")
        if at >= len(self.lines or self._instead) or width < 2:
            return Strip.blank(max(0, width), base.rich_style)
        if self.lines:
            line = self.lines[at]
            chosen = line.index == self.chosen
            if chosen and line.kind == "head":
                base = self.get_visual_style("transcript--chosen")
            content = draw_line(line, width, self._signs, chosen=chosen and line.kind != "gap")
        else:
            content = self._instead[at]
        pieces = content.render(base, end="", parse_style=self.app.stylesheet.parse_style)
        segments = [Segment(text, style.rich_style) for text, style in pieces]
        return Strip(segments).adjust_cell_length(width, base.rich_style)


def _wrapped(notice: Notice, signs: Signs, width: int) -> list[Content]:
    lines = draw_notice(notice, signs, width).split("\n", allow_blank=True)
    return [part.pad_left(1) for line in lines for part in (line.wrap(width) if line.plain else [line])]


def _present(lines: tuple[Line, ...], index: int, *, back: bool) -> int:
    """The message `index` if it is there, else the next one in this direction, else the nearest: a casebook that was
    salvaged lacks some."""
    there = {line.index for line in lines}
    ahead = [one for one in there if (one <= index if back else one >= index)]
    if ahead:
        return max(ahead) if back else min(ahead)
    return min(there) if back else max(there)


def _whole_messages(lines: tuple[Line, ...], *, end: bool) -> tuple[Line, ...]:
    """Return the messages without one that is cut at the far end, so that reading continues at its beginning."""
    if len(lines) <= MAX_LINES:
        return lines
    if end:
        last = next((at for at in range(len(lines) - 1, 0, -1) if lines[at].kind == "gap"), len(lines) - 1)
        return lines[: last + 1]
    first = next((at for at, line in enumerate(lines) if line.kind == "head"), 0)
    return lines[first:]


class SessionScreen(ModalScreen[None]):
    """Covers the workbench with one session; Esc goes back to the case as it was."""

    CSS_PATH = sheet("session")
    BINDINGS = bindings(only=("app.help",))

    def __init__(self, jobs: Jobs, session: str, index: int, marks: Marks, signs: Signs) -> None:
        super().__init__()
        self._transcript = Transcript(jobs, session, index, marks, signs)
        self._keys = KeyFooter(signs, Situation("session"))
        self.why = TraceView(signs, id="session-why", nothing=_UNJUDGED)
        self.why.can_focus = False

    def compose(self) -> ComposeResult:
        """The transcript, the trace of a verdict on demand, and the keys."""
        yield self._transcript
        yield self.why
        yield self._keys

    def situation(self) -> Situation:
        """What is possible here: nothing but to leave, if there are no messages."""
        return self._keys.situation

    def on_transcript_missing(self) -> None:
        self._keys.situation = Situation("session", nothing=f"{_ABSENT.what}.")

    def on_transcript_trace_requested(self) -> None:
        self.why.display = not self.why.display
        self._explain()

    def on_transcript_moved(self) -> None:
        self._explain()

    def _explain(self) -> None:
        if self.why.display:
            judged = self._transcript.judged
            self.why.explain(() if judged is None else judged.steps())

    def on_mount(self) -> None:
        self.why.display = False
        self._transcript.focus()


_LANE = "strip"
_EDGES = 4
_SHARE = 3
"""The strip has this part of the screen's height at most."""


@job_work
def read_strip(job: Job[SessionStrip], session: str) -> SessionStrip:
    from core.flows.insights.strip import session_strip

    return session_strip(job.store(), session)


class StripScreen(Performs, ModalScreen[None]):
    """Covers the workbench with a session's strip; Esc goes back."""

    CSS_PATH = sheet("session")
    BINDINGS = bindings("strip", only=("app.help",))

    def __init__(
        self, jobs: Jobs, session: str, signs: Signs, clock: Callable[[], datetime], message: int | None = None
    ) -> None:
        super().__init__()
        self._jobs, self._session, self._signs, self._clock = jobs, session, signs, clock
        self._message = message
        self.found: SessionStrip | None = None
        self.chosen = 0
        self._words = Static(Content("Loading…"), id="strip-words")
        self._frame = VerticalScroll(self._words, id="strip")
        self._frame.can_focus = False
        self._keys = KeyFooter(signs, Situation("strip"))

    def compose(self) -> ComposeResult:
        yield self._frame
        yield self._keys

    def on_mount(self) -> None:
        self._jobs.run(_LANE, read_strip(self._session), self._on_strip, self._failed)

    def on_unmount(self) -> None:
        self._jobs.cancel(_LANE)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def situation(self) -> Situation:
        return Situation("strip")

    def _on_strip(self, found: SessionStrip, _final: bool) -> None:
        self.found = found
        started = self._message
        failed = (at for at, cell in enumerate(found.cells) if cell.mark == "failed")
        here = (at for at, cell in enumerate(found.cells) if started is not None and cell.message >= started)
        self.chosen = next(failed if started is None else here, 0)
        name = session_name(found.session, found.started, found.project)
        self._frame.border_title = Content(f" {self._signs.dot} ".join((name, inline(found.agent, 20))))
        self._draw()

    def _failed(self, fault: Fault) -> None:
        self._words.update(Content(inline(of_fault(fault).why or fault.message, 400)))

    def _draw(self) -> None:
        if self.found is None or not self.is_attached:
            return
        width = max(10, self.size.width - _EDGES)
        self._words.update(draw_strip(self.found, self.chosen, width, self.size.height // _SHARE, self._signs))

    def actions(self) -> Acts:
        return {
            "strip.next": lambda: self._choose(self.chosen + 1),
            "strip.previous": lambda: self._choose(self.chosen - 1),
            "strip.next_failed": lambda: self._to_failed(1),
            "strip.previous_failed": lambda: self._to_failed(-1),
            "strip.first": lambda: self._choose(0),
            "strip.last": lambda: self._choose(len(self.found.cells) if self.found is not None else 0),
            "strip.open": self._open,
            "strip.picture": self._save_picture,
            "strip.copy": self._copy,
            "strip.back": self.dismiss,
        }

    def _choose(self, at: int) -> None:
        if self.found is not None:
            self.chosen = max(0, min(at, len(self.found.cells) - 1))
            self._draw()

    def _to_failed(self, by: int) -> None:
        if self.found is None:
            return
        failed = [at for at, cell in enumerate(self.found.cells) if cell.mark == "failed"]
        ahead = [at for at in failed if (at - self.chosen) * by > 0]
        if ahead:
            self._choose(min(ahead) if by > 0 else max(ahead))

    def _open(self) -> None:
        """The session at the chosen result."""
        if self.found is not None and self.found.cells:
            at = self.found.cells[self.chosen].message
            self.app.push_screen(SessionScreen(self._jobs, self.found.session, at, Marks(), self._signs))

    def _copy(self) -> None:
        if self.found is not None:
            self.app.post_message(PaneCopied("strip", markdown_of(picture_of_session(self.found))))

    def _save_picture(self) -> None:
        from tui.screens.export import ask_picture

        if self.found is not None:
            ask_picture(self, picture_of_session(self.found), "session", self._clock(), self._jobs)
