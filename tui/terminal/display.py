"""When and how Textual draws: garbage is collected at rest, toasts do not stack, wide characters stay whole."""

from __future__ import annotations

import gc
from bisect import bisect_left
from functools import lru_cache
from time import monotonic, time
from typing import Final

from rich.console import RenderableType
from textual import events
from textual._compositor import ChopsUpdate
from textual._styles_cache import StylesCache
from textual.app import App
from textual.color import Color
from textual.notifications import Notify
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from tui.terminal.style_rules import find_styles_once

_YOUNG: Final = 1_000
"""Objects made between two looks at the youngest: well under a millisecond each."""
_NEVER: Final = 1 << 30
_LOOK_S: Final = 0.5
_REST_S: Final = 0.4
"""Seconds without a key or the mouse: the answer to the last one is drawn by then."""
_SOON, _AT_LAST = 3, 40
"""Numbers of middle collections from which a full one is worthwhile, and from which it is due even while typing."""


_PAIRS: Final = 256
"""Pairs of colours whose styles are kept."""


def keep_colours_only() -> None:
    """Let Textual remember styles by their colours alone, at most `_PAIRS` of them.

    Textual's own memory of 1,024 pairs is one of a method, so it holds the widgets' caches of drawn lines: panes that
    were left stayed in memory, some 75 MB. The name is Textual's own; a test holds it.
    """
    own = StylesCache.get_inner_outer
    made = getattr(own, "__wrapped__", None)
    if made is None:
        return  # done already

    def styles(base: Color, background: Color) -> tuple[Style, Style]:
        return made(StylesCache, base, background)

    remembered = lru_cache(_PAIRS)(styles)
    own.cache_clear()
    StylesCache.get_inner_outer = lambda _cache, base, background: remembered(base, background)  # pyright: ignore[reportAttributeAccessIssue]


def forget_closed(app: App[None]) -> None:
    """Remove closed watchers from `app`; Textual does so only when the watched value changes.

    A text area watches the theme, so each that was left stayed in memory. The names are Textual's own; a test holds
    them.
    """
    watchers: dict[str, list[tuple[Widget, object]]] = getattr(app, "__watchers", {})
    for watching in watchers.values():
        watching[:] = [one for one in watching if not one[0]._closing]


class CollectsAtRest(App[None], inherit_bindings=False):
    """An app that runs full garbage collections while it is idle."""

    _touched = 0.0
    _settled = False

    def on_load(self) -> None:
        """Before the first frame."""
        keep_colours_only()
        find_styles_once()

    async def on_event(self, event: events.Event) -> None:
        """Note when someone was there last."""
        if isinstance(event, events.Key | events.Paste | events.MouseEvent):
            self._touched = monotonic()
        await super().on_event(event)

    def collect_at_rest(self) -> None:
        """Exclude the loaded objects from garbage collection. The app's entry point has deferred it until now;
        otherwise the caller has decided."""
        if gc.isenabled():
            return
        gc.freeze()
        gc.set_threshold(_YOUNG, 10, _NEVER)
        gc.enable()
        self.set_interval(_LOOK_S, self._look)

    def _look(self) -> None:
        waited = gc.get_count()[2]
        at_rest = monotonic() - self._touched > _REST_S
        if waited < _SOON or not (at_rest or waited > _AT_LAST):
            return
        forget_closed(self)
        gc.collect()
        if not self._settled:  # the first rows and the rest of the modules: they stay, too
            self._settled = True
            gc.freeze()


_GRAVE: Final = ("information", "warning", "error")


class OneToast(App[None], inherit_bindings=False):
    """An app whose toasts do not stack: what a key or click leads to replaces what was said before it, unless that was
    graver. What is said without the person's doing stays beside it, and never twice."""

    _acted = 0.0  # when the person pressed a key or a button last, as `time` says it

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown)):
            self._acted = time()
        await super().on_event(event)

    def notify_below(self, text: str, *, timeout: float) -> None:
        """Say this in one toast with what was said in this tone since the last key: it gets a line below that."""
        before = [one for one in self._notifications if one.severity == "information" and one.raised_at >= self._acted]
        lines = [line for one in before for line in one.message.split("\n") if line != text]
        for one in before:
            self._unnotify(one, refresh=False)
        self.notify("\n".join([*lines, text]), markup=False, timeout=timeout)

    def _on_notify(self, event: Notify) -> None:
        new = event.notification
        for old in list(self._notifications):
            equal = (old.message, old.severity) == (new.message, new.severity)
            before = old.raised_at < self._acted and _GRAVE.index(old.severity) <= _GRAVE.index(new.severity)
            if equal or before:
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
