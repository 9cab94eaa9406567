"""The file beside a casebook that is in a team: a look at it costs no query, and whoever syncs in the background holds
its lock."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path


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
