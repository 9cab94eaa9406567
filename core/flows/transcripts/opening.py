"""Regular files alone: a pipe or a device among the files of others is not waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO


class NotATranscript(Exception):
    """Why a file is none; the text is for people."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file without ever waiting for it. Raises OSError, or NotATranscript for anything else."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotATranscript("not a regular file")
    return os.fdopen(handle, "rb", buffering=1024 * 1024)
