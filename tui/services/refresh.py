"""What others write is read again: one reading at a time, and one more for all that was written meanwhile.

Whoever writes again and again, faster than one reads, would else have each reading given up for the next: nothing newer
would ever be shown, and what a person has asked for would never be answered.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from tui.runtime.jobs import Jobs
from tui.widgets.row_list import RowList

SOON = 0.1
"""Seconds after which a change that came while something was read is looked at again."""

Later = Callable[[float, Callable[[], object]], object]
"""Calls something after so many seconds."""


class Following:
    """Calls `read` after a change, once none of `lanes` reads anything, for a person or for an earlier change."""

    def __init__(self, jobs: Jobs, lanes: Sequence[str], read: Callable[[], object], later: Later) -> None:
        self._jobs = jobs
        self._lanes = lanes
        self._read = read
        self._later = later
        self._due = False

    def changed(self) -> None:
        """Somebody has written: read again, now or in a moment."""
        if self._due:
            return
        if any(map(self._jobs.busy, self._lanes)):
            self._due = True
            self._later(SOON, self._again)
        else:
            self._read()

    def _again(self) -> None:
        self._due = False
        self.changed()


@contextmanager
def staying(rows: RowList) -> Generator[None]:
    """While `rows` are shown anew: who has scrolled away from the chosen one goes on looking where they look."""
    top, chosen = round(rows.scroll_y), rows.chosen
    away = rows.rows.total and not top <= chosen * rows.tall < top + rows.size.height
    yield
    if away:
        rows.scroll_to(y=top + (rows.chosen - chosen) * rows.tall, animate=False, force=True)
