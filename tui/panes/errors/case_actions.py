"""What a person can do with the case on the screen: copy, open elsewhere, go to its session, cite from the library."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from core.base.paths import database_file
from core.text import visible
from tui.panes.common.decisions import writing
from tui.render.case import Fix, fix_name
from tui.render.common.glyphs import Signs
from tui.render.common.session import Marks
from tui.render.common.untrusted import inline
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import CiteSource, PaneChanged, PaneCopied, PaneOpenCitation, PaneSearchLibrary, PaneShowAll
from tui.screens.export import CopyMenu, Form

if TYPE_CHECKING:
    from core.errors import Case
    from core.store import Store
    from tui.panes.errors.case_view import CaseView


LANE = "library-cite"


@dataclass(frozen=True, slots=True)
class IntoFix:
    """The fix that is being written, below in the stack: the citation becomes part of its text."""

    case_id: int
    insert: Callable[[str], object]

    @property
    def label(self) -> str:
        """Name of the citing item."""
        return f"the fix of case #{self.case_id}"

    def cite(self, source: CiteSource) -> None:
        """Put the chosen passage into the text, and go back to it."""
        if (name := source.passage) is None:
            return

        def on_text(block: str, _final: bool) -> None:
            self.insert(block)
            source.leave()

        source.jobs.run(LANE, quoted(name, source.query_text), on_text, source.say_fault)


@dataclass(frozen=True, slots=True)
class ForCase:
    """The fix that answers for a case: the citation is attached to it, and can be undone: `undo` says how."""

    case: Case
    changed: Callable[[], object]
    undo: str

    @property
    def label(self) -> str:
        """Name of the citing item; empty for a case without a fix."""
        return f"the fix of case #{self.case.id}" if any(one.current for one in self.case.resolutions) else ""

    def cite(self, source: CiteSource) -> None:
        """Attach the chosen passage; one stays in the library, to cite more."""
        if (name := source.passage) is None:
            return

        def on_uri(uri: str, _final: bool) -> None:
            source.say(f"{self.label[0].upper()}{self.label[1:]} cites {uri}. {self.undo}")
            self.changed()

        source.jobs.run(LANE, attached(self.case, name, source.query_text), on_uri, source.say_fault)


@job_work
def quoted(job: Job[Any], name: str, query: str) -> str:
    """The citation of a passage as it is put into a text."""
    from core.library.citations.store import citation_block

    return citation_block(job.store().con, name, query)


@writing
def attached(store: Store, case: Case, name: str, query: str) -> str:
    """Attach a passage to the fix of a case; return its place."""
    from core.errors import show_case
    from core.errors.curation.transaction import person
    from core.flows.ingest.case_citations import cite_in_case
    from core.library.citations.store import quote_of

    now = show_case(store, case.id)
    if now is None:
        raise Fault("invalid_input", f"case {case.id} was deleted")
    return cite_in_case(store, now, name, person(), quote_of(store.con, name, query)).uri


def forms_of(case: Case, fix: Fix | None, key_line: str, raw: str, database: Path | None) -> tuple[Form, ...]:
    """Every form of a case; the fix only if there is one."""
    from core.base.wire import dumps
    from core.errors.exchange.case_export import case_markdown

    forms = [Form("f", "fix", fix.text)] if fix is not None else []
    if fix is not None and fix.lesson is not None and fix.lesson.do.kind == "command":
        forms.append(Form("d", "command of the fix", fix.lesson.do.text))
    return (
        *forms,
        Form("k", "key line", key_line),
        Form("r", "output", raw),
        Form("m", "case as Markdown", case_markdown(case, raw)),
        Form("j", "case as JSON", dumps(case), exact=True),
        Form("c", "casebook command", command_of(case, database)),
    )


def command_of(case: Case, database: Path | None) -> str:
    """The command that prints this case, also from another folder; the user's own casebook needs no path."""
    words = ["casebook", "errors", "show", str(case.id)]
    if database is not None and database != database_file():
        words += ["--db", str(database.absolute())]
    return shlex.join(words)


