"""Jump: a letter on every part of the screen that takes the focus, and on the panes; press it and be there."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Offset, Region, Size
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from tui.widgets.bars import TopBar

LETTERS = "asdfghjklqwertyuiopzxc"
TABS = "vbnm"
"""The panes have the same letters wherever one is."""
_WIDTH = 3
_NO_FRAME = ("", "none", "hidden", "blank")


@dataclass(frozen=True, slots=True)
class Target:
    """A part, its letter, and where the letter is drawn; for a pane of the first line the action that goes there."""

    letter: str
    widget: Widget
    at: Offset
    action: str = ""


class JumpScreen(ModalScreen[Target | None]):
    """Ends with the target whose letter was pressed or clicked, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Stay here")]

    def __init__(self, targets: tuple[Target, ...]) -> None:
        super().__init__()
        self._targets = {target.letter: target for target in targets}
        self._laid_out: Size | None = None  # the screen that the letters were placed on

    def compose(self) -> ComposeResult:
        """The letters, each where its part begins."""
        for target in self._targets.values():
            label = Static(Content(f" {target.letter} "), id=f"jump-{target.letter}", classes="jump--letter")
            label.styles.offset = (target.at.x, target.at.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """A letter jumps; any other key stays."""
        if event.key == "escape" or event.character is None:
            return
        event.stop()
        event.prevent_default()
        self.dismiss(self._targets.get(event.character.lower()))

    def on_click(self, event: events.Click) -> None:
        """A click on a letter does the same."""
        name = (event.widget.id or "") if event.widget is not None else ""
        self.dismiss(self._targets.get(name.removeprefix("jump-")))

    def on_resize(self, event: events.Resize) -> None:
        """The parts are somewhere else now."""
        if self._laid_out not in (None, event.size):
            self.dismiss(None)
        self._laid_out = event.size

    def action_leave(self) -> None:
        """Stay where one was."""
        self.dismiss(None)


async def focus_on(target: Target | None) -> None:
    """Be there, if it is still there."""
    if target is None or not target.widget.is_attached:
        return
    if target.action:
        await target.widget.run_action(f"app.perform('{target.action}')")
    else:
        target.widget.focus()


def targets(screen: Screen[object]) -> tuple[Target, ...]:
    """The parts of this screen that can be seen and take the focus, from left to right, from top to bottom; then the
    panes. No letter covers what a row or a text begins with."""
    places: dict[Offset, Widget] = {}
    for widget in screen.focus_chain:
        if (seen := _seen(screen, widget)).area:
            places[_place(widget, seen, places)] = widget
    ordered = sorted(places, key=lambda at: (at.y, at.x))
    parts = (Target(letter, places[at], at) for letter, at in zip(LETTERS, ordered, strict=False))
    return (*parts, *_panes(screen.query(TopBar)))


def _seen(screen: Screen[object], widget: Widget) -> Region:
    """What can be seen of a part: nothing of one that is not laid out yet."""
    try:
        return screen.find_widget(widget).visible_region
    except NoWidget:
        return Region()


def _panes(bars: Iterable[TopBar]) -> Iterable[Target]:
    for bar in bars:
        if bar.display:
            for letter, (x, action) in zip(TABS, bar.tab_places, strict=False):
                yield Target(letter, bar, bar.region.offset + Offset(x, 0), action)


def _place(widget: Widget, seen: Region, taken: Container[Offset]) -> Offset:
    """Where a part's letter stands: in the corner of its frame, or of the one around it; else at the right."""
    for part in widget.ancestors_with_self:
        if isinstance(part, Widget) and part.styles.border_top[0] not in _NO_FRAME:
            corner = part.region.offset
            scrolled_off = part is widget and corner.y < seen.y
            if corner.y >= 0 and corner not in taken and not scrolled_off:
                return corner
            break
    return Offset(max(seen.x, seen.right - _WIDTH), seen.y)
