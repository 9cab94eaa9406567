"""Jump: a letter on every part that takes the focus; press it and be there."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from tui.jump import Target


class JumpScreen(ModalScreen[Widget | None]):
    """Ends with the part whose letter was pressed or clicked, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Stay here")]

    def __init__(self, targets: tuple[Target, ...]) -> None:
        super().__init__()
        self._targets = {target.letter: target for target in targets}

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
        target = self._targets.get(event.character.lower())
        self.dismiss(target.widget if target else None)

    def on_click(self, event: events.Click) -> None:
        """A click on a letter does the same."""
        name = (event.widget.id or "") if event.widget is not None else ""
        target = self._targets.get(name.removeprefix("jump-"))
        self.dismiss(target.widget if target else None)

    def on_resize(self) -> None:
        """The parts are somewhere else now."""
        if any(target.widget.region.offset != target.at for target in self._targets.values()):
            self.dismiss(None)

    def action_leave(self) -> None:
        """Stay where one was."""
        self.dismiss(None)
