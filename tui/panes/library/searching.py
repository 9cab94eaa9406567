"""From what is typed to rows: words at once, meaning when it comes; who reads a hit is not moved."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from core.base.fault import Fault
from tui.panes.library.hits import Keep, listed
from tui.panes.library.queries import MOST, SNIPPET, Found, Keys, find, read_keys, read_stamp
from tui.panes.library.search_scope import Scope
from tui.panes.library.vector_search import Meaning, waits_for_meaning
from tui.render.library.hits import asking_meaning
from tui.runtime.jobs import DEBOUNCE
from tui.services.db_watch import staying
from tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from core.library.search.api import SearchQuery
    from core.library.search.fts import SearchFilters
    from tui.panes.library.screen import LibraryScreen


class Searching:
    """Keeps the list true to what was asked last."""

    def __init__(self, screen: LibraryScreen, meaning: Meaning, clock: Callable[[], datetime]) -> None:
        self._screen = screen
        self.clock = clock
        self.meaning = meaning
        self.scope = Scope()
        self.text = ""
        self.found: Found | None = None
        self._meant = False  # whether meaning has had its say in the rows
        self._stamp: Hashable = None  # of the library, when it was last looked at because somebody has written
        self._fresh = True  # whether the rows are to be those of another query

    @property
    def filters(self) -> SearchFilters:
        """What passes, as the core takes it."""
        return self.scope.filters(self.clock())

    @property
    def waiting(self) -> bool:
        """Whether an answer is on its way."""
        return self._screen.search.busy

    def show(self, scope: Scope) -> None:
        """Show what passes this."""
        self.scope = scope
        self._fresh = True
        self.load()

    def ask(self, text: str, *, pasted: bool) -> None:
        """Search for `text` after a moment of quiet; an empty one lists the documents again."""
        if text == self.text and text.strip():
            return
        if text != self._screen.desk.query:
            self._screen.hits.resume = None
        self.text, self._fresh = text if text.strip() else "", True
        self.load(DEBOUNCE if self.text and not pasted else 0.0)

    def load(self, delay: float = 0.0) -> None:
        """Read what is asked for."""
        search, now = self._screen.search, self.clock()
        self.meaning.forget()
        self._meant = False
        if not self.text:
            self.found = None
            search.read(read_keys(self.scope, now, self._screen.hits.resume), self._listed, self._failed, delay)
        elif self.scope.mode == "vector":
            search.cancel()
            if not self._screen.hits.total:
                self._screen.hits.tell(asking_meaning())
            self._ask_meaning(delay)
        else:
            work = find(self.text, self.scope, now, self.meaning.told)
            search.read(work, self._found, self._failed, delay)

    def look_again(self) -> None:
        """Somebody has written: where that was in the library, read again what is shown; it stays until that is there.

        Rows that meaning had a say in are asked for whole: to show those by words first would take them back and forth.
        """

        def came(stamp: Hashable, _final: bool) -> None:
            if stamp == self._stamp:
                return
            self._stamp = stamp
            self._screen.document.again()
            if self._meant:
                self._ask_meaning()
            else:
                self.load()

        self._screen.jobs.run("library-look", read_stamp(), came, self._failed)

    def _listed(self, found: Keys, _final: bool) -> None:
        screen = self._screen
        with nullcontext() if self._fresh else staying(screen.hits.rows):
            screen.hits.show_documents(found, self.scope)
        self._fresh = False
        if not found.size.documents and screen.box.has_focus and not screen.box.asked:
            screen.hits.body.take_focus()  # keys are offered in the place of the list
        screen.searched()

    def _found(self, found: Found, _final: bool) -> None:
        self.found = found
        self._put(found)
        if waits_for_meaning(found.response):
            self._ask_meaning()

    def _put(self, found: Found, *, late: bool = False) -> None:
        """Show it. `late`: the same answer in the order that meaning gives it."""
        keep = self._keep(late=late)
        if self._screen.reads and keep == "passage":
            self._screen.keep_reading(listed(found.response.hits))
        waiting = waits_for_meaning(found.response)
        with nullcontext() if self._fresh else staying(self._screen.hits.rows):
            self._screen.hits.show_hits(found, self.scope, keep=keep, waiting=waiting)
        self._fresh = False
        self._screen.searched()
        self._screen.search.answered()

    def _keep(self, *, late: bool) -> Keep:
        """What stays chosen. A passage that the person went to or reads stays; whoever has only typed, or gone to the
        list, looks at a place: what comes late brings other passages there and takes nobody to the end of the list.
        """
        screen = self._screen
        if self._fresh:
            return "nothing"
        if screen.reads or screen.hits.moved:
            return "passage"
        if late:
            return "place"
        return "passage" if screen.hits.rows.chosen > 0 or not isinstance(screen.focused, SearchBox) else "nothing"

    def _ask_meaning(self, delay: float = 0.0) -> None:
        text, scope, now = self.text, self.scope, self.clock()

        def query() -> SearchQuery:
            from core.library.search.api import SearchQuery

            return SearchQuery(text, scope.mode, MOST, scope.filters(now), snippet_chars=SNIPPET, prefix_last=True)

        def came(found: Found) -> None:
            if (text, scope) == (self.text, self.scope) and not self.waiting:
                late = not self._meant
                self.found, self._meant = found, True
                self._put(found, late=late)

        def failed(fault: Fault) -> None:
            if (text, scope) == (self.text, self.scope) and not self.waiting:
                if self._meant and scope.mode != "vector":
                    self.load()
                else:
                    self._no_meaning(fault)

        self.meaning.ask(query, came, failed, delay=delay)

    def _no_meaning(self, fault: Fault) -> None:
        """The rows by words stay; what is said of meaning is why it could not be asked."""
        self._screen.search.give_up()
        if self.scope.mode == "vector":
            self._screen.hits.trouble(fault, meaning=True)
            self.found, self._stamp = None, None
        elif self.found is not None:
            from tui.panes.library.vector_search import SOON

            said = self.found.response
            trace = tuple(
                replace(step, outcome="failed", reason=fault.message) if step.reason == SOON else step
                for step in said.trace
            )
            self.found = replace(self.found, response=replace(said, trace=trace))
        self._screen.searched()

    def _failed(self, fault: Fault) -> None:
        self.found, self._stamp = None, None
        self._screen.hits.trouble(fault)
        self._screen.searched()

    def explain(self) -> None:
        """The trace: of the chosen hit first, then of the search."""
        if not self._screen.why.display:
            return  # to lay out what is not on the screen would cost each key a frame
        if self.found is None:
            self._screen.why.explain(())
            return
        from core.library.search.hybrid import why_hit

        hit = self._screen.hit
        own = () if hit is None else (why_hit(hit),)
        self._screen.why.explain((*own, *self.found.response.trace))
