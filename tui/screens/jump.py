"""Jump: a letter on every part that takes the focus; press it and be there."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions.jump import Target


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
