"""Search by meaning, in a process of its own (`vector_process`): asked when words do not suffice, never waited for.

A process of the workbench's own rather than the model service: there is nothing that idles out between two looks, and
no deadline that would leave an answer out.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.base.fault import Fault
from tui.runtime.jobs import Job
from tui.runtime.vector_process import Question, VectorProcess

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.runtime.query_model import NoVectors, VectorSearch
    from core.errors import SearchAnswer
    from core.store import Store

SOON = "the vector tier was asked: what it says comes in a moment"
LOADING = "the model is being loaded: what it says comes in a moment"
ONLY_TEXT = "only the text tiers were asked"

T = TypeVar("T")


class Meaning:
    """The way to the vectors. What is asked on a job's thread says so; the rest is for the interface's.

    `process` is where they are compared, for other panes too.
    """

    def __init__(self, casebook: Path, settings: EmbeddingSettings | None) -> None:
        self._settings = settings
        self.process = None if settings is None else VectorProcess(casebook, settings)
        self._off: NoVectors | None = None  # why nothing could be asked the last time
        self.warm = False  # whether the model has answered

    def wanted(self, answer: SearchAnswer) -> bool:
        """Whether the vector tier has a say: no tier has answered, or only a weak prefix."""
        from core.errors.retrieval.api import weak_match

        asked = self.process is not None and bool(answer.query.normalized)
        return asked and (answer.match is None or weak_match(answer) is not None)

    def later(self) -> VectorSearch:
        """For a search that is answered at once: a way to no vectors, which says when they come, or why not."""
        from core.embedding.runtime.query_model import NoVectors, VectorSearch

        off = NoVectors(ONLY_TEXT) if self.process is None else self._off or NoVectors(SOON if self.warm else LOADING)
        return VectorSearch(lambda: off)

    def deepened(self, job: Job[Any], answer: SearchAnswer) -> SearchAnswer:
        """On a job's thread: what the text tiers have told, and what the vector tier says, or why it cannot."""
        from core.errors.retrieval.api import deepened, not_looked, weak_match
        from core.errors.retrieval.vector_tier import Nearest

        self._off = self._why_off(job.store())
        if self._off is None and self.process is not None:
            weak, query = weak_match(answer), answer.query
            try:
                looked = self.process.ask(job, Nearest(query, None if weak is None else weak.id))
                self.warm = True
                return deepened(answer, looked)
            except Fault as fault:
                self._off = _failed(fault)
        return answer if self._off is None else deepened(answer, not_looked(self._off))

    def ask(self, job: Job[Any], question: Question[T]) -> T:
        """On a job's thread: the answer to a question that needs no model; from here where nothing else can give it."""
        from core.embedding.index.state import read_state
        from core.embedding.runtime.query_model import NoVectors, VectorSearch

        store = job.store()
        state = read_state(store.con, "error")
        if self.process is not None and state is not None and state.complete:
            with suppress(Fault):
                return self.process.ask(job, question)
        return question(store, VectorSearch(lambda: NoVectors(ONLY_TEXT)))

    def end(self) -> None:
        """The workbench is left."""
        if self.process is not None:
            self.process.end()

    def _why_off(self, store: Store) -> NoVectors | None:
        from core.flows.system.vectors import why_no_vectors

        return None if self._settings is None else why_no_vectors(store, self._settings)


def _failed(fault: Fault) -> NoVectors:
    from core.embedding.runtime.query_model import NoVectors

    return NoVectors(fault.message, fault.hint or "", "failed")
