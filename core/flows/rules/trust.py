"""Whether a rule file may be read: what others can write, agents must not be told as the user's own rules."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path


def distrusted(path: Path, root: Path, trusted: Sequence[Path] = ()) -> str:
    """Why a rule file is not read, in words; empty if it may be.

    It must belong to the user or to root, and everyone else must not be able to write to it or to a folder between it
    and `root`, the project's folder. `trusted`: files, and folders of files, for which none of this is asked. Nothing
    is asked on Windows, whose rights are others.
    """
    if sys.platform == "win32" or any(path == one or one in path.parents for one in trusted):
        return ""
    try:
        info = path.stat()
        if info.st_uid not in (os.geteuid(), 0):
            return f"it belongs to another user (uid {info.st_uid})"
        if info.st_mode & stat.S_IWOTH:
            return "everyone can write to it"
        folders = path.parents[: path.parents.index(root) + 1] if root in path.parents else (path.parent,)
        shared = next((folder for folder in folders if is_shared(folder)), None)
    except OSError:
        return ""  # whoever reads it says what is wrong
    return "" if shared is None else f"everyone can write to its folder {shared}"


def is_shared(folder: Path) -> bool:
    """Whether everyone can write to a folder; False on Windows and where that cannot be told."""
    try:
        return sys.platform != "win32" and bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False
