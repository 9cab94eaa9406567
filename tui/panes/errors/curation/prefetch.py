"""Cases read whole ahead of the one that is decided on, so that the next is there when this one is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.base.fault import Fault
from tui.panes.errors.curation.queue import AHEAD, WholeCase, read_ahead
from tui.panes.errors.queries import Read
from tui.runtime.jobs import Jobs

LANE = "triage-case"


class Ahead:
    """The cases read so far; `came` is told of each that comes. One that was decided or changed is forgotten."""

    def __init__(self, jobs: Jobs, came: Callable[[int], object], failed: Callable[[Fault], None]) -> None:
        self._jobs = jobs
        self._came = came
        self._failed = failed
        self._reads: dict[int, Read | None] = {}

    def get(self, case_id: int | None) -> Read | None:
        """The case, if it is read."""
        return None if case_id is None else self._reads.get(case_id)

    def forget(self, cases: Iterable[int]) -> None:
        """These are to be read again."""
        for case_id in cases:
            self._reads.pop(case_id, None)

    def want(self, cases: tuple[int, ...]) -> None:
        """Read these, the first of them soonest; nothing is asked while enough are there."""
        ahead = cases[:AHEAD]
        lacking = tuple(one for one in ahead if one not in self._reads)
        if lacking and (len(lacking) > AHEAD // 2 or lacking[0] == ahead[0] or len(ahead) < AHEAD):
            self._jobs.run(LANE, read_ahead(lacking), self._read, self._failed)

    def _read(self, one: WholeCase | None, _final: bool) -> None:
        if one is not None:
            self._reads[one.case_id] = one.read
            self._came(one.case_id)
