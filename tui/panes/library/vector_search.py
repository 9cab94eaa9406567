"""Search by meaning, all of it in the process that has the model (`vector_process`). No key waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from tui.panes.library.queries import Found
from tui.runtime.jobs import Job, Jobs
from tui.runtime.vector_process import VectorProcess

if TYPE_CHECKING:
    from core.library.search.api import SearchQuery
    from core.library.search.rows import SearchResponse

LANE = "library-meaning"
SOON = "meaning was asked: what it says comes in a moment"
NONE = "no model is set up for this workbench"


class Meaning:
    """The way to it. For the interface's thread only."""

    def __init__(self, jobs: Jobs, process: VectorProcess | None) -> None:
        self._jobs = jobs
        self._process = process

    @property
    def told(self) -> tuple[str, str]:
        """What a search by words says of meaning before that has answered: why, and what mends it."""
        return (SOON, "") if self._process is not None else (NONE, "casebook models pull")

    def ask(
        self,
        query: Callable[[], SearchQuery],
        came: Callable[[Found], object],
        failed: Callable[[Fault], None],
        *,
        delay: float = 0.0,
    ) -> None:
        """Ask, and call `came` or `failed`; the query that was asked before is given up."""
        process = self._process
        if process is None:
            failed(Fault("model_unreachable", NONE, "casebook models pull"))
            return

        def work(job: Job[Any]) -> Found:
            from core.library.documents.opened import library_size
            from core.library.search.api import SearchRequest

            answer = process.ask(job, SearchRequest(query()))
            return Found(answer, library_size(job.store().con))

        def done(found: Found, _final: bool) -> None:
            came(found)

        self._jobs.run(LANE, work, done, failed, delay=delay)

    def forget(self) -> None:
        """Nobody waits for it any more."""
        self._jobs.cancel(LANE)


def waits_for_meaning(response: SearchResponse) -> bool:
    """Whether a search by words has left the rest to meaning."""
    return any(step.stage == "vector" and step.reason == SOON for step in response.trace)
