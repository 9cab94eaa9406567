"""Ingest of the library: changed files are read, and written in batches of one transaction each; the watch mode."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.base.fault import Fault
from core.flows.ingest.batches import LEASE_S, Job, Run, read_all, remove_rest
from core.library.chunk import ChunkPolicy
from core.library.documents.read import corpus_revision, sources
from core.library.documents.rows import Media, Source
from core.library.ingest.options import IngestOptions
from core.library.ingest.prepare import Task, trim
from core.library.ingest.readers import FOLDERS, extension_of, media_of, older_signature, reader_of, signature
from core.library.ingest.report import IngestEvent, IngestReport, IngestTally, Item, Scope, put_run
from core.library.ingest.walk import (
    EXTERNAL,
    FoundFile,
    SkippedPath,
    Walked,
    file_of,
    git_facts,
    roots_of,
    walk,
    workspace_path,
)
from core.library.ingest.write import KnownDocument, Vanished, fill_code_langs, read_known_documents
from core.library.search.fts import refresh_fts
from core.store import Store, jobs, now
from core.store.wal import checkpoints_aside

__all__ = ["IngestEvent", "IngestOptions", "IngestReport", "Item", "ingest"]

Tell = Callable[[IngestEvent], None]

LOOK_MS = 500
"""Milliseconds between checks of `stop`, and of folders without change notifications (network drives)."""
_SETTLE_MS = 400


def ingest(
    store: Store,
    roots: Sequence[Path] = (),
    options: IngestOptions | None = None,
    *,
    on_event: Tell | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Bring the library up to date with these folders, or with all it knows where none is given.

    What is new or changed is read, what moved follows, what is gone goes; an unchanged file is not even opened, unless
    `options.rehash`. A folder that cannot be read keeps its documents. `on_event` hears each step, in order, and last
    exactly one `completed` or `aborted`; `cancelled` is asked between two files.

    Raises Fault: invalid_input (no folder, or one within another), config_invalid, not_indexed (no root at all),
    db_locked (another ingest runs), db_readonly, io_error, db_damaged.
    """
    options = options or IngestOptions()
    policy = options.policy
    store.require_write()
    chosen = roots_of(store, roots, options.source_type, options.trust_level)
    with running(store, chosen, on_event, cancelled) as run:
        known_files = [read_known_documents(store.con, source) for source in chosen]
        walks = [_walked(run, *one, options) for one in zip(chosen, known_files, strict=True)]
        files: list[Job] = []
        missing: list[KnownDocument] = []
        skipped: dict[str, SkippedPath] = {}
        for source, found, known in zip(chosen, walks, known_files, strict=True):
            found.files += _alone(source, known)
            files += jobs_of(source, found, known, policy, options)
            missing += _missing(source, found, known)
            left = (one for one in found.left if one.relative != f"{EXTERNAL}/")
            skipped |= {workspace_path(source, one.relative): one for one in left}
        run.total, run.vanished, run.skipped = len(files), Vanished(missing), skipped
        if run.tell is not None:
            run.tell(IngestEvent("scan_completed", now(), total=run.total))
        if not run.cancelled():
            refresh_fts(store, options.analyser, cancelled=run.cancelled)
            fill_code_langs(store)
            read_all(run, files)
            remove_rest(run)
        return ended(run, chosen, options)


@contextmanager
def running(
    store: Store, chosen: Sequence[Source], on_event: Tell | None, cancelled: Callable[[], bool]
) -> Generator[Run]:
    """A row in `jobs`, events from the first to the last, and the WAL kept short meanwhile."""
    row = jobs.begin(store, "ingest", LEASE_S)
    if row is None:
        raise Fault(
            "db_locked", "another ingest of this casebook is running", "wait for the other ingest, or cancel it"
        )
    tell: Tell = on_event or _unheard
    run = Run(store, IngestTally(), on_event, cancelled, row)
    tell(IngestEvent("scan_started", now(), root=chosen[0].root))
    try:
        with checkpoints_aside(store):
            yield run
    except BaseException as error:
        reason = error.message if isinstance(error, Fault) else type(error).__name__
        _close(store, row, reason)
        tell(IngestEvent("aborted", now(), counts=run.tally.so_far()))
        raise
    if run.stopped:
        jobs.cancel(store, row.id)
    else:
        jobs.finish(store, row, f"{run.tally.so_far().scanned} files")
    tell(IngestEvent("aborted" if run.stopped else "completed", now(), counts=run.tally.so_far()))


def _unheard(event: IngestEvent) -> None:
    """Ignore an event: there is no listener."""


def _close(store: Store, row: jobs.Job, reason: str) -> None:
    try:
        jobs.fail(store, row, reason)
    except Fault:  # the fault that ended the run stands in the way of this too, and is the one to be told
        return


def _walked(run: Run, source: Source, known: dict[str, KnownDocument], options: IngestOptions) -> Walked:
    prefix = f"{source.source_id}/" if source.position else ""
    kept = frozenset(path.removeprefix(prefix) for path, one in known.items() if one.is_by_ocr)
    found = walk(Path(source.root), replace(options.walk, kept=kept), run.cancelled)
    for left in found.left:
        folder_sign = "/" if left.relative.endswith("/") else ""
        run.tally.leave(workspace_path(source, left.relative) + folder_sign, left.reason, left.detail)
    for folder, reason in found.unread:
        shown = workspace_path(source, folder) or source.root
        run.tally.add(Item("error", shown, error=f"the folder cannot be read ({reason}), its documents stay"))
    return found


