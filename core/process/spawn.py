"""Starting processes that outlive this one: casebook itself without a terminal, and the clipboard programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from core.base.program import program

_CLIPBOARDS: Final = (
    ("TMUX", "tmux load-buffer -w -"),
    ("WAYLAND_DISPLAY", "wl-copy"),
    ("DISPLAY", "xclip -selection clipboard"),
    ("DISPLAY", "xsel --clipboard --input"),
    ("__CFBundleIdentifier", "pbcopy"),
)
"""A variable that says where this terminal runs, and the program that sets the clipboard there."""


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


def copy_text(text: str, environ: Mapping[str, str]) -> None:
    """Give `text` to each installed clipboard program of this desktop, in the background."""
    commands = [command.split() for variable, command in _CLIPBOARDS if environ.get(variable)]
    for command in commands:
        if path := shutil.which(command[0], path=environ.get("PATH")):
            threading.Thread(target=_feed, args=([path, *command[1:]], text.encode()), daemon=True).start()


def _feed(command: Sequence[str], data: bytes) -> None:
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=10,
            check=False,
        )
