"""Any rule, by a few letters of its id or title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui.render.common.untrusted import inline
from tui.render.rules.rows import place_of
from tui.runtime.stylesheets import sheet

if TYPE_CHECKING:
    from core.rules.format.rule import Rule

_SHOWN = 200


class PickRule(ModalScreen["Rule | None"]):
    """Ends with the rule, or with None."""

    CSS_PATH = sheet("rules")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
    ]

    def __init__(self, rules: Sequence[Rule] | None, heading: str) -> None:
        """`None`: they are still being read, and shown when they come."""
        super().__init__()
        self._rules = rules
        self._taking = False  # Enter came before the rules did
        self._heading = heading
        self._found: list[Rule] = []
        self._box = Input(placeholder="Letters of its id or title", select_on_focus=False, max_length=200)
        self._lines = OptionList(id="pick-rule-lines")
        self._lines.can_focus = False
        self._frame = Vertical(id="pick-rule")
        self._again = _of_many(rules or ())

    def compose(self) -> ComposeResult:
        """A box to narrow in, and the rules."""
        with self._frame:
            self._frame.border_title = Content(self._heading)
            yield self._box
            yield self._lines

    def on_mount(self) -> None:
        """Type at once."""
        self._list()
        self._box.focus()

    def show(self, rules: Sequence[Rule]) -> None:
        """They are read."""
        if not self.is_attached:
            return
        self._rules, self._again = rules, _of_many(rules)
        self._list()
        if self._taking:
            self._pick(self._lines.highlighted)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow it down."""
        event.stop()
        self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter picks."""
        event.stop()
        self._list()
        self._taking = self._rules is None
        self._pick(self._lines.highlighted)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A rule was clicked."""
        event.stop()
        self._pick(event.option_index)

    def on_click(self, event: events.Click) -> None:
        """A click beside it closes it."""
        if event.widget is self:
            self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Another rule."""
        if self._found:
            self._lines.highlighted = ((self._lines.highlighted or 0) + by) % len(self._found)

    def _pick(self, at: int | None) -> None:
        if at is not None and at < len(self._found):
            self.dismiss(self._found[at])

    def _list(self) -> None:
        words = self._box.value.casefold().split()
        before = self._found
        every = [rule for rule in self._rules or () if _has(rule, words)]
        self._found = every[:_SHOWN]
        self._frame.border_subtitle = Content("reading, esc closes" if self._rules is None else _told(len(every)))
        if self._found == before:
            return
        self._lines.set_options(Option(self._line(one)) for one in self._found)
        self._lines.highlighted = 0 if self._found else None

    def _line(self, rule: Rule) -> Content:
        """Its id and title; where it stands, if another one has its id."""
        place = f"  {place_of(rule.path, rule.line)}" if rule.id in self._again else ""
        return Content.assemble(
            (f"{inline(rule.id, 14)}  ", "bold $cb-accent"), inline(rule.title, 200), (place, "$cb-dim")
        )


def _of_many(rules: Sequence[Rule]) -> frozenset[str]:
    """The ids that several rules have."""
    return frozenset(name for name, count in Counter(rule.id for rule in rules).items() if count > 1)


def _told(count: int) -> str:
    if not count:
        return "no rule has these letters, esc closes"
    more = f"the first {_SHOWN} of {count:,}, " if count > _SHOWN else ""
    return f"{more}enter picks, esc closes"


def _has(rule: Rule, words: Sequence[str]) -> bool:
    said = f"{rule.id} {rule.title}".casefold()
    return all(word in said for word in words)
