"""Which agents have casebook's hooks, and whether each hook answers."""

from __future__ import annotations

import difflib
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.base.fault import Fault
from core.base.managed_block import remove_file
from core.flows.hook.agents.forms import FORMS, OPENCODE, TIMEOUT_S, HookForm, found_forms
from core.flows.hook.registration import (
    AgentHooks,
    HooksReport,
    add_hooks,
    command_line,
    read_settings,
    registered_lines,
    remove_hooks,
    status,
    write_settings,
)
from core.transcripts.fields import fields, string

_WITHOUT_RESULTS = ("cursor",)
_DISABLED = "hooks are disabled in config.toml ([features] hooks = false)"


def hook_words(form: HookForm, program: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """What the agent is to call, word by word."""
    agent = () if form.agent == "claude-code" else ("--agent", form.agent)
    return [*program, "hook", *agent, *options]


def hook_line(form: HookForm, program: Sequence[str], options: Sequence[str] = ()) -> str:
    """The same as a line for a shell."""
    agent = () if form.agent == "claude-code" else ("--agent", form.agent)
    return command_line(program, (*agent, *options))


def install_hooks(
    form: HookForm, path: Path, program: Sequence[str], options: Sequence[str] = (), *, dry: bool = False
) -> HooksReport:
    """Register casebook with an agent. Raises Fault; then nothing was changed."""
    if form.agent == "opencode":
        return _change_plugin(path, hook_words(form, program, options), dry=dry)
    return add_hooks(path, hook_line(form, program, options), form, dry=dry)


def uninstall_hooks(
    form: HookForm, path: Path, program: Sequence[str], options: Sequence[str] = (), *, dry: bool = False
) -> HooksReport:
    """Take casebook out of an agent's settings. Raises Fault; then nothing was changed."""
    if form.agent == "opencode":
        return _change_plugin(path, hook_words(form, program, options), remove=True, dry=dry)
    return remove_hooks(path, hook_line(form, program, options), form, dry=dry)


def uninstall_all_hooks(
    program: Sequence[str], options: Sequence[str], environ: Mapping[str, str], *, dry: bool = False
) -> HooksReport:
    """Take casebook out of the user settings of every agent; `agents`: those that were changed, or that could not be.

    Claude Code's settings are in the fields of the report itself, and `diff` is that of all files.
    """
    agents: list[AgentHooks] = []
    main = HooksReport(str(FORMS["claude-code"].path(environ)), False, ())
    diff: list[str] = []
    for form in FORMS.values():
        path = form.path(environ)
        try:
            report = uninstall_hooks(form, path, program, options, dry=dry)
        except Fault as fault:
            if _may_name_casebook(path):
                agents.append(AgentHooks(form.agent, str(path), False, (), None, fault.message))
            continue
        if form.agent == "claude-code":
            main = report
        if report.diff:
            notes = (f"backup: {report.backup}",) if report.backup else ()
            agents.append(AgentHooks(form.agent, report.path, report.installed, report.events, notes=notes))
            diff += report.diff
    return replace(main, changed=bool(diff) and not dry, diff=tuple(diff), agents=tuple(agents))


def _may_name_casebook(path: Path) -> bool:
    try:
        return b"casebook" in path.read_bytes()
    except OSError:
        return True


def registered(form: HookForm, path: Path, program: Sequence[str], options: Sequence[str] = ()) -> HooksReport:
    """What one settings file says of casebook's hooks; nothing is run. Raises Fault where it cannot be read."""
    if form.agent == "opencode":
        return plugin_status(path, hook_words(form, program, options))
    return status(path, hook_line(form, program, options), form)


def hooks_report(
    form: HookForm, path: Path, program: Sequence[str], options: Sequence[str], environ: Mapping[str, str]
) -> HooksReport:
    """What one settings file says, and whether the hook in it answers. Raises Fault where it cannot be read."""
    report = registered(form, path, program, options)
    command: str | Sequence[str]
    if form.agent == "opencode":
        command = plugin_command(path) if report.events else ""
    else:
        command = registered_lines(read_settings(path), str(path)).get(sample_event(form), "")
    fault = probe_hook(form, command, environ) if command else ""
    notes = _codex_notes(form, path, report) if form.agent == "codex" and report.events else ()
    tested = AgentHooks(
        form.agent, report.path, report.installed, report.events, not fault if command else None, fault, notes
    )
    return replace(report, agents=(tested,))


def all_hooks(program: Sequence[str], options: Sequence[str], environ: Mapping[str, str]) -> HooksReport:
    """The hooks of each agent that is on this machine; Claude Code's settings in the fields of the report itself."""
    agents: list[AgentHooks] = []
    main: HooksReport | None = None
    found = found_forms(environ)
    for form in FORMS.values():
        if form not in found and form.agent != "claude-code":
            continue
        path = form.path(environ)
        try:
            report = hooks_report(form, path, program, options, environ)
        except Fault as fault:
            if form.agent == "claude-code":
                raise
            agents.append(AgentHooks(form.agent, str(path), False, (), None, fault.message))
            continue
        main = main or report
        agents += report.agents if form in found or report.events else ()
    assert main is not None
    return replace(main, agents=tuple(agents))


def agents_without_sessions(environ: Mapping[str, str], program: Sequence[str]) -> tuple[HookForm, ...]:
    """The agents on this machine whose sessions hold no tool results, so that only hooks can tell what happened in
    them, and that have no hooks of casebook yet. Cursor is the only one known."""
    missing: list[HookForm] = []
    for form in found_forms(environ):
        if form.agent not in _WITHOUT_RESULTS:
            continue
        try:
            report = registered(form, form.path(environ), program)
        except Fault:
            missing.append(form)
        else:
            missing += () if report.events else (form,)
    return tuple(missing)


def _codex_notes(form: HookForm, path: Path, report: HooksReport) -> tuple[str, ...]:
    """What Codex's own record says of the trust in these hooks. It is read only; Codex writes it on `/hooks`."""
    import tomllib

    try:
        config = tomllib.loads((path.parent / "config.toml").read_text("utf-8-sig"))
    except (OSError, ValueError):
        config = {}
    if fields(config.get("features")).get("hooks") is False:
        return (_DISABLED,)
    records = fields(fields(config.get("hooks")).get("state"))
    trusted = [one for key, one in records.items() if key.startswith(f"{path}:") and _is_trusted(fields(one))]
    return () if len(trusted) >= len(report.events) else (form.note,)


def _is_trusted(record: Mapping[str, object]) -> bool:
    return bool(record.get("trusted_hash")) and record.get("enabled") is not False


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
        output = f"Chunk ID: 5e1f\nWall time: 0.4 seconds\nProcess exited with code {_CODE}\nOutput:\n{ERROR}\n"
        turn = {"turn_id": "1", "model": "test", "permission_mode": "default", "transcript_path": None}
        return {"hook_event_name": "PostToolUse", **named, **turn, **call, "tool_use_id": "c1", "tool_response": output}
    if agent == "gemini":
        call["tool_name"] = "run_shell_command"
        output = f"Output: {ERROR}\nExit Code: {_CODE}\nProcess Group PGID: 4711"
        base = {"hook_event_name": "AfterTool", "timestamp": "2026-11-26T10:00:00Z", "transcript_path": ""}
        return {**base, **named, **call, "tool_response": {"llmContent": output, "returnDisplay": ERROR}}
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
        answer = fields(json.loads(output))
    except ValueError:
        return ""
    key = {"cursor": "additional_context", "opencode": "append"}.get(agent)
    return string(answer.get(key) if key else fields(answer.get("hookSpecificOutput")).get("additionalContext"))


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
        return f"the command printed no fix (exit code {ended.returncode}). Install the hooks again"
    return "the output of the command has the wrong format. Install the hooks again"


def _environment(folder: str, database: Path, environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if not name.startswith(("CASEBOOK_", "XDG_"))}
    own = {f"XDG_{kind}_HOME": str(Path(folder) / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    settings = {"HOOK_HOST": "false", "HOOK_DEADLINE_MS": "15000", "EMBEDDING_SERVICE": "false"}
    named = {f"CASEBOOK_{name}": value for name, value in settings.items()}
    return kept | own | named | {"HOME": folder, "CASEBOOK_EMBEDDING_MODEL": "none", PROBE: str(database)}


MARK = "// casebook:hooks opencode. Written by `casebook hooks install --agent opencode`, which replaces this file.\n"
"""The plugin for opencode begins so: a file of its own, which starts the hook after a tool and appends its answer."""


def plugin_text(command: Sequence[str]) -> str:
    """The plugin. `command` is what it starts, word by word, without a shell."""
    tools = OPENCODE.events["tool.execute.after"] or ""
    plugin = Path(__file__).with_name("opencode.js")
    body = plugin.read_text("utf-8").replace("TOOLS", tools).replace("TIMEOUT", str(TIMEOUT_S * 1_000))
    return MARK + body.replace("COMMAND", json.dumps(list(command)))


def plugin_status(path: Path, command: Sequence[str]) -> HooksReport:
    """What the plugin file says. Raises Fault."""
    text = read_settings(path)
    events = tuple(OPENCODE.events) if text.startswith(MARK) else ()
    return HooksReport(str(path), text == plugin_text(command), events, agent=OPENCODE.agent)


def plugin_command(path: Path) -> list[str]:
    """The command that an installed plugin starts; empty if there is none."""
    line = next((one for one in read_settings(path).split("\n") if one.startswith("const command = ")), "")
    return json.loads(line.partition(" = ")[2]) if line else []


def _change_plugin(path: Path, command: Sequence[str], *, remove: bool = False, dry: bool) -> HooksReport:
    """Write or remove the plugin. Raises Fault, also for a file of this name that is not casebook's."""
    new = "" if remove else plugin_text(command)
    old = read_settings(path)
    if old and not old.startswith(MARK):
        raise Fault(
            "invalid_input",
            f"{path} was not written by casebook",
            "move the file to another folder, then run the command again",
        )
    lines = (old.splitlines(keepends=True), new.splitlines(keepends=True))
    diff = tuple(line.rstrip("\r\n") for line in difflib.unified_diff(*lines, str(path), str(path), n=2))
    events = tuple(OPENCODE.events) if new else ()
    changed = old != new and not dry
    if changed and new:
        write_settings(path, old, new)
    elif changed:
        remove_file(path)
    complete = new == plugin_text(command)
    return HooksReport(str(path), complete, events, changed, None, diff, OPENCODE.agent)
