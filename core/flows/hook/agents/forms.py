"""How each agent registers hooks: the file, its form, and the events that casebook listens to.

Read in November 2026 in each agent's documentation (see `translation`). An event is only registered where its reply
can reach the model, or where casebook learns from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_STEPS = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|Task|Agent|mcp__.*"
"""Tools whose results can be an error, or a step to its fix."""
EVENTS: dict[str, str | None] = {
    "PreToolUse": _STEPS,
    "PostToolUseFailure": _STEPS,
    "PostToolUse": _STEPS,
    "SessionStart": None,
    "Stop": None,
    "SessionEnd": None,
}
"""The events of Claude Code, each with the tools it is for (None: the event has none)."""
TIMEOUT_S = 5


@dataclass(frozen=True, slots=True)
class HookForm:
    """How one agent registers hooks.

    `home` is its folder under the user's, unless the environment variable `variable` names it; `file` and
    `project_file` are below home and below a project. `nested`: an event holds groups of hooks, else hooks.
    `version`: what the file must hold as `version`, 0 for nothing. `note`: what a user must know, in sentences.
    """

    agent: str
    title: str
    home: str
    variable: str
    file: str
    project_file: str
    events: Mapping[str, str | None]
    nested: bool = True
    version: int = 0
    note: str = ""

    @property
    def empty(self) -> str:
        """The text of a file without hooks."""
        return f'{{\n  "version": {self.version},\n  "hooks": {{}}\n}}\n' if self.version else "{}\n"

    def entry(self, event: str, command: str) -> dict[str, object]:
        matcher = self.events[event]
        matched = {} if matcher is None else {"matcher": matcher}
        if self.agent == "copilot":
            # An exit code of 2 is how this event's reply is marked; no other may get through, and no failure of ours.
            if event == "postToolUseFailure":
                command = command.removesuffix(" || true") + "; [ $? -eq 2 ] && exit 2; exit 0"
            return {"type": "command", **matched, "bash": command, "timeoutSec": TIMEOUT_S}
        if not self.nested:
            return {"command": command, **matched, "timeout": TIMEOUT_S}
        if self.agent == "gemini":
            hook: dict[str, object] = {"name": "casebook", "type": "command", "command": command}
            return {**matched, "hooks": [hook | {"timeout": TIMEOUT_S * 1_000}]}
        return {**matched, "hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_S}]}

    def home_folder(self, environ: Mapping[str, str]) -> Path:
        """The agent's own folder. Where it is missing, the user does not have the agent."""
        named = environ.get(self.variable) if self.variable else None
        if named and self.agent == "gemini":  # this one names the folder that holds `.gemini`
            return Path(named) / ".gemini"
        if named and self.agent == "opencode":  # and this one the folder that holds `opencode`
            return Path(named) / "opencode"
        return Path(named) if named else Path.home() / self.home

    def path(self, environ: Mapping[str, str], project: str = "") -> Path:
        """The file for all projects, or for the one in the folder `project`."""
        return Path(project) / self.project_file if project else self.home_folder(environ) / self.file


CLAUDE_CODE = HookForm(
    "claude-code", "Claude Code", ".claude", "CLAUDE_CONFIG_DIR", "settings.json", ".claude/settings.json", EVENTS
)
CODEX = HookForm(
    "codex", "Codex", ".codex", "CODEX_HOME", "hooks.json", ".codex/hooks.json",
    {"PreToolUse": "Bash|apply_patch|mcp__.*", "PostToolUse": "Bash|apply_patch|mcp__.*"}
    | dict.fromkeys(("SessionStart", "Stop", "SessionEnd")),
    note="In Codex, run /hooks and trust casebook. Otherwise, Codex skips the hooks.",
)  # fmt: skip
GEMINI = HookForm(
    "gemini", "Gemini CLI", ".gemini", "GEMINI_CLI_HOME", "settings.json", ".gemini/settings.json",
    {"AfterTool": "run_shell_command|write_file|replace|mcp_.*"}
    | dict.fromkeys(("SessionStart", "AfterAgent", "SessionEnd")),
)  # fmt: skip
COPILOT = HookForm(
    "copilot", "Copilot CLI", ".copilot", "COPILOT_HOME", "hooks/casebook.json", ".github/hooks/casebook.json",
    {"postToolUse": "bash|powershell|create|edit|str_replace_editor|apply_patch"}
    | dict.fromkeys(("postToolUseFailure", "sessionStart", "agentStop", "sessionEnd")),
    nested=False, version=1,
)  # fmt: skip
CURSOR = HookForm(
    "cursor", "Cursor", ".cursor", "", "hooks.json", ".cursor/hooks.json",
    {"postToolUse": "^(Shell|Write|Edit|StrReplace|Delete|MCP:)", "postToolUseFailure": "^(Shell|Write|Edit|MCP:)"}
    | dict.fromkeys(("sessionStart", "stop", "sessionEnd")),
    nested=False, version=1,
)  # fmt: skip
OPENCODE = HookForm(
    "opencode", "opencode", ".config/opencode", "XDG_CONFIG_HOME", "plugins/casebook.js",
    ".opencode/plugins/casebook.js",
    {"tool.execute.after": "bash|edit|write|apply_patch|patch"},
)  # fmt: skip
FORMS: Mapping[str, HookForm] = {
    form.agent: form for form in (CLAUDE_CODE, CODEX, GEMINI, COPILOT, OPENCODE, CURSOR)
}  # fmt: skip


def found_forms(environ: Mapping[str, str]) -> tuple[HookForm, ...]:
    """The agents whose own folder is there."""
    return tuple(form for form in FORMS.values() if os.path.isdir(form.home_folder(environ)))  # noqa: PTH112 plain
