"""`casebook hooks`: have an agent call casebook, and test that it does."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import Context
from cli.format.layout import one_line
from cli.output import Output
from cli.parser import Group, Parser, path_name
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.hook.agents.forms import HookForm
    from core.flows.hook.registration import AgentHooks, HooksReport

AGENTS = ("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")
_EXAMPLES = """\
examples:
  casebook hooks install              in your user settings, for every project
  casebook hooks install --project .  only in this project's settings
  casebook hooks install --dry-run    only show what would change
  casebook hooks install --agent codex
"""
_DEFAULT = "claude-code"


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "hooks_command")
    for name, about, run in (
        ("install", "add the hooks to the settings of an agent", run_install),
        ("uninstall", "remove the hooks from the settings of your agents", run_uninstall),
        ("status", "test the hooks of each agent on this machine", run_status),
    ):
        leaf = children.leaf(name, about, run, _EXAMPLES if name == "install" else "")
        default = _DEFAULT if run is run_install else "all agents on this machine"
        leaf.add_argument("--agent", choices=AGENTS, help=f"agent (default: {default})")
        place = leaf.add_mutually_exclusive_group()
        place.add_argument("--project", metavar="DIR", type=path_name, help="project folder")
        place.add_argument("--settings", metavar="FILE", type=path_name, help="settings file")
        if run is not run_status:
            leaf.flag("--dry-run", "show the change without writing it")


def run_install(args: argparse.Namespace, context: Context) -> int:
    from core.base.program import program
    from core.flows.hook.agents.status import install_hooks

    form = _form(args)
    report = install_hooks(form, _place(args, form), program(), options_of(args), dry=args.dry_run)
    lines = [*_lines(context.out, report, "The hooks are already installed.", dry=args.dry_run)]
    lines += [form.note] if form.note else []
    if not (args.agent or args.project or args.settings):
        lines += _other_agents(options_of(args))
    context.out.result(report, lines)
    return 0


def _other_agents(options: list[str]) -> list[str]:
    """The agents on this machine that are not the default and that have no hooks yet, with the command for each."""
    from core.base.program import program
    from core.flows.hook.agents.forms import found_forms
    from core.flows.hook.agents.status import registered

    missing: list[str] = []
    for form in found_forms(os.environ):
        try:
            done = form.agent == _DEFAULT or registered(form, form.path(os.environ), program(), options).installed
        except Fault:
            done = False
        missing += [] if done else [f"{form.title} has no hooks. Run: casebook hooks install --agent {form.agent}"]
    return missing


def run_uninstall(args: argparse.Namespace, context: Context) -> int:
    """`hooks uninstall`: exit 1 if there was nothing to remove, or if the settings of an agent cannot be changed.

    For all agents, only a dry run prints the diff: it is as long as the removed hooks.
    """
    from core.base.program import program
    from core.flows.hook.agents.status import uninstall_all_hooks, uninstall_hooks

    if not (args.agent or args.project or args.settings):
        report = uninstall_all_hooks(program(), options_of(args), os.environ, dry=args.dry_run)
        context.out.result(report, _uninstalled_lines(context.out, report, dry=args.dry_run))
        return 0 if report.diff and not any(one.fault for one in report.agents) else 1
    form = _form(args)
    report = uninstall_hooks(form, _place(args, form), program(), options_of(args), dry=args.dry_run)
    context.out.result(report, _lines(context.out, report, "No casebook hooks found.", dry=args.dry_run))
    return 0 if report.diff else 1


def run_status(args: argparse.Namespace, context: Context) -> int:
    """`hooks status`: exit 0 if hooks are installed and all of them answer, else 1."""
    from core.base.program import program
    from core.flows.hook.agents.status import all_hooks, hooks_report

    if args.agent or args.project or args.settings:
        form = _form(args)
        report = hooks_report(form, _place(args, form), program(), options_of(args), os.environ)
    else:
        report = all_hooks(program(), options_of(args), os.environ)
    context.out.result(report, _status_lines(report))
    there = [one for one in report.agents if one.events or one.fault]
    return 0 if there and all(one.installed and one.answers for one in there) else 1


def _status_lines(report: HooksReport) -> Iterator[str]:
    from core.flows.hook.agents.forms import FORMS

    if not report.agents:
        yield "No supported agent found on this machine."
    for one in report.agents:
        yield f"{FORMS[one.agent].title}: {_state(one)}"
        yield f"  {one_line(one.path)}"
        if one.events:
            yield "  events: " + ", ".join(one_line(event) for event in one.events)
        if one.fault:
            yield f"  {one_line(one.fault)}"
        for note in one.notes:
            yield f"  {one_line(note)}"
        if not one.installed:
            yield f"  to install, run: casebook hooks install --agent {one.agent}"


def _state(one: AgentHooks) -> str:
    if not one.events:
        return "not installed"
    state = "installed" if one.installed else "outdated"
    return f"{state}, {'responds' if one.answers else 'does not respond' if one.answers is False else 'not tested'}"


def _uninstalled_lines(out: Output, report: HooksReport, *, dry: bool) -> Iterator[str]:
    from core.flows.hook.agents.forms import FORMS

    if not report.agents:
        yield "No casebook hooks found."
    for one in report.agents:
        done = one.fault or ("No change written (--dry-run)" if dry else "hooks removed")
        yield f"{FORMS[one.agent].title}: {one_line(done)}"
        yield f"  {one_line(one.path)}"
        for note in one.notes:
            yield f"  {one_line(note)}"
    if dry and report.diff:
        yield ""
        yield from _diff_lines(out, report)


def _diff_lines(out: Output, report: HooksReport) -> Iterator[str]:
    for line in report.diff:
        style = "good" if line.startswith("+") else "bad" if line.startswith("-") else "dim"
        yield out.paint(one_line(line), style)
    if report.diff:
        yield ""


def _lines(out: Output, report: HooksReport, nothing: str, *, dry: bool) -> Iterator[str]:
    if not report.diff:
        yield f"{one_line(report.path)}: {nothing}"
        return
    yield from _diff_lines(out, report)
    yield "No change written (--dry-run)." if dry else f"Written: {one_line(report.path)}"
    if report.backup:
        yield f"Backup: {one_line(report.backup)}"


def _form(args: argparse.Namespace) -> HookForm:
    from core.flows.hook.agents.forms import FORMS

    return FORMS[args.agent or _DEFAULT]


def _place(args: argparse.Namespace, form: HookForm) -> Path:
    return Path(args.settings) if args.settings else form.path(os.environ, args.project or "")


def options_of(args: argparse.Namespace) -> list[str]:
    """The options of the command that an agent calls, with absolute paths."""
    given = [(f"--{name}", getattr(args, name, None)) for name in ("db", "config")]
    return [word for name, value in given if value for word in (name, str(Path(value).absolute()))]
