"""Import of transcripts: sessions, messages and tool calls into the store, then the harvest of errors and fixes.

One transaction a batch holds the rows, how far the file was read, and that a harvest is due. A process killed at any
moment leaves whole batches, and the next run continues there: it does the harvest that is due too. Nothing is stored
twice (DESIGN 11)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.derived import refresh_case
from core.errors.cases.record import drop_provisional
from core.evidence.events import count_messages, ingested, mark_to_align
from core.flows.hook.spool import take_up
from core.flows.system.parallel import Question, Second, calm_garbage, shared
from core.flows.transcripts.files import (
    Position,
    Source,
    TranscriptFile,
    batches,
    files_to_read,
    head_hash,
    open_transcript,
    position_of,
    resume_position,
    source_of,
    stored_name,
)
from core.flows.transcripts.opening import NotATranscript
from core.flows.transcripts.projects import assign_projects
from core.flows.transcripts.report import ImportReport, Meter, Progress, Tally
from core.flows.transcripts.rows import (
    Batch,
    PackedRows,
    Rows,
    RowsAhead,
    read_rows,
    rows_before_turn,
    unpacked,
    without_secrets,
)
from core.flows.transcripts.write import PENDING, REPEATS, Memory, write_messages, write_position, write_sessions
from core.store import Store, faults, jobs
from core.store.wal import checkpoints_aside
from core.transcripts import Agent, SessionStart

if TYPE_CHECKING:
    from core.flows.harvest.session import Folded

_DUE = """SELECT substr(key, ?) FROM meta LEFT JOIN session ON session.id = substr(key, ?)
 WHERE key >= ? AND key < ? ORDER BY started, session.id"""


def harvest_pending(
    store: Store,
    second: Second,
    tally: Tally,
    on_progress: Callable[[Progress], None] | None,
    cancelled: Callable[[], bool],
) -> bool:
    """Harvest every session that is due, one transaction each; False where it was stopped before the last."""
    with store.transaction() as con:
        for session in _due(con, REPEATS):
            _settle(con, session)
    with faults(store.path):
        due = _due(store.con, PENDING)
    meter = Meter(on_progress, "harvest", len(due))
    if due:
        from core.flows.harvest.session import FoldAhead

        with closing(FoldAhead(store, second, due)(due)) as folding:
            for done, (session, folded) in enumerate(folding):
                if cancelled():
                    return False
                _harvest(store, second, session, folded, tally)
                meter.at(done + 1)
        meter.at(len(due), force=True)
    return True


def _due(con: apsw.Connection, prefix: str) -> list[str]:
    start, end = len(prefix) + 1, prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return [str(session) for (session,) in con.execute(_DUE, (start, start, prefix, end))]


def _harvest(store: Store, second: Second, session: str, folded: Folded | None, tally: Tally) -> None:
    from core.flows.corrections.harvest import harvest_corrections
    from core.flows.harvest.session import harvest_session

    with store.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = ?", (f"{PENDING}{session}",))
        if con.changes() == 0:
            return  # another process was quicker
        provisional = drop_provisional(con, session)  # the transcript tells what a hook told, with its place
        con.execute("DELETE FROM hook_event WHERE session_id = ?", (session,))
        if count_messages(con, session):
            ingested(con, session)
        report = harvest_session(store, session, second, folded=folded)
        harvest_corrections(con, session)
        mark_to_align(con, session)
        for case_id in provisional:
            refresh_case(con, case_id)
    tally.errors += report.errors
    tally.resolutions += report.resolutions


def _settle(con: apsw.Connection, session: str) -> None:
    """Name the original of two sessions that share messages: the one whose own last words are older.

    A resumed session is often read before the one it resumes, and then owns the words they share.
    """
    key = f"{REPEATS}{session}"
    row = con.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    con.execute("DELETE FROM meta WHERE key = ?", (key,))
    owner = cast("str", row[0]) if row else session
    related = con.execute(
        "SELECT 1 FROM session AS a, session AS b WHERE a.id = ?1 AND b.id = ?2"
        " AND (a.parent = b.id OR b.parent = a.id OR a.continues = b.id OR b.continues = a.id)",
        (session, owner),
    ).fetchone()
    if related or owner == session:
        return
    later, original = (session, owner) if _last(con, session) >= _last(con, owner) else (owner, session)
    con.execute("UPDATE session SET continues = ? WHERE id = ? AND continues IS NULL", (original, later))


def _last(con: apsw.Connection, session: str) -> str:
    row = con.execute("SELECT max(ts) FROM message WHERE session_id = ?", (session,)).fetchone()
    return str(row[0]) if row and row[0] is not None else ""


def _changed_at(found: TranscriptFile) -> float:
    try:
        return found.path.stat().st_mtime
    except OSError:
        return 0.0


AgentChoice = Agent | Literal["auto"]


class _Moved(Exception):
    """Another process read on in the same file."""


@dataclass(slots=True)
class _Run:
    """One import: its target, counts, progress, and stop request."""

    store: Store
    agent: Agent | None
    tally: Tally
    meter: Meter
    stop: Callable[[], bool]
    second: Second
    done: int = 0
    job: jobs.Job | None = None
    has_job: bool = False
    stopped: bool = False

    def cancelled(self) -> bool:
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def is_over(self) -> bool:
        """Renew the lease between two harvests, which may last longer than it: another import would end this one."""
        if self.job is not None and not jobs.heartbeat(self.store, self.job):
            self.stopped = True
        return self.cancelled()


def import_transcripts(
    store: Store,
    agent: AgentChoice,
    paths: Sequence[Path | str] = (),
    *,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ImportReport:
    """Read transcripts into `store`; importing them again changes nothing, a grown file is read on.

    `agent` `auto` tells each file by its records. Without `paths` the agents' own folders are read; a path may be a
    file or a folder. `on_progress` is called at most about ten times a second, `cancelled` between two batches.
    While it has something to store it is a row of `jobs`, and stops when that is canceled.

    Raises Fault: invalid_input for a path that is not there; db_readonly, db_locked, io_error, db_damaged from the
    store. What cannot be read is listed in the report, by file and line.
    """
    store.require_write()
    take_up(store.path)  # before its transcript is read, which tells all that better
    tally, chosen = Tally(), None if agent == "auto" else agent
    files = files_to_read(chosen, paths, tally)
    meter = Meter(on_progress, "import", sum(found.size for found in files))
    with (
        Second() as second,
        checkpoints_aside(store),
        _as_job(run := _Run(store, chosen, tally, meter, cancelled, second)),
        calm_garbage(),
    ):
        harvested = _import_in_batches(run, files, on_progress)
    return tally.report(canceled=not harvested)


def _import_in_batches(
    run: _Run, files: Sequence[TranscriptFile], on_progress: Callable[[Progress], None] | None
) -> bool:
    """Read the files and harvest what was read, batch by batch: the first cases are there long before the last file.

    A session that goes on in a later batch is harvested again with it. False where it was stopped before the end.
    """
    batches = list(_file_batches(files))
    with closing(_import_files(run, batches)) as stored:
        for last in (batch is batches[-1] for batch in batches):
            next(stored, None)
            if last or run.cancelled():
                run.meter.at(run.done, force=True)
            assign_projects(run.store)  # before the harvest, whose cases take it from their session
            if run.cancelled() or not harvest_pending(run.store, run.second, run.tally, on_progress, run.is_over):
                return False
    return True


BATCH: Final = 32 << 20
"""Bytes of files that are read before what they hold is harvested."""


def _file_batches(files: Sequence[TranscriptFile]) -> Iterator[list[TranscriptFile]]:
    """About `BATCH` bytes of files at a time. At least one batch.

    One batch has them in their order. Of several the oldest come first, so that what was changed last is the newest.
    """
    batch, size = list[TranscriptFile](), 0
    for found in files if sum(found.size for found in files) <= BATCH else sorted(files, key=_changed_at):
        if batch and size + found.size > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(found)
        size += found.size
    yield batch


def read_files(store: Store, paths: Sequence[Path], second: Second) -> None:
    """Read these files into `store` within the caller's transaction, without a job and without a harvest.

    What cannot be read is left out. Raises Fault of the store.
    """
    run = _Run(store, None, Tally(), Meter(None, "import", 0), lambda: False, second, has_job=True)
    for _ in _import_files(run, [[TranscriptFile(path, 0, named=True) for path in paths]]):
        pass


@contextmanager
def _as_job(run: _Run) -> Generator[None]:
    """Close the job row, if one was begun, as the run ends."""
    try:
        yield
    except Fault as fault:
        if run.job is not None:
            jobs.fail(run.store, run.job, fault.message)
        raise
    if run.job is not None and run.stopped:
        jobs.cancel(run.store, run.job.id)
    elif run.job is not None:
        messages, sessions = run.tally.messages, run.tally.sessions
        detail = f"{messages:,} message{'s'[: messages != 1]} of {sessions:,} new session{'s'[: sessions != 1]}"
        jobs.finish(run.store, run.job, detail)


@dataclass(slots=True)
class _Reading:
    """A file that is read: what was read of it, and how that ended.

    `known` is its stored position; `moved`: another process reads it too and was quicker; `over`: it was read to its
    end; `why` says why it was not.
    """

    found: TranscriptFile
    source: Source | None = None
    known: Position | None = None
    memory: Memory = field(default_factory=lambda: Memory(fresh=False))
    moved: bool = False
    over: bool = False
    why: str = ""


class _Piece(NamedTuple):
    """A batch of a file, where it begins, and whether it is the last; a file with nothing to read has an empty one."""

    reading: _Reading
    position: Position
    batch: Batch
    last: bool


def _import_files(run: _Run, batches: Sequence[Sequence[TranscriptFile]]) -> Generator[None]:
    """Store what is new in these files; yields behind each batch, while the next one is read ahead.

    Those that another process read on in meanwhile are looked at again.
    """
    with closing(_rows(run, (found for batch in batches for found in batch))) as rows:
        for batch in batches:
            moved = _store(run, rows, len(batch))
            while moved and not run.cancelled():
                with closing(_rows(run, moved)) as again:
                    moved = _store(run, again, len(moved))
            yield


def _rows(run: _Run, files: Iterable[TranscriptFile]) -> Generator[tuple[_Piece, Rows | PackedRows]]:
    """What is new in these files, with the rows that it makes."""
    ahead = RowsAhead(run.second)

    def elsewhere(piece: _Piece) -> Question | None:
        source = piece.reading.source
        if source is None or not piece.batch or piece.reading.why:
            return None
        return ahead.question(source, piece.position, piece.batch)

    def here(piece: _Piece) -> Rows | PackedRows:
        source = piece.reading.source
        if source is None or not piece.batch:
            return Rows()
        return read_rows(source.agent, source.start, piece.batch, lambda uuid: _chain(run.store, uuid))

    def before_turn(piece: _Piece) -> Rows | None:
        source = piece.reading.source
        if source is None or not piece.batch:
            return Rows()
        return rows_before_turn(source.agent, source.start, piece.batch)

    pieces = (piece for found in files for piece in _pieces(run, found))
    return shared(run.second, pieces, elsewhere, here, before_turn, depth=3, most=12)


def _store(run: _Run, rows: Iterator[tuple[_Piece, Rows | PackedRows]], files: int) -> list[TranscriptFile]:
    """Store the rows of so many files; returns those that another process read on in."""
    moved = list[TranscriptFile]()
    while files and not run.cancelled():
        piece, made = next(rows)
        reading = piece.reading
        if piece.batch and not reading.moved:
            _take(run, reading, piece.batch, unpacked(made))
        files -= piece.last
        if piece.last and reading.moved:
            moved.append(reading.found)
        elif piece.last:
            _end(run, reading)
    return moved


def _pieces(run: _Run, found: TranscriptFile) -> Iterator[_Piece]:
    """What is new in a file, the last batch marked."""
    reading, held = _Reading(found), None
    place = Position()
    try:
        with open_transcript(found.path) as file:
            reading.source = source_of(file, found.path, run.agent, named=found.named)
            for place, batch in () if reading.source is None else _batches(run, reading, reading.source):
                if held is not None:
                    yield held
                held = _Piece(reading, place, batch, last=False)
            if held is not None:
                yield held._replace(last=True)
    except NotATranscript as why:
        reading.why = str(why)
    except OSError as error:
        reading.why = f"cannot be read: {error.strerror or error}"
    if held is None or reading.why:
        if held is not None:
            yield held
        yield _Piece(reading, place, [], last=True)


def _batches(run: _Run, reading: _Reading, source: Source) -> Iterator[tuple[Position, Batch]]:
    """The batches of a file behind what was read of it, each with where it begins."""
    with faults(run.store.path):
        reading.known = known = position_of(run.store.con, source.name)
    position = resume_position(source, known)
    if source.document and position.offset == source.size:
        return
    if source.compressed and position.size == source.size:
        return  # it was read to its end, and that takes long to see
    reading.memory = Memory(fresh=position.offset == 0 or source.document)
    for batch in batches(source, position):
        yield position, batch
        position = Position(batch[-1].end, batch[-1].lines)
    reading.over = True


def _take(run: _Run, reading: _Reading, batch: Batch, rows: Rows) -> None:
    """Store the rows of a batch."""
    source = reading.source
    assert source is not None
    end = batch[-1].end
    here = Position(end, batch[-1].lines, head_hash(source, end), 0 if source.compressed else source.size)
    if source.document and rows.skipped and not rows.messages:
        here = Position(size=source.size)  # not understood as it is: look again next time
    try:
        _write(run, source, reading.known, here, rows, reading.memory)
    except _Moved:
        reading.moved = True
        return
    reading.known = here
    for line in rows.skipped:
        run.tally.skip(source.name, line.line, line.reason)
    run.meter.at(run.done + source.bytes_at(end), source.name)


def _end(run: _Run, reading: _Reading) -> None:
    """Count a file that was read, or say why it was not."""
    source, found = reading.source, reading.found
    run.tally.files += source is not None
    if reading.why:
        run.tally.skip(stored_name(found.path), 0, reading.why)
    if source is not None and reading.known is not None and source.start.remote:
        _learn_remote(run.store, source.start)
    if source is not None and source.compressed and reading.known is not None and reading.over:
        with run.store.transaction() as con:
            write_position(con, source, replace(reading.known, size=source.size))
    run.done += found.size
    run.meter.at(run.done, stored_name(found.path))


def _learn_remote(store: Store, start: SessionStart) -> None:
    """Note the remote of a session whose file was read by a version that did not look for it."""
    sql = "SELECT 1 FROM session WHERE id = ? AND remote = ''"
    with faults(store.path):
        missing = store.con.execute(sql, (start.session_id,)).fetchone()
    if missing:
        with store.transaction() as con:
            write_sessions(con, [without_secrets(start)])


def _chain(store: Store, uuid: str) -> str | None:
    with faults(store.path):
        row = store.con.execute("SELECT chain FROM message WHERE uuid = ? AND uuid <> '' LIMIT 1", (uuid,)).fetchone()
    return str(row[0]) if row else None


def _write(run: _Run, source: Source, known: Position | None, here: Position, rows: Rows, memory: Memory) -> None:
    """One batch, in one transaction. Raises _Moved where the file was read on by another process meanwhile."""
    if not run.has_job:  # a run with nothing to store leaves no trace; a second one beside it goes without a row
        run.has_job = True
        run.job = jobs.begin(run.store, "import", total=run.meter.total)
    with run.store.transaction() as con:
        if position_of(con, source.name) != known:
            raise _Moved
        sessions = write_sessions(con, rows.sessions.values())
        written = write_messages(con, source.agent, rows.messages, memory)
        write_position(con, source, here)
        if run.job is not None and not jobs.progress(run.store, run.job, run.done + source.bytes_at(here.offset)):
            run.stopped = True
    run.tally.sessions += sessions
    run.tally.messages += written.messages
    run.tally.tool_calls += written.tool_calls
