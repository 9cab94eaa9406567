"""Where one can jump to: the parts on the screen that take the focus, each with a letter."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class Target:
    """A part, its letter, and where the letter is drawn."""

    letter: str
    widget: Widget
    at: Offset


def focus_on(widget: Widget | None) -> None:
    """Be there, if it is still there."""
    if widget is not None and widget.is_attached:
        widget.focus()


def targets(screen: Screen[object]) -> tuple[Target, ...]:
    """The parts of this screen that can be seen and take the focus, from left to right, from top to bottom."""
    seen = [widget for widget in screen.focus_chain if widget.region.area and screen.region.overlaps(widget.region)]
    seen.sort(key=lambda widget: (widget.region.y, widget.region.x))
    return tuple(
        Target(letter, widget, Offset(max(0, widget.region.x), max(0, widget.region.y)))
        for letter, widget in zip(LETTERS, seen, strict=False)
    )
