"""What runs in the process that answers questions from the library: the search, the model's client, the checking.

It is asked on standard input, a JSON object a line, and tells what happens on standard output, pickled. The end of its
input, also when the workbench is killed, cancels what it is at, which is then kept as unfinished, and ends it.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from core.base.fault import Fault
from tui.runtime.child_side import take_pipes

if TYPE_CHECKING:
    from core.base.config.settings import Settings
    from core.embedding.runtime.query_model import VectorSearch
    from core.library.ask.answer import AnswerEvent

GRACE = 5.0
"""Seconds it has to keep an unfinished answer once nobody is there any more."""

Question = dict[str, Any]


class _Heard:
    """What was asked, and what was stopped, by number."""

    def __init__(self, pipe: int) -> None:
        self.questions: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self.stopped = 0
        self._pipe = pipe

    def listen(self) -> None:
        """Read until the pipe ends; then see to it that this process does too."""
        with os.fdopen(self._pipe, "rb") as lines:
            for line in lines:
                told = json.loads(line)
                if "stop" in told:
                    self.stopped = max(self.stopped, int(told["stop"]))
                else:
                    self.questions.put(told)
        self.stopped = 1 << 62
        self.questions.put(None)
        threading.Event().wait(GRACE)
        os._exit(1)


def main(database: str, settings: str) -> int:
    """Answer questions of the casebook at `database`; `settings` are all of them, as JSON."""
    pipe, said = take_pipes()
    heard = _Heard(pipe)
    threading.Thread(target=heard.listen, daemon=True).start()
    from core.embedding.index.binary_index import KeptBits
    from core.flows.ingest.search import model_search

    chosen = _settings(json.loads(settings))
    vectors = model_search(chosen.embedding, KeptBits())
    if heard.questions.empty():
        _get_ready(Path(database), vectors)
    try:
        while (question := heard.questions.get()) is not None:
            number = int(question["n"])
            _answer(Path(database), question, chosen, vectors, said, lambda n=number: n <= heard.stopped)
    except OSError:  # nobody is there any more
        pass
    os._exit(0)  # to take the model's modules down one by one would take longer than all the rest


def _get_ready(database: Path, vectors: VectorSearch) -> None:
    """Load what the first question needs while it is typed: a search opens the model, where passages are embedded."""
    import core.flows.ask.api  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from core.flows.ingest.search import search_library
    from core.library.search.api import SearchQuery

    with suppress(Exception):  # whatever is wrong, the first question says so
        search_library(database, SearchQuery("question", k=1), vectors)


def _settings(found: dict[str, Any]) -> Settings:
    from core.base.config.settings import EmbeddingSettings, LlmSettings, RagSettings, Settings

    return Settings(
        embedding=EmbeddingSettings(**found["embedding"]),
        llm=LlmSettings(**found["llm"]),
        rag=RagSettings(**found["rag"]),
    )


def _answer(
    database: Path,
    question: Question,
    settings: Settings,
    vectors: VectorSearch,
    said: BinaryIO,
    cancelled: Callable[[], bool],
) -> None:
    """Tell each event as it happens, the last one with the answer; or the fault, in its wire form."""
    from core.base.wire import error_object, to_wire
    from core.store import as_fault

    def tell(event: AnswerEvent | None, fault: Fault | None = None) -> None:
        wrong = None if fault is None else to_wire(error_object(fault))
        said.write(pickle.dumps((question["n"], event, wrong)))
        said.flush()

    try:
        _ask(database, question, settings, vectors, tell, cancelled)
    except Fault as fault:
        tell(None, fault)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001  whatever is wrong with the file or the model, the workbench says so
        tell(None, as_fault(error, database))


def _ask(
    database: Path,
    question: Question,
    settings: Settings,
    vectors: VectorSearch,
    on_event: Callable[[AnswerEvent], None],
    cancelled: Callable[[], bool],
) -> None:
    """The answer is kept where the casebook can be written; a read-only one answers all the same."""
    from core.flows.ask.api import ask_library, ask_options
    from core.library.search.filters import SearchFilters
    from core.llm.factory import language_model

    told, asked = question["filters"], question["question"]
    filters = SearchFilters(**{**told, "tags_any": tuple(told["tags_any"])})
    options = ask_options(settings, session=question["session"], mode=question["mode"], filters=filters)
    options = replace(options, multi_hop=question["in_steps"])
    model = language_model(settings.llm)
    try:
        ask_library(database, asked, options, model, vectors, on_event=on_event, cancelled=cancelled)
    except Fault as fault:
        if fault.code != "db_readonly":
            raise
        loose = replace(options, keep=False, session=None)
        ask_library(database, asked, loose, model, vectors, on_event=on_event, cancelled=cancelled)
