"""The first and the last line of the screen, as widgets."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from tui.actions.keys import key_name
from tui.actions.registry import Situation, footer, panes
from tui.render.common.bars import Place, Tab, draw_footer, draw_top, tab_places
from tui.render.common.glyphs import Signs
from tui.widgets.workbench import workbench


class TopBar(Widget):
    """Where one is, and which panes there are; each can be clicked."""

    place: reactive[Place] = reactive(Place(""))

    def __init__(self, place: Place, signs: Signs) -> None:
        super().__init__(id="top")
        self._ascii = signs.plain
        self._tabs = [
            Tab(action.title.partition(":")[0], key_name(key, ascii_only=signs.plain), action.id)
            for action, key in panes(signs.keys)
        ]
        self.set_reactive(TopBar.place, place)

    def on_mount(self) -> None:
        """Tell what the workbench knows by now: the casebook may have been counted since."""
        self.follow(workbench(self).place)

    def follow(self, place: Place) -> None:
        """The casebook was counted: the pane's own name stays."""
        self.place = replace(place, pane=self.place.pane)

    def render(self) -> Content:
        """The line in the width there is."""
        return draw_top(self.place, self.size.width, self._tabs, ascii_only=self._ascii)

    @property
    def tab_places(self) -> tuple[tuple[int, str], ...]:
        """Where each pane is named, and the action that goes there; none where the line is too short for them."""
        return tab_places(self.place, self.size.width, self._tabs)

    async def on_click(self, event: events.Click) -> None:
        """Go to the pane that was clicked."""
        if action_id := event.style.meta.get("perform"):
            await self.run_action(f"app.perform('{action_id}')")


class KeyFooter(Widget):
    """What one can do here and now, from the action registry; each entry can be clicked."""

    situation: reactive[Situation] = reactive(Situation())

    def __init__(self, signs: Signs, situation: Situation = Situation()) -> None:  # noqa: B008  frozen
        super().__init__(id="keys")
        self._signs = signs
        self.set_reactive(KeyFooter.situation, situation)

    def render(self) -> Content:
        """The line in the width there is."""
        return draw_footer(footer(self.situation, self._signs.keys), self.size.width, ascii_only=self._signs.plain)

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        if action_id := event.style.meta.get("perform"):
            await self.run_action(f"app.perform('{action_id}')")
