"""The log: JSON lines under the state folder, redacted, rotated by size, for its owner's eyes only.

A log serves; it never stands in the way. Whatever goes wrong with it is passed over in silence, and nothing of it ever
reaches the terminal.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from core.base.paths import make_folder
from core.text import redact

Level = Literal["error", "warning", "info", "debug"]

_RANK = {"off": 0, "error": 1, "warning": 2, "info": 3, "debug": 4}
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)  # a pipe under the log's name must not hold anybody up
_ATTEMPTS = 20
"""Openings of the file before a line is given up: with three, one of 600 lines was lost while others rotated it."""
_FACT_LIMIT = 4000
"""Code points kept of one text: a log line names an error, it does not hold it."""


@dataclass(frozen=True, slots=True)
class Log:
    """Where to log, what is worth a line, and how much is kept.

    `level` is the least important level that is written (`off`: none). A file that would grow past `max_bytes` is put
    aside as `<name>.1`, older ones move up, and `keep` of them stay.
    """

    path: Path
    level: str = "info"
    max_bytes: int = 1_000_000
    keep: int = 3

    def write(self, level: Level, event: str, **facts: object) -> None:
        """Write one line, or nothing if that fails. Texts are redacted and cut to 4,000 code points."""
        if _RANK[level] > _RANK.get(self.level, 3):
            return
        with contextlib.suppress(Exception):
            self._append(_line(level, event, facts))

    def _append(self, line: bytes) -> None:
        make_folder(self.path.parent)
        for _ in range(_ATTEMPTS):
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_WAIT, 0o600)
            try:
                alone = _lock(handle)
                if not _same_file(handle, self.path):
                    continue  # another process has just rotated it
                size = os.fstat(handle).st_size
                if alone and size and size + len(line) > self.max_bytes:
                    self._rotate()
                    continue
                os.write(handle, line)
                return
            finally:
                os.close(handle)

    def _rotate(self) -> None:
        """Runs under the lock of the current file, so no two processes move the same one."""
        names = [self.path, *(self.path.with_name(f"{self.path.name}.{n}") for n in range(1, self.keep + 1))]
        if self.keep == 0:
            self.path.unlink(missing_ok=True)
        for older, newer in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
            if newer.exists():
                newer.replace(older)


def _line(level: Level, event: str, facts: dict[str, object]) -> bytes:
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    entry = {"ts": at, "level": level, "event": event, "pid": os.getpid(), **{k: _fact(v) for k, v in facts.items()}}
    return (json.dumps(entry) + "\n").encode("ascii")


def _fact(value: object) -> object:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = value if isinstance(value, str) else str(value)
    # Redacted before it is cut: half a secret is still one.
    return redact(text[: 4 * _FACT_LIMIT])[:_FACT_LIMIT]


def _lock(handle: int) -> bool:
    """Whether this process may rotate. One that may not still appends: a line is a single write."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _same_file(handle: int, path: Path) -> bool:
    mine = os.fstat(handle)
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
