"""Starting the command line, against an interpreter that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.table import Row, paired


def _run(*args: str, env: dict[str, str] | None = None) -> None:
    subprocess.run([sys.executable, *args], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)


def measure(*, quick: bool) -> list[Row]:
    """Whole processes in turn with `python -c pass`."""
    rounds = 5 if quick else 15
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder)
        db = str(Path(folder) / "casebook.db")
        record = ("-m", "cli", "errors", "record", "--db", db, "--error", "boom at once", "--resolution", "calm")
        _run(*record, env=env)
        rows: list[Row] = []
        for what, args in (
            ("casebook --version / python -c pass", ("-m", "cli", "--version")),
            ("errors search / python -c pass", ("-m", "cli", "errors", "search", "--db", db, "boom at once")),
        ):
            ratio, ours, control = paired(
                lambda args=args: _run(*args, env=env), lambda: _run("-c", "pass", env=env), rounds
            )
            rows.append(Row(what, ratio, None, f"{ours * 1000:.0f} ms / {control * 1000:.0f} ms"))
    return rows
