"""The tool calls of the Rules pane: the list of those in sessions, and the boxes to type one."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static, TextArea
from textual.widgets.text_area import Selection

from core.base.fault import Fault
from tui.actions.action import Acts, Performs
from tui.actions.registry import bindings
from tui.panes.common.list_pane import ListView
from tui.panes.rules.queries import Keys, check_typed, read_keys, read_page
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, inline, title
from tui.render.ranking import draw_call_row
from tui.runtime.jobs import DEBOUNCE, Jobs
from tui.services.db_watch import staying
from tui.widgets.inputs import SearchBox, visible_text
from tui.widgets.row_list import KeyedRows, RowList

if TYPE_CHECKING:
    from core.rules.calls import CallRow, Typed
    from core.rules.matching.call import ToolCall
    from tui.panes.rules.screen import RulesScreen


_TYPED_LANE = "rules-call"


class OwnCall(Performs):
    """What one does with the boxes, and what comes of what they hold."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self.project = ""  # the folder that the call in the boxes was made in; empty: the workbench's own
        self._begun: tuple[str, str] | None = None  # the text before a new call is typed

    def actions(self) -> Acts:
        return {
            "rules.type": self.begin,
            "rules.change": self._change,
            "typed.example": self._screen.calls.typed.next_example,
            "typed.clear": self._clear,
            "typed.other": self._screen.calls.typed.other,
            "typed.keep": self._screen.rank.body.take_focus,
            "typed.back": self.leave,
        }

    def begin(self) -> None:
        """Type a new call. The previous one is selected, so typing replaces it."""
        typed = self._screen.calls.typed
        self._screen.calls.show_box(True)
        self._begun = typed.text
        if typed.blank:
            self.project = ""
            self._check(_BLANK)
        else:
            typed.put(*typed.text, "previous call (typing replaces it)")
        typed.begin()

    def take(self, call: ToolCall, project: str = "") -> None:
        """Type on from this call, made in that project."""
        self.project, self._begun = project, None
        calls = self._screen.calls
        calls.show_box(True)
        calls.typed.put(call.tool_name, _as_json(call))
        calls.take_focus()

    def leave(self) -> None:
        """Back to the list."""
        self._screen.calls.show_box(False)
        self._screen.rank.of_earlier(False)
        self._screen.calls.take_focus()
        self._screen.asking.chosen()

    def changed(self, tool: str, text: str) -> None:
        """Match the typed text as soon as it is a call; the ranking stays until then."""
        if not self._screen.calls.typing:
            return
        if self._begun not in (None, (tool, text)):
            self._begun, self.project = None, ""  # it is no longer the call of that project
        if not tool and not text:
            self._screen.jobs.cancel(_TYPED_LANE)
            self._check(_BLANK)
            return

        def on_parsed(found: Typed, _final: bool) -> None:
            if self._screen.calls.typing and found.wrapped:
                self._parse_payload(found)
            elif self._screen.calls.typing:
                self._check(None)
                self._screen.asking.ask(found.call, self.project)

        self._screen.jobs.run(_TYPED_LANE, check_typed(tool, text), on_parsed, self._check, delay=DEBOUNCE)

    def _change(self) -> None:
        """Take the chosen call into the box."""
        asking = self._screen.asking
        if asking.call is not None:
            self.take(asking.call, asking.project)

    def _clear(self) -> None:
        self.project, self._begun = "", None
        self._screen.calls.typed.put("", "")
        self._screen.calls.typed.begin()

    def _parse_payload(self, typed: Typed) -> None:
        """The call of a payload in the place of the payload; the rules that hold are those of its folder."""
        self.project = typed.folder
        where = f", folder {inline(typed.folder, 60)}" if typed.folder else ""
        self._screen.calls.typed.put(typed.call.tool_name, _as_json(typed.call), f"from a hook payload{where}")
        self._screen.calls.typed.take_focus()

    def _check(self, fault: Fault | None) -> None:
        """Whether what is typed is a call, and else of which one the ranking is."""
        if fault is not None:
            self._screen.asking.begin()
        self._screen.calls.typed.fault(fault)
        self._screen.rank.of_earlier(fault is not None and self._screen.asking.call is not None)


