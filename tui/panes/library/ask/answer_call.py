"""What runs in the process that answers questions from the library: the search, the model's client, the checking."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.fault import Fault
from core.library.search.fts import SearchFilters
from core.process.worker import Call

if TYPE_CHECKING:
    from core.base.config.settings import Settings
    from core.embedding.runtime.query_model import VectorSearch
    from core.library.ask.answer import AnswerEvent
    from core.library.search.rows import Mode

GRACE = 5.0
"""Seconds it has to keep an unfinished answer once nobody is there any more."""


@dataclass(frozen=True, slots=True)
class LibraryQuestion:
    """A question, and what of the library is asked, how. `in_steps`: it is taken apart."""

    text: str
    session: str | None
    mode: Mode
    filters: SearchFilters
    in_steps: bool


def get_ready(_call: Call, database: Path, settings: str) -> None:
    """Load what the first question needs while it is typed: a search opens the model, where passages are embedded."""
    import core.flows.ask.api  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from core.flows.ingest.search import search_library
    from core.library.search.api import SearchQuery

    with suppress(Exception):  # whatever is wrong, the first question says so
        search_library(database, SearchQuery("question", k=1), _vectors(settings))


def answer_library(call: Call, database: Path, settings: str, question: LibraryQuestion) -> AnswerEvent | None:
    """Tell each event as it happens; the last one, with the answer, is the result. `settings`: all of them, as JSON.

    A cancelled answer is kept as unfinished. Raises Fault.
    """
    from core.store import as_fault

    final: list[AnswerEvent] = []

    def tell(event: AnswerEvent) -> None:
        final.append(event) if event.kind == "final" else call.tell(event)

    try:
        _ask(call, database, settings, question, tell)
    except Fault:
        raise
    except Exception as error:
        raise as_fault(error, database) from error
    return final[-1] if final else None


def _ask(
    call: Call, database: Path, settings: str, question: LibraryQuestion, on_event: Callable[[AnswerEvent], None]
) -> None:
    """The answer is kept where the casebook can be written; a read-only one answers all the same."""
    from core.flows.ask.api import ask_library, ask_options
    from core.llm.factory import language_model

    chosen, vectors, asked, cancelled = _settings(settings), _vectors(settings), question.text, call.is_cancelled
    options = ask_options(chosen, session=question.session, mode=question.mode, filters=question.filters)
    options = replace(options, multi_hop=question.in_steps)
    model = language_model(chosen.llm)
    try:
        ask_library(database, asked, options, model, vectors, on_event=on_event, cancelled=cancelled)
    except Fault as fault:
        if fault.code != "db_readonly":
            raise
        loose = replace(options, keep=False, session=None)
        ask_library(database, asked, loose, model, vectors, on_event=on_event, cancelled=cancelled)


@lru_cache(maxsize=1)
def _vectors(settings: str) -> VectorSearch:
    from core.embedding.index.binary_index import KeptBits
    from core.flows.ingest.search import model_search

    return model_search(_settings(settings).embedding, KeptBits())


def _settings(text: str) -> Settings:
    from core.base.config.settings import EmbeddingSettings, LlmSettings, RagSettings, Settings

    found = json.loads(text)
    return Settings(
        embedding=EmbeddingSettings(**found["embedding"]),
        llm=LlmSettings(**found["llm"]),
        rag=RagSettings(**found["rag"]),
    )
