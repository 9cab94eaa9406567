"""`casebook hooks`: have an agent call casebook, and see whether it does."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import Context
from cli.format.layout import one_line
from cli.output import Output
from cli.parser import Parser, add_group, add_leaf, path_name

if TYPE_CHECKING:
    from core.flows.hook.registration import HooksReport

_EXAMPLES = """\
examples:
  casebook hooks install              in your own settings, for every project
  casebook hooks install --project .  in this project's settings only
  casebook hooks install --dry-run    only show what would change
"""


def add_to(parser: argparse.ArgumentParser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = add_group(parser, "hooks_command")
    for name, about, run in (
        ("install", "add casebook's hooks to the agent's settings", run_install),
        ("uninstall", "take them out again", run_uninstall),
        ("status", "whether they are there", run_status),
    ):
        leaf = add_leaf(children, shared, name, about, _EXAMPLES if name == "install" else "")
        place = leaf.add_mutually_exclusive_group()
        place.add_argument(
            "--project", metavar="DIR", type=path_name, help="the settings of this project (DIR/.claude/settings.json)"
        )
        place.add_argument("--settings", metavar="FILE", type=path_name, help="this settings file")
        if run is not run_status:
            leaf.add_argument("--dry-run", action="store_true", help="show the change and write nothing")
        leaf.set_defaults(run=run)


def run_install(args: argparse.Namespace, context: Context) -> int:
    """`hooks install`."""
    from core.flows.hook.registration import add_hooks

    report = add_hooks(_place(args), _command(args), dry=args.dry_run)
    context.out.result(report, _lines(context.out, report, "casebook's hooks are there already.", dry=args.dry_run))
    return 0


def run_uninstall(args: argparse.Namespace, context: Context) -> int:
    """`hooks uninstall`: exit 1 where there was nothing to take out."""
    from core.flows.hook.registration import remove_hooks

    report = remove_hooks(_place(args), _command(args), dry=args.dry_run)
    context.out.result(report, _lines(context.out, report, "No hooks of casebook are there.", dry=args.dry_run))
    return 0 if report.diff else 1


def run_status(args: argparse.Namespace, context: Context) -> int:
    """`hooks status`: exit 0 if all of them are there, else 1."""
    from core.flows.hook.registration import status

    report = status(_place(args), _command(args))
    state = "installed" if report.installed else ("not up to date" if report.events else "not installed")
    lines = [f"{one_line(report.path)}: {state}"]
    if report.events:
        lines.append("  listens to " + ", ".join(one_line(event) for event in report.events))
    if not report.installed:
        lines.append("  set them up with: casebook hooks install")
    context.out.result(report, lines)
    return 0 if report.installed else 1


def _lines(out: Output, report: HooksReport, nothing: str, *, dry: bool) -> Iterator[str]:
    if not report.diff:
        yield f"{one_line(report.path)}: {nothing}"
        return
    for line in report.diff:
        style = "good" if line.startswith("+") else "bad" if line.startswith("-") else "dim"
        yield out.paint(one_line(line), style)
    yield ""
    yield "Nothing was written (--dry-run)." if dry else f"Written: {one_line(report.path)}"
    if report.backup:
        yield f"As it was: {one_line(report.backup)}"


def _place(args: argparse.Namespace) -> Path:
    from core.flows.hook.registration import default_path

    if args.settings:
        return Path(args.settings)
    return Path(args.project) / ".claude" / "settings.json" if args.project else default_path(os.environ)


def _command(args: argparse.Namespace) -> str:
    """What the agent is to call, by absolute paths."""
    from core.base.program import program
    from core.flows.hook.registration import command_line

    given = [(f"--{name}", getattr(args, name, None)) for name in ("db", "config")]
    options = [word for name, value in given if value for word in (name, str(Path(value).absolute()))]
    return command_line(program(), options)
