"""Readers of agents' transcripts: lines in, records out. They know no store (DESIGN 3)."""

from core.transcripts.claude_code import read_claude_code
from core.transcripts.codex import read_codex
from core.transcripts.commands import OWN_TOOLS, SHELL_TOOLS, call_text, shell_command
from core.transcripts.detect import HEAD, detect, start_of
from core.transcripts.discover import default_roots, discover
from core.transcripts.lines import LINE_CAP, RawLine, read_lines
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

__all__ = [
    "HEAD",
    "LINE_CAP",
    "OWN_TOOLS",
    "SHELL_TOOLS",
    "Agent",
    "Failure",
    "Kind",
    "Message",
    "RawLine",
    "Record",
    "Role",
    "SessionStart",
    "Skipped",
    "ToolCall",
    "ToolResult",
    "call_text",
    "default_roots",
    "detect",
    "discover",
    "read_claude_code",
    "read_codex",
    "read_lines",
    "read_plain",
    "shell_command",
    "start_of",
]
