"""Import of transcripts: sessions, messages and tool calls into the store, then the harvest of errors and fixes.

One transaction a batch holds the rows, how far the file was read, and that a harvest is due. A process killed at any
moment leaves whole batches, and the next run continues there: it does the harvest that is due too. Nothing is stored
twice (DESIGN 11)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.derived import refresh_case
from core.errors.cases.record import drop_provisional
from core.evidence.events import ingested
from core.evidence.realign import mark_to_align
from core.evidence.rows import count_messages
from core.flows.hook.spool import take_up
from core.flows.system.parallel import Second, calm_garbage
from core.flows.transcripts.files import (
    NotATranscript,
    Position,
    Source,
    TranscriptFile,
    files_to_read,
    head_hash,
    open_transcript,
    position_of,
    resume_position,
    source_of,
    stored_name,
)
from core.flows.transcripts.projects import assign_projects
from core.flows.transcripts.report import ImportReport, Meter, Progress, Tally
from core.flows.transcripts.rows import Rows, rows_ahead, without_secrets
from core.flows.transcripts.write import PENDING, REPEATS, Memory, write_messages, write_position, write_sessions
from core.store import Store, faults, jobs
from core.store.wal import checkpoints_aside
from core.transcripts import Agent, SessionStart

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
    for done, session in enumerate(due):
        if cancelled():
            return False
        _harvest(store, second, session, tally)
        meter.at(done + 1)
    if due:
        meter.at(len(due), force=True)
    return True


def _due(con: apsw.Connection, prefix: str) -> list[str]:
    start, end = len(prefix) + 1, prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return [str(session) for (session,) in con.execute(_DUE, (start, start, prefix, end))]


def _harvest(store: Store, second: Second, session: str, tally: Tally) -> None:
    from core.flows.corrections.harvest import harvest_corrections
    from core.flows.harvest.session import harvest_session

    with store.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = ?", (f"{PENDING}{session}",))
        if con.changes() == 0:
            return  # another process was quicker
        heard = drop_provisional(con, session)  # the transcript tells what a hook told, with its place
        con.execute("DELETE FROM hook_event WHERE session_id = ?", (session,))
        if count_messages(con, session):
            ingested(con, session)
        report = harvest_session(store, session, second)
        harvest_corrections(con, session)
        mark_to_align(con, session)
        for case_id in heard:
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


AgentChoice = Agent | Literal["auto"]


class _Moved(Exception):
    """Another process read on in the same file."""


@dataclass(slots=True)
class _Run:
    """One import: where it writes, what it counts, how far it is, and who may stop it."""

    store: Store
    agent: Agent | None
    tally: Tally
    meter: Meter
    stop: Callable[[], bool]
    second: Second
    done: int = 0
    job: jobs.Job | None = None
    asked: bool = False
    stopped: bool = False

    def cancelled(self) -> bool:
        self.stopped = self.stopped or self.stop()
        return self.stopped


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
        for found in files:
            if run.cancelled():
                break
            _import_file(run, found)
            run.done += found.size
            run.meter.at(run.done, stored_name(found.path))
        run.meter.at(run.done, force=True)
        assign_projects(store)  # before the harvest, whose cases take it from their session
        harvested = not run.cancelled() and harvest_pending(store, second, tally, on_progress, run.cancelled)
    return tally.report(canceled=not harvested)


def read_files(store: Store, paths: Sequence[Path], second: Second) -> None:
    """Read these files into `store` within the caller's transaction, without a job and without a harvest.

    What cannot be read is left out. Raises Fault of the store.
    """
    run = _Run(store, None, Tally(), Meter(None, "import", 0), lambda: False, second, asked=True)
    for path in paths:
        _import_file(run, TranscriptFile(path, 0, named=True))


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
        jobs.finish(run.store, run.job, f"{run.tally.messages} messages of {run.tally.sessions} new sessions")


def _import_file(run: _Run, found: TranscriptFile) -> None:
    name = stored_name(found.path)
    try:
        with open_transcript(found.path) as file:
            source = source_of(file, found.path, run.agent, named=found.named)
            if source is None:
                return
            run.tally.files += 1
            while not _read_on(run, source):
                pass
    except NotATranscript as why:
        run.tally.skip(name, 0, str(why))
    except OSError as error:
        run.tally.skip(name, 0, f"cannot be read: {error.strerror or error}")


def _read_on(run: _Run, source: Source) -> bool:
    """Read what is new in a file. False: another process reads it too and was quicker, so look again."""
    with faults(run.store.path):
        known = position_of(run.store.con, source.name)
    position = resume_position(source, known)
    if source.document and position.offset == source.size:
        return True
    if source.compressed and position.size == source.size:
        return True  # it was read to its end, and that takes long to see
    if known is not None and source.start.remote:
        _learn_remote(run.store, source.start)
    memory = Memory(fresh=position.offset == 0 or source.document)
    for batch, rows in rows_ahead(run.second, source, position, lambda uuid: _chain(run.store, uuid)):
        end = batch[-1].end
        here = Position(end, batch[-1].lines, head_hash(source, end), 0 if source.compressed else source.size)
        if source.document and rows.skipped and not rows.messages:
            here = Position(size=source.size)  # not understood as it is: look again next time
        try:
            _write(run, source, known, here, rows, memory)
        except _Moved:
            return False
        known = here
        for line in rows.skipped:
            run.tally.skip(source.name, line.line, line.reason)
        run.meter.at(run.done + source.bytes_at(end), source.name)
        if run.cancelled():
            return True
    if source.compressed and known is not None:
        with run.store.transaction() as con:
            write_position(con, source, replace(known, size=source.size))
    return True


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
    if not run.asked:  # a run with nothing to store leaves no trace; a second one beside it goes without a row
        run.asked = True
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
