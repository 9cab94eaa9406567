"""What to import: what the agents keep, or a file or folder that a person names."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.panes.errors.first_run import told
from tui.panes.errors.importing import Incoming


class ImportScreen(ModalScreen[None]):
    """Enter begins; what is imported already is passed over."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss", "Close", priority=True)]

    def __init__(self, incoming: Incoming) -> None:
        super().__init__()
        self._incoming = incoming
        self._words = Static(id="import-found")
        placeholder = "A file or folder, or nothing for what was found"
        self._box = Input(incoming.named, placeholder=placeholder, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """What there is, and a box."""
        with Vertical(id="import") as frame:
            frame.border_title = Content("Import sessions")
            frame.border_subtitle = Content("enter begins, esc closes")
            yield self._words
            yield self._box

    def on_mount(self) -> None:
        """Say what is known, and look again."""
        self._tell()
        self._box.focus()
        self._incoming.look(self._tell)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Begin with what was named, else with what was found."""
        event.stop()
        self._incoming.named = named = event.value.strip()
        paths = (Path(named),) if named else self._incoming.folders
        if paths:
            self.dismiss()
            self._incoming.begin(paths)
        else:
            self._words.update(Content.styled("Nothing was found: name a file or a folder.", "$cb-draft"))

    def on_click(self, event: events.Click) -> None:
        """A click beside it closes it."""
        if event.widget is self:
            self.dismiss()

    def _tell(self) -> None:
        if not self.is_attached:
            return
        found = self._incoming.sources
        text = "Looking for sessions on this computer." if found is None else told(found)
        self._words.update(Content(f"{text} What was imported before is read on, never twice."))
