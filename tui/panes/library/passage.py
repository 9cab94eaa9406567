"""A passage as the library keeps it: id, headings, spans, tokens, vectors, and the passages beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, title
from tui.render.library.hits import draw_passage
from tui.runtime.jobs import Job, Jobs
from tui.widgets.bars import KeyFooter
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.library.search.inspect import ChunkInspection, DocInspection

LANE = "library-passage"


@dataclass(frozen=True, slots=True)
class Kept:
    """A passage with all of its document; where it stands in that."""

    passage: ChunkInspection
    document: DocInspection

    def beside(self, by: int) -> ChunkInspection | None:
        """The passage before or behind it."""
        at = self.passage.position + by
        return next((one for one in self.document.chunks if one.position == at), None)


def read_passage(chunk_id: str) -> Callable[[Job[Kept]], Kept]:
    """A passage, and what stands around it. Raises Fault where it is gone."""

    def work(job: Job[Any]) -> Kept:
        from core.library.search.inspect import DocInspection, inspect

        con = job.store().con
        passage = inspect(con, chunk_id)
        if isinstance(passage, DocInspection):
            raise Fault("invalid_input", "that is a document", "choose a hit of a search")
        document = inspect(con, passage.doc_id)
        if not isinstance(document, DocInspection):
            raise Fault("invalid_input", "its document is gone", "ingest the folder again")
        return Kept(passage, document)

    return work


class PassageScreen(Performs, ModalScreen[None]):
    """Covers the pane; Esc goes back, J and K go to the passages beside it."""

    BINDINGS = bindings("passage")

    def __init__(self, jobs: Jobs, signs: Signs, chunk_id: str) -> None:
        super().__init__()
        self._jobs = jobs
        self._signs = signs
        self._chunk_id = chunk_id
        self._kept: Kept | None = None
        self._told = Static()
        self._reading = Reading(id="passage")
        self._keys = KeyFooter(signs, Situation("passage"))

    def compose(self) -> ComposeResult:
        """The facts, the text, the keys."""
        with self._reading:
            yield self._told
        yield self._keys

    def situation(self) -> Situation:
        """What is possible here."""
        return Situation("passage")

    def on_mount(self) -> None:
        """Read it."""
        self._reading.border_title = Content("Passage")
        self._reading.focus()
        self._read(self._chunk_id)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self._jobs.cancel(LANE)

    def _read(self, chunk_id: str) -> None:
        self._jobs.run(LANE, read_passage(chunk_id), self._came, self._failed)

    def _came(self, kept: Kept, _final: bool) -> None:
        self._kept = kept
        self._reading.border_title = Content(title(kept.passage.citation.uri))
        many = len(kept.document.chunks)
        self._reading.border_subtitle = Content(f"passage {kept.passage.position + 1:,} of {many:,}")
        self._told.update(draw_passage(kept.passage, kept.document, self._signs))
        self._reading.scroll_home(animate=False)

    def _failed(self, fault: Fault) -> None:
        self._told.update(Content.styled(inline(fault.message, 400), "$cb-bad"))

    def actions(self) -> Acts:
        """Back, or to the passages beside it."""
        return {
            "passage.back": self.dismiss,
            "passage.next": lambda: self._beside(1),
            "passage.previous": lambda: self._beside(-1),
        }

    def _beside(self, by: int) -> None:
        if self._kept is not None and (beside := self._kept.beside(by)) is not None:
            self._read(beside.chunk_id)
