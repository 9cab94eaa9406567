"""One run of an ingest: each file read, compared with what the library has, and written in a transaction of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.base.fault import Fault
from core.flows.system.parallel import Second, calm_garbage, shared
from core.library.documents.read import document_at
from core.library.documents.rows import Document
from core.library.ingest.prepare import (
    Failure,
    Outcome,
    Prepared,
    Refusal,
    Task,
    Untouched,
    cached,
    derivation_key,
    prepare,
)
from core.library.ingest.readers import reader_of
from core.library.ingest.report import IngestEvent, IngestTally, Item
from core.library.ingest.walk import LINK_OUT
from core.library.ingest.write import Known, Placed, Vanished, note_event, put_document, remove_document
from core.process.worker import Call
from core.store import Store, jobs
from core.store.clock import now as stamp

WORTH_IT = 4 * 1024 * 1024
"""Bytes to read from which a second process is started: it takes about a third of a second."""
LEASE_S = 900.0
"""Seconds without a sign of life after which the run counts as dead: one file of 100 MB may take long."""
_PASSED = 500
"""Unchanged files between two signs of life."""
_BY_LINK = "it came by a link out of the folder"
_OF_ONE_FILE = ("invalid_input",)
"""What the store says of one document; anything else ends the run."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file of the run: what is to be read of it (None: nothing, it is as it was), and what the library has of it."""

    path: str
    media: str
    size: int
    known: Known | None
    task: Task | None


@dataclass(slots=True)
class Run:
    """A run as it goes on: `done` of `total` files that are to be looked into; what is left out is none of them.

    `linked`: the links out of their folders that were left out, as workspace paths.
    """

    store: Store
    tally: IngestTally
    tell: Callable[[IngestEvent], None]
    stop: Callable[[], bool]
    row: jobs.Job
    total: int = 0
    done: int = 0
    stopped: bool = False
    vanished: Vanished = field(default_factory=lambda: Vanished(()))
    linked: tuple[str, ...] = ()

    def cancelled(self) -> bool:
        """Whether somebody asked it to end; once asked it stays so."""
        self.stopped = self.stopped or self.stop()
        return self.stopped


def read_all(run: Run, files: Sequence[Job]) -> None:
    """Read and write the files, in order, until they are done or the run is cancelled."""
    tasks = [one.task for one in files if one.task is not None]
    with Second() as second, calm_garbage():
        size = sum(one.size for one in files if one.task is not None)
        outcomes = _outcomes(second, (_with_derived(run, one) for one in tasks), size)
        for idx, job in enumerate(files, 1):
            if run.cancelled():
                return
            clock, run.done = time.perf_counter(), idx
            run.tell(IngestEvent("asset_started", stamp(), idx=idx, total=run.total, path=job.path, media=job.media))
            item = _passed(run, job, idx) if job.task is None else _settle(run, job, job.task, next(outcomes))
            run.tell(
                IngestEvent(
                    "asset_finished", stamp(), idx=idx, total=run.total, path=job.path, result=item.kind,
                    chunks=item.chunk_count, ms=round((time.perf_counter() - clock) * 1000, 3),
                )
            )  # fmt: skip


def remove_rest(run: Run) -> None:
    """Take out the documents whose files are gone, each in a transaction of its own."""
    for known in run.vanished:
        if run.cancelled():
            return
        path = known.workspace_path
        by_link = any(path == one or path.startswith(one + "/") for one in run.linked)
        _remove(run, path, _BY_LINK if by_link else "the file is gone", by_link=by_link)


def _outcomes(second: Second, tasks: Iterable[Task], size: int) -> Iterator[Outcome]:
    if size < WORTH_IT:
        return map(prepare, tasks)
    return (outcome for _, outcome in shared(second, tasks, lambda task: (_prepare_elsewhere, (task,)), prepare))


def _prepare_elsewhere(_call: Call, task: Task) -> Outcome:
    return prepare(task)


