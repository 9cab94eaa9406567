"""A call of one's own: begun anew, taken on from another one, checked at every key, left."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.base.fault import Fault
from tui.panes.rules.queries import check_typed
from tui.render.common.untrusted import inline
from tui.runtime.jobs import DEBOUNCE

if TYPE_CHECKING:
    from core.rules.calls.parse import Typed
    from core.rules.matching.call import ToolCall
    from tui.panes.rules.screen import RulesScreen

_LANE = "rules-call"


class OwnCall:
    """What one does with the boxes, and what comes of what they hold."""

    def __init__(self, screen: RulesScreen) -> None:
        self._screen = screen
        self.project = ""  # the folder that the call in the boxes was made in; empty: the workbench's own
        self._begun: tuple[str, str] | None = None  # what stood there when one began anew, until it is another call

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[], object]] = {
            "rules.type": self.begin,
            "rules.change": self._change,
            "typed.example": self._screen.calls.typed.next_example,
            "typed.clear": self._clear,
            "typed.other": self._screen.calls.typed.other,
            "typed.keep": self._screen.rank.place.take_focus,
            "typed.back": self.leave,
        }
        if (act := acts.get(action_id)) is None:
            return False
        act()
        self._screen.changed()
        return True

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
