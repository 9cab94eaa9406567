"""Decisions of a person: written in order, reported, undone and redone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from core.base.fault import Fault
from tui.runtime.jobs import Job, Jobs

if TYPE_CHECKING:
    from core.store import Store, Undone

T = TypeVar("T")
P = ParamSpec("P")

LANE = "curate"
"""All decisions and undos go through this lane, each in its turn."""


def writing(decide: Callable[Concatenate[Store, P], T]) -> Callable[P, Callable[[Job[Any]], T]]:
    """Make the work of a job of a function that writes: its first argument is the casebook, open for writing."""

    @wraps(decide)
    def bind(*args: P.args, **options: P.kwargs) -> Callable[[Job[Any]], T]:
        def work(job: Job[Any]) -> T:
            from core.store import faults, open_store

            with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
                return decide(store, *args, **options)

        return work

    return bind


@dataclass(frozen=True, slots=True)
class Returned:
    """What an undo did: the change that it took back, by its title (`undid`: as it is stored), its cases, and the
    quotes that it decided about.

    `redone`: that change was an undo itself."""

    title: str
    undid: str
    cases: tuple[int, ...]
    quotes: tuple[int, ...] = ()
    redone: bool = False


class Decisions:
    """Writes decisions one after another. Used from the interface's thread only.

    `pending`: what the decisions on their way to disk are about, with how many there are.
    """

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.pending: Counter[int] = Counter()

    def make(
        self,
        work: Callable[[Job[T]], T],
        ended: Callable[[T], object],
        failed: Callable[[Fault], object],
        about: Iterable[int] = (),
    ) -> None:
        """Write a decision in its turn, then call `ended` or `failed`; until then `about` is pending."""
        ids = Counter(about)
        self.pending.update(ids)

        def on_done(found: T, _final: bool) -> None:
            self.pending -= ids
            ended(found)

        def fell(fault: Fault) -> None:
            self.pending -= ids
            failed(fault)

        self.jobs.run(LANE, work, on_done, fell, keep=True)

    def undo(
        self, ended: Callable[[Returned], object], failed: Callable[[Fault], object], change: int | None = None
    ) -> None:
        """Take back the change of this number, or the last one of the person."""
        self.make(_take_back(change), ended, failed)

    def redo(self, ended: Callable[[Returned], object], failed: Callable[[Fault], object]) -> None:
        """Bring back what the person took back last."""
        self.make(_bring_back(), ended, failed)


@writing
def _take_back(store: Store, change: int | None) -> Returned:
    from core.errors.curation.transaction import person
    from core.flows.system.history import take_back

    return _returned(store, take_back(store, person(), change, by=None if change is not None else person()))


@writing
def _bring_back(store: Store) -> Returned:
    from core.errors.curation.transaction import person
    from core.flows.system.history import bring_back

    return _returned(store, bring_back(store, person(), by=person()))


def _returned(store: Store, undone: Undone) -> Returned:
    from core.errors.curation.history import whole_history
    from core.flows.system.history import decided_quotes

    undid = undone.undid.title
    page = whole_history(store, 1, undone.id + 1)
    cases = page.changes[0].cases if page.changes else ()
    again = undone.undid.undoes is not None
    return Returned(
        undid.partition(": ")[2] if again else undid,
        undid,
        cases,
        decided_quotes(store, undone.id),
        redone=again and undid.startswith("undo: "),
    )
