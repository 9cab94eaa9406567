"""What runs in the process that compares vectors: it has the model and what is kept in memory, and writes nothing.

Asked on standard input, it answers in order, pickled both ways; a question that nobody waits for any more is left where
it is. It ends with its input, at once: also when the workbench is killed.
"""

from __future__ import annotations

import json
import os
import pickle
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from core.base.fault import Fault
from tui.runtime.child_side import keep_to_one_core, take_pipes

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch
    from core.store import Store
    from tui.runtime.vector_process import Question

_GIVES_WAY = 5
"""Less than what runs for hours: somebody waits for it, but no key does."""


def main(database: str, settings: str) -> int:
    """Answer questions about the casebook with the model that the `settings` of embedding, as JSON, name."""
    if hasattr(os, "nice"):
        os.nice(_GIVES_WAY)
    keep_to_one_core()
    heard, said = take_pipes()
    desk = Desk()
    threading.Thread(target=_listen, args=(os.fdopen(heard, "rb"), desk), daemon=True).start()
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.index.binary_index import KeptBits
    from core.flows.system.vectors import vector_search

    vectors = vector_search(EmbeddingSettings(**json.loads(settings)), "process", kept=KeptBits())
    with suppress(OSError):  # nobody is there any more
        while True:
            number, question = desk.take()
            said.write(pickle.dumps((number, *_answer(Path(database), question, vectors, desk))))
            said.flush()
    os._exit(0)  # to take the model's modules down one by one would take longer than all the rest


class Desk:
    """The questions that wait, and the one that is being answered. For two threads."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Question[Any]]] = deque()
        self._at = self._left = 0
        self._store: Store | None = None
        self._wake = threading.Condition()

    def put(self, number: int, question: Question[Any] | None) -> None:
        """Line up a question; None: nobody waits for the one of that number any more."""
        with self._wake:
            if question is not None:
                self._waiting.append((number, question))
                self._wake.notify()
            elif number == self._at:
                self._left = number
                if self._store is not None:
                    self._store.interrupt()
            else:
                self._waiting = deque(one for one in self._waiting if one[0] != number)

    def take(self) -> tuple[int, Question[Any]]:
        """The next question; waits for one."""
        with self._wake:
            self._wake.wait_for(lambda: self._waiting)
            number, question = self._waiting.popleft()
            self._at = number
            return number, question

    def reads(self, store: Store | None) -> None:
        """This is what the question is answered from. Raises Fault timeout where nobody waits for it any more."""
        with self._wake:
            self._store = store
            if store is not None and self._left == self._at:
                store.interrupt()
        if store is not None:
            store.check()


def _answer(database: Path, question: Question[Any], vectors: VectorSearch, desk: Desk) -> tuple[object, object]:
    """The answer and no fault, or a fault in its wire form."""
    from core.base.wire import error_object, to_wire
    from core.store import as_fault, open_store

    try:
        with open_store(database) as store:
            desk.reads(store)
            try:
                return question(store, vectors), None
            finally:
                desk.reads(None)
    except Fault as fault:
        return None, to_wire(error_object(fault))
    except Exception as error:  # noqa: BLE001  whatever is wrong with the file or the model, the workbench says so
        return None, to_wire(error_object(as_fault(error, database)))


def _listen(pipe: IO[bytes], desk: Desk) -> None:
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            desk.put(*pickle.load(pipe))
    os._exit(0)
