"""What goes out: the forms in which something is copied, and the file that an export is written to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from core.base.fault import Fault
from core.text import visible
from tui.render.common.amounts import counted
from tui.render.common.markdown import draw_fix_markdown
from tui.render.common.untrusted import block, fault_text, inline
from tui.runtime.jobs import Jobs
from tui.runtime.messages import PaneMessage
from tui.services.exporting import (
    REPLACES,
    Export,
    Preview,
    Written,
    count_text,
    describe_export,
    export_of_picture,
    previewed,
    proposed,
    written,
)
from tui.widgets.dialogs import Confirm
from tui.widgets.inputs import PathBox
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.flows.insights.pictures import Picture


@dataclass(frozen=True, slots=True)
class Form:
    """One way to copy: its letter, its name, the text. `exact`: it is inert as it is, and not a sign may change."""

    key: str
    name: str
    text: str
    exact: bool = False


class CopyMenu(ModalScreen["Form | None"]):
    """Ends with the form that was chosen, or with None."""

    CSS_PATH = sheet("session")
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,Y", "dismiss(None)", "Close")]

    def __init__(self, forms: tuple[Form, ...]) -> None:
        super().__init__()
        self._forms = forms
        wide = max(len(form.name) for form in forms) + 2
        self._list = OptionList(*(_option(form, wide) for form in forms), id="copy-menu", markup=False)
        self._list.border_title = Content("Copy")
        self._list.border_subtitle = Content("esc closes")

    def compose(self) -> ComposeResult:
        yield self._list

    def on_mount(self) -> None:
        self._list.focus()

    def on_key(self, event: events.Key) -> None:
        for form in self._forms:
            if event.character == form.key:
                event.stop()
                self.dismiss(form)
                return

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._forms[event.option_index])


def _option(form: Form, wide: int) -> Option:
    size = f"{len(form.text):,} character{'' if len(form.text) == 1 else 's'}"
    return Option(Content.assemble((f"{form.key}  ", "bold $cb-accent"), f"{form.name:<{wide}}", (size, "$cb-dim")))


LANE, COPYING = "export", "backup"
"""A copy of the casebook cannot be stopped half-way: its lane lets it end."""
_HELP = "enter writes, tab completes a path, esc closes"

OnResult = Callable[[str, str], object]
"""Shows a message with its severity."""


def ask_picture(over: Screen[None], picture: Picture, name: str, now: datetime, jobs: Jobs) -> None:
    """Ask where a view of Insights is to be written."""
    export = export_of_picture(picture, name, now)

    def notify(text: str, severity: str) -> None:
        over.app.post_message(PaneMessage(text, severity))

    over.app.push_screen(ExportScreen(export, proposed(None, export.name), jobs, notify))


class PreviewScreen(Confirm):
    """Ends with whether the block goes into a file that agents read."""

    def __init__(self, preview: Preview) -> None:
        name, fixes = inline(preview.path.name, 40), counted(preview.count, "fix")
        drawn = draw_fix_markdown(block(preview.text)[0])
        super().__init__("export-preview", f"Write {fixes} to {name}", "writes", drawn)


class ExportScreen(ModalScreen[str | None]):
    """Enter writes; ends with the path once that is done, or with None. Esc stops it: nothing is left then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close", priority=True),
        Binding(REPLACES, "replace", "Replace", priority=True),
    ]

    def __init__(self, export: Export, path: str, jobs: Jobs, on_result: OnResult) -> None:
        super().__init__()
        self._export = export
        self._jobs = jobs
        self._on_result = on_result
        self._words = Static(id="export-told")
        self._box = PathBox(path, "export-path")
        self._wrong: str | None = None  # the rejected path, as typed
        self._there = False  # whether that is a file, which may be replaced
        self._writing = False

    def compose(self) -> ComposeResult:
        with Vertical(id="export") as frame:
            frame.border_title = Content(self._export.heading)
            frame.border_subtitle = Content(_HELP)
            yield self._words
            yield self._box

    def on_mount(self) -> None:
        self._show_target()
        self._box.focus()

    def on_unmount(self) -> None:
        """What is not written yet is not to be."""
        self._jobs.cancel(LANE)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._export.kind != "fixes" or self._writing:
            self._write(replacing=False)
            return

        def on_preview(preview: Preview | None, _final: bool) -> None:
            if preview is None:
                self._write(replacing=False)
            elif self.is_current:
                self.app.push_screen(PreviewScreen(preview), on_answer)

        def on_answer(yes: bool | None) -> None:
            if yes:
                self._write(replacing=False)

        self._jobs.run(LANE, previewed(self._box.value.strip()), on_preview, self._failed)

    def action_replace(self) -> None:
        """Replace the existing file after the warning."""
        if self._there and self._wrong == self._box.value:
            self._write(replacing=True)

    def on_path_box_offered(self, event: PathBox.Offered) -> None:
        event.stop()
        if self._writing or self._wrong == self._box.value:
            return
        if event.names:
            self._words.update(Content.styled("  ".join(inline(name, 60) for name in event.names), "$cb-dim"))
        else:
            self._show_target()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)

    def _write(self, *, replacing: bool) -> None:
        if self._writing:
            return
        self._wrong, self._there = None, False
        with self._box.prevent(Input.Changed):
            self._box.value = visible(self._box.value).replace("\t", " ")  # what is seen is what is named
        if not (named := self._box.value.strip()):
            self._warn("Enter a file name.")
            return
        self._writing = True
        copying = self._export.kind == "backup"
        self._words.update(Content("Copying…" if copying else "Writing…"))
        work = written(self._export, named, replacing=replacing)
        self._jobs.run(COPYING if copying else LANE, work, self._on_progress, self._failed, keep=copying)

    def _on_progress(self, done: Written, final: bool) -> None:
        if not final:
            self._words.update(Content(f"{count_text(self._export, done.count)} written. To stop, press esc."))
            return
        self._on_result(describe_export(self._export, done), "information")
        if self.app.screen is self:
            self.dismiss(str(done.path.parent) if done.path is not None else None)

    def _failed(self, fault: Fault) -> None:
        self._writing = False
        message = fault_text(fault)
        if not self.is_attached:
            self._on_result(message, "error")
            return
        self._there = bool(fault.details.get("there"))
        self._warn(message)

    def _warn(self, text: str) -> None:
        self._wrong = self._box.value
        self._words.update(Content.styled(inline(text, 400), "$cb-draft"))

    def _show_target(self) -> None:
        self._words.update(Content(inline(self._export.summary, 400)))
