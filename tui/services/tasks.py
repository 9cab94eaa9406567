"""Background work of the workbench: imports, embedding, ingests and answers in processes, the team in a job.

The `run_…` functions are called in the processes; a stopped one stops between two batches, sessions, slices or files.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from core.flows.team.sync.mark import is_marked
from core.process.task import Task
from core.process.worker import Call
from tui.runtime.jobs import Job, Jobs, job_work

if TYPE_CHECKING:
    from core.base.config.settings import ChunkingSettings, EmbeddingSettings, Settings
    from core.embedding.runtime.query_model import VectorSearch
    from core.embedding.runtime.report import EmbedReport
    from core.flows.transcripts.report import ImportAgain, ImportReport
    from core.library.ask.answer import AnswerEvent
    from core.library.ingest.report import IngestEvent, IngestPace, IngestReport
    from core.library.search.fts import SearchFilters
    from core.library.search.rows import Mode

BATCH_GRACE = 60.0
"""Seconds an import has for its batch once it is stopped; what that would have stored is read again."""
_SLICE_GRACE = 3.0
"""Seconds for a slice of texts, or for loading the model: what is not written waits for the next run."""


def import_task(casebook: Path, paths: Sequence[Path]) -> Task[ImportReport]:
    """An import of these files and folders; its progress is `progress.v1`."""
    return Task("The import", run_import, (casebook, tuple(paths)), grace=BATCH_GRACE)


def harvest_task(casebook: Path, *, apply: bool) -> Task[ImportAgain]:
    """Harvesting what was imported before: shows what would change, or applies it."""
    return Task("Harvesting again", run_harvest, (casebook, apply), grace=BATCH_GRACE)


def embedding_task(casebook: Path, settings: EmbeddingSettings) -> Task[EmbedReport]:
    """Embedding what waits. In a thread the model would let go of the interpreter, but loading it would not."""
    args = casebook, settings.as_dict()
    return Task("Embedding", run_embedding, args, grace=_SLICE_GRACE, one_core=True, here=False)


@job_work
def job_of(job: Job[object], task: Task[Any]) -> object:
    """A job that lets a task run to its end, and hands over its progress."""
    job.on_stop(task.stop)
    return task.run(job.partial)


def run_import(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """Import these files and folders, whole batches only; the casebook is made if there is none.

    Raises Fault: db_locked while another import runs on it, and what `import_transcripts` raises.
    """
    from core.flows.system.evidence import align_imported
    from core.flows.transcripts.api import import_transcripts
    from core.store import jobs, open_store

    with open_store(casebook, write=True, create=True) as store:
        store.require_write()
        other = jobs.running(store, "import")
        if other is not None:
            raise Fault(
                "db_locked",
                f"Another import is running (process {other.pid}).",
                "Its cases appear here during the import.",
            )
        report = import_transcripts(store, "auto", paths, on_progress=call.tell, cancelled=call.is_cancelled)
        return align_imported(store, report, on_progress=call.tell, cancelled=call.is_cancelled)


def run_harvest(call: Call, casebook: Path, apply: bool) -> ImportAgain:
    """Harvest every imported session again; without `apply` the result is kept in a copy, not applied.

    Raises Fault: what `harvest_again` raises.
    """
    from core.errors.curation.transaction import person
    from core.flows.system.evidence import align_imported
    from core.flows.transcripts.reharvest import harvest_again
    from core.store import open_store

    with open_store(casebook, write=True) as store:
        report = harvest_again(
            store, actor=person(), dry_run=not apply, keep=True, on_progress=call.tell, cancelled=call.is_cancelled
        )
        if report.applied:
            report = align_imported(store, report, on_progress=call.tell, cancelled=call.is_cancelled)
        return report


def run_embedding(call: Call, casebook: Path, settings: dict[str, Any]) -> EmbedReport:
    """Embed what waits with one thread. Raises Fault: what `embed_pending` raises."""
    from core.base.config.settings import EmbeddingSettings
    from core.flows.system.embedding import embed_pending

    chosen = EmbeddingSettings(**settings)
    return embed_pending(casebook, settings=chosen, threads=1, progress=call.tell, stop=call.is_cancelled)


FILE_GRACE = 60.0
"""Seconds it has for the file it is at; then it is ended, and the next ingest reads that file again."""
EVERY = 0.1
"""Seconds between two words of how far it is: a library of unchanged files passes thousands a second."""


def ingest_task(
    casebook: Path, roots: Sequence[Path], chunking: ChunkingSettings, korean: str = "bigrams", *, ocr: bool = False
) -> Task[IngestReport]:
    """An ingest of these folders, or of all that are known where none is given; its progress is an `IngestPace`."""
    return Task("The ingest", run_ingest, (casebook, tuple(roots), chunking.as_dict(), korean, ocr), grace=FILE_GRACE)


def run_ingest(
    call: Call, casebook: Path, roots: Sequence[Path], chunking: dict[str, Any], korean: str, ocr: bool
) -> IngestReport:
    """Called there; the casebook is made if there is none.

    The report's items are those that are worth a look. Raises Fault: what `ingest` raises.
    """
    from core.base.config.settings import ChunkingSettings
    from core.flows.ingest.api import ingest
    from core.library.ingest.options import options_of
    from core.library.ingest.report import worth_a_look
    from core.store import open_store

    options = options_of(ChunkingSettings(**chunking), korean, ocr=ocr)
    with open_store(casebook, write=True, create=True) as store, _Paced(call.tell) as paced:
        report = ingest(store, roots, options, on_event=paced.on_event, cancelled=call.is_cancelled)
    return worth_a_look(report)


class _Paced:
    """Folds the events and reports progress at intervals, also within a large file."""

    def __init__(self, tell: Callable[[IngestPace], None]) -> None:
        from core.library.ingest.report import IngestPace

        self._tell = tell
        self._pace = IngestPace()
        self._began = time.monotonic()
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._now_and_then, daemon=True)

    def __enter__(self) -> _Paced:
        self._teller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._teller.join()
        self._tell(self._pace)

    def on_event(self, event: IngestEvent) -> None:
        from core.library.ingest.report import paced

        self._pace = paced(self._pace, event, time.monotonic() - self._began)

    def _now_and_then(self) -> None:
        while not self._over.wait(EVERY):
            self._tell(replace(self._pace, elapsed_s=time.monotonic() - self._began))


ANSWER_GRACE = 5.0
"""Seconds to store an unfinished answer after the workbench is gone."""


@dataclass(frozen=True, slots=True)
class LibraryQuestion:
    """A question, the documents to search, and the search mode. `in_steps`: split the question."""

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
    """Report each event as it happens; the last one, with the answer, is the result. `settings`: all of them, as JSON.

    A cancelled answer is kept as unfinished. Raises Fault.
    """
    from core.store import as_fault

    final: list[AnswerEvent] = []

    def send(event: AnswerEvent) -> None:
        final.append(event) if event.kind == "final" else call.tell(event)

    try:
        _ask(call, database, settings, question, send)
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

    chosen, vectors, text, cancelled = _settings(settings), _vectors(settings), question.text, call.is_cancelled
    options = ask_options(chosen, session=question.session, mode=question.mode, filters=question.filters)
    options = replace(options, multi_hop=question.in_steps)
    model = language_model(chosen.llm)
    try:
        ask_library(database, text, options, model, vectors, on_event=on_event, cancelled=cancelled)
    except Fault as fault:
        if fault.code != "db_readonly":
            raise
        loose = replace(options, keep=False, session=None)
        ask_library(database, text, loose, model, vectors, on_event=on_event, cancelled=cancelled)


@lru_cache(maxsize=1)
def _vectors(settings: str) -> VectorSearch:
    from core.embedding.index.binary_index import CachedBits
    from core.flows.ingest.search import model_search

    return model_search(_settings(settings).embedding, CachedBits())


def _settings(text: str) -> Settings:
    from core.base.config.settings import EmbeddingSettings, LlmSettings, RagSettings, Settings

    found = json.loads(text)
    return Settings(
        embedding=EmbeddingSettings(**found["embedding"]),
        llm=LlmSettings(**found["llm"]),
        rag=RagSettings(**found["rag"]),
    )


_TEAM_LANE = "team"


class TeamSyncing:
    """Begins when the casebook is in a team, ends when it left; `say` receives the state in few words."""

    def __init__(self, jobs: Jobs, say: Callable[[str], None], log: Callable[[str], object]) -> None:
        self._jobs = jobs
        self._say = say
        self._log = log

    def begin(self) -> None:
        """Begin unless it runs; without a team this looks at one file name."""
        if is_marked(self._jobs.path) and not self._jobs.busy(_TEAM_LANE):
            self._jobs.run(_TEAM_LANE, _stay(self._log), lambda line, _final: self._say(line), lambda _fault: None)


@job_work
def _stay(job: Job[str], log: Callable[[str], object]) -> str:
    from core.flows.team.sync.follow import follow

    follow(job.lane.path, job.pause, job.partial, log)
    return ""
