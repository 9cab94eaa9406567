"""Vectors are compared in a process of its own, where the model is too: here it would hold up every key.

The model's libraries take a second to import, in pieces of a tenth; and whoever types needs the interpreter, and the
core it runs on, while what was typed is compared. Begun by the first question, it is kept for the next ones.
"""

from __future__ import annotations

import io
import json
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.base.fault import Fault
from tui.runtime.child_process import Child, fault_of
from tui.runtime.jobs import Job, Stopped

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.runtime.query_model import VectorSearch
    from core.store import Store

PATIENCE = 0.3
"""Seconds for which nobody misses an answer."""

CHILD = "from tui.runtime.vector_child import main"

T = TypeVar("T")
Question = Callable[["Store", "VectorSearch"], T]
"""A value that can be pickled; it is called in the process, with the casebook and the way to its vectors."""


class VectorProcess:
    """The process, for several threads. One that has died is begun again, if it had answered at all."""

    def __init__(self, casebook: Path, settings: EmbeddingSettings) -> None:
        self._given = casebook, json.dumps(settings.as_dict())
        self._guard = threading.Lock()
        self._child: Child | None = None
        self._asked: dict[int, Future[Any]] = {}
        self._number = 0
        self._worth = True  # to be begun
        self._closed = False

    def ask(
        self,
        job: Job[Any] | None,
        question: Question[T],
        seconds: float | None = None,
        late: Callable[[], object] | None = None,
    ) -> T:
        """The answer, waited for as long as anybody waits for the job (None: whoever does), `seconds` at most.

        `late` is called, here, where it has not come within `PATIENCE`.
        Raises Fault: what the question raises; model_unreachable where the process cannot be had, or has died; timeout.
        """
        future: Future[T] = Future()
        with self._guard:
            child = self._begun()
            self._number += 1
            number = self._number
            self._asked[number] = future
        if job is not None:
            job.on_stop(future.cancel)
        child.send(pickle.dumps((number, question)))
        try:
            if late is not None:
                with suppress(TimeoutError):
                    return future.result(PATIENCE)
                late()
            return future.result(seconds)
        except CancelledError:
            child.send(pickle.dumps((number, None)))
            raise Stopped from None
        except TimeoutError:
            future.cancel()
            child.send(pickle.dumps((number, None)))
            said = f"the process that compares vectors has not answered within {seconds:.0f} s"
            raise Fault("timeout", said) from None

    def end(self) -> None:
        """End it at once, and for good; from any thread."""
        with self._guard:
            self._closed = True
            if self._child is not None:
                self._child.kill()

    def _begun(self) -> Child:
        if self._child is not None:
            return self._child
        if self._closed or not self._worth:
            raise _gone()
        child = Child(CHILD, *self._given)
        try:
            child.begin()
        except OSError as error:
            raise Fault("model_unreachable", f"no process could be started to compare in ({error.strerror})") from error
        self._child, self._worth = child, False
        threading.Thread(target=self._listen, args=(child,), name="casebook-vectors", daemon=True).start()
        return child

    def _listen(self, child: Child) -> None:
        """Hand out what it says, until it ends."""
        with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError), child, child.output() as pipe:
            said = io.BufferedReader(pipe)
            while True:
                number, value, fault = pickle.load(said)
                self._worth = True
                with self._guard:
                    future = self._asked.pop(number, None)
                if future is None or not future.set_running_or_notify_cancel():
                    continue
                if fault is None:
                    future.set_result(value)
                else:
                    future.set_exception(fault_of(fault))
        with self._guard:
            self._child = None
            left, self._asked = self._asked, {}
        for future in left.values():
            if future.set_running_or_notify_cancel():
                future.set_exception(_gone())


def _gone() -> Fault:
    return Fault("model_unreachable", "the process that compares vectors has ended")