def _with_derived(run: Run, task: Task) -> Task:
    """The task with what was kept of its content's reading, if reading such files is expensive."""
    reader = reader_of(task.media, task.relative, task.policy) if task.known and task.media == "pdf" else None
    if reader is None or task.known is None:
        return task
    key = derivation_key(task.media, task.known[0], reader.parser_version)
    return replace(task, derived=cached(run.store.con, key))


def _passed(run: Run, job: Job, idx: int) -> Item:
    """Count a file that need not be opened."""
    item = _unchanged(job)
    run.tally.add(item)
    if idx % _PASSED == 0:
        _sign_of_life(run)
    return item


def _unchanged(job: Job) -> Item:
    return Item("unchanged", job.path, job.known.doc_id if job.known else None)


def _settle(run: Run, job: Job, task: Task, outcome: Outcome) -> Item:
    """Do what a file asks for, and count it."""
    known = job.known
    match outcome:
        case Prepared():
            item = _written(run, task, outcome)
        case Untouched():
            _touch(run, task, outcome)
            item = _unchanged(job)
        case Refusal(reason, detail):
            item = run.tally.leave(task.workspace_path, reason, detail)
            if known is not None:
                by_link = reason == LINK_OUT
                why = _BY_LINK if by_link else f"it is no document any more: {reason}"
                _remove(run, known.workspace_path, why, by_link=by_link)
            return item
        case Failure(error, gone):
            item = Item("error", task.workspace_path, known.doc_id if known else None, error=error)
            if gone and known is not None:
                _remove(run, known.workspace_path, "the file is gone")
            else:
                _note(run, task.workspace_path, known.doc_id if known else None, "error", error)
    run.tally.add(item)
    return item


def _written(run: Run, task: Task, made: Prepared) -> Item:
    placed = Placed(task.source, task.workspace_path, task.path, task.media, made)
    try:
        with run.store.transaction() as con:
            old, kind, note = document_at(con, task.workspace_path), "updated", None
            if old is None:
                moved = run.vanished.take(made.asset_id)
                old = document_at(con, moved.workspace_path) if moved else None
                kind, note = ("moved", f"from {old.workspace_path}") if old else ("discovered", None)
            put_document(con, placed, old, time.time())
            note_event(con, task.workspace_path, made.doc_id, kind, note)
            for warning in made.warnings:
                note_event(con, task.workspace_path, made.doc_id, "warning", warning)
            _sign_of_life(run)
    except Fault as fault:
        if fault.code not in _OF_ONE_FILE:
            raise
        return Item("error", task.workspace_path, error=fault.message)
    return _item(task, made, old, kind)


def _item(task: Task, made: Prepared, old: Document | None, kind: str) -> Item:
    return Item(
        "new" if old is None else "moved" if kind == "moved" else "updated",
        task.workspace_path,
        made.doc_id,
        made.asset_id,
        made.size,
        len(made.blocks),
        len(made.chunks),
        made.parser_version,
        made.chunker_version,
        made.warnings,
    )


def _touch(run: Run, task: Task, found: Untouched) -> None:
    with run.store.transaction() as con:
        con.execute(
            "UPDATE asset_paths SET size = ?, mtime_ns = ?, looked = ? WHERE workspace_path = ?",
            (found.size, found.mtime_ns, time.time(), task.workspace_path),
        )
        _sign_of_life(run)


def _remove(run: Run, path: str, why: str, *, by_link: bool = False) -> None:
    with run.store.transaction() as con:
        old = document_at(con, path)
        if old is None:
            return
        remove_document(con, old)
        note_event(con, path, old.doc_id, "deleted", why)
        _sign_of_life(run)
    run.tally.add(Item("removed", path, old.doc_id, old.asset_id, old.byte_len, error=why))
    if by_link:
        run.tally.remove_link(path)


def _note(run: Run, path: str, doc_id: str | None, kind: str, note: str) -> None:
    with run.store.transaction() as con:
        note_event(con, path, doc_id, kind, note)


def _sign_of_life(run: Run) -> None:
    """How far the run is, in the same transaction as what was written; it tells whether the run was canceled."""
    if not jobs.progress(run.store, run.row, run.done, run.total, lease_s=LEASE_S):
        run.stopped = True
