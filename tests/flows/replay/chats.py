"""Transcripts of small sessions, as Claude Code writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MISSING = "Exit code 1\nTraceback (most recent call last):\nModuleNotFoundError: No module named '{}'"
Call = tuple[str, str, bool]
"""A command, what it printed, and whether it failed."""


def bash(session: str, day: int, number: int, call: Call, cwd: str = "/work/shop") -> list[dict[str, Any]]:
    """A call of the shell and its result, a minute after the one before."""
    command, text, failed = call
    shared = {"sessionId": session, "cwd": cwd, "timestamp": f"2026-01-{day:02}T00:{number:02}:00.000Z"}
    name = f"{session}-{number}"
    use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
    told = {"type": "tool_result", "tool_use_id": name, "content": text, "is_error": failed}
    return [
        {**shared, "type": "assistant", "uuid": f"c{name}", "message": {"role": "assistant", "content": [use]}},
        {**shared, "type": "user", "uuid": f"r{name}", "message": {"role": "user", "content": [told]}},
    ]


def write(folder: Path, session: str, day: int, calls: list[Call], cwd: str = "/work/shop") -> Path:
    """A session of these calls on that day."""
    records = [one for number, call in enumerate(calls, 1) for one in bash(session, day, number, call, cwd)]
    file = folder / f"{session}.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def missing(module: str, cure: str, command: str = "python report.py") -> list[Call]:
    """A run that lacks a module, what was done about it, and the run that passes."""
    return [
        (command, MISSING.format(module), True),
        (cure, "Successfully installed", False),
        (command, "done", False),
    ]
