"""Whether a shell command names a program of which a failure is known. It imports little: every call asks it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from core.transcripts.commands import shell_command

if TYPE_CHECKING:
    from typing import Any


def names_known_program(database: Path, tool: str, tool_input: Mapping[str, Any]) -> bool:
    """Whether the words of the command hold such a program, wherever. Raises Fault of the store."""
    text = shell_command(tool, tool_input)
    if not text or not database.exists():
        return False
    from core.store import faults, open_store

    with open_store(database) as store, faults(database):
        known = store.con.execute("SELECT DISTINCT program FROM before_run")
        return any(program in text for (program,) in known)
