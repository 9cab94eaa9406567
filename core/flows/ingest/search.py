"""Search of the library with the configured casebook and model, and the embedding of its passages."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.base.reports import Progress
from core.base.trace import Step
from core.base.wire import error_object
from core.embedding.runtime.query_model import VectorSearch
from core.embedding.runtime.report import EmbedReport
from core.flows.system.embedding import embed_pending
from core.flows.system.vectors import vector_search
from core.library.search.api import EMPTY, SearchQuery, checked, search
from core.library.search.fts import SearchFilters, index_version
from core.library.search.korean import analyse
from core.library.search.rows import BulkItem, BulkResponse, BulkSummary, SearchResponse
from core.store import open_store

if TYPE_CHECKING:
    from core.embedding.index.binary_index import CachedBits

QUERY: Final = '{"query": "…"}'
"""The form of a line that is a query, at its least."""
BULK_MOST: Final = 100
"""Queries answered in one go."""


def model_search(settings: EmbeddingSettings, kept: CachedBits | None = None) -> VectorSearch:
    """The way to the vectors of passages: the service that holds the model if one answers, else the model itself.

    Costs nothing until a search needs it, which is only where passages are embedded; then a second without a service.
    """
    return vector_search(settings, "either", kept=kept)


Search = Callable[[SearchQuery], SearchResponse]
"""Answers one query; raises Fault."""


def search_library(database: Path, query: SearchQuery, vectors: VectorSearch | None) -> SearchResponse:
    """One query to the casebook at `database`. Raises Fault."""
    with opened_search(database, vectors) as answer:
        return answer(query)


@contextmanager
def opened_search(database: Path, vectors: VectorSearch | None) -> Generator[Search]:
    """Queries to the casebook at `database`, over one connection; without one nothing is found and none is made.

    Raises Fault as the store.
    """
    try:
        store = open_store(database)
    except Fault as fault:
        if fault.code != "not_indexed":
            raise
        yield _nothing
        return
    with store:
        yield lambda query: search(store, query, vectors, analyse)


def _nothing(query: SearchQuery) -> SearchResponse:
    checked(query)
    missing = Step("store", "miss", EMPTY)
    return SearchResponse(query.text, query.mode, (), None, False, EMPTY, index_version(), None, (missing,))


def search_bulk(answer: Search, queries: Iterable[SearchQuery | Fault]) -> BulkResponse:
    """Several queries, each answered by itself: what is wrong with one costs the others nothing."""
    results: list[BulkItem] = []
    for at, query in enumerate(queries):
        text = query.text if isinstance(query, SearchQuery) else str(query.details.get("query") or "")
        try:
            if isinstance(query, Fault):
                raise query
            if at >= BULK_MOST:
                raise Fault("invalid_input", f"more than {BULK_MOST} queries", "send the rest in another call")
            results.append(BulkItem(text, answer(query), None))
        except Fault as fault:
            results.append(BulkItem(text, None, error_object(fault)))
    failed = sum(one.error is not None for one in results)
    return BulkResponse(tuple(results), BulkSummary(len(results), len(results) - failed, failed))


_FILTERS: Final = ("lang", "path_glob", "trust_min", "source", "source_type", "media", "doc", "code_lang", "repo",
                   "since", "until")  # fmt: skip
_NUMBERS: Final = ("k", "max_tokens", "snippet_chars")


def query_of(item: dict[str, Any], like: SearchQuery) -> SearchQuery:
    """A line of input as a query: `{"query": …}` with any of the options; what it leaves out is as in `like`.

    Raises Fault invalid_input.
    """
    from dataclasses import replace

    text: object = item.get("query")
    if not isinstance(text, str):
        raise Fault("invalid_input", "the line has no query", f"use the format {QUERY}")
    given: dict[str, Any] = {"text": text}
    mode: object = item.get("mode", like.mode)
    if mode not in ("lexical", "vector", "hybrid"):
        raise Fault("invalid_input", "mode is not lexical, vector or hybrid", "pass one of them", query=text)
    for name in _NUMBERS:
        value: object = item.get(name, getattr(like, name))
        if type(value) is not int:
            raise Fault("invalid_input", f"{name} is not an integer", "pass an integer", query=text)
        given[name] = value
    filters: dict[str, Any] = {}
    for name in _FILTERS:
        if name in item:
            if not isinstance(item[name], str):
                raise Fault("invalid_input", f"{name} is not a string", "pass a string", query=text)
            filters[name] = item[name]
    if "tags_any" in item:
        tags: object = item["tags_any"]
        if not isinstance(tags, list) or not all(isinstance(one, str) for one in tags):  # pyright: ignore[reportUnknownVariableType]
            raise Fault("invalid_input", "tags_any is not a list of strings", "pass a list of strings", query=text)
        filters["tags_any"] = tuple(tags)  # pyright: ignore[reportUnknownArgumentType]
    cursor: object = item.get("cursor")
    kept: SearchFilters = replace(like.filters, **filters)
    return replace(like, **given, mode=mode, filters=kept, cursor=cursor if isinstance(cursor, str) else None)


def embed_passages(
    database: Path,
    settings: EmbeddingSettings,
    *,
    threads: int = 1,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> EmbedReport:
    """Embed whatever passages of the library wait, and nothing else: see `embed_pending`."""
    return embed_pending(database, settings=settings, threads=threads, kinds=("chunk",), progress=progress, stop=stop)
