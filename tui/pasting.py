"""A paste into a box that is not the search's: one inert line. Textual's own boxes would draw whatever it holds."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textual import events
from textual.app import App

from tui.render.foreign import inline
from tui.widgets.search_box import SearchBox


@runtime_checkable
class TakesPastes(Protocol):
    """A box that makes a paste inert itself, and keeps its lines."""

    takes_pastes: bool


class InertPaste(App[None], inherit_bindings=False):
    """An app whose small boxes never hold a control character; the search box takes its pastes whole itself."""

    async def on_event(self, event: events.Event) -> None:
        """Make a paste inert before anything sees it."""
        if isinstance(event, events.Paste) and not isinstance(self.focused, SearchBox | TakesPastes):
            event = events.Paste(inline(event.text.strip()))
        await super().on_event(event)
