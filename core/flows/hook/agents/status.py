"""Which agents have casebook's hooks, and whether each hook answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.base.fault import Fault
from core.flows.hook.agents.forms import FORMS, HookForm, found_forms
from core.flows.hook.agents.opencode import plugin_command, plugin_status, remove_plugin, write_plugin
from core.flows.hook.agents.probe import probe_hook, sample_event
from core.flows.hook.registration import (
    AgentHooks,
    HooksReport,
    add_hooks,
    command_line,
    read_settings,
    registered_lines,
    remove_hooks,
    status,
)
from core.transcripts.fields import fields

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
        return write_plugin(path, hook_words(form, program, options), dry=dry)
    return add_hooks(path, hook_line(form, program, options), form, dry=dry)


def uninstall_hooks(
    form: HookForm, path: Path, program: Sequence[str], options: Sequence[str] = (), *, dry: bool = False
) -> HooksReport:
    """Take casebook out of an agent's settings. Raises Fault; then nothing was changed."""
    if form.agent == "opencode":
        return remove_plugin(path, hook_words(form, program, options), dry=dry)
    return remove_hooks(path, hook_line(form, program, options), form, dry=dry)


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
        config = tomllib.loads((path.parent / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        config = {}
    if fields(config.get("features")).get("hooks") is False:
        return (_DISABLED,)
    records = fields(fields(config.get("hooks")).get("state"))
    trusted = [one for key, one in records.items() if key.startswith(f"{path}:") and _is_trusted(fields(one))]
    return () if len(trusted) >= len(report.events) else (form.note,)


def _is_trusted(record: Mapping[str, object]) -> bool:
    return bool(record.get("trusted_hash")) and record.get("enabled") is not False
