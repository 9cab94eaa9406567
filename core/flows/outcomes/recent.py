"""What an agent did right before a failure, from the end of its transcript: read only where a fix is known."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from core.flows.harvest.changes import change_of
from core.flows.harvest.fixes.clues import tested
from core.transcripts.claude_code import read_claude_code
from core.transcripts.records import ToolCall, ToolResult

TAIL: Final = 1 << 18
"""Bytes of the transcript that are read."""
CALLS: Final = 10
"""Calls before the failure that count as recent; a refusal counts among the last two results."""
_REFUSALS: Final = 2


@dataclass(frozen=True, slots=True)
class Recent:
    """The names of test files just written, and whether a person just declined or interrupted a call."""

    tests: frozenset[str] = frozenset()
    declined: bool = False


def recent_of(transcript: str) -> Recent:
    """What the end of a Claude Code transcript says; nothing where it is none, or cannot be read."""
    try:
        data = _tail(transcript)
    except OSError:
        return Recent()
    calls: list[ToolCall] = []
    results: list[ToolResult] = []
    for record in read_claude_code(enumerate(data.split(b"\n"), 1)):
        if isinstance(record, ToolCall):
            calls.append(record)
        elif isinstance(record, ToolResult):
            results.append(record)
    done = {one.tool_use_id for one in results if one.failure == "none"}
    written = (change_of(one.name, one.input, None, {}) for one in calls[-CALLS - 1 :] if one.tool_use_id in done)
    names = {PurePath(file.replace("\\", "/")).name for change in written if change for file in change.files}
    refused = [one.failure in ("denied", "interrupted") for one in results[-_REFUSALS:]]
    return Recent(frozenset(name for name in names if tested(name)), any(refused))


def _tail(transcript: str) -> bytes:
    """The last whole lines of a regular file."""
    if not PurePath(transcript).is_absolute():
        return b""
    descriptor = os.open(transcript, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        data = file.read(TAIL)
    return data if size <= TAIL else data.partition(b"\n")[2]
