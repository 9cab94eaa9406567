"""`import --again`: harvest what was imported before with today's harvest (DESIGN 12, "Again").

The sessions are harvested on a copy beside the casebook, one by one. What differs then, as a changeset, is applied to
the casebook in one transaction after a backup: one change in the history."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.base.reports import Progress
from core.errors.cases.resolutions import MIRRORED, UNTOUCHED, refresh_touched
from core.evidence.entries import append_added
from core.evidence.events import mark_to_align
from core.flows.system.parallel import Second, calm_garbage
from core.flows.transcripts.reharvest_copy import (
    Work,
    bring_messages,
    decided_cases,
    discard,
    harvest_all,
    last_change,
    lost_sessions,
    prepare,
    read_from_files,
    sessions_of,
    work_of,
)
from core.flows.transcripts.report import LISTED, Counts, Drafts, ImportAgain, Meter, RemovedCase
from core.store import Store, change, faults, jobs, open_store
from core.store.files import copy_database
from core.store.journal import apply_elsewhere, columns_of, key_of, touched_rows
from core.store.sql import number, stamp


class Changed(Exception):
    """The casebook is no longer as it was when the copy was made."""


def apply(store: Store, work: Work, actor: str, report: ImportAgain, changeset: bytes) -> ImportAgain:
    """Apply the changes; messages that were read from files come along, and stay when the change is undone.

    Raises Changed where the casebook was changed meanwhile, and then nothing was done."""
    real = store.path.resolve()
    backup = real.with_name(f"{real.name}.before-again-{stamp()}")
    with faults(backup):
        copy_database(work.base, backup)
    try:
        with open_store(work.base) as base:
            journal = last_change(base.con)
            with open_store(work.copy) as copy:
                read = read_from_files(base.con, copy.con)
        with change(store, actor, f"harvest again: {report.sessions:,} sessions") as made:
            con = store.con
            if not set(read) <= set(lost_sessions(con)):
                raise Changed
            bring_messages(con, work.copy, read)
            if last_change(con) != journal or not apply_elsewhere(con, changeset, MIRRORED):
                raise Changed
            refresh_touched(con, touched_rows(con, changeset))
            for session, entries in _new_entries(con, changeset).items():
                append_added(con, session, entries, "harvest")
                mark_to_align(con, session)
    except BaseException:
        backup.unlink(missing_ok=True)
        raise
    return replace(report, applied=True, change=made.id, backup=str(backup))


def _new_entries(con: apsw.Connection, changeset: bytes) -> dict[str, list[str]]:
    """The entries that the changes add, by session."""
    columns = columns_of(con, "entry")
    name, session = columns.index("id"), columns.index("session_id")
    found: dict[str, list[str]] = {}
    for item in apsw.Changeset.iter(changeset):
        if item.name == "entry" and item.op == "INSERT" and item.new is not None:
            found.setdefault(cast("str", item.new[session]), []).append(cast("str", item.new[name]))
    return found


_HARVESTED: Final = (
    "error_kb", "case_key", "fingerprint", "occurrence", "resolution", "entry", "evidence", "result_verdict",
    "rule_draft", "correction", "practice_finding", "before_run",
)  # fmt: skip
"""What a harvest writes, of the tables that a change is recorded of."""
_COUNTS = """SELECT (SELECT count(*) FROM error_kb),
 (SELECT count(*) FROM fingerprint), (SELECT count(*) FROM occurrence),
 count(*) FILTER (WHERE status = 'draft'), count(*) FILTER (WHERE status = 'verified'),
 count(*) FILTER (WHERE status = 'rejected') FROM resolution"""
_MISSED = """SELECT count(DISTINCT case_id) FROM fingerprint f WHERE missed IS NOT NULL
 AND NOT EXISTS (SELECT 1 FROM fingerprint g WHERE g.case_id = f.case_id AND g.missed IS NULL)"""


def changes_of(work: Work) -> bytes:
    """What turns the casebook as it was into the one harvested again; empty where nothing differs."""
    with open_store(work.copy) as copy:
        con = copy.con
        con.execute("ATTACH ? AS base", (str(work.base),))
        with closing(apsw.Session(con, "main")) as session:
            there = {str(row[0]) for row in con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            for table in _HARVESTED:
                if table in there:
                    session.attach(table)
                    session.diff("base", table)
            return bytes(session.changeset())


def report_of(work: Work, changeset: bytes) -> ImportAgain:
    """What the changes come to."""
    ops = Counter[tuple[str, str]]()
    gone: list[int] = []
    rewritten = 0
    for item in apsw.Changeset.iter(changeset) if changeset else ():
        ops[item.name, item.op] += 1
        if item.name == "error_kb" and item.op == "DELETE":
            gone.append(cast("int", key_of(item)))
        rewritten += item.name == "resolution" and item.op == "UPDATE"
    with open_store(work.base) as base, open_store(work.copy) as copy:
        before, after = _counts(base.con), _counts(copy.con)
        untouched = _untouched(base.con)
        removed = ops["resolution", "DELETE"]
        return ImportAgain(
            sessions=number(copy.con, "SELECT count(*) FROM again_session WHERE done < 2"),
            before=before,
            after=after,
            drafts=Drafts(rewritten, removed, ops["resolution", "INSERT"], untouched - removed - rewritten),
            kept=before.drafts + before.verified + before.rejected - untouched,
            cases_added=ops["error_kb", "INSERT"],
            cases_removed=len(gone),
            no_longer_harvested=number(copy.con, _MISSED),
            gone=_named(base.con, gone[:LISTED]),
        )


def _counts(con: apsw.Connection) -> Counts:
    row = con.execute(_COUNTS).fetchone()
    return Counts(*cast("tuple[int, int, int, int, int, int]", row))


def _untouched(con: apsw.Connection) -> int:
    """The drafts that may be replaced."""
    kept = decided_cases(con)
    rows = con.execute(f"SELECT case_id, count(*) FROM resolution WHERE {UNTOUCHED} GROUP BY 1").fetchall()
    return sum(count for case_id, count in cast("list[tuple[int, int]]", rows) if case_id not in kept)


def _named(con: apsw.Connection, cases: Sequence[int]) -> tuple[RemovedCase, ...]:
    sql = (
        "SELECT coalesce((SELECT key_line FROM fingerprint WHERE case_id = error_kb.id ORDER BY first_seen LIMIT 1),"
        " error_normalized) FROM error_kb WHERE id = ?"
    )
    found = ((case_id, con.execute(sql, (case_id,)).fetchone()) for case_id in cases)
    return tuple(RemovedCase(case_id, str(row[0])) for case_id, row in found if row is not None)


JOB: Final = "again"
_TRIES: Final = 3
"""Restarts after concurrent changes of the casebook."""
_BEAT_S: Final = 5.0
"""Seconds between two signs of life of the job."""
_LEASE_S: Final = 900.0
"""Seconds that the harvest of one session, or the last comparison, may take."""


@dataclass(slots=True)
class _Run:
    """One run: its job, its stop request, and the time of its last sign of life."""

    store: Store
    job: jobs.Job
    stop: Callable[[], bool]
    beat: float = 0.0
    stopped: bool = False

    def cancelled(self) -> bool:
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def on_progress(self, done: int, total: int) -> None:
        if time.monotonic() - self.beat >= _BEAT_S or done == total:
            self.beat = time.monotonic()
            self.stopped = not jobs.progress(self.store, self.job, done, total, lease_s=_LEASE_S) or self.stopped


def harvest_again(
    store: Store,
    paths: Sequence[Path] = (),
    *,
    actor: str,
    agreed: Callable[[ImportAgain], bool] = lambda report: True,
    dry_run: bool = False,
    keep: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ImportAgain:
    """Harvest every imported session again, or those read from `paths`, and apply what differs if `agreed`.

    Harvested drafts that nobody touched are replaced; what a person decided stays. The casebook is backed up first, and
    one undo takes everything back. A run that is killed or cancelled goes on the next time. `keep`: so does what a
    `dry_run` harvested, until `forget` removes it.

    Raises Fault: invalid_input for a path that nothing was imported from; db_locked where another run goes on or the
    casebook keeps changing; db_readonly, io_error, db_damaged from the store.
    """
    store.require_write()
    sessions = sessions_of(store.con, paths)
    job = jobs.begin(store, JOB, _LEASE_S, len(sessions))
    if job is None:
        raise Fault("db_locked", "another `import --again` is running", "wait until the other run ends")
    run = _Run(store, job, cancelled)
    try:
        report = _run(run, sessions, actor, None if dry_run else agreed, on_progress, keep=keep)
    except BaseException as error:
        with suppress(Fault):
            jobs.fail(store, job, error.message if isinstance(error, Fault) else "the run was stopped")
        raise
    if report.canceled:
        jobs.cancel(store, job.id)
    else:
        jobs.finish(store, job, "applied" if report.applied else "nothing was changed")
    return report


def forget(casebook: Path) -> None:
    """Remove what was harvested again and not applied. Raises Fault io_error."""
    discard(work_of(casebook))


def _run(
    run: _Run,
    sessions: Sequence[str],
    actor: str,
    agreed: Callable[[ImportAgain], bool] | None,
    on_progress: Callable[[Progress], None] | None,
    *,
    keep: bool,
) -> ImportAgain:
    must_confirm = agreed is not None
    for _ in range(_TRIES):
        work = prepare(run.store, sessions)
        meter = Meter(on_progress, "harvest", len(sessions))

        def report_step(done: int, total: int, meter: Meter = meter) -> None:
            run.on_progress(done, total)
            meter.at(done, force=done == total)

        with Second() as second, calm_garbage():
            whole = harvest_all(work, second, report_step, run.cancelled)
        changeset = changes_of(work)
        report = replace(report_of(work, changeset), canceled=not whole)
        if not whole:
            return report
        if agreed is None or not changeset or (must_confirm and not agreed(report)):
            if not (keep and agreed is None and changeset):
                discard(work)
            return report
        must_confirm = False
        with suppress(Changed):
            report = apply(run.store, work, actor, report, changeset)
            discard(work)
            return report
        discard(work)
    raise Fault(
        "db_locked",
        "the casebook changed during the run",
        "when no other program is writing to the casebook, run the command again",
    )
