"""Search by meaning: the model in a process of its own, loaded once when a search first needs it, never waited for.

A process of the workbench's own rather than the model service: there is nothing that idles out between two looks, and
no deadline that would leave an answer out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.fault import Fault
from tui.jobs import Job, Jobs
from tui.panes.errors.ask_process import AskProcess

if TYPE_CHECKING:
    from core.embedding.bits import KeptBits
    from core.errors import SearchAnswer
    from core.errors.vector_search import NoVectors, VectorSearch
    from core.settings import EmbeddingSettings

SOON = "the vector tier was asked: what it says comes in a moment"
LOADING = "the model is being loaded: what it says comes in a moment"


class Kept:
    """What stays in memory of the vectors, made by the thread that first needs it."""

    def __init__(self) -> None:
        self._bits: KeptBits | None = None

    def bits(self) -> KeptBits:
        """The one of this workbench."""
        if self._bits is None:
            from core.embedding.bits import KeptBits

            self._bits = KeptBits()
        return self._bits


def load(settings: EmbeddingSettings, kept: Kept) -> Callable[[Job[object]], object]:
    """Load the model, if the casebook has vectors of it; else say why not."""

    def work(job: Job[object]) -> object:
        from core.flows.vectors import loaded_search

        def begun() -> AskProcess:
            process = AskProcess(settings)
            job.on_stop(process.end)
            process.begin()
            return process

        return loaded_search(job.store(), settings, kept.bits(), begun)

    return work


def wants_meaning(answer: SearchAnswer) -> bool:
    """Whether the vector tier has a say: no tier has answered, or only a weak prefix."""
    match = answer.match
    weak = match is not None and any(step.stage == "decide" for step in answer.trace)
    return bool(answer.query.normalized) and (match is None or weak)


class Meaning:
    """The way to the vectors. `vectors` is None until the model is loaded. For the interface's thread only."""

    def __init__(self, jobs: Jobs, settings: EmbeddingSettings | None) -> None:
        self.kept = Kept()
        self.vectors: VectorSearch | None = None
        self._jobs = jobs
        self._settings = settings
        self._why_not = ""
        self._remedy = ""
        self._broken = settings is None
        self._then: Callable[[VectorSearch], object] | None = None

    @property
    def told(self) -> tuple[str, str]:
        """What a search says of the vector tier before that has answered: why, and the command that mends it."""
        if self._broken or (self._why_not and not self._jobs.busy("model")):
            return self._why_not or "only the text tiers were asked", self._remedy
        return (SOON if self.vectors is not None else LOADING), ""

    def later(self) -> Callable[[], VectorSearch]:
        """For a search that is answered at once: the way to no vectors, which says when they come, or why not."""
        told = self.told
        return lambda: no_vectors(told)

    def now(self) -> Callable[[], VectorSearch]:
        """For a search that is made again: the way to the vectors, if the model is loaded."""
        ready = self.vectors
        return self.later() if ready is None else lambda: ready

    def ask(self, then: Callable[[VectorSearch], object], /) -> None:
        """Call `then` with the way to the vectors, now or once the model is loaded; never where there is none.

        Only the newest one that waits is called.
        """
        if self._settings is None or self._broken:
            return
        if self.vectors is not None:
            then(self.vectors)
            return
        self._then = then
        if not self._jobs.busy("model"):
            self._jobs.run("model", load(self._settings, self.kept), self._loaded, self._failed)

    def forget(self) -> None:
        """Nobody waits for it any more; the model goes on loading."""
        self._then = None

    def _loaded(self, found: object, _final: bool) -> None:
        from core.errors.vector_search import NoVectors, VectorSearch

        then, self._then = self._then, None
        if isinstance(found, NoVectors):
            # Nothing embedded yet is looked at again with the next search; a model that failed is not.
            self._broken = found.outcome != "skipped"
            self._say(found.reason, found.remedy, then)
        elif isinstance(found, VectorSearch):
            self.vectors, self._why_not, self._remedy = found, "", ""
            if then is not None:
                then(found)

    def _failed(self, fault: Fault) -> None:
        then, self._then = self._then, None
        self._say(fault.message, fault.hint or "", then)

    def _say(self, reason: str, remedy: str, then: Callable[[VectorSearch], object] | None) -> None:
        """There are none: a search that was told that it comes in a moment is told why it does not."""
        before, (self._why_not, self._remedy) = (self._why_not, self._remedy), (reason, remedy)
        if then is not None and before != (reason, remedy):
            then(no_vectors((reason, remedy)))


def no_vectors(told: tuple[str, str]) -> VectorSearch:
    """A way to no vectors that says so."""
    from core.errors.vector_search import NoVectors, VectorSearch

    said: NoVectors = NoVectors(*told)
    return VectorSearch(lambda: said)
