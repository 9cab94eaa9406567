"""An event is in a file before anything is done with it, so that none is lost when the time runs out.

The payload is written as it came, unredacted, to a file that only its owner may read; it is removed as soon as the
casebook has the event. `core.flows.hook.spool` takes up what a hook that ended too soon left behind. Imports next to
nothing, because every hook pays for it.
"""

from __future__ import annotations

import os
import sys
import time

from core.base.paths import folder_name, make_folder

MOST_FILES = 1_000
"""Events of one casebook that may wait; further ones are not kept."""
MOST_RAW = 1 << 20
"""Bytes of a payload; a larger one is only worked on."""
RETRIED = frozenset({"db_locked", "io_error", "db_damaged", "db_newer"})
"""Codes of faults that pass: a locked, damaged or newer casebook, a full disk. The event waits for the next hook or
import, for a backup, or for a newer casebook."""
_TELLING = (b'"PostToolUseFailure"', b'"PostToolUse"')


def keep_first(payload: bytes, database: str) -> str:
    """Write the payload down as this process's own event; the file's path, or "" where it cannot be or need not be.

    The file's name is `<time in ns>-<digest>.<process id>`: the event is this process's until it ends.
    """
    if len(payload) > MOST_RAW or not any(name in payload for name in _TELLING):
        return ""
    folder = events_folder(database)
    try:
        make_folder(folder)
        if len(os.listdir(folder)) >= MOST_FILES:
            return ""
        path = os.path.join(folder, f"{time.time_ns():020d}-{digest_of(payload)}.{os.getpid()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags, 0o600)
        written = 0
        try:
            written = os.write(handle, payload)
        finally:
            os.close(handle)
            if written < len(payload):
                os.unlink(path)  # the disk is full: half an event is none
    except OSError:
        return ""
    return path if written == len(payload) else ""


def settle(event: str, *, pending: bool) -> None:
    """The event of this file is done: remove it; if it is `pending`, the next hook or import may take it."""
    try:
        if pending:
            os.rename(event, f"{event.rpartition('.')[0]}.json")
        else:
            os.unlink(event)
    except OSError:
        pass  # its owner ended, and another took it up


def event_id(event: str) -> str:
    """What names the event wherever it is written down: its time and its digest."""
    return os.path.basename(event).partition(".")[0]


def is_event(path: str) -> bool:
    """Return whether a path is one that `keep_first` returns: another process passes it to a host."""
    stem, _, owner = os.path.basename(path).partition(".")
    return os.path.isabs(path) and len(stem) == 45 and stem[:20].isdigit() and owner.isdigit()


def events_folder(database: str) -> str:
    """Where the events of this casebook wait: `casebook_state`, without what that loads."""
    if sys.platform == "win32":
        from core.base.paths import casebook_state

        return str(casebook_state("hooks", database))
    return os.path.join(folder_name("state"), "hooks", _sha256(os.fsencode(os.path.abspath(database)))[:20])


def digest_of(payload: bytes) -> str:
    """24 hexadecimal digits that name a payload."""
    try:
        from _blake2 import blake2b  # hashlib takes 3 ms to load
    except ImportError:
        from hashlib import blake2b
    return blake2b(payload, digest_size=12).hexdigest()


def _sha256(data: bytes) -> str:
    from importlib import import_module

    for name in ("_sha2", "_sha256", "hashlib"):  # from Python 3.12 on, before it, anywhere
        try:
            return str(import_module(name).sha256(data).hexdigest())
        except ImportError:
            pass
    raise ImportError("no SHA-256")
