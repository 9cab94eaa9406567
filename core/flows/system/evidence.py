"""Aligning stored sessions as a long run: progress, a row of `jobs`, a stop between two quotes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from core.align.input import Extracted
from core.align.settings import AlignSettings
from core.base.fault import Fault
from core.evidence.entries import RejectedEntry, add_entries
from core.evidence.events import sessions_to_align, unmark
from core.evidence.realign import DEFAULTS, SessionAligned, align_session
from core.flows.transcripts.report import ImportAgain, ImportReport, Meter, Progress
from core.store import Store, faults, jobs

Imported = TypeVar("Imported", ImportReport, ImportAgain)
_KIND = "align"
_HEARTBEAT = 200
"""Quotes between two signs of life."""


@dataclass(frozen=True, slots=True)
class EvidenceAdded:
    """What was taken of an extraction: `added` entries, `known` ones that were there; `left` were not taken, and why.

    `alignment`: what aligning the session came to; null where it was not asked for.
    """

    SCHEMA: ClassVar[str] = "evidence_added.v1"

    session: str
    added: tuple[str, ...]
    quotes: int
    known: int
    left: tuple[RejectedEntry, ...]
    warnings: tuple[str, ...]
    alignment: SessionAligned | None


def add_extracted(
    store: Store,
    session: str,
    extracted: Extracted,
    settings: AlignSettings = DEFAULTS,
    *,
    align: bool = True,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> EvidenceAdded:
    """Take the entries of an extraction from a stored session and align their quotes. Raises what both parts raise."""
    taken = add_entries(store, session, extracted.entries)
    found = align_sessions(store, [session], settings, on_progress=on_progress, cancelled=cancelled) if align else ()
    return EvidenceAdded(
        session, taken.added, taken.quotes, taken.known, taken.left, extracted.warnings, found[0] if found else None
    )


def align_sessions(
    store: Store,
    sessions: Sequence[str],
    settings: AlignSettings = DEFAULTS,
    *,
    again: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[SessionAligned, ...]:
    """Align the quotes of these sessions, one after the other, as `align_session` does; stops after one was canceled.

    `on_progress` gets `progress.v1` of the kind `align`, in quotes of the session at hand. Canceling the row of `jobs`
    stops it too. Raises what `Store.transaction` raises.
    """
    store.require_write()
    done: list[SessionAligned] = []
    with _job(store, done) as is_stopped:
        for session in sessions:
            meter = Meter(on_progress, _KIND, 0)
            step = _Step(meter, session)
            found = align_session(
                store,
                session,
                settings,
                again=again,
                on_progress=step,
                cancelled=lambda: cancelled() or is_stopped(),
            )
            step.end()
            done.append(found)
            if found.canceled:
                break
    return tuple(done)


def align_due(
    store: Store,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[SessionAligned, ...]:
    """Align the sessions that imports went on in, and every quote that waits; what is stopped stays due.

    Cheap where nothing is. For whoever has imported: an import itself does not wait for it. `on_progress` gets
    `progress.v1` of the kind `align`, in sessions.
    """
    store.require_write()
    with faults(store.path):
        due = sessions_to_align(store.con)
    done: list[SessionAligned] = []
    meter = Meter(on_progress, _KIND, len(due))
    for session, mark in due:
        done += align_sessions(store, [session], cancelled=cancelled)
        if done[-1].canceled:
            break
        with store.transaction() as con:
            unmark(con, session, mark)
        meter.at(len(done), session, force=len(done) == len(due))
    return tuple(done)


def align_imported(
    store: Store,
    report: Imported,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Imported:
    """Align what is due after an import, unless the import was stopped; `canceled` of the report says it of both."""
    if report.canceled:
        return report
    done = align_due(store, on_progress=on_progress, cancelled=cancelled)
    return replace(report, canceled=any(one.canceled for one in done))


class _Step:
    """Passes on how far a session is."""

    def __init__(self, meter: Meter, session: str) -> None:
        self._meter, self._session, self._done = meter, session, 0

    def __call__(self, done: int, total: int) -> None:
        self._meter.total, self._done = total, done
        self._meter.at(done, self._session)

    def end(self) -> None:
        if self._done:
            self._meter.at(self._done, self._session, force=True)


@contextmanager
def _job(store: Store, done: Sequence[SessionAligned]) -> Generator[Callable[[], bool]]:
    """Keep a row of `jobs` for the run, unless another one is active; yields whether the run was asked to stop.

    `done`: the sessions so far. The last one says whether the run was canceled.
    """
    job = jobs.begin(store, _KIND)
    checks = 0
    stopped = False

    def stop() -> bool:
        nonlocal checks, stopped
        checks += 1
        if job is not None and not stopped and checks % _HEARTBEAT == 0:
            stopped = not jobs.heartbeat(store, job)
        return stopped

    try:
        yield stop
    except Fault as fault:
        if job is not None:
            jobs.fail(store, job, fault.message)
        raise
    if job is not None and done and done[-1].canceled:
        jobs.cancel(store, job.id)
    elif job is not None:
        jobs.finish(store, job)