class CaseActs:
    """Copying, opening elsewhere, going to the source; what only changes the view is the view's own."""

    def __init__(self, view: CaseView, jobs: Jobs, signs: Signs) -> None:
        self._view = view
        self._jobs = jobs
        self._signs = signs

    def perform(self, action_id: str) -> bool:
        view = self._view
        acts: dict[str, Callable[[], object]] = {
            "case.older": lambda: view.walk(1),
            "case.newer": lambda: view.walk(-1),
            "case.masked": view.toggle_masked,
            "case.history": view.toggle_history,
            "list.copy": self._copy_fix,
            "list.copy_as": self._copy_as,
            "case.all": lambda: view.post_message(PaneShowAll("Full output", view.raw.text)),
            "case.source": self._open_seen,
            "case.enter": self._open_seen,
            "case.fix_source": self._open_fix,
            "case.pager": self._page,
            "case.editor": self._edit,
            "case.library": self._ask_library,
            "case.open_cited": self._open_cited,
            "case.cited_editor": self._edit_cited,
        }
        if (act := acts.get(action_id)) is None:
            return False
        act()
        view.post_message(PaneChanged())
        return True

    # Copying ---------------------------------------------------------------------------------------------------------

    def _forms(self) -> tuple[Form, ...]:
        view = self._view
        if view.read is None:
            return ()
        return forms_of(view.read.case, view.fix, view.line, view.raw.text, view.read.path)

    def _copy_fix(self) -> None:
        self._copied(next((form for form in self._forms() if form.key == "f"), None))

    def _copy_as(self) -> None:
        self._view.app.push_screen(CopyMenu(self._forms()), self._copied)

    def _copied(self, form: Form | None) -> None:
        if form is None:
            return
        name = fix_name(self._view.standing) if form.key == "f" else form.name
        self._view.post_message(PaneCopied(name, form.text, exact=form.exact))
        if form.key == "f" and self._view.read is not None:
            self._view.post_message(self._view.Used(self._view.read.case.id))

    # The session -----------------------------------------------------------------------------------------------------

    def _open_seen(self) -> None:
        one = self._view.seen.current
        if one is None or one.session is None:
            self._say("This occurrence has no session. It was recorded manually.")
        else:
            self._open(one.session, one.message or 0)

    def _open_fix(self) -> None:
        fix = self._view.fix
        if fix is None or fix.session is None:
            self._say("This case has no fix yet." if fix is None else "This fix has no session.")
        else:
            seen = {one.message for one in self._view.seen.read if one.session == fix.session}
            ahead = [at for at in fix.messages if at not in seen]
            self._open(fix.session, min(ahead or fix.messages or (0,)))

    def _open(self, session: str, index: int) -> None:
        from tui.screens.session import SessionScreen

        view = self._view
        errors = {
            one.message: (one.start, one.end)
            for one in reversed(view.seen.read)
            if one.session == session and one.message is not None
        }
        one = view.seen.current
        if one is not None and one.session == session and one.message is not None:
            errors[one.message] = (one.start, one.end)
        fixes = frozenset(view.fix.messages if view.fix is not None and view.fix.session == session else ())
        view.app.push_screen(SessionScreen(self._jobs, session, index, Marks(errors, fixes), self._signs))

    # The library -----------------------------------------------------------------------------------------------------

    def _ask_library(self) -> None:
        from core.flows.ingest.case_citations import question_of_case

        view = self._view
        if view.read is not None:
            case, undo = (
                view.read.case,
                self._signs.fill_keys("Press {undo.last} in the Errors pane to undo the citation."),
            )
            view.post_message(PaneSearchLibrary(question_of_case(case), ForCase(case, view.look_for_citations, undo)))

    def _open_cited(self) -> None:
        if (one := self._view.cited.chosen_one) is not None:
            self._view.post_message(PaneOpenCitation(one.place or one.uri))

    def _edit_cited(self) -> None:
        if (one := self._view.cited.chosen_one) is not None:
            from tui.panes.errors.case_view import edit_cited

            edit_cited(self._view, self._jobs, one, self._say)

    # Other programs --------------------------------------------------------------------------------------------------

    def _page(self) -> None:
        from tui.services.external_editor import pager_of, show_in

        words, why = pager_of(os.environ)
        self._say(why or show_in(self._view.app, words, visible(self._view.raw.text), ".txt"))

    def _edit(self) -> None:
        from core.errors.exchange.case_export import case_markdown
        from tui.services.external_editor import editor_of, show_in

        words, why = editor_of(os.environ)
        if why or self._view.read is None:
            self._say(why)
            return
        note = "<!-- Read-only: changes here are not saved. -->\n\n"
        text = note + case_markdown(self._view.read.case, self._view.raw.text)
        self._say(show_in(self._view.app, words, text, ".md"))

    def _say(self, text: str) -> None:
        if text:
            self._view.app.notify(inline(text, 400), markup=False, severity="warning", timeout=4)
