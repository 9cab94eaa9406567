"""Filling the library: choose folders, see what runs, read what came of it and what was left out and why."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from core.base.fault import Fault
from core.text import visible
from tui.actions.action import Acts, Around, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.common.decisions import LANE, writing
from tui.render.common.amounts import counted
from tui.render.common.empty_states import draw_notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.hits import not_ingested
from tui.render.ingest import draw_folder, draw_pace, draw_report
from tui.runtime.jobs import Job, Jobs, job_work
from tui.widgets.dialogs import Confirm
from tui.widgets.inputs import PathBox
from tui.widgets.row_list import FixedRows, RowList
from tui.widgets.scroll_text import HangingText, Reading
from tui.widgets.workbench import KeyFooter

if TYPE_CHECKING:
    from core.library.ingest.report import IngestReport
    from core.library.ingest.write import ResetReport
    from core.store import Store
    from tui.panes.library.ingest import Ingesting


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that the library knows or that was just named, and how many documents are read from it."""

    root: str
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class KnownSources:
    """The folders that are known, and the last run with the time it ended."""

    folders: tuple[Folder, ...] = ()
    last: tuple[IngestReport, str] | None = None


@job_work
def read_sources(job: Job[Any], path: Path) -> KnownSources:
    """The folders and the last run; nothing where there is no casebook yet."""
    from core.library.documents.read import documents_of_sources, sources
    from core.library.ingest.report import last_run, worth_a_look

    if not path.exists():
        return KnownSources()
    con = job.store().con
    counts = documents_of_sources(con)
    last = last_run(con)
    folders = tuple(Folder(one.root, counts.get(one.source_id, 0)) for one in sources(con))
    return KnownSources(folders, None if last is None else (worth_a_look(last[0]), last[1]))


@writing
def remove_folder(store: Store, root: Path) -> ResetReport:
    """Remove a folder from the library. Raises Fault if it is no folder of it (any more)."""
    from core.library.ingest.write import reset_library

    return reset_library(store, folder=root)


class RemoveFolder(Confirm):
    """Ends with whether to remove a folder."""

    def __init__(self, folder: Folder) -> None:
        count = counted(folder.documents or 0, "document")
        question = f"{inline(folder.root, 400)}\n\ncasebook removes {count} from the library. Your files stay."
        super().__init__("remove-folder", "Remove this folder?", "removes", Content.styled(question, "$cb-text"))


LOOK = 0.1
"""Seconds between two looks at what runs."""
_FOLDER_ROWS = 6
_PLACEHOLDER = "Folder (empty: the selected folders below)"
_FIRST = "Folder, such as docs or ~/notes (tab completes)"


@dataclass(frozen=True, slots=True)
class Choice:
    """A folder, and whether it is to be read."""

    folder: Folder
    chosen: bool = True


@dataclass(frozen=True, slots=True)
class Choices(FixedRows[Choice]):
    """The folders as rows."""

    def toggled(self, index: int) -> Choices:
        """With the one at `index` chosen, or no longer."""
        return Choices(tuple(Choice(one.folder, one.chosen != (at == index)) for at, one in enumerate(self.rows)))

    @property
    def roots(self) -> tuple[Path, ...]:
        """The chosen folders."""
        return tuple(Path(one.folder.root) for one in self.rows if one.chosen)


