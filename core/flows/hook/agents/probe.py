"""Test an installed hook: run its command with a payload as its agent sends it, on a casebook made for the test."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.flows.hook.agents.forms import HookForm
from core.transcripts.fields import fields, string

PROBE = "CASEBOOK_HOOK_PROBE"
"""The variable by which a hook takes another casebook than its own; see `cli.commands.hook`."""
ERROR = "Error: listen EADDRINUSE: address already in use :::3000"
FIX = "Stop the process that listens on port 3000."
_COMMAND = "npm start"
_PATIENCE_S = 20
_CODE = 1


def sample_payload(agent: str, cwd: str) -> dict[str, object]:
    """A failed command as the agent sends it: `npm start` ended with exit code 1 and `ERROR`."""
    named = {"session_id": "casebook-test", "cwd": cwd}
    call = {"tool_name": "Bash", "tool_input": {"command": _COMMAND}}
    if agent == "codex":
        said = f"Chunk ID: 5e1f\nWall time: 0.4 seconds\nProcess exited with code {_CODE}\nOutput:\n{ERROR}\n"
        turn = {"turn_id": "1", "model": "test", "permission_mode": "default", "transcript_path": None}
        return {"hook_event_name": "PostToolUse", **named, **turn, **call, "tool_use_id": "c1", "tool_response": said}
    if agent == "gemini":
        call["tool_name"] = "run_shell_command"
        said = f"Output: {ERROR}\nExit Code: {_CODE}\nProcess Group PGID: 4711"
        base = {"hook_event_name": "AfterTool", "timestamp": "2026-11-26T10:00:00Z", "transcript_path": ""}
        return {**base, **named, **call, "tool_response": {"llmContent": said, "returnDisplay": ERROR}}
    if agent == "copilot":
        ran = {"toolName": "bash", "toolArgs": {"command": _COMMAND}, "error": ERROR}
        return {"sessionId": "casebook-test", "timestamp": 1_790_000_000_000, "cwd": cwd, **ran}
    if agent == "cursor":
        call["tool_name"] = "Shell"
        own = {"conversation_id": "casebook-test", "cursor_version": "2026.09.18", "workspace_roots": [cwd]}
        failed = {"error_message": ERROR, "failure_type": "error", "is_interrupt": False, "duration": 400}
        return {"hook_event_name": "postToolUseFailure", **own, **named, **call, **failed}
    if agent == "opencode":
        call["tool_name"] = "bash"
        ended = {"output": f"{ERROR}\n", "metadata": {"exit": _CODE}}
        return {"hook_event_name": "tool.execute.after", **named, **call, **ended}
    return {"hook_event_name": "PostToolUseFailure", **named, **call, "error": f"Exit code {_CODE}\n{ERROR}"}


def sample_event(form: HookForm) -> str:
    """The event under which the agent reports what `sample_payload` holds."""
    return next(event for event in ("PostToolUseFailure", "postToolUseFailure", "PostToolUse", "AfterTool",
        "tool.execute.after") if event in form.events)  # fmt: skip


def context_in(agent: str, output: str, exit_code: int) -> str:
    """What an answer gives the model, read as the agent's documentation says; empty for none."""
    if agent == "copilot":
        return output if exit_code == 2 else ""
    try:
        said = fields(json.loads(output))
    except ValueError:
        return ""
    key = {"cursor": "additional_context", "opencode": "append"}.get(agent)
    return string(said.get(key) if key else fields(said.get("hookSpecificOutput")).get("additionalContext"))


def probe_hook(form: HookForm, command: str | Sequence[str], environ: Mapping[str, str]) -> str:
    """Why the installed `command` (a shell line, or words) gave no answer to a failed command; empty: it did.

    Nothing of the user's is read or written: home and casebook are made for the test.
    """
    from core.errors.cases.record import record_resolution

    with tempfile.TemporaryDirectory(prefix="casebook-hook-") as folder:
        database = Path(folder) / "casebook.db"
        record_resolution(database, ERROR, FIX)
        line = ["sh", "-c", command] if isinstance(command, str) else list(command)
        given = json.dumps(sample_payload(form.agent, folder))
        try:
            ended = subprocess.run(
                line, input=given, env=_environment(folder, database, environ), cwd=folder, capture_output=True,
                text=True, timeout=_PATIENCE_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"the command did not run: {error}"
    if FIX in context_in(form.agent, ended.stdout, ended.returncode):
        return ""
    if not ended.stdout:
        return f"the command gave no answer (exit code {ended.returncode}), install the hooks again"
    return "the answer of the command has the wrong format, install the hooks again"


def _environment(folder: str, database: Path, environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if not name.startswith(("CASEBOOK_", "XDG_"))}
    own = {f"XDG_{kind}_HOME": str(Path(folder) / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    settings = {"HOOK_HOST": "false", "HOOK_DEADLINE_MS": "15000", "EMBEDDING_SERVICE": "false"}
    named = {f"CASEBOOK_{name}": value for name, value in settings.items()}
    return kept | own | named | {"HOME": folder, "CASEBOOK_EMBEDDING_MODEL": "none", PROBE: str(database)}
