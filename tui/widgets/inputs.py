"""Boxes to type in: a line that completes paths, a search, a question with its history, a fix of many lines."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, TextArea

from core.text import visible
from tui.actions.registry import bindings
from tui.render.common.untrusted import inline
from tui.runtime.jobs import DEBOUNCE, Job, job_work
from tui.widgets.workbench import workbench


class LineBox(Input):
    """Textual binds Enter above the box: letters that came after it were typed before it did anything."""

    async def on_key(self, event: events.Key) -> None:
        """Enter submits, in its turn."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            await self.action_submit()


_ENTRIES = 20_000
"""Entries of a folder that are looked at for the rest of a path."""
_OFFERED = 40


@dataclass(frozen=True, slots=True)
class Ends:
    """Folders that complete a typed path; `typed` with their common prefix."""

    typed: str
    shared: str
    names: tuple[str, ...] = ()


class Completing:
    """Tab completion for a box with a path; if the completion is unknown, Tab waits, and so do the following keys."""

    def __init__(self, box: Input) -> None:
        self._box = box
        self._ends = Ends("", "")
        self._text: str | None = None  # what was there when Tab was pressed

    @property
    def is_pending(self) -> bool:
        """Return whether Tab waits: then the completion is looked up at once."""
        return self._text is not None

    def complete(self) -> bool:
        """Type what all the offered paths share. False where that is not known yet: it will be done once it is."""
        if self._ends.typed != self._box.value:
            self._text = self._box.value
            workbench(self._box).hold_keys()
            return False
        if self._ends.shared != self._box.value:
            self._box.value = self._ends.shared
            self._box.cursor_position = len(self._box.value)
        return True

    def on_completions(self, ends: Ends) -> None:
        """The completions of a path are known."""
        self._ends = ends
        if self._text is not None:
            text, self._text = self._text, None
            if text == self._box.value == ends.typed:
                self.complete()
            workbench(self._box).let_keys_go()


class PathBox(LineBox):
    """Offer completions of a path; `lane`: in which jobs that is looked up. Without `files` it is a folder, and Tab
    in an empty box leaves it, as Down always does."""

    @dataclass
    class Offered(Message):
        """Show these completions; none while the box is empty."""

        names: tuple[str, ...]

    def __init__(
        self, value: str, lane: str, placeholder: str = "", *, files: bool = True, id: str | None = None
    ) -> None:
        super().__init__(value, placeholder, select_on_focus=False, max_length=4_000, id=id)
        self._lane = lane
        self._files = files
        self._given = value
        self._completing = Completing(self)

    def on_unmount(self) -> None:
        workbench(self).jobs.cancel(self._lane)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look up completions of the path; initial text was not typed."""
        event.stop()
        self._look()

    def _look(self) -> None:
        def on_completions(ends: Ends, _final: bool) -> None:
            self._completing.on_completions(ends)
            self.post_message(self.Offered(ends.names if ends.typed not in ("", self._given) else ()))

        delay = 0.0 if self._completing.is_pending else DEBOUNCE
        work = read_ends(self.value, files=self._files)
        workbench(self).jobs.run(self._lane, work, on_completions, lambda _fault: None, delay=delay)

    async def on_key(self, event: events.Key) -> None:
        """Tab takes its turn, as Enter does: bound above the box it came before letters that were typed first."""
        if event.key == "down" and not self._files:
            event.stop()
            self.screen.focus_next()
        elif event.key == "tab":
            event.stop()
            event.prevent_default()
            if not self.value and not self._files:
                self.screen.focus_next()
            elif not self._completing.complete():
                self._look()


@job_work
def read_ends(job: Job[Any], typed: str, *, files: bool = False) -> Ends:
    """The folders that complete `typed`; hidden ones only where a dot is typed. With `files` those too, and a
    slash behind each folder."""
    before, _, begun = typed.rpartition("/")
    found: list[str] = []
    try:
        folder = Path(f"{before}/" if "/" in typed else ".").expanduser()
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                job.check()
                hidden = entry.name.startswith(".") and not begun.startswith(".")
                if not entry.name.startswith(begun) or hidden or visible(entry.name) != entry.name:
                    continue  # a name with control signs is not put into a box
                if _is_folder(entry):
                    found.append(f"{entry.name}/" if files else entry.name)
                elif files:
                    found.append(entry.name)
                if number > _ENTRIES:
                    break
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a home folder of nobody
        return Ends(typed, typed)
    found.sort()
    stem = f"{before}/" if "/" in typed else ""
    shared = stem + _shared(found[0], found[-1]) if found else typed
    return Ends(typed, shared + "/" if len(found) == 1 and not files else shared, tuple(found[:_OFFERED]))


def _shared(first: str, last: str) -> str:
    """How the first and the last of sorted names begin alike: so do all between them."""
    at = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), None)
    return first[: min(len(first), len(last)) if at is None else at]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


LONG_LINE = 2_000
"""Code points of a line from which lines are not wrapped: wrapping one of 60,000 at each key takes too long."""


class FixArea(TextArea):
    """What is typed and pasted is made inert, so that what one sees is what is saved."""

    takes_pastes = True

    def __init__(self, text: str) -> None:
        clean = visible_text(text)
        super().__init__(
            clean, id="fix-text", soft_wrap=_wraps(clean), tab_behavior="focus", show_line_numbers=False,
            placeholder="Describe the fix in Markdown: steps, commands, reason.", highlight_cursor_line=False,
        )  # fmt: skip

    def put(self, text: str) -> None:
        """Another text in the place of this one; ctrl+z brings this one back."""
        clean = visible_text(text)
        self.soft_wrap = _wraps(clean)
        self.replace(clean, (0, 0), self.document.end)

    async def on_paste(self, event: events.Paste) -> None:
        """Textual's own takes whatever comes."""
        event.prevent_default()
        event.stop()
        if not self.read_only and (text := visible_text(event.text.replace("\r", "\n"))):
            if not _wraps(text):
                self.soft_wrap = False
            self.replace(text, *self.selection)


