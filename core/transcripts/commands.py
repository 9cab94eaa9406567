"""What a tool call says in plain text: the command of a shell tool, else its input as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.transcripts.fields import fields, items, json_text

SHELL_TOOLS = frozenset(
    {"Bash", "PowerShell", "shell", "shell_command", "exec_command", "local_shell", "container.exec", "bash", "exec"}
)
"""Tools that run a command line, as Claude Code and Codex name them."""

_SERVED_SHELL = re.compile(
    r"mcp__.+__(?:bash|shell|terminal|exec|(?:run|execute|start)_(?:command|process|bash|shell|in_terminal))"
)
"""A shell that a tool server offers; its results carry no exit code."""

OWN_TOOLS = frozenset({"KillShell", "KillBash", "BashOutput", "TaskStop", "TaskOutput"})
"""Tools that mind the agent's own background work: when they fail, nothing of the project has."""

LOOKS_AT_RUNNING = frozenset({"write_stdin", "wait"})
"""Codex tools whose result is what a command that still runs has printed since."""

LOOKING_TOOLS = frozenset(
    (
        *(
            "Read",
            "NotebookRead",
            "Grep",
            "Glob",
            "LS",
            "LSP",
            "WebFetch",
            "WebSearch",
            "TodoWrite",
            "TodoRead",
            "Skill",
        ),
        *("ToolSearch", "AskUserQuestion", "wait", "EnterPlanMode", "ExitPlanMode", "SlashCommand"),
        *("ListMcpResourcesTool", "ReadMcpResourceTool", "update_plan", "view_image", "read_file", "list_dir"),
        *("grep_files", "web_search", "write_stdin"),
    )
)
"""Tools that look, plan or ask: when they fail, nothing of the project has."""

_SHELLS = ("bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "cmd")
_RUN_FLAGS = frozenset({"-c", "-lc", "-ic", "-lic", "-command", "-Command", "/c", "/C"})


def is_served_shell(name: str) -> bool:
    """Whether a tool is a shell of a tool server (`mcp__workspace__bash`)."""
    return name.startswith("mcp__") and _SERVED_SHELL.fullmatch(name) is not None


def shell_command(name: str, tool_input: Mapping[str, Any]) -> str | None:
    """The command line that a shell tool ran (`bash -lc X` is X), or None where `name` is no shell tool."""
    if name not in SHELL_TOOLS and not is_served_shell(name):
        return None
    action = fields(tool_input.get("action"))
    for source in (tool_input, action):
        for key in ("command", "cmd"):
            value = source.get(key)
            if isinstance(value, str):
                return value
            if argv := items(value):
                return _from_argv([str(part) for part in argv])
    return None


def _from_argv(argv: list[str]) -> str:
    program = argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if len(argv) >= 3 and program in _SHELLS and argv[-2] in _RUN_FLAGS:
        return argv[-1]
    return " ".join(argv)


def call_text(name: str, tool_input: Mapping[str, Any]) -> str:
    """What a person reads of a tool call."""
    command = shell_command(name, tool_input)
    return json_text(dict(tool_input)) if command is None else command
