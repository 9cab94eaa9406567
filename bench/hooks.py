"""`casebook hook` as an agent waits for it: a known error, with the host that the hook before left, and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.table import Row, paired

_PAYLOAD = json.dumps(
    {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s1",
        "cwd": "/home/me/shop",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "error": "Exit code 1\nError: Cannot find module 'leftpad'",
    }
).encode()


def _run(*args: str, env: dict[str, str], given: bytes = b"") -> None:
    subprocess.run([sys.executable, *args], check=True, stdout=subprocess.DEVNULL, input=given, env=env)


def measure(*, quick: bool) -> list[Row]:
    """Whole processes in turn with `python -c pass`."""
    rounds = 5 if quick else 25
    rows: list[Row] = []
    for what, budget, host in (
        ("casebook hook / python -c pass", 8.0, {}),
        ("the same without a host / python -c pass", None, {"CASEBOOK_HOOK_HOST": "false"}),
    ):
        with tempfile.TemporaryDirectory() as folder:
            runtime = Path(folder) / "r"
            runtime.mkdir(mode=0o700)
            env = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=str(runtime), **host)
            for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
                env.pop(name, None)
            record = ("errors", "record", "--error", "Cannot find module 'leftpad'", "--resolution", "npm i leftpad")
            _run("-m", "cli", *record, env=env)
            _run("-m", "cli.main", "hook", env=env, given=_PAYLOAD)
            ratio, ours, control = paired(
                lambda env=env: _run("-m", "cli.main", "hook", env=env, given=_PAYLOAD),
                lambda env=env: _run("-c", "pass", env=env),
                rounds,
            )
            rows.append(Row(what, ratio, budget, f"{ours * 1000:.0f} ms / {control * 1000:.0f} ms"))
    return rows
