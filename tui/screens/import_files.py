"""Import: the sources to read, and the confirmation before harvesting again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from core.base.fault import Fault
from core.text import visible
from tui.render.common.untrusted import inline
from tui.render.history import draw_again
from tui.runtime.jobs import Jobs
from tui.services.importing import Incoming, describe_sources
from tui.widgets.dialogs import Confirm
from tui.widgets.inputs import PathBox
from tui.widgets.workbench import sheet, workbench

if TYPE_CHECKING:
    from core.flows.transcripts.report import ImportAgain


LANE = "import-path"


class ImportScreen(ModalScreen[None]):
    """Enter begins; what is imported already is passed over."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss", "Close", priority=True)]

    def __init__(self, incoming: Incoming) -> None:
        super().__init__()
        self._incoming = incoming
        self._words = Static(id="import-found")
        self._box = PathBox(incoming.named, LANE, "File or folder (empty: the sessions found)")

    def compose(self) -> ComposeResult:
        with Vertical(id="import") as frame:
            frame.border_title = Content("Import sessions")
            frame.border_subtitle = Content("enter starts, tab completes a path, esc closes")
            yield self._words
            yield self._box

    def on_mount(self) -> None:
        self._show_target()
        self._box.focus()
        self._incoming.look(self._show_target)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Begin with what was named, if it is there, else with what was found."""
        event.stop()
        self._incoming.named = named = event.value.strip()
        if named:
            self._jobs.run(
                LANE, lambda _job: _existing_path(named), lambda path, _final: self._go(named, path), self._wrong
            )
        elif folders := self._incoming.folders:
            self.dismiss()
            self._incoming.begin(folders)
        else:
            self._warn("No sessions found. Enter a file or folder.")

    def on_path_box_offered(self, event: PathBox.Offered) -> None:
        event.stop()
        if event.names:
            self._words.update(Content.styled("  ".join(inline(name, 60) for name in event.names), "$cb-dim"))
        else:
            self._show_target()

    def _go(self, named: str, path: Path | None) -> None:
        if self.app.screen is not self:
            return  # closed meanwhile: another screen would be closed instead
        if path is not None:
            self.dismiss()
            self._incoming.begin((path,))
            return
        with self._box.prevent(Input.Changed):
            self._box.value = visible(named)  # a name that was pasted may hold anything
        self._warn(f"File or folder not found: {inline(named, 200)}")

    def _wrong(self, fault: Fault) -> None:
        self._warn(inline(fault.message, 200))

    def _warn(self, text: str) -> None:
        self._words.update(Content.styled(text, "$cb-draft"))

    @property
    def _jobs(self) -> Jobs:
        return workbench(self).jobs

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()

    def _show_target(self) -> None:
        if not self.is_attached:
            return
        found = self._incoming.sources
        text = "Looking for sessions on this computer." if found is None else describe_sources(found)
        self._words.update(Content(f"{text} You can import a file again: only new parts are read."))


def _existing_path(named: str) -> Path | None:
    """Return the named path; None if it does not exist, or the home folder is unknown."""
    try:
        path = Path(named).expanduser()
    except RuntimeError:
        return None
    return path if path.exists() else None


class AgainScreen(Confirm):
    """Ends with whether to apply."""

    CSS_PATH = sheet("curation")

    def __init__(self, report: ImportAgain) -> None:
        super().__init__("again", f"Harvest {report.sessions:,} sessions again", "applies", draw_again(report))
