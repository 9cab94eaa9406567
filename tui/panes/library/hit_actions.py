"""Actions on the chosen hit or document: filter, copy, edit, ask; and the view of a stored passage."""

from __future__ import annotations

import os
import shlex
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
from tui.render.hits import draw_passage
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneCopied
from tui.screens.export import CopyMenu, Form
from tui.widgets.scroll_text import Reading
from tui.widgets.workbench import KeyFooter

if TYPE_CHECKING:
    from core.library.search.inspect import ChunkInspection, DocInspection
    from core.library.search.rows import SearchHit
    from tui.panes.library.screen import LibraryScreen


LANE = "library-passage"


@dataclass(frozen=True, slots=True)
class FullPassage:
    """A passage with its whole document, and its place in it."""

    passage: ChunkInspection
    document: DocInspection

    def neighbour(self, by: int) -> ChunkInspection | None:
        """The passage before or behind it."""
        at = self.passage.position + by
        return next((one for one in self.document.chunks if one.position == at), None)


@job_work
def read_passage(job: Job[Any], chunk_id: str) -> FullPassage:
    """Return a passage and its neighbours. Raises Fault if it is gone."""
    from core.library.search.inspect import DocInspection, inspect

    con = job.store().con
    passage = inspect(con, chunk_id)
    if isinstance(passage, DocInspection):
        raise Fault("invalid_input", "the selection is a document, not a search hit", "select a search hit")
    document = inspect(con, passage.doc_id)
    if not isinstance(document, DocInspection):
        raise Fault("invalid_input", "the document was deleted", "ingest the folder again")
    return FullPassage(passage, document)


class PassageScreen(Performs, ModalScreen[None]):
    """Covers the pane; Esc returns, J and K go to the adjacent passages."""

    BINDINGS = bindings("passage")

    def __init__(self, jobs: Jobs, signs: Signs, chunk_id: str) -> None:
        super().__init__()
        self._jobs = jobs
        self._signs = signs
        self._chunk_id = chunk_id
        self._passage: FullPassage | None = None
        self._body = Static()
        self._reading = Reading(id="passage")
        self._keys = KeyFooter(signs, Situation("passage"))

    def compose(self) -> ComposeResult:
        with self._reading:
            yield self._body
        yield self._keys

    def situation(self) -> Situation:
        return Situation("passage")

    def on_mount(self) -> None:
        self._reading.border_title = Content("Passage")
        self._reading.focus()
        self._read(self._chunk_id)

    def on_unmount(self) -> None:
        self._jobs.cancel(LANE)

    def _read(self, chunk_id: str) -> None:
        self._jobs.run(LANE, read_passage(chunk_id), self._on_passage, self._failed)

    def _on_passage(self, passage: FullPassage, _final: bool) -> None:
        self._passage = passage
        self._reading.border_title = Content(title(passage.passage.citation.uri))
        many = len(passage.document.chunks)
        self._reading.border_subtitle = Content(f"passage {passage.passage.position + 1:,} of {many:,}")
        self._body.update(draw_passage(passage.passage, passage.document, self._signs))
        self._reading.scroll_home(animate=False)

    def _failed(self, fault: Fault) -> None:
        self._body.update(Content.styled(inline(fault.message, 400), "$cb-bad"))

    def actions(self) -> Acts:
        return {
            "passage.back": self.dismiss,
            "passage.next": lambda: self._read_neighbour(1),
            "passage.previous": lambda: self._read_neighbour(-1),
        }

    def _read_neighbour(self, by: int) -> None:
        if self._passage is not None and (neighbour := self._passage.neighbour(by)) is not None:
            self._read(neighbour.chunk_id)


def forms_of(uri: str, hit: SearchHit | None, query: str) -> tuple[Form, ...]:
    """Every form; of a document there is only its citation and the command."""
    found = [Form("c", "citation", uri)]
    if hit is not None:
        from core.base.wire import dumps

        quoted = "\n".join(f"> {line}" for line in hit.snippet.split("\n"))
        found += [
            Form("p", "passage", hit.snippet),
            Form("q", "quote with its citation", f"{quoted}\n>\n> ({uri})\n"),
            Form("l", "Markdown link", f"[{_label(hit)}]({_url(uri)})"),
            Form("i", "passage id", hit.chunk_id),
            Form("j", "hit as JSON", dumps(hit), exact=True),
        ]
    if query.strip():
        found.append(Form("s", "casebook command", shlex.join(["casebook", "library", "search", query])))
    return tuple(found)


def _label(hit: SearchHit) -> str:
    label = hit.section_label or hit.title or hit.doc_path
    return label.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _url(uri: str) -> str:
    from urllib.parse import quote

    return quote(uri, safe="/#-._~=&,:", errors="replace")


