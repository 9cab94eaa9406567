"""What others write appears by itself: one idle connection checks again and again whether the casebook changed.

Between two questions no transaction is open, so the write-ahead log can be written back and does not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core.base.fault import Fault
from tui.runtime.jobs import Job, Jobs, job_work
from tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from core.store import Store


SOON = 0.1
"""Seconds after which a change that came while something was read is looked at again."""

Later = Callable[[float, Callable[[], object]], object]
"""Calls something after so many seconds."""


class Following:
    """Calls `read` after a change, once none of `lanes` reads anything, for a person or for an earlier change.

    Else frequent writes would have each reading given up for the next, and nothing newer would ever be shown.
    """

    def __init__(self, jobs: Jobs, lanes: Sequence[str], read: Callable[[], object], later: Later) -> None:
        self._jobs = jobs
        self._lanes = lanes
        self._read = read
        self._later = later
        self._due = False

    def changed(self) -> None:
        """Read again after a write, now or in a moment."""
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
    """Keep the selection at its place on the screen while `rows` are shown again, or off it. The top stays the top."""
    top, chosen, before = round(rows.scroll_y), rows.chosen, rows.rows.total
    away = not top <= chosen * rows.tall < top + rows.size.height
    yield
    if before and (away or top):
        rows.scroll_to(y=top + (rows.chosen - chosen) * rows.tall, animate=False, force=True)


INTERVAL = 0.3
"""Seconds between two questions."""

AFTER = 0.3
"""Seconds after the start before the watch begins."""

Change = Literal["changed", "gone"]


@job_work
def watch(job: Job[Change], before: Hashable) -> Change:
    """Report each change for as long as the workbench is open; `before` is how the files looked at the first read."""
    settled = _settle(job)
    lessons = _take_lessons(job.lane.path, None)
    eye = Eye(job.lane.path)
    try:
        last = eye.look()
        if files_at(job.lane.path) != before:
            job.partial("gone" if last is None else "changed")
        while True:
            job.pause(INTERVAL)
            settled = settled or _settle(job)
            lessons = _take_lessons(job.lane.path, lessons)
            now = eye.look()
            if now != last:
                job.partial("gone" if now is None else "changed")
                last = now
    finally:
        eye.close()


def _settle(job: Job[Change]) -> bool:
    """Assign the projects of an older casebook's sessions; False while another process holds the lock."""
    from core.flows.transcripts.projects import assign_overdue

    try:
        assign_overdue(job.lane.path)
    except Fault as fault:
        return fault.code != "db_locked"  # after another fault the next import does it
    return True


def _take_lessons(database: Path, before: Hashable) -> Hashable:
    """Import the lessons file of the current repository if it looks other than `before`; returns how it looks.

    While another process holds the lock it returns `before`, so that the next look tries again.
    """
    from core.flows.team.fresh import lessons_stat, take_changed_at

    found: Hashable = before
    try:
        folder = str(Path.cwd())
        found = lessons_stat(folder)
        if found is not None and found != before:
            take_changed_at(database, folder)
    except Fault as fault:  # `casebook import --team` says what is wrong
        return before if fault.code == "db_locked" else found
    except OSError:
        return before
    return found


def files_at(path: Path) -> Hashable:
    """How the casebook's files look from outside; an empty log is none."""
    return _stamp(path), _stamp(path.with_name(path.name + "-wal"))


class Eye:
    """Looks at one casebook: another value than before means that something has changed; None that it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: Store | None = None
        self._file: Hashable = None
        self._fault: str | None = None
        self._opened = (
            0  # each connection counts its versions from the start, and a new log may get the number of the old one
        )

    def close(self) -> None:
        """End the connection."""
        if self._store is not None:
            self._store.close()
        self._store = None

    def look(self) -> Hashable:
        """Return the current state. Never raises."""
        try:
            info = self._path.stat()
        except OSError:
            self.close()
            self._file = None
            return None
        log = self._log()
        file = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)
        if self._store is None or (file, log) != self._file:
            self._reopen((file, log))  # replaced, restored over, torn, or only a checkpoint: that is rare enough
        self._file = (file, log or self._log())  # to open it may have made the log
        return (file, self._opened, self._fault, *self._version())

    def _log(self) -> Hashable:
        """Which file the write-ahead log is. A connection reads on in a removed log of a casebook that was restored
        over, and its own version stays the same."""
        try:
            info = self._path.with_name(self._path.name + "-wal").stat()
        except OSError:
            return None
        return info.st_dev, info.st_ino

    def _reopen(self, file: Hashable) -> None:
        if file == self._file and self._fault not in (None, "db_locked", "io_error"):
            return
        from core.store import open_store

        if self._store is not None:
            self._store.close(keep_log=True)  # it may be the log of the previous file
        self._store = None
        try:
            self._store, self._fault = open_store(self._path, timeout_ms=100), None
            self._opened += 1
        except Fault as fault:
            self._fault = fault.code

    def _version(self) -> tuple[Hashable, ...]:
        """The connection's own word; where it reads a copy, or memory, what the files look like."""
        if self._store is None:
            return ()
        from core.store import as_fault
        from core.store.store import data_version

        try:
            version = data_version(self._store)
        except Exception as error:  # noqa: BLE001  whatever is wrong with the file, the workbench stays
            self.close()
            self._fault = as_fault(error, self._path).code
            return ()
        plain = self._store.readonly is None and self._store.con.filename
        return (version,) if plain else (version, _stamp(self._path.with_name(self._path.name + "-wal")))


def _stamp(path: Path) -> Hashable:
    try:
        info = path.stat()
    except OSError:
        return None
    return (info.st_size, info.st_mtime_ns) if info.st_size else None
