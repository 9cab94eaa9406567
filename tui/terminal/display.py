"""Corrections to how Textual draws: equal toasts do not stack, a double-width character is never split."""

from __future__ import annotations

from bisect import bisect_left

from rich.console import RenderableType
from textual._compositor import ChopsUpdate
from textual.app import App
from textual.notifications import Notify
from textual.screen import Screen


class OneToast(App[None], inherit_bindings=False):
    """An app whose equal toasts do not stack, whoever raises them."""

    def _on_notify(self, event: Notify) -> None:
        new = event.notification
        for old in list(self._notifications):
            if (old.message, old.severity) == (new.message, new.severity):
                self._unnotify(old, refresh=False)
        super()._on_notify(event)


class WholeLetters(App[None], inherit_bindings=False):
    """An app that draws a widget's part of a line to its end.

    Textual stops where the changed region ends, and puts a blank for the half of a wide letter there, which the
    terminal then lacks. Such a region may be left of a layout before, in which the widget was narrower."""

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, ChopsUpdate):
            ends = renderable.chop_ends
            renderable.spans = [(y, start, _end(ends[y], stop)) for y, start, stop in renderable.spans]
        super()._display(screen, renderable)


def _end(ends: list[int], stop: int) -> int:
    """Where the part ends in which the region ends."""
    at = bisect_left(ends, stop)
    return ends[at] if at < len(ends) else stop
