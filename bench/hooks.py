"""`casebook hook` as an agent waits for it: a known error, and a call that meets a rule; with the host that the hook
before left, and without."""

from __future__ import annotations

import json
import os
import shutil
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


_BEFORE = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": "/home/me/shop",
        "tool_name": "Bash",
        "tool_input": {"command": "git push --force origin main"},
    }
).encode()
_RULES = Path(__file__).parent.parent / "tests" / "data" / "rules" / "memory.md"


def _run(*args: str, env: dict[str, str], given: bytes = b"") -> None:
    subprocess.run([sys.executable, *args], check=True, stdout=subprocess.DEVNULL, input=given, env=env)


def measure(*, quick: bool) -> list[Row]:
    """Whole processes in turn with `python -c pass`."""
    rounds = 5 if quick else 25
    rows: list[Row] = []
    alone = {"CASEBOOK_HOOK_HOST": "false"}
    for what, budget, host, given in (
        ("casebook hook / python -c pass", 8.0, {}, _PAYLOAD),
        ("the same without a host / python -c pass", None, alone, _PAYLOAD),
        ("casebook hook, 30 rules before a call / python -c pass", 8.0, {}, _BEFORE),
        ("the same without a host / python -c pass", None, alone, _BEFORE),
    ):
        with tempfile.TemporaryDirectory() as folder:
            runtime = Path(folder) / "r"
            runtime.mkdir(mode=0o700)
            env = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=str(runtime), **host)
            for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
                env.pop(name, None)
            (Path(folder) / ".claude").mkdir()
            shutil.copy(_RULES, Path(folder) / ".claude" / "memory.md")
            record = ("errors", "record", "--error", "Cannot find module 'leftpad'", "--resolution", "npm i leftpad")
            _run("-m", "cli", *record, env=env)
            _run("-m", "cli.main", "hook", env=env, given=given)
            ratio, ours, control = paired(
                lambda env=env, given=given: _run("-m", "cli.main", "hook", env=env, given=given),
                lambda env=env: _run("-c", "pass", env=env),
                rounds,
            )
            rows.append(Row(what, ratio, budget, f"{ours * 1000:.0f} ms / {control * 1000:.0f} ms"))
    return rows
