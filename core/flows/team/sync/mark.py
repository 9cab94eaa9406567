"""The file beside a casebook that is in a team: a look at it costs no query, and whoever syncs in the background holds
its lock. It names until when a search does not ask the server, because that failed or was too slow."""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

QUIET_S: Final = 30.0
"""Seconds in which a search does not ask a server that failed or was too slow; twice as long each further time."""
_LONGEST_S: Final = 3_600.0


def mark_of(database: Path) -> Path:
    """Where the file is."""
    return database.with_name(f"{database.name}.team")


def is_marked(database: Path) -> bool:
    """Whether a casebook is in a team."""
    return os.path.lexists(mark_of(database))


def set_mark(database: Path, *, there: bool = True) -> None:
    """Make or remove the file. Where that fails, a sync by hand still works."""
    with suppress(OSError):
        if there:
            mark_of(database).touch(0o600)
        else:
            mark_of(database).unlink(missing_ok=True)


@contextmanager
def turn(database: Path) -> Generator[bool]:
    """Whether it is ours to sync in the background: one process does at a time."""
    from core.process.lock import try_lock

    try:
        handle = os.open(mark_of(database), os.O_RDWR)
    except OSError:
        yield False
        return
    try:
        yield try_lock(handle)
    finally:
        os.close(handle)


def is_quiet(database: Path) -> bool:
    """Whether the server of a casebook failed lately, in whatever process."""
    until, wait = _silence(database)
    return 0 < until - time.time() <= wait


def note_contact(database: Path, *, answered: bool) -> None:
    """Remember for every process that the server answered, or that it did not."""
    wait = _silence(database)[1]
    if answered and not wait:
        return
    wait = min(_LONGEST_S, wait * 2 or QUIET_S)
    note = "" if answered else f"{time.time() + wait:.3f} {wait}"
    with suppress(OSError):
        handle = os.open(mark_of(database), os.O_WRONLY | os.O_TRUNC)  # it is not made here: the team may be left
        try:
            os.write(handle, note.encode("ascii"))
        finally:
            os.close(handle)


def _silence(database: Path) -> tuple[float, float]:
    """Until when the server is not asked, and for how many seconds in all; zeros where it answered."""
    try:
        until, wait = map(float, mark_of(database).read_text("ascii").split())
    except (OSError, ValueError):
        return 0.0, 0.0
    return until, wait
