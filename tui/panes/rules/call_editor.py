"""A call as one types it: the tool's name and its input as JSON, checked while one types, with examples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

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
from tui.panes.rules.queries import check_typed
from tui.render.common.untrusted import inline, title
from tui.runtime.jobs import DEBOUNCE
from tui.widgets.text_area import as_shown

if TYPE_CHECKING:
    from core.rules.calls import Typed
    from core.rules.matching.call import ToolCall
    from tui.panes.rules.screen import RulesScreen


_LANE = "rules-call"


class OwnCall(Performs):
    """What one does with the boxes, and what comes of what they hold."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self.project = ""  # the folder that the call in the boxes was made in; empty: the workbench's own
        self._begun: tuple[str, str] | None = None  # what stood there when one began anew, until it is another call

    def actions(self) -> Acts:
        """What it does, by the ids of the registry."""
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
        """Type a new call. The one before stands there, selected: what is typed takes its place."""
        typed = self._screen.calls.typed
        self._screen.calls.show_box(True)
        self._begun = typed.text
        if typed.blank:
            self.project = ""
            self._check(_BLANK)
        else:
            typed.put(*typed.text, "the call before: what you type takes its place")
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
        """What is typed is asked as soon as it is a call; the ranking stays until then."""
        if not self._screen.calls.typing:
            return
        if self._begun not in (None, (tool, text)):
            self._begun, self.project = None, ""  # it is no longer the call of that project
        if not tool and not text:
            self._screen.jobs.cancel(_LANE)
            self._check(_BLANK)
            return

        def came(found: Typed, _final: bool) -> None:
            if self._screen.calls.typing and found.wrapped:
                self._take_apart(found)
            elif self._screen.calls.typing:
                self._check(None)
                self._screen.asking.ask(found.call, self.project)

        self._screen.jobs.run(_LANE, check_typed(tool, text), came, self._check, delay=DEBOUNCE)

    def _change(self) -> None:
        """Take the chosen call into the box."""
        asking = self._screen.asking
        if asking.call is not None:
            self.take(asking.call, asking.project)

    def _clear(self) -> None:
        self.project, self._begun = "", None
        self._screen.calls.typed.put("", "")
        self._screen.calls.typed.begin()

    def _take_apart(self, typed: Typed) -> None:
        """The call of a payload in the place of the payload; the rules that hold are those of its folder."""
        self.project = typed.folder
        where = f"; it happened in {inline(typed.folder, 60)}" if typed.folder else ""
        self._screen.calls.typed.put(
            typed.call.tool_name, _as_json(typed.call), f"taken out of a hook's payload{where}"
        )
        self._screen.calls.typed.take_focus()

    def _check(self, fault: Fault | None) -> None:
        """Whether what is typed is a call, and else of which one the ranking is."""
        if fault is not None:
            self._screen.asking.begin()
        self._screen.calls.typed.fault(fault)
        self._screen.rank.of_earlier(fault is not None and self._screen.asking.call is not None)


def _as_json(call: ToolCall) -> str:
    return json.dumps(dict(call.tool_input), ensure_ascii=False, indent=1)


_BLANK = Fault("invalid_input", "type a tool and its input as JSON", "or begin with an example")


_LONG = 200_000
"""Characters of a text from a call that the box takes; more would make typing slow."""


class JsonArea(TextArea):
    """What is typed and pasted is made inert, so that what one sees is what is asked."""

    takes_pastes: ClassVar[bool] = True

    class TooLong(Message):
        """So many characters were pasted that the box takes none of them."""

        def __init__(self, length: int) -> None:
            super().__init__()
            self.length = length

    def __init__(self) -> None:
        super().__init__(id="typed-json", soft_wrap=True, tab_behavior="focus", show_line_numbers=False,
                         highlight_cursor_line=False)  # fmt: skip

    def put(self, text: str) -> None:
        """Another text in the place of this one; the cursor goes to its end, and nothing is selected."""
        self.replace(as_shown(text), (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    def select_from_end(self) -> None:
        """Select all of it, and stay at its beginning, where one reads on."""
        self.selection = Selection(self.document.end, (0, 0))

    async def on_paste(self, event: events.Paste) -> None:
        """Textual's own takes whatever comes."""
        event.prevent_default()
        event.stop()
        text = as_shown(event.text.replace("\r", "\n"))
        if len(text) > _LONG:
            self.post_message(self.TooLong(len(text)))
        elif text:
            self.replace(text, *self.selection)


class ToolBox(Input):
    """Takes one line. JSON that is pasted here belongs into the box below."""

    takes_pastes: ClassVar[bool] = True

    class Json(Message):
        """JSON was pasted."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__(
            placeholder="Tool: Bash, Write, Edit, Task", id="typed-tool", select_on_focus=False, max_length=20_000
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

    class Changed(Message):
        """The call is another one now, right or not."""

        def __init__(self, tool: str, text: str) -> None:
            super().__init__()
            self.tool = tool
            self.text = text

    def __init__(self) -> None:
        super().__init__(id="rules-typed")
        self._example = -1
        self._note = ""  # what was made of what was typed
        self._refused = 0  # characters of what was too long for the box
        self._tool = ToolBox()
        self._json = JsonArea()
        self._told = Static(id="typed-told")

    def compose(self) -> ComposeResult:
        """The tool, its input, what is wrong with them."""
        yield self._tool
        yield self._json
        yield self._told

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
        """Put in the next example."""
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
            told = f"too long: {self._refused:,} characters, at most {_LONG:,} here"
            hint = "  give it to `casebook rules match --input -`"
            self._told.update(Content.assemble((told, "$cb-bad"), (hint, "$cb-dim")))
            return
        if fault is None:
            told = Content.assemble((title(self._note) or "a call: the ranking is its own", "$cb-good"))
        else:
            hint = f"  {fault.hint}" if fault.hint else ""
            told = Content.assemble((title(fault.message), "$cb-bad"), (title(hint), "$cb-dim"))
        self._told.update(told)

    def on_json_area_too_long(self, event: JsonArea.TooLong) -> None:
        """It is not cut: what is there stays, and why is said."""
        event.stop()
        self._refused = event.length
        self.fault(None)

    def _changed(self) -> None:
        self.post_message(self.Changed(*self.text))

    def on_input_changed(self, event: Input.Changed) -> None:
        """The tool's name."""
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
        """Its input."""
        event.stop()
        self._note, self._refused = "", 0
        self._changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: on to the input."""
        event.stop()
        self.screen.set_focus(self._json)