class LibraryActs(Performs):
    """Acts on what the screen shows."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self._has_hinted = False
        self.answer_waits = False
        """Whether the document is a source that was opened from an answer."""

    def actions(self) -> Acts:
        screen = self._screen
        return {
            "library.mode": self._mode,
            "list.filter": self._filter,
            "list.unfilter": lambda: screen.searching.show(screen.searching.scope.cleared()),
            "library.only": self._only,
            "library.raw": screen.document.toggle_raw,
            "library.next_match": lambda: self._match(1),
            "library.previous_match": lambda: self._match(-1),
            "list.next": lambda: self._move(1),
            "list.previous": lambda: self._move(-1),
            "list.copy": self._copy,
            "list.copy_as": self._copy_as,
            "library.edit": self._edit,
            "list.why": self.toggle_why,
            "library.passage": self._passage,
            "library.ask": self.ask,
            "ask.talks": lambda: self.ask(pick=True),
            "case.enter": lambda: self._match(1),
        }

    def _mode(self) -> None:
        self._screen.searching.show(self._screen.searching.scope.next_mode())

    def _filter(self) -> None:
        from tui.panes.library.filters import LibraryFilters, LibraryFilterScreen

        screen = self._screen
        choices = LibraryFilters(screen.searching.scope, screen.signs, screen.searching.show)
        screen.app.push_screen(LibraryFilterScreen(choices, screen.jobs))

    def _only(self) -> None:
        searching = self._screen.searching
        place = self._screen.document.wanted
        if searching.scope.doc is not None:
            searching.show(searching.scope.toggled("doc", searching.scope.doc))
        elif place is not None:
            searching.show(searching.scope.toggled("doc", place.path))

    def _match(self, by: int) -> None:
        if not self._screen.document.next_match(by):
            way = "below" if by > 0 else "above"
            self._screen.say(f"No match {way} in this document.")

    def _move(self, by: int) -> None:
        rows = self._screen.hits.rows
        self._screen.follow()
        rows.choose(rows.chosen + by)

    # Copying ---------------------------------------------------------------------------------------------------------

    def _forms(self) -> tuple[Form, ...]:
        screen = self._screen
        if (uri := screen.cited) is None:
            return ()
        hit = screen.hit
        return forms_of(uri, hit if hit is not None and hit.citation.uri == uri else None, screen.searching.text)

    def _copy(self) -> None:
        self._copied(next(iter(self._forms()), None))

    def _copy_as(self) -> None:
        self._screen.app.push_screen(CopyMenu(self._forms()), self._copied)

    def _copied(self, form: Form | None) -> None:
        if form is not None:
            self._screen.post_message(PaneCopied(form.name, form.text, exact=form.exact))

    # Why -------------------------------------------------------------------------------------------------------------

    @property
    def why_is_opened(self) -> bool:
        """Whether the trace is on the screen because the person opened it, not because there is room for it."""
        return self._screen.has_class("-why") and self._screen.why.region.area > 0

    def toggle_why(self) -> None:
        """Show or hide the trace."""
        screen = self._screen
        screen.remove_class("-zoomed")
        visible = screen.why.region.area > 0
        screen.update_classes({"-no-why": visible, "-why": not visible})
        if visible:
            if screen.why.has_focus:
                screen.document.focus()
            screen.at("doc" if screen.reads else "list")
        elif screen.has_class("-narrow"):
            screen.at("why")
            screen.set_focus(screen.why)
        screen.call_after_refresh(screen.searching.explain)

    # Other programs, and what is kept --------------------------------------------------------------------------------

    def _edit(self) -> None:
        from tui.services.external_editor import edit_in, editor_of

        screen, document = self._screen, self._screen.document.laid
        if (
            document is None or document.wanted != screen.document.wanted
        ):  # the one before is shown until this one is read
            screen.say("The document is still loading.", "warning")
            return
        if document.opened.file is None:
            screen.say(document.opened.notice or "The file was deleted.", "warning")
            return
        words, why = editor_of(os.environ, to_read=False)
        if not why:
            cited = document.opened.cited
            read = screen.document.has_focus and (cited is None or screen.document.scrolled)
            line = screen.document.top_line if read else cited[0] if cited is not None else 0
            why = edit_in(
                screen.app, words, document.opened.file, max(1, line) if document.opened.state != "passages" else 1
            )
        if why:
            screen.say(why, "error")

    def _passage(self) -> None:

        if (hit := self._screen.hit) is not None:
            self._screen.app.push_screen(PassageScreen(self._screen.jobs, self._screen.signs, hit.chunk_id))

    def ask(self, *, pick: bool = False, back: bool = False) -> None:
        """Ask, or resume the conversation; `pick`: choose another one; `back`: return from a source."""
        from core.base.config.settings import Settings
        from tui.panes.library.ask_screen import AskScreen
        from tui.panes.library.conversation import Answering

        screen = self._screen
        searching, settings = screen.searching, screen.desk.settings or Settings()
        answering = Answering(screen.jobs, screen.jobs.path, settings, searching.scope.mode, searching.filters)
        self.answer_waits = False
        screen.desk.talk.reading &= back

        def on_leave(uri: str | None) -> None:
            if uri:
                self._to_source(uri)

        asking = AskScreen(
            answering, screen.signs, searching.text, searching.scope, screen.desk.talk, screen.searching.clock
        )
        screen.app.push_screen(asking, on_leave)
        if pick:
            asking.pick()  # at once: what is typed behind is meant for it

    def _to_source(self, uri: str) -> None:
        """Open a source of an answer; Back returns to the answer."""
        self._screen.open_citation(uri)
        self.answer_waits = True
        if not self._has_hinted:
            self._has_hinted = True
            hint = self._screen.signs.fill_keys("{case.back} returns to the answer.")
            self._screen.notify(hint, markup=False, timeout=4)
