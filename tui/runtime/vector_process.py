"""Vectors are compared in a process of its own, where the model is too: here it would hold up every key.

The model's libraries take a second to import, in pieces of a tenth; and whoever types needs the interpreter, and the
core it runs on, while what was typed is compared. Begun by the first question, it is kept for the next ones.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.base.fault import Fault
from core.process.child import Child, ChildExitedError, Reply
from tui.runtime.jobs import Job, Stopped

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.runtime.query_model import VectorSearch
    from core.store import Store

PATIENCE = 0.3
"""Seconds for which the absence of an answer is not noticed."""

_NICE = 5
"""Lower than that of long jobs: a search waits for it, but no key does."""

T = TypeVar("T")
Question = Callable[["Store", "VectorSearch"], T]
"""A frozen dataclass; it is called in the process, with the casebook and the way to its vectors."""


class VectorProcess:
    """The process, for several threads. One that has died is begun again, if it had answered at all."""

    def __init__(self, casebook: Path, settings: EmbeddingSettings) -> None:
        self._given = casebook, json.dumps(settings.as_dict())
        self._guard = threading.Lock()
        self._child: Child | None = None
        self._worth = True  # to be begun
        self._closed = False

    def ask(
        self,
        job: Job[Any] | None,
        question: Question[T],
        seconds: float | None = None,
        late: Callable[[], object] | None = None,
    ) -> T:
        """Return the answer within the life of the job (None: without a job), `seconds` at most.

        `late` is called, here, where it has not come within `PATIENCE`.
        Raises Fault: what the question raises; model_unreachable where the process cannot be had, or has died; timeout.
        """
        from core.flows.system.vectors import answer_question

        with self._guard:
            child = self._started()
        reply: Reply[T] = child.call(answer_question, *self._given, question)  # pyright: ignore[reportAssignmentType]
        if job is not None:
            job.on_stop(reply.give_up)
        try:
            return self._result(reply, seconds, late)
        except CancelledError:
            child.cancel(reply, drop=True)
            raise Stopped from None
        except TimeoutError:
            child.cancel(reply, drop=True)
            message = f"the vector process timed out after {seconds:.0f} s"
            raise Fault("timeout", message) from None
        except ChildExitedError:
            raise _exited_fault() from None

    def _result(self, reply: Reply[T], seconds: float | None, late: Callable[[], object] | None) -> T:
        try:
            if late is not None:
                with suppress(TimeoutError):
                    return reply.result(timeout=PATIENCE)
                late()
            return reply.result(timeout=seconds)
        finally:
            self._worth = self._worth or reply.answered

    def end(self) -> None:
        """End it at once, and for good; from any thread."""
        with self._guard:
            self._closed = True
            if self._child is not None:
                self._child.kill()

    def _started(self) -> Child:
        if self._child is not None and not self._child.ended:
            return self._child
        if self._closed or not self._worth:
            raise _exited_fault()
        child = Child(nice=_NICE, one_core=True)
        try:
            child.start()
        except OSError as error:
            raise Fault("model_unreachable", f"cannot start the vector process ({error.strerror})") from error
        self._child, self._worth = child, False
        return child


def _exited_fault() -> Fault:
    return Fault("model_unreachable", "the vector process exited")
