"""Files of an ingest, written in batches: each batch is one transaction, and what is reported is stored.

A commit writes every page that it touched and a segment of the word index. Shared by many small files, both cost less.
The rows of a batch are prepared before its transaction begins, so that the database is locked only while they are
written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

import apsw

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
    from_bytes,
    prepare,
    to_bytes,
)
from core.library.ingest.readers import reader_of
from core.library.ingest.report import IngestEvent, IngestTally, Item
from core.library.ingest.walk import LINK_OUT, SkippedPath
from core.library.ingest.write import (
    KnownDocument,
    Placed,
    Vanished,
    note_event,
    put_document,
    raise_revision,
    remove_document,
)
from core.library.search.fts import IndexRow, put_rows
from core.process.worker import Call
from core.store import Store, jobs, now
from core.store.wal import journals_in_memory

WORTH_IT = 4 * 1024 * 1024
"""Bytes to read from which a second process is started: it takes about a third of a second."""
LEASE_S = 900.0
"""Seconds without a sign of life after which the run counts as dead: one file of 100 MB may take long."""
MOST_FILES = 256
"""Files of a batch."""
MOST_BYTES: Final = 4 * 1024 * 1024
"""Bytes of a batch after which it is written."""
MOST_SECONDS: Final = 0.25
"""Seconds after which a batch is written: about half of them are preparation, without the lock."""
_LARGE: Final = 256 * 1024
"""Bytes of a file that is named while it is read: what was read before is written first."""
_BUNDLED: Final = 32 * 1024
"""Bytes of small files that are read together."""
_SLOW: Final = ("pdf", "picture")
_PASSED = 500
"""Unchanged files between two signs of life."""
_GONE: Final = "the file no longer exists"
_BY_LINK: Final = "reached by a link that points outside the folder"
_OF_ONE_FILE: Final = ("invalid_input",)
"""What the store says of one document; anything else ends the run."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file of the run: what is to be read of it (None: nothing, it is as it was), and what the library has of it."""

    path: str
    media: str
    size: int
    known: KnownDocument | None
    task: Task | None


@dataclass(slots=True)
class Run:
    """A running ingest: `done` of `total` files to read; files that are left out do not count.

    `skipped`: what the walk left out, files and folders as workspace paths, with the reason.
    """

    store: Store
    tally: IngestTally
    tell: Callable[[IngestEvent], None] | None
    stop: Callable[[], bool]
    row: jobs.Job
    total: int = 0
    done: int = 0
    stopped: bool = False
    vanished: Vanished = field(default_factory=lambda: Vanished(()))
    skipped: Mapping[str, SkippedPath] = field(default_factory=dict[str, SkippedPath])

    def cancelled(self) -> bool:
        """Return whether the run was asked to end; this stays true."""
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def give_sign_of_life(self) -> None:
        """Record the progress, in the transaction of the caller if there is one; note whether the run was canceled."""
        if not jobs.progress(self.store, self.row, self.done, self.total, lease_s=LEASE_S):
            self.stopped = True


def read_all(run: Run, files: Sequence[Job]) -> None:
    """Read and write the files, in order, until they are done or the run is cancelled."""
    with Second() as second, calm_garbage(), journals_in_memory(run.store):
        size = sum(one.size for one in files if one.task is not None)
        outcomes = _outcomes(run, second, files, size)
        batch = _Batch(run)
        for idx, job in enumerate(files, 1):
            if run.cancelled():
                break
            if job.task is None and not batch.files:
                _pass(run, idx, job)
                continue
            clock = time.perf_counter()
            batch.begin(idx, job)
            outcome = None if job.task is None else next(outcomes)
            batch.add(_Read(idx, job, outcome, time.perf_counter() - clock))
        batch.write()


def remove_rest(run: Run) -> None:
    """Take out the documents whose files are gone, each in a transaction of its own."""
    for known in run.vanished:
        if run.cancelled():
            return
        path = known.workspace_path
        left = next((run.skipped[one] for one in _with_folders(path) if one in run.skipped), None)
        with run.store.transaction() as con:
            removed = _removed(con, path, *_why_skipped(left.reason, left.detail) if left else (_GONE, False))
            run.give_sign_of_life()
        _count_removed(run, removed)


def _outcomes(run: Run, second: Second, files: Iterable[Job], size: int) -> Iterator[Outcome]:
    """What becomes of each file that is to be read, in order."""
    if size < WORTH_IT:
        return (prepare(_with_derived(run, one.task)) for one in files if one.task is not None)
    found = shared(second, _bundles(run, files), lambda some: (_prepare_elsewhere, (some,)), _prepare_here)
    return (from_bytes(one) if isinstance(one, bytes) else one for _, some in found for one in some)


