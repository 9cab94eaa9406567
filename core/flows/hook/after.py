"""What follows a session's end, in a process of its own: its transcript is read, and what is new gets its vectors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def start_detached(arguments: Sequence[str]) -> None:
    """Start `casebook` with `arguments` in a process that outlives this one and shares nothing with its terminal.

    Raises OSError where no process can be started.
    """
    home = Path.home()
    windows = sys.platform == "win32"
    flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0
    subprocess.Popen(
        [sys.executable, "-P", "-m", "cli.main", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=home if home.is_dir() else os.sep,  # not the session's folder, which it would keep busy
        start_new_session=not windows,
        creationflags=flags,
    )


def read_session(database: Path, transcript: Path) -> dict[str, int]:
    """Import one transcript; returns what was read, for the log. Raises Fault."""
    from core.flows.importing import import_transcripts
    from core.store import open_store

    with open_store(database, write=True, create=True) as store:
        report = import_transcripts(store, "auto", [transcript])
    return {"messages": report.messages, "errors": report.errors, "resolutions": report.resolutions}