def _as_json(call: ToolCall) -> str:
    return json.dumps(dict(call.tool_input), ensure_ascii=False, indent=1)


_BLANK = Fault(
    "invalid_input", "the call is empty", "type a command, or a tool and its input as JSON, or start from an example"
)


_LONG = 200_000
"""Characters of a text from a call that the box takes; more would make typing slow."""


class JsonArea(TextArea):
    """What is typed and pasted is made inert, so that the visible text is the matched text."""

    takes_pastes: ClassVar[bool] = True

    @dataclass
    class TooLong(Message):
        """So many characters were pasted that the box takes none of them."""

        length: int

    def __init__(self) -> None:
        super().__init__(id="typed-json", soft_wrap=True, tab_behavior="focus", show_line_numbers=False,
                         highlight_cursor_line=False)  # fmt: skip

    def put(self, text: str) -> None:
        """Another text in the place of this one; the cursor goes to its end, and nothing is selected."""
        self.replace(visible_text(text), (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    def select_from_end(self) -> None:
        """Select all of it, and stay at its beginning, where one reads on."""
        self.selection = Selection(self.document.end, (0, 0))

    async def on_paste(self, event: events.Paste) -> None:
        """Textual's own takes whatever comes."""
        event.prevent_default()
        event.stop()
        text = visible_text(event.text.replace("\r", "\n"))
        if len(text) > _LONG:
            self.post_message(self.TooLong(len(text)))
        elif text:
            self.replace(text, *self.selection)


class ToolBox(Input):
    """Takes one line. JSON that is pasted here belongs into the box below."""

    takes_pastes: ClassVar[bool] = True

    @dataclass
    class Json(Message):
        """JSON was pasted."""

        text: str

    def __init__(self) -> None:
        super().__init__(
            placeholder="Tool (Bash, Write, Edit, Task) or a command",
            id="typed-tool",
            select_on_focus=False,
            max_length=20_000,
        )

    def on_paste(self, event: events.Paste) -> None:
        """Textual's own takes the first line, whatever it is."""
        event.prevent_default()
        event.stop()
        if (text := event.text.strip()).startswith("{"):
            self.post_message(self.Json(text))
        elif line := inline(text, 200):
            self.replace(line, *self.selection)


class TypedCall(Vertical):
    """Two boxes, and below them whether what they hold is a call. `Changed` is sent at every key."""

    BINDINGS = bindings("typed")

    @dataclass
    class Changed(Message):
        """The call is another one now, right or not."""

        tool: str
        text: str

    def __init__(self) -> None:
        super().__init__(id="rules-typed")
        self._example = -1
        self._note = ""  # what was made of what was typed
        self._refused = 0  # characters of what was too long for the box
        self._tool = ToolBox()
        self._json = JsonArea()
        self._message = Static(id="typed-message")

    def compose(self) -> ComposeResult:
        yield self._tool
        yield self._json
        yield self._message

    @property
    def text(self) -> tuple[str, str]:
        """What the boxes hold."""
        return self._tool.value, self._json.text

    @property
    def blank(self) -> bool:
        """Whether nothing was typed yet."""
        return not any(self.text)

    def put(self, tool: str, text: str, note: str = "") -> None:
        """Begin with this; `note` says where it is from."""
        self._note = note
        self._refused = len(text) if len(text) > _LONG else 0
        with self.prevent(Input.Changed, TextArea.Changed):
            self._tool.value = title(tool)
            self._tool.cursor_position = len(self._tool.value)
            self._json.put("" if self._refused else text)
        self._changed()

    def next_example(self) -> None:
        from core.rules.calls import EXAMPLES

        self._example = (self._example + 1) % len(EXAMPLES)
        tool, text = EXAMPLES[self._example]
        self.put(tool, text)

    def begin(self) -> None:
        """To the tool, all that is there selected in both boxes: what is typed takes its place."""
        self._tool.select_all()
        self._json.select_from_end()
        self.screen.set_focus(self._tool)

    def other(self) -> None:
        """From the tool to its input, and back."""
        self.screen.set_focus(self._tool if self._json.has_focus else self._json)

    def take_focus(self) -> None:
        """Into the JSON if the tool is named, else to the tool; at once, drawn or not: keys behind are meant for it."""
        self.screen.set_focus(self._json if self._tool.value else self._tool)

    def fault(self, fault: Fault | None) -> None:
        """Say what is wrong; None: it is a call."""
        if self._refused:
            message = f"too long: {self._refused:,} characters (limit {_LONG:,})"
            hint = "  run: casebook rules match --input -"
            self._message.update(Content.assemble((message, "$cb-bad"), (hint, "$cb-dim")))
            return
        if fault is None:
            message = Content.assemble((title(self._note) or "Showing the ranking for this call", "$cb-good"))
        else:
            wrong, _, hint = fault_text(fault).partition(". ")
            message = Content.assemble((f"{wrong}. " if hint else wrong, "$cb-bad"), (hint, "$cb-dim"))
        self._message.update(message)

    def on_json_area_too_long(self, event: JsonArea.TooLong) -> None:
        """It is not cut: what is there stays, and why is said."""
        event.stop()
        self._refused = event.length
        self.fault(None)

    def _changed(self) -> None:
        self.post_message(self.Changed(*self.text))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._note, self._refused = "", 0
        self._changed()

    def on_tool_box_json(self, event: ToolBox.Json) -> None:
        """A whole call, or its input, was pasted as the tool's name."""
        event.stop()
        text = event.text.replace("\r", "\n")
        if len(text) > _LONG:
            self._json.post_message(JsonArea.TooLong(len(text)))
            return
        self._json.put(text)
        self.screen.set_focus(self._json)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._note, self._refused = "", 0
        self._changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self._json)


class CallRows(KeyedRows["CallRow"]):
    """Calls by number over the keys of all. `words` are those that were searched."""

    def __init__(
        self, keys: array[int] | None = None, before: CallRows | None = None, words: tuple[str, ...] = ()
    ) -> None:
        super().__init__(keys, before)
        self.words = words

    def place_of(self, key: int | None, *, near: bool = True) -> int:
        """Return the row of the call; if it is not there, the following one, or the first result, or none (`near`
        false)."""
        if key is None:
            return 0
        at = bisect_left(self.keys, -key, key=lambda one: -one)
        stays = at < self.total and (self.keys[at] == key or (near and not self.words))
        return at if stays else 0


class CallList(ListView):
    """The calls and the box to search them, or what there is to say in their place, or the box to type one in."""

    def __init__(self, jobs: Jobs, signs: Signs, clock: Callable[[], datetime], box: SearchBox) -> None:
        super().__init__(("rules-calls", "rules-call-rows", "rules-call-notice"), self._paint, box=box)
        self._jobs = jobs
        self._signs = signs
        self._clock = clock
        self.typed = TypedCall()
        self.tool = ""  # only calls of this tool
        self.readonly = ""
        self._every = 0  # calls that were searched
        self._whole = True  # whether all of them were
        self._last: int | None = None  # the call that was chosen, while none is listed too
        self._listed = False  # whether calls were listed already
        self._notice: Notice | None = None
        self.sought = "", ""  # the words, and the tool, of which no call is there

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.typed

    @property
    def calls(self) -> CallRows:
        rows = self.rows.rows
        return rows if isinstance(rows, CallRows) else CallRows()

    @property
    def chosen_key(self) -> int | None:
        """The key of the call that the list points at."""
        calls = self.calls
        return calls.keys[self.rows.chosen] if 0 <= self.rows.chosen < calls.total else None

    @property
    def at(self) -> int | None:
        """The call one is at, or was at while none is listed."""
        return self._last if self.chosen_key is None else self.chosen_key

    @at.setter
    def at(self, key: int | None) -> None:
        self._last = key

    @property
    def typing(self) -> bool:
        """Return whether the box replaces the list."""
        return self.has_class("-typing")

    def load(self, done: Callable[[], object], delay: float = 0.0) -> None:
        """Read the keys of the requested calls; `done` is called once they are there, and as they come."""

        def on_page(found: Keys, _final: bool) -> None:
            self.readonly, self._every, self._whole = found.readonly, found.every, found.whole
            before = self.calls
            same = before.total and before.keys == found.keys and before.words == found.words
            if same and self._jobs.busy("rules-page"):
                self._caption()
                done()  # what is being read is what would be read again: whoever writes often must not starve it
                return
            now = CallRows(found.keys, before, found.words)
            top = round(self.rows.scroll_y)
            self._last = self.chosen_key if before.total else self._last
            at = now.place_of(self._last, near=self._listed)
            with staying(self.rows) if before.words == found.words else nullcontext():
                self.rows.renew(now, at, max(0, top + at - self.rows.chosen) if self._listed else 0)
                self.rows.reveal()
            self._listed = True
            self._read(at, at)
            query = self.search.words if found.words and found.every else ""
            self.sought = ("", "") if now.total else (query.strip(), self.tool)
            self._show_notice(None if now.total else _none(self.tool, query, found.every))
            self._caption()
            done()

        work = read_keys(self.tool, self.search.words, self.at)
        self.search.read(work, on_page, self._failed(done), delay)

    def start_search(self, done: Callable[[], object]) -> None:
        """Search for what is typed after a moment of quiet; list all again at once."""
        self.load(done, DEBOUNCE if self.search.words else 0.0)

    def show_search(self) -> None:
        """Show the box, or hide it: there is none while a call is typed."""
        if self.typing:
            self._show_search(on=False)
        else:
            super().show_search()

    def _failed(self, done: Callable[[], object]) -> Callable[[Fault], None]:
        def failed(fault: Fault) -> None:
            self.rows.show(CallRows())
            self.sought = "", ""
            self._show_notice(_none("", "", 0) if fault.code == "not_indexed" else of_fault(fault))
            self._caption()
            done()

        return failed

    def show_box(self, on: bool) -> None:
        """Show the box in the place of the list, or the list again."""
        self.set_class(on, "-typing")
        self.show_search()
        self._show_notice(self._notice)
        self._caption()

    def _show_notice(self, notice: Notice | None) -> None:
        """Show the rows, or a notice instead; neither while the box is shown."""
        self._notice = notice
        if self.typing:
            self.rows.display = self.body.notice.display = False
        else:
            self.body.show_notice(notice)

    def take_focus(self) -> None:
        """To the list, to its notice, or into the box."""
        if self.typing:
            self.typed.take_focus()
        else:
            self.body.take_focus()

    def _caption(self) -> None:
        count, searched = f"{self.calls.total:,}", bool(self.calls.words)
        if searched:
            count += f"{'' if self._whole else '+'} of {self._every:,}"
        about = f"{title(self.tool)} calls" if self.tool else "Tool calls"
        caption = f"{about} {self._signs.dot} {count}"
        self.border_title = Content("Typed call" if self.typing else caption)
        order = "newest import first" if self.calls.total > 1 and not self.typing else ""
        self.border_subtitle = Content("read-only" if self.readonly else order)

    def on_row_list_wanted(self, event: RowList.Wanted) -> None:
        event.stop()
        self._read(event.first, event.last)

    def _read(self, first: int, last: int) -> None:
        words = self.calls.words
        self.read_page(self._jobs, "rules-page", (first, last), lambda at, keys: read_page(at, keys, words))

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        from core.rules.calls import CallRow

        if not isinstance(row, CallRow):
            return Content.styled(f"   {self._signs.unread}", "$cb-faint")
        return draw_call_row(cast("CallRow", row), width, self._signs, self._clock(), chosen=chosen)


def _none(tool: str, query: str, every: int) -> Notice:
    of_all = (("{rules.unfilter}", "show all tools"),) if tool else ()
    if query:
        many = "One call was" if every == 1 else f"{every:,} calls were"
        return Notice(
            "No matching calls",
            f'"{inline(query, 60)}": {many} searched by tool, project, session and input.',
            (("{find.clear}", "show all calls"), *of_all),
        )
    if tool:
        return Notice("No calls of this tool", "No calls match the filter.", of_all)
    return Notice(
        "No tool calls yet",
        "Import agent sessions or type a call.",
        (
            ("{import.begin}", "import agent sessions"),
            ("{rules.type}", "type a call"),
            ("casebook demo", "open a casebook with sample data"),
            ("{pane.errors}", "show the errors"),
        ),
    )
