"""Whether the lessons file of a folder's repository changed, and taking it over: for hooks and the workbench.

Where nothing changed, this costs a few looks at the file system and one row of the casebook.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from core.base.fault import Fault
from core.store import Store, open_store

HOOK_BYTES: Final = 256 << 10
"""Size of a lessons file up to which a hook takes it over while the agent waits; a larger one by a process."""
_STAT: Final = "team_stat:"
_STARTED: Final = "team_started:"
_MOST_STARTS: Final = 3
"""Processes that are started for one state of a file, if they end or are killed without having imported it."""
_SAMPLES: Final = "samples"
_NAME: Final = os.path.join(".casebook", "lessons.jsonl")


def lessons_stat(folder: str) -> tuple[str, str, int] | None:
    """The lessons file of the working tree that a folder lies in: its path, how it looks from outside, its size."""
    if not os.path.isabs(folder):
        return None
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    path = os.path.join(folder, _NAME)
    try:
        info = os.stat(path)
    except OSError:
        return None
    return path, f"{info.st_size}:{info.st_mtime_ns}:{info.st_ino}", info.st_size


def mark_samples(store: Store) -> None:
    """Mark a casebook as one of samples: a team's lessons never come into it by themselves."""
    with store.transaction() as con:
        con.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, '1')", (_SAMPLES,))


def take_changed(
    store: Store, folder: str, actor: str = "team", *, most: int | None = None, requested: bool = False
) -> bool:
    """Import the lessons file of a folder if it changed since; whether it did. `most`: bytes, a larger file is left to
    a process of its own. Unless a person `requested` it, a file that others can write is refused, as rule files are:
    its lessons count as verified. Raises Fault where it cannot be read or written."""
    found = lessons_stat(folder)
    if found is None or store.readonly is not None:
        return False
    path, stat, size = found
    if _is_settled(store, path, stat):
        return False
    from core.flows.rules.files import distrusted
    from core.flows.team.importing import import_lessons
    from core.flows.team.place import file_digest, known_digest, place_of, read_lessons, refuse_outside

    if not requested and (why := distrusted(Path(path), Path(path).parent.parent)):
        cure = "fix its owner and permissions, or run: casebook import --team"
        raise Fault("invalid_input", f"{path} was not imported ({why})", cure, path=path)
    place = place_of(Path(path).parent.parent)
    if not requested:
        refuse_outside(place)
    if most is not None and size > most:
        _start(store, path, stat)
        return False
    known = known_digest(store.con, str(place.file))
    if file_digest(read_lessons(place.file)) == known:
        _note(store, path, stat)
        return False
    import_lessons(store, place, actor)
    _note(store, path, stat)
    return True


def take_changed_at(database: Path, folder: str, *, requested: bool = False) -> bool:
    """The same, opening the casebook only where there is such a file, and writing only where it changed."""
    found = lessons_stat(folder)
    if found is None or not database.exists():
        return False
    with open_store(database) as reading:
        if reading.readonly is not None or _is_settled(reading, found[0], found[1]):
            return False
    with open_store(database, write=True) as store:
        return take_changed(store, folder, requested=requested)


def take_changed_quietly(store: Store, folder: str) -> str:
    """For a hook: import what changed, and why that failed; '' where it did not."""
    try:
        take_changed(store, folder, most=HOOK_BYTES)
    except (Fault, OSError) as error:
        return f"team lessons: {error.message if isinstance(error, Fault) else error}"
    return ""


def _is_settled(store: Store, path: str, stat: str) -> bool:
    """Whether a file that looks like this has nothing to be imported: it was looked at, or the casebook is one of
    samples."""
    row = store.con.execute(
        "SELECT 1 FROM meta WHERE key = ? AND value = ? OR key = ?", (_STAT + path, stat, _SAMPLES)
    ).fetchone()
    return row is not None


def _start(store: Store, path: str, stat: str) -> None:
    """Have a process of its own take a file over; it notes that it did."""
    from core.process.spawn import start_detached

    row = store.con.execute("SELECT value FROM meta WHERE key = ?", (_STARTED + path,)).fetchone()
    before, _, count = ("", "", "") if row is None else str(row[0]).rpartition(" ")
    starts = int(count) if before == stat else 0
    if starts >= _MOST_STARTS:
        return
    with store.transaction() as con:
        sql = "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)"
        con.execute(sql, (_STARTED + path, f"{stat} {starts + 1}"))
    start_detached(["hook", "--team", os.path.dirname(path), "--db", str(store.path)])


def _note(store: Store, path: str, stat: str) -> None:
    with store.transaction() as con:
        con.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (_STAT + path, stat))
