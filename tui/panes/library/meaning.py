"""Search by meaning, all of it in a process of its own: the model, the vectors, the comparing. No key waits for it.

Begun by the first search that needs it, and kept for the next one; it ends with the workbench.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.fault import Fault
from tui.child import Child, fault_of
from tui.jobs import Job, Jobs
from tui.panes.library.queries import Found

if TYPE_CHECKING:
    from core.library.search import SearchQuery
    from core.library.search_hit import SearchResponse
    from core.settings import EmbeddingSettings

LANE = "library-meaning"
CHILD = "from tui.panes.library.ask_child import main"
SOON = "meaning was asked: what it says comes in a moment"
NONE = "no model is set up for this workbench"


class SearchProcess:
    """The process, for several threads one after another. Raises Fault where it cannot be had."""

    def __init__(self, database: Path, settings: EmbeddingSettings) -> None:
        self._given = database, json.dumps(asdict(settings))
        self._child: Child | None = None
        self._said: Iterator[bytes] = iter(())
        self._turn = threading.Lock()
        self._number = 0

    def ask(self, query: SearchQuery, stopped: Callable[[], bool]) -> SearchResponse | None:
        """The answer; None where nobody waits for it any more by the time it is this query's turn."""
        from core.library.search_wire import query_object, response_from

        with self._turn:
            if stopped():
                return None
            child = self._begun()
            self._number += 1
            child.ask(json.dumps({"n": self._number, "query": query_object(query)}).encode())
            told = self._heard()
            while told.get("n") != self._number:
                told = self._heard()
        if "fault" in told:
            raise fault_of(told["fault"])
        return response_from(told["answer"])

    def end(self) -> None:
        """End it at once; from any thread."""
        if self._child is not None:
            self._child.kill()

    def _begun(self) -> Child:
        if self._child is None:
            child = Child(CHILD, *self._given)
            try:
                child.begin()
            except OSError as error:
                raise Fault("model_unreachable", f"no process could be started ({error.strerror})") from error
            self._child, self._said = child, child.said()
        return self._child

    def _heard(self) -> dict[str, Any]:
        line = next(self._said, None)
        if line is None:
            self._child = None  # the next search begins another one
            raise Fault("model_unreachable", "the process that searches by meaning has ended")
        return json.loads(line)


class Meaning:
    """The way to it. For the interface's thread only."""

    def __init__(self, jobs: Jobs, settings: EmbeddingSettings | None) -> None:
        self._jobs = jobs
        self._process = None if settings is None else SearchProcess(jobs.path, settings)

    @property
    def told(self) -> tuple[str, str]:
        """What a search by words says of meaning before that has answered: why, and what mends it."""
        return (SOON, "") if self._process is not None else (NONE, "casebook models pull")

    def ask(
        self,
        query: Callable[[], SearchQuery],
        came: Callable[[Found], object],
        failed: Callable[[Fault], object],
        *,
        delay: float = 0.0,
    ) -> None:
        """Ask, and call `came` or `failed`; the query that was asked before is given up."""
        process = self._process
        if process is None:
            failed(Fault("model_unreachable", NONE, "casebook models pull"))
            return

        def work(job: Job[Any]) -> Found | None:
            from core.library.browse import library_size

            answer = process.ask(query(), lambda: job.stopped)
            return None if answer is None else Found(answer, library_size(job.store().con))

        def done(found: Found | None, _final: bool) -> None:
            if found is not None:
                came(found)

        def refused(fault: Fault) -> None:
            failed(fault)

        self._jobs.run(LANE, work, done, refused, delay=delay)

    def forget(self) -> None:
        """Nobody waits for it any more."""
        self._jobs.cancel(LANE)


def waits_for_meaning(response: SearchResponse) -> bool:
    """Whether a search by words has left the rest to meaning."""
    return any(step.stage == "vector" and step.reason == SOON for step in response.trace)