def jobs_of(
    source: Source, found: Walked, known: dict[str, KnownDocument], policy: ChunkPolicy, options: IngestOptions
) -> list[Job]:
    git, analyser = git_facts(Path(source.root)), options.analyser
    marks: dict[tuple[Media, str], tuple[str, str]] = {}
    made: list[Job] = []
    for file in found.files:
        path = workspace_path(source, file.relative)
        had = known.get(path)
        kind = (file.media, extension_of(file.path.name))
        if kind not in marks:
            reader = reader_of(file.media, file.relative, policy, options.ocr)
            must_parse = options.rechunk or (options.ocr and file.media == "pdf")
            marks[kind] = (
                signature(reader, policy, source) if reader else "",
                "" if must_parse else older_signature(file.media, file.relative, policy, source),
            )
        stays = had is not None and had.is_by_ocr and not options.ocr
        accepted = (*marks[kind], had.signature) if had and stays else marks[kind]
        fresh = had is not None and any(had.is_fresh(file.size, file.mtime_ns, mark) for mark in accepted)
        task = None if fresh and not options.rehash else Task(
            str(file.path), file.relative, path, file.media, source, policy, git, options.max_bytes,
            (had.asset_id, had.signature) if had else None, analyser=analyser,
            within="" if options.follow_links else source.root, older=marks[kind][1],
            ocr=options.ocr, stays=stays,
        )  # fmt: skip
        made.append(Job(path, file.media, file.size, had, task))
    return made


def _alone(source: Source, known: dict[str, KnownDocument]) -> list[FoundFile]:
    """Return the single files that were added to a root: no walk finds them, but they may have changed."""
    found: list[FoundFile] = []
    prefix = workspace_path(source, EXTERNAL) + "/"
    for path in sorted(path for path in known if path.startswith(prefix)):
        file = file_of(source, path)
        relative = path.removeprefix(f"{source.source_id}/") if source.position else path
        media = media_of(file.name, pictures=True)
        try:
            about = file.stat()
        except OSError:
            continue
        if media is not None:
            found.append(FoundFile(file, relative, media, about.st_size, about.st_mtime_ns))
    return found


def _missing(source: Source, found: Walked, known: dict[str, KnownDocument]) -> list[KnownDocument]:
    """The documents whose files were not met; those of folders that could not be read stay."""
    present = {workspace_path(source, file.relative) for file in found.files}
    unread = tuple(workspace_path(source, folder) + "/" if folder else "" for folder, _ in found.unread)
    return [one for path, one in known.items() if path not in present and not path.startswith(unread)]


def ended(run: Run, chosen: Sequence[Source], options: IngestOptions) -> IngestReport:
    scope = Scope(chosen[0].root, tuple(one.root for one in chosen), options.include, options.exclude)
    report = run.tally.report(
        uuid.uuid4().hex,
        scope,
        0,
        corpus_revision(run.store.con),
        aborted=run.stopped,
        summary=options.summary,
    )
    with run.store.transaction() as con:
        trim(con)
    return put_run(run.store, report, run.row.started)


def watch_library(
    store: Store,
    options: IngestOptions,
    tell: Callable[[IngestReport], object],
    stop: Callable[[], bool],
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Follow the folders of the library until `stop`; after each change read what changed, then `tell`.

    `ready` is called once they are watched. While another ingest runs it waits for that one's end. Belongs to one
    thread. Raises Fault not_indexed where the library has no folder that is there, and what `ingest` raises.
    """
    from watchfiles import watch

    roots = [one.root for one in sources(store.con) if Path(one.root).is_dir()]
    if not roots:
        raise Fault(
            "not_indexed", "the library has no folder to watch", "to add one, run: casebook library ingest FOLDER"
        )
    events = watch(
        *roots,
        watch_filter=lambda _, name: _is_watched(roots, name),
        debounce=_SETTLE_MS, step=50, rust_timeout=LOOK_MS, yield_on_timeout=True, raise_interrupt=False,
        ignore_permission_denied=True,
    )  # fmt: skip
    reported = waiting = False
    for changes in events:
        if not reported:
            reported = True
            ready()
            waiting = True  # what changed between the last ingest and the first look
        if stop():
            return
        if not changes and not waiting:
            continue
        try:
            report = ingest(store, (), options, cancelled=stop)
        except Fault as fault:
            if fault.code != "db_locked":
                raise
            waiting = True
            continue
        waiting = False
        if report.new or report.updated or report.moved or report.removed or report.errors:
            tell(report)


def _is_watched(roots: Sequence[str], name: str) -> bool:
    """Whether no folder between the root and the changed file is one that an ingest never enters."""
    root = next((one for one in roots if Path(name).is_relative_to(one)), "")
    return FOLDERS.isdisjoint(part.lower() for part in Path(name).relative_to(root or name).parts)