def _bundles(run: Run, files: Iterable[Job]) -> Iterator[tuple[Task, ...]]:
    """The files to read, small ones together: to ask another process for one costs as much as reading it."""
    bundle: list[Task] = []
    size = 0
    for job in files:
        if job.task is None:
            continue
        if bundle and (size + job.size > _BUNDLED or job.media in _SLOW):
            yield tuple(bundle)
            bundle, size = [], 0
        bundle.append(_with_derived(run, job.task))
        size += _BUNDLED if job.media in _SLOW else job.size
    if bundle:
        yield tuple(bundle)


def _prepare_here(tasks: tuple[Task, ...]) -> tuple[Outcome | bytes, ...]:
    return tuple(map(prepare, tasks))


def _prepare_elsewhere(_call: Call, tasks: tuple[Task, ...]) -> tuple[Outcome | bytes, ...]:
    outcomes = map(prepare, tasks)
    return tuple((to_bytes(one) if isinstance(one, Prepared) else None) or one for one in outcomes)


def _with_derived(run: Run, task: Task) -> Task:
    """The task with what was kept of its content's reading, if reading such files is expensive."""
    slow = task.known is not None and task.media in _SLOW
    reader = reader_of(task.media, task.relative, task.policy, task.ocr) if slow else None
    if reader is None or task.known is None:
        return task
    key = derivation_key(task.media, task.known[0], reader.parser_version)
    return replace(task, derived=cached(run.store.con, key))


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that waits to be written. `outcome` is None where it need not be opened; `seconds` it took so far."""

    idx: int
    job: Job
    outcome: Outcome | None
    seconds: float


@dataclass(frozen=True, slots=True)
class _Removed:
    document: Document
    why: str
    by_link: bool


@dataclass(frozen=True, slots=True)
class _Written:
    """What a transaction did for a file: `item` is None for a refusal, which the tally words."""

    item: Item | None
    removed: _Removed | None = None
    seconds: float = 0.0


class _Batch:
    """Files that were read and are not written yet.

    The events of a file are told in turn and in order, `asset_finished` after the commit. So that a person sees which
    file takes long, the first of a batch is told as it begins, and a large one begins a batch.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.files: list[_Read] = []
        self.bytes = 0
        self.since = 0.0

    def begin(self, idx: int, job: Job) -> None:
        """A file is to be read now."""
        if job.task is not None and (job.size >= _LARGE or job.media in _SLOW):
            self.write()
        if not self.files:
            self.bytes, self.since = 0, time.perf_counter()
            _tell_start(self.run, idx, job)

    def add(self, one: _Read) -> None:
        """The file was read. A full batch is written."""
        self.files.append(one)
        self.bytes += one.job.size if one.outcome is not None else 0
        late = time.perf_counter() - self.since >= MOST_SECONDS
        if late or self.bytes >= MOST_BYTES or len(self.files) >= MOST_FILES:
            self.write()

    def write(self) -> None:
        """Write what was read, as one transaction; if the store refuses one of the files, each as its own."""
        files, self.files = self.files, []
        if not files:
            return
        try:
            written = _write(self.run, files)
        except Fault as fault:
            if fault.code not in _OF_ONE_FILE:
                raise
            for at, one in enumerate(files):
                self._finish(one, _write_alone(self.run, one), started=not at)
            return
        for at, (one, done) in enumerate(zip(files, written, strict=True)):
            self._finish(one, done, started=not at)

    def _finish(self, one: _Read, done: _Written, *, started: bool) -> None:
        """Count a file whose rows are stored, and tell of it."""
        if not started:
            _tell_start(self.run, one.idx, one.job)
        item = _count(self.run, one, done)
        _tell_end(self.run, one.idx, one.job, item, one.seconds + done.seconds)


def _pass(run: Run, idx: int, job: Job) -> None:
    """Count a file that need not be opened, while no other waits to be written."""
    _tell_start(run, idx, job)
    run.done = idx
    if idx % _PASSED == 0:
        run.give_sign_of_life()
    item = _unchanged(job)
    run.tally.add(item)
    _tell_end(run, idx, job, item, 0.0)


def _tell_start(run: Run, idx: int, job: Job) -> None:
    if run.tell is not None:
        run.tell(IngestEvent("asset_started", now(), idx=idx, total=run.total, path=job.path, media=job.media))


def _tell_end(run: Run, idx: int, job: Job, item: Item, seconds: float) -> None:
    if run.tell is not None:
        run.tell(
            IngestEvent(
                "asset_finished", now(), idx=idx, total=run.total, path=job.path, result=item.kind,
                chunks=item.chunk_count, ms=round(seconds * 1000),
            )
        )  # fmt: skip


