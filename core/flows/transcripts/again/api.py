"""`import --again`: harvest what was imported before with the harvest of today (DESIGN 12, "Again").

The sessions are harvested on a copy beside the casebook, one by one, so that a killed run goes on where it was. What
differs then is applied to the casebook in one transaction, as one change in the history.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.base.fault import Fault
from core.base.reports import Progress
from core.flows.system.parallel import Second, calm_garbage
from core.flows.transcripts.again.apply import Changed, apply
from core.flows.transcripts.again.changes import changes_of, report_of
from core.flows.transcripts.again.report import ImportAgain
from core.flows.transcripts.again.scope import sessions_of
from core.flows.transcripts.again.work import discard, harvest_all, prepare, work_of
from core.flows.transcripts.report import Meter
from core.store import Store, jobs

JOB: Final = "again"
_TRIES: Final = 3
"""Times to start over where somebody else changed the casebook meanwhile."""
_BEAT_S: Final = 5.0
"""Seconds between two signs of life of the job."""
_LEASE_S: Final = 900.0
"""Seconds that the harvest of one session, or the last comparison, may take."""


@dataclass(slots=True)
class _Run:
    """One run: its job, who may stop it, and when it last gave a sign of life."""

    store: Store
    job: jobs.Job
    stop: Callable[[], bool]
    beat: float = 0.0
    stopped: bool = False

    def cancelled(self) -> bool:
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def told(self, done: int, total: int) -> None:
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
        raise Fault("db_locked", "Another `import --again` is running.", "Wait until it has ended.")
    run = _Run(store, job, cancelled)
    try:
        report = _run(run, sessions, actor, None if dry_run else agreed, on_progress, keep=keep)
    except BaseException as error:
        with suppress(Fault):
            jobs.fail(store, job, error.message if isinstance(error, Fault) else "It was stopped.")
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
    asked = agreed is not None
    for _ in range(_TRIES):
        work = prepare(run.store, sessions)
        meter = Meter(on_progress, "harvest", len(sessions))

        def told(done: int, total: int, meter: Meter = meter) -> None:
            run.told(done, total)
            meter.at(done, force=done == total)

        with Second() as second, calm_garbage():
            whole = harvest_all(work, second, told, run.cancelled)
        changeset = changes_of(work)
        report = replace(report_of(work, changeset), canceled=not whole)
        if not whole:
            return report
        if agreed is None or not changeset or (asked and not agreed(report)):
            if not (keep and agreed is None and changeset):
                discard(work)
            return report
        asked = False
        with suppress(Changed):
            report = apply(run.store, work, actor, report, changeset)
            discard(work)
            return report
        discard(work)
    raise Fault("db_locked", "The casebook kept changing meanwhile.", "Try again when nobody else writes to it.")
