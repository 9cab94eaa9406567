"""A paste into a box that is not the search's: one inert line. Textual's own boxes would draw whatever it holds.

Where nothing takes it, it goes to the pane, whole: what is pasted there is searched.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tui.render.common.untrusted import inline
from tui.widgets.search_box import SearchBox


@runtime_checkable
class TakesPastes(Protocol):
    """A box that makes a paste inert itself, and keeps its lines."""

    takes_pastes: bool


class InertPaste(App[None], inherit_bindings=False):
    """An app whose small boxes never hold a control character; the search box takes its pastes whole itself."""

    async def on_event(self, event: events.Event) -> None:
        """Make a paste inert before anything sees it."""
        if isinstance(event, events.Paste) and _holds_it(self.focused):
            event = events.Paste(inline(event.text.strip()))
        await super().on_event(event)


def _holds_it(focused: Widget | None) -> bool:
    """Whether a box would take a paste as it is."""
    return isinstance(focused, Input | TextArea) and not isinstance(focused, SearchBox | TakesPastes)