def _write(run: Run, files: Sequence[_Read]) -> list[_Written]:
    """Write the files in one transaction. Raises as `Store.transaction`; then the run is as it was."""
    before, run.done = run.done, files[-1].idx
    moved: list[KnownDocument] = []
    try:
        with run.store.transaction() as con:
            indexed: list[tuple[int, IndexRow]] = []
            written = [_put(run, con, one, indexed, moved) for one in files]
            # Last: any other statement with triggers would make the index write a segment for each file.
            put_rows(con, indexed)
            raise_revision(con, sum(isinstance(one.outcome, Prepared) for one in files))
            run.give_sign_of_life()
    except BaseException:
        run.done = before
        for one in reversed(moved):
            run.vanished.give_back(one)
        raise
    return written


def _write_alone(run: Run, one: _Read) -> _Written:
    """Write one file; what the store says against it is its error."""
    try:
        return _write(run, (one,))[0]
    except Fault as fault:
        if fault.code not in _OF_ONE_FILE:
            raise
        return _Written(Item("error", one.job.path, error=fault.message))


def _put(
    run: Run, con: apsw.Connection, one: _Read, indexed: list[tuple[int, IndexRow]], moved: list[KnownDocument]
) -> _Written:
    """Do what a file asks for, but for its index rows, which are appended to `indexed`."""
    clock = time.perf_counter()
    item: Item | None = None
    removed: _Removed | None = None
    known, path = one.job.known, one.job.path
    match one.outcome:
        case None:
            item = _unchanged(one.job)
        case Prepared():
            item = _put_prepared(run, con, one.job, one.outcome, indexed, moved)
        case Untouched(size, mtime_ns):
            con.execute(
                "UPDATE asset_paths SET size = ?, mtime_ns = ?, looked = ? WHERE workspace_path = ?",
                (size, mtime_ns, time.time(), path),
            )
            item = _unchanged(one.job)
        case Refusal(reason, detail):
            if known is not None:
                removed = _removed(con, known.workspace_path, *_why_skipped(reason, detail))
        case Failure(error, gone):
            item = Item("error", path, known.doc_id if known else None, error=error)
            if gone and known is not None:
                removed = _removed(con, known.workspace_path, _GONE, by_link=False)
            else:
                note_event(con, path, known.doc_id if known else None, "error", error)
    return _Written(item, removed, time.perf_counter() - clock)


def _put_prepared(
    run: Run,
    con: apsw.Connection,
    job: Job,
    made: Prepared,
    indexed: list[tuple[int, IndexRow]],
    moved: list[KnownDocument],
) -> Item:
    task = cast("Task", job.task)  # without one, nothing is prepared
    placed = Placed(task.source, task.workspace_path, task.path, task.media, made)
    old, kind, note = document_at(con, task.workspace_path), "updated", None
    if old is None:
        found = run.vanished.take(made.asset_id)
        if found is not None:
            moved.append(found)
            old = document_at(con, found.workspace_path)
        kind, note = ("moved", f"from {old.workspace_path}") if old else ("discovered", None)
    indexed += put_document(con, placed, old, time.time())
    note_event(con, task.workspace_path, made.doc_id, kind, note)
    for warning in made.warnings:
        note_event(con, task.workspace_path, made.doc_id, "warning", warning)
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


def _with_folders(path: str) -> Iterator[str]:
    """A path, then each folder above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _why_skipped(reason: str, detail: str) -> tuple[str, bool]:
    """Why a document goes whose file an ingest skips, and whether that is for a link."""
    if reason == LINK_OUT:
        return _BY_LINK, True
    why = ": ".join(part for part in (reason.replace("_", " "), detail) if part)
    return f"casebook now skips the file ({why})", False


def _removed(con: apsw.Connection, path: str, why: str, by_link: bool) -> _Removed | None:
    old = document_at(con, path)
    if old is None:
        return None
    remove_document(con, old)
    note_event(con, path, old.doc_id, "deleted", why)
    return _Removed(old, why, by_link)


def _unchanged(job: Job) -> Item:
    return Item("unchanged", job.path, job.known.doc_id if job.known else None)


def _count(run: Run, one: _Read, done: _Written) -> Item:
    """Count what became of a file."""
    if isinstance(one.outcome, Refusal) and done.item is None:
        item = run.tally.leave(one.job.path, one.outcome.reason, one.outcome.detail)
        _count_removed(run, done.removed)
        return item
    item = cast("Item", done.item)
    _count_removed(run, done.removed)
    run.tally.add(item)
    return item


def _count_removed(run: Run, removed: _Removed | None) -> None:
    if removed is None:
        return
    old = removed.document
    run.tally.add(Item("removed", old.workspace_path, old.doc_id, old.asset_id, old.byte_len, error=removed.why))
    if removed.by_link:
        run.tally.remove_link(old.workspace_path)
