"""What the Library pane reads, each as the work of a job. Vectors come from the process that has the model."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from tui.panes.library.filters import Scope
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.vector_process import VectorProcess
from tui.widgets.row_list import Page

if TYPE_CHECKING:
    from core.library.documents.opened import LibrarySize
    from core.library.search.api import SearchQuery
    from core.library.search.inspect import DocSummary
    from core.library.search.rows import SearchResponse


MOST = 100
"""Hits of one search."""
SNIPPET = 320


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of the documents that pass, how much there is in all, and why it cannot be written, if so.

    `at`: the key of the document requested by its path."""

    keys: array[int]
    size: LibrarySize
    readonly: str
    at: int | None = None

    def __hash__(self) -> int:
        return id(self.keys)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found so far; `size` is how much was searched."""

    response: SearchResponse
    size: LibrarySize


@job_work
def read_stamp(job: Job[Any]) -> Hashable:
    """Another value than before means that the library, or the file that holds it, is another one."""
    from core.library.documents.opened import library_stamp

    return job.lane.path.stat().st_ino, library_stamp(job.store().con)


@job_work
def read_keys(job: Job[Any], scope: Scope, now: datetime, path: str | None = None) -> Keys:
    """The keys of all documents that pass, read last first; and of the one at `path`."""
    from core.library.documents.opened import document_keys, key_at, library_size

    store = job.store()
    keys = document_keys(store.con, scope.filters(now))
    at = None if path is None else key_at(store.con, path)
    return Keys(keys, library_size(store.con), store.readonly or "", at)


@job_work
def read_page(job: Job[Any], first: int, keys: Sequence[int]) -> Page[DocSummary]:
    from core.library.documents.opened import documents_by_key

    found = documents_by_key(job.store().con, keys)
    return Page(first, tuple(found.get(key) for key in keys))


@job_work
def find(job: Job[Any], text: str, scope: Scope, now: datetime, reason: tuple[str, str]) -> SearchResult:
    """Search by words at once. `reason`: why there are no vectors, and the hint."""
    from core.embedding.runtime.query_model import NoVectors, VectorSearch
    from core.library.documents.opened import library_size
    from core.library.search.api import SearchQuery, search

    store = job.store()
    mode = "lexical" if scope.mode == "lexical" else "hybrid"
    query = SearchQuery(text, mode, MOST, scope.filters(now), snippet_chars=SNIPPET, prefix_last=True)
    no_vectors: NoVectors = NoVectors(*reason)
    return SearchResult(search(store, query, VectorSearch(lambda: no_vectors)), library_size(store.con))


LANE = "library-meaning"
SOON = "semantic search is running"
NONE = "no embedding model is set up"


class Meaning:
    """The way to it. For the interface's thread only."""

    def __init__(self, jobs: Jobs, process: VectorProcess | None) -> None:
        self._jobs = jobs
        self._process = process

    @property
    def notice(self) -> tuple[str, str]:
        """Return the state of semantic search before it has answered: the reason, and what fixes it."""
        return (SOON, "") if self._process is not None else (NONE, "casebook models pull")

    def ask(
        self,
        query: Callable[[], SearchQuery],
        came: Callable[[SearchResult], object],
        failed: Callable[[Fault], None],
        *,
        delay: float = 0.0,
    ) -> None:
        """Ask, and call `came` or `failed`; cancel the previous query."""
        process = self._process
        if process is None:
            failed(Fault("model_unreachable", NONE, "run: casebook models pull"))
            return

        def work(job: Job[Any]) -> SearchResult:
            from core.library.documents.opened import library_size
            from core.library.search.api import SearchRequest

            answer = process.ask(job, SearchRequest(query()))
            return SearchResult(answer, library_size(job.store().con))

        self._jobs.run(LANE, work, lambda found, _final: came(found), failed, delay=delay)

    def forget(self) -> None:
        """Drop the pending request."""
        self._jobs.cancel(LANE)


def can_rerank(response: SearchResponse) -> bool:
    """Whether the model reads the best hits again once the query rests."""
    from core.embedding.models.catalogue import CATALOGUE

    model = CATALOGUE.get(response.embedding_model or "")
    return response.mode == "hybrid" and model is not None and model.reranks


def needs_vectors(response: SearchResponse) -> bool:
    """Whether a search by words has left the rest to meaning."""
    return any(step.stage == "vector" and step.reason == SOON for step in response.trace)
