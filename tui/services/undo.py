"""Undo and redo of the person's decisions, as the work of jobs; and the lane that all decisions go through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui.runtime.jobs import Job, job_work

if TYPE_CHECKING:
    from core.store import Store, Undone

LANE = "curate"
"""All decisions and undos go through this lane, each in its turn."""


@dataclass(frozen=True, slots=True)
class Returned:
    """What an undo did: the change that it took back, by its title (`undid`: as it is stored), and its cases."""

    title: str
    undid: str
    cases: tuple[int, ...]


@job_work
def taken_back(job: Job[Any], change: int | None = None) -> Returned:
    """Take back the change of this number, or the last one of the person."""

    from core.errors.curation import person
    from core.flows.system.history import take_back
    from core.store import faults, open_store

    with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
        undone = take_back(store, person(), change, by=None if change is not None else person())
        return _returned(store, undone)


@job_work
def brought_back(job: Job[Any]) -> Returned:
    """Bring back what the person took back last."""

    from core.errors.curation import person
    from core.flows.system.history import bring_back
    from core.store import faults, open_store

    with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
        return _returned(store, bring_back(store, person(), by=person()))


def _returned(store: Store, undone: Undone) -> Returned:
    from core.errors.curation.history import whole_history

    undid = undone.undid.title
    page = whole_history(store, 1, undone.id + 1)
    cases = page.changes[0].cases if page.changes else ()
    return Returned(undid.partition(": ")[2] if undone.undid.undoes is not None else undid, undid, cases)
