"""Readers of agents' transcripts: lines in, records out. They know no store (DESIGN 3).

Each name is loaded when it is first asked for: a hook needs a few of them, at once.
"""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names

if TYPE_CHECKING:
    from core.transcripts.claude_code import read_claude_code
    from core.transcripts.codex import read_codex
    from core.transcripts.commands import OWN_TOOLS, SHELL_TOOLS, call_text, shell_command
    from core.transcripts.detection import default_roots, detect, discover, start_of
    from core.transcripts.lines import HEAD, LINE_CAP, RawLine, read_lines
    from core.transcripts.plain import read_plain
    from core.transcripts.records import (
        Agent,
        Failure,
        Kind,
        Message,
        Record,
        Role,
        SessionStart,
        Skipped,
        ToolCall,
        ToolResult,
    )

_LATER = {
    "claude_code": "read_claude_code",
    "codex": "read_codex",
    "commands": "OWN_TOOLS SHELL_TOOLS call_text shell_command",
    "detection": "default_roots detect discover start_of",
    "lines": "HEAD LINE_CAP RawLine read_lines",
    "plain": "read_plain",
    "records": "Agent Failure Kind Message Record Role SessionStart Skipped ToolCall ToolResult",
}
__getattr__, __all__ = lazy_names(__name__, _LATER)
