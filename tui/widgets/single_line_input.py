"""A line to type whose Enter takes its turn: what was typed before it counts, what comes after it does not."""

from __future__ import annotations

from textual import events
from textual.widgets import Input


class LineBox(Input):
    """Textual binds Enter above the box: letters that came after it were typed before it did anything."""

    async def on_key(self, event: events.Key) -> None:
        """Enter submits, in its turn."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            await self.action_submit()
