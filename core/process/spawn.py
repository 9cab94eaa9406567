"""Starting casebook in a process that outlives this one: same code, same interpreter, no terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from core.base.program import program


def start_detached(arguments: Sequence[str], folder: str = "") -> None:
    """Start `casebook` with `arguments`; it shares nothing of ours: session, streams, folder.

    It stands in `folder`, by default the user's home: not that of a project, which it would keep busy and import from.
    Raises OSError where no process can be started.
    """
    if not sys.executable:
        raise OSError("no Python interpreter was found to start the process")
    home = Path.home()
    windows = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    process = subprocess.Popen(
        [*program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder or (home if home.is_dir() else os.sep),
        start_new_session=True,
        creationflags=windows,
    )
    # A workbench lives longer than the process may: somebody must take note of its end.
    threading.Thread(target=process.wait, daemon=True).start()
