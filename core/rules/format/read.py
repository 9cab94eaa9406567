"""The bytes of a rule file, which may be a pipe (`/dev/stdin`, `<(…)`): one that nobody writes to is not waited for."""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path

WAIT_S = 5.0
"""How long a pipe may say nothing."""
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))


def read_bytes(path: Path, most: int, wait_s: float = WAIT_S) -> tuple[bytes, os.stat_result]:
    """At most so many bytes, with what the system says of the file. Raises OSError (TimeoutError where a pipe says
    nothing for too long), ValueError for what can be no name."""
    handle = os.open(path, _FLAGS)
    try:
        info = os.fstat(handle)
        piped = not stat.S_ISREG(info.st_mode) and not stat.S_ISDIR(info.st_mode)
        data = _read(handle, most, wait_s if piped else None)
        return data, os.fstat(handle) if piped else info
    finally:
        os.close(handle)


def _read(handle: int, most: int, wait_s: float | None) -> bytes:
    read = bytearray()
    while len(read) < most:
        if wait_s is not None:
            _wait(handle, wait_s)
        more = os.read(handle, min(1 << 20, most - len(read)))
        if not more:
            break
        read += more
    return bytes(read)


def _wait(handle: int, wait_s: float) -> None:
    """Until there is something to read, or nobody left who writes."""
    if not hasattr(select, "poll"):  # Windows
        return
    ready = select.poll()
    ready.register(handle, select.POLLIN)
    if not ready.poll(wait_s * 1000):
        raise TimeoutError(errno.ETIMEDOUT, f"nothing came for {wait_s:g} s")
