"""Citing from the library: into the fix that is being written, or for the fix of the case one came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors import Case
    from tui.runtime.messages import CiteSource

LANE = "library-cite"


@dataclass(frozen=True, slots=True)
class IntoFix:
    """The fix that is being written, below in the stack: the citation becomes part of its text."""

    case_id: int
    insert: Callable[[str], object]

    @property
    def told(self) -> str:
        """Who cites."""
        return f"the fix of case #{self.case_id}"

    def cite(self, source: CiteSource) -> None:
        """Put the chosen passage into the text, and go back to it."""
        if (name := source.passage) is None:
            return

        def came(block: str, _final: bool) -> None:
            self.insert(block)
            source.leave()

        source.jobs.run(LANE, quoted(name, source.query_text), came, source.told)


@dataclass(frozen=True, slots=True)
class ForCase:
    """The fix that answers for a case: the citation is attached to it, and can be undone: `undo` says how."""

    case: Case
    changed: Callable[[], object]
    undo: str

    @property
    def told(self) -> str:
        """Who cites; a case without a fix does not."""
        return f"the fix of case #{self.case.id}" if any(one.current for one in self.case.resolutions) else ""

    def cite(self, source: CiteSource) -> None:
        """Attach the chosen passage; one stays in the library, to cite more."""
        if (name := source.passage) is None:
            return

        def came(uri: str, _final: bool) -> None:
            source.say(f"{self.told[0].upper()}{self.told[1:]} cites {uri}. {self.undo}")
            self.changed()

        source.jobs.run(LANE, attached(self.case, name, source.query_text), came, source.told)


def quoted(name: str, query: str) -> Callable[[Job[str]], str]:
    """The citation of a passage as it is put into a text."""

    def work(job: Job[Any]) -> str:
        from core.library.citations.store import citation_block

        return citation_block(job.store().con, name, query)

    return work


def attached(case: Case, name: str, query: str) -> Callable[[Job[str]], str]:
    """Attach a passage to the fix of a case; where it stands."""

    def work(job: Job[Any]) -> str:
        from core.errors import show_case
        from core.errors.curation.transaction import person
        from core.flows.ingest.case_citations import cite_in_case
        from core.library.citations.store import quote_of
        from core.store import faults, open_store

        with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
            now = show_case(store, case.id)
            if now is None:
                raise Fault("invalid_input", f"case {case.id} is not there any more")
            return cite_in_case(store, now, name, person(), quote_of(store.con, name, query)).uri

    return work
