"""A filter menu: every value one can filter by, with how many it shows; typing narrows it down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList

from tui.render.common.glyphs import Signs
from tui.runtime.jobs import Job, Jobs
from tui.widgets.dialogs import LinePicker
from tui.widgets.inputs import LineBox

Value = tuple[str, str, int | None]
"""A kind of filter, a value of it, and how many it shows where that is known."""
_MAX_CHOICES = 300
_HELP = "enter selects, tab selects more, esc closes"
_NONE = "no matches, esc closes"


class Filters(Protocol):
    """What is picked: one value of each kind."""

    def toggled(self, kind: Any, value: str) -> Self:
        """With this on in the place of another of its kind; or off, if it was on."""
        ...


F = TypeVar("F", bound=Filters)
C = TypeVar("C")


class Choices(ABC, Generic[F, C]):
    """What a list can be filtered by. A pane says which values there are, how one is drawn and counted.

    `picked`: the filters as they are, which `apply` is given whenever they change; `found`: what was counted.
    """

    HINT: ClassVar[str]
    """What to type, shown in the empty box."""
    LANE: ClassVar[str]
    """The lane of jobs in which is counted."""

    def __init__(self, picked: F, signs: Signs, apply: Callable[[F], object]) -> None:
        self.picked = picked
        self.signs = signs
        self._apply = apply
        self.found: C | None = None
        self._last: tuple[str, str] | None = None  # what was turned on or off last: Enter leaves it so

    @abstractmethod
    def values(self) -> Sequence[Value]:
        """Every value with its count, where that is known; what is on is always among them."""

    @abstractmethod
    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """One line of the menu."""

    def hint(self, kind: str, value: str) -> str:
        """What else can be done with a value; blank for the keys of the menu."""
        return ""

    @abstractmethod
    def count(self) -> Callable[[Job[Any]], C]:
        """Counts what each value shows."""

    def words(self, kind: str, value: str) -> str:
        """What is typed is looked for in this."""
        return f"{kind} {value}"

    def settled(self, kind: str, value: str) -> bool:
        """Whether a value is as it is to be where it is confirmed: what was just turned stays so."""
        return (kind, value) == self._last

    def pick(self, kind: str, value: str, *, close: bool) -> None:
        """Turn a value on, or off again, and apply that; `close` where it is confirmed."""
        if close and self.settled(kind, value):
            return
        self._last = (kind, value)
        self.picked = self.picked.toggled(kind, value)
        self._apply(self.picked)

    def counted(self, found: C) -> None:
        self.found = found


class FilterScreen(LinePicker[None]):
    """Each pick is applied at once, so that the list behind shows what it does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "pick(False)", "Select and stay"),  # no priority: what was typed before it counts first
    ]

    def __init__(self, choices: Choices[Any, Any], jobs: Jobs) -> None:
        box = LineBox(placeholder=choices.HINT, select_on_focus=False, max_length=200)
        super().__init__("filter", "Filter", _HELP, box, "filter-lines")
        self._all = choices
        self._jobs = jobs
        self._choices: list[tuple[str, str]] = []
        self._typed: list[str] = []  # the words that the lines were narrowed down by

    def on_mount(self) -> None:
        """What is always there at once; the rest and the counts when they are read."""
        self._list()
        super().on_mount()
        self._count()

    def on_unmount(self) -> None:
        self._jobs.cancel(self._all.LANE)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_pick(True)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self._choices):
            self.tell(self._all.hint(*self._choices[event.option_index]) or _HELP)

    def take(self, at: int) -> None:
        self._pick(at, close=False)

    def action_pick(self, close: bool) -> None:
        """Turn the value on, or off again."""
        self._list()
        if self._lines.highlighted is not None:
            self._pick(self._lines.highlighted, close=close)

    def _pick(self, at: int, *, close: bool) -> None:
        self._all.pick(*self._choices[at], close=close)
        if close:
            self.dismiss()
            return
        self._list()
        self._count()

    def _count(self) -> None:
        self._jobs.run(self._all.LANE, self._all.count(), self._counted, self.tell_fault)

    def _counted(self, found: object, _final: bool) -> None:
        self._all.counted(found)
        self._list()

    def _list(self) -> None:
        at = self._lines.highlighted or 0
        was = self._choices[at] if at < len(self._choices) else None
        typed = self._box.value.casefold().split()
        found = _narrowed(self._all, typed)[:_MAX_CHOICES]
        self._choices = [(kind, value) for kind, value, _ in found]
        stays = not typed or (typed == self._typed and was is not None and (at > 0 or self._all.settled(*was)))
        self._typed = typed
        chosen = self._choices.index(was) if was in self._choices and stays else 0
        self.show_lines((self._all.draw(*one) for one in found), chosen)
        self.tell(_HELP if found else _NONE)


def _narrowed(choices: Choices[Any, Any], typed: Sequence[str]) -> list[Value]:
    """The values that contain all of these words. Values that show something and contain them as whole words come
    first: `ko` is a language before it is a part of a path."""
    found = [(choices.words(one[0], one[1]).casefold(), one) for one in choices.values()]
    found = [(text.split() if one[2] else (), one) for text, one in found if all(word in text for word in typed)]
    return [one for _, one in sorted(found, key=lambda row: -sum(word in row[0] for word in typed))]