class IngestScreen(Performs, ModalScreen[None]):
    """The folders on top; below them what runs, or what the last run came to."""

    BINDINGS = bindings("ingest")

    def __init__(self, jobs: Jobs, ingesting: Ingesting, signs: Signs, *, at_result: bool) -> None:
        super().__init__()
        self._jobs = jobs
        self._ingesting = ingesting
        self._signs = signs
        self._at_result = at_result
        self._known = KnownSources()
        self._drawn: object = None
        self._typed = ""  # the last folder; the user can correct it if it does not exist
        self.choices = Choices()
        self.box = PathBox("", "ingest-path", _FIRST, files=False, id="ingest-box")
        self.ends = Static(id="ingest-ends")
        self.folders = RowList(self._paint, id="ingest-folders")
        self.status = HangingText("ingest-text")
        self._keys = KeyFooter(signs, self.situation())

    def compose(self) -> ComposeResult:
        with Container(id="ingest") as frame:
            frame.border_title = Content("Ingest folders")
            yield self.box
            yield self.ends
            yield self.folders
            with Reading(id="ingest-told"):
                yield self.status
        yield self._keys

    def on_mount(self) -> None:
        (self.query_one("#ingest-told") if self._at_result or self._ingesting.busy else self.box).focus()
        self.folders.display = self.ends.display = False
        self._follow()
        self.set_interval(LOOK, self._follow)
        self._read()

    def on_descendant_focus(self) -> None:
        keys = "enter ingests, tab completes" if self.box.has_focus else ""
        self.query_one("#ingest").border_subtitle = Content(keys)
        self._keys.situation = self.situation()

    def on_unmount(self) -> None:
        """Drop pending reads; a running ingest continues."""
        self._jobs.cancel("ingest-known")

    def situation(self) -> Situation:
        around = Around(ingesting=self._ingesting.busy)
        return Situation("naming" if self.box.has_focus else "ingest", cases=self.choices.total, around=around)

    def actions(self) -> Acts:
        return {
            "ingest.begin": self._begin,
            "ingest.mark": self._mark,
            "list.open": self._mark,
            "ingest.name": self.box.focus,
            "ingest.remove": self._ask_remove,
            "ingest.told": self.query_one("#ingest-told").focus,
            "ingest.stop": self._stop,
            "list.back": self._stop,
            "ingest.back": self._back,
            "view.reload": self._read,
        }

    # Choosing --------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._jobs.run("ingest-known", read_sources(self._jobs.path), self._on_sources, self._unread)

    def _on_sources(self, known: KnownSources, _final: bool) -> None:
        """The folders that are known; those that were left out by hand stay so."""
        off = {one.folder.root for one in self.choices.rows if not one.chosen}
        self._known = known
        self.choices = Choices(tuple(Choice(one, one.root not in off) for one in known.folders))
        self._show_folders(0)
        self.box.placeholder = _PLACEHOLDER if known.folders else _FIRST
        self._drawn = None
        self._follow()

    def _unread(self, fault: Fault) -> None:
        if fault.code != "not_indexed":
            self.status.put(draw_notice(of_fault(fault), self._signs))

    def _show_folders(self, chosen: int) -> None:
        self.folders.display = bool(self.choices.total)
        self.folders.styles.height = min(_FOLDER_ROWS, self.choices.total)
        self.folders.show(self.choices, chosen)
        self._keys.situation = self.situation()

    def _paint(self, row: Hashable | None, _width: int, _chosen: bool) -> Content:
        one = cast("Choice", row)
        count = one.folder.documents
        size = "" if count is None else f"{count:,} document{'' if count == 1 else 's'}"
        return draw_folder(one.folder.root, size, one.chosen, self._signs)

    def _mark(self) -> None:
        at = self.folders.chosen
        self.choices = self.choices.toggled(at)
        self._show_folders(at)

    def _ask_remove(self) -> None:
        folder = self.choices.rows[self.folders.chosen].folder

        def decided(remove: bool | None) -> None:
            if remove:
                work = remove_folder(Path(folder.root))
                self._jobs.run(LANE, work, lambda found, _final: self._removed(folder, found), self._unread, keep=True)

        self.app.push_screen(RemoveFolder(folder), decided)

    def _removed(self, folder: Folder, found: ResetReport) -> None:
        message = f"Removed {inline(folder.root, 200)} from the library ({counted(found.documents, 'document')})."
        self.app.notify(message, markup=False)
        self._read()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self._mark()

    def on_path_box_offered(self, event: PathBox.Offered) -> None:
        event.stop()
        self.ends.display = bool(event.names)
        self.ends.update(Content.styled("  ".join(inline(name, 60) + "/" for name in event.names), "$cb-dim"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        named = event.value.strip()
        if named:
            self._typed = "" if self._ingesting.busy else event.value
            self._start([Path(named)])  # whose home `~` means, the core knows, and says where it is nobody's
        else:
            self._begin()

    # Running ---------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        roots = self.choices.roots
        if roots:
            self._start(() if len(roots) == self.choices.total else roots)
        else:
            self.notify(
                "Select or enter a folder." if self.choices.total else "Enter a folder.",
                markup=False, severity="warning",
            )  # fmt: skip

    def _start(self, roots: Sequence[Path]) -> None:
        if self._ingesting.busy:
            self.notify("An ingest is already running.", markup=False, severity="warning")
            return
        self.box.value = ""
        self._ingesting.begin(roots)
        self.query_one("#ingest-told").focus()
        self._follow()

    def _stop(self) -> None:
        if self._ingesting.busy and not self._ingesting.stopping:
            self._ingesting.stop()
            self._follow()
        else:
            self._back()

    def _back(self) -> None:
        if self.is_current:
            self.dismiss()

    def _follow(self) -> None:
        """Draw what runs, or what came of the last run, where that has changed."""
        run = self._ingesting
        state = (run.busy, run.stopping, run.pace, run.ended)
        if state == self._drawn or not self.is_attached:
            return
        was_busy = isinstance(self._drawn, tuple) and bool(cast("tuple[object, ...]", self._drawn)[0])
        self._drawn = state
        self._keys.situation = self.situation()
        self.status.put(self._text())
        if was_busy and not run.busy:
            self._give_back()
            self._read()

    def _give_back(self) -> None:
        """Put an unreadable path back into the box."""
        typed, self._typed = visible(self._typed), ""
        if self._ingesting.ended is None or self._ingesting.ended.fault is None or self.box.value or not typed:
            return
        self.box.value, self.box.cursor_position = typed, len(typed)
        if self.query_one("#ingest-told").has_focus:
            self.box.focus()

    def _text(self) -> Content:
        run = self._ingesting
        if run.busy:
            return draw_pace(run.pace, self._signs, stopping=run.stopping)
        if run.ended is not None and run.ended.fault is not None:
            return draw_notice(not_ingested(run.ended.fault), self._signs)
        if run.ended is not None and run.ended.report is not None:
            return draw_report(run.ended.report, run.pace, "", self._signs)
        if self._known.last is not None:
            return draw_report(self._known.last[0], None, self._known.last[1], self._signs)
        text = (
            "casebook indexes notes, documents and code in folders. Press {ingest.begin} here to update the index,"
            " or run `casebook library ingest FOLDER --watch` for automatic updates."
            " .gitignore and .casebookignore apply. Your files are not changed."
        )
        return Content.styled(self._signs.fill_keys(text), "$cb-dim")