def visible_text(text: str) -> str:
    """The text as it may be drawn and edited: line ends plain, control signs drawn."""
    return visible(text.replace("\r\n", "\n"))


def _wraps(text: str) -> bool:
    return max(map(len, text.split("\n"))) < LONG_LINE


LONGEST = 2_000


class QuestionBox(Input):
    """`earlier`: the previous questions, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier", "Earlier question", show=False),
        Binding("down", "later", "Later question or the answer", show=False),
    ]

    def __init__(self, question: str) -> None:
        super().__init__(
            question, placeholder="Ask a question", id="ask-box", max_length=LONGEST,
            select_on_focus=False,
        )  # fmt: skip
        self.earlier: tuple[str, ...] = ()
        self._typed = ""
        self._at = -1  # which of the earlier ones is in the box

    def submit(self, question: str) -> None:
        """Add the newest question, and clear the box."""
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
        return self._at if self._at >= 0 and self.value == self._show_history(self._at) else -1

    def _put(self, at: int) -> None:
        self._at = at
        self.value = self._show_history(at)
        self.cursor_position = len(self.value)

    def _show_history(self, at: int) -> str:
        return self._typed if at < 0 else " ".join(visible(self.earlier[at]).split())[:LONGEST]


_MAX_CHARS = 500
"""Cells of a pasted line that the box shows; the query keeps all of the text."""


class SearchBox(Input):
    """`query_text` is the query: the typed text, or the whole pasted text."""

    BINDINGS = bindings("box")

    virtual_size = Reactive(Size(0, 0))
    """Length of the text: Textual's own would lay the whole screen out again at each key."""

    @dataclass
    class QueryChanged(Message):
        """The query changed. `pasted`: it is a text kept whole, of which the box shows one line."""

        text: str
        pasted: bool

    def __init__(self, *, id: str | None = None, placeholder: str = "Type or paste an error") -> None:
        super().__init__(placeholder=placeholder, id=id, select_on_focus=False)
        self._pasted: str | None = None
        self._face = ""

    @property
    def query_text(self) -> str:
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
            self._show(text)
        else:
            self._hold(text, _first_line(text))
        self.post_message(self.QueryChanged(self.query_text, pasted=self._pasted is not None))

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
        self._face = inline(line.strip(), _MAX_CHARS)
        self._pasted = text
        self._show(self._face)

    def _show(self, line: str) -> None:
        """Show a line that was not typed: its start if it is wider than the box, which shows what is at the cursor."""
        self.value = line
        self.cursor_position = 0 if 0 < self.content_size.width <= cell_len(line) else len(line)

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
            self.post_message(self.QueryChanged(text, pasted=True))
        elif not self.value:
            self._show(line)
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
        self.post_message(self.QueryChanged(event.value, pasted=False))


def _as_lines(text: str) -> str:
    """Terminals send line ends as carriage returns."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _first_line(text: str) -> str:
    return next((line for line in text[:100_000].split("\n") if line.strip()), "")
