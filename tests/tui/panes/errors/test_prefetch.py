"""Cases of the queue that are read ahead: what was read before a decision is not shown after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tui.panes.errors.queries import Read
from tui.panes.errors.triage import Ahead, WholeCase
from tui.runtime.jobs import Jobs


class Lane:
    """In the place of `Jobs`: the reports come when the test sends them."""

    report: Callable[[WholeCase | None, bool], None]
    asked = 0

    def run(self, _lane: str, _work: object, report: Callable[[Any, bool], None], _failed: object) -> None:
        self.report, self.asked = report, self.asked + 1


def test_a_case_read_before_it_changed_is_read_again() -> None:
    lane, came = Lane(), list[int]()
    old, new, other = (cast("Read", object()) for _ in range(3))
    ahead = Ahead(cast("Jobs", lane), came.append, lambda _fault: None)
    ahead.want((1, 2))
    ahead.forget((1,))  # a merge is on disk; the read of it began before
    lane.report(WholeCase(1, old), False)
    lane.report(WholeCase(2, other), False)
    assert (ahead.get(1), ahead.get(2), came) == (None, other, [2])
    ahead.want((1, 2))
    lane.report(WholeCase(1, new), True)
    assert (lane.asked, ahead.get(1), came) == (2, new, [2, 1])
