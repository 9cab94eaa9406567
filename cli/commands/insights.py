"""`casebook insights`: what failed, what it cost, what came back, whether decisions worked, one session as a strip."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.context import Context
from cli.parser import Parser, number, path_name
from core.base.config.settings_sources import from_home
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.insights.pictures import Picture, View


_EXAMPLES = """\
examples:
  casebook insights
  casebook insights --since 2026-01-01 --project acme/shop
  casebook insights worked                      compare before and after each verified fix and accepted rule
  casebook insights session 019d6d29            show a timeline of one session
  casebook insights worst --svg worst.svg       write an SVG without paths and user names
  casebook insights --json
"""
_SHOWN = 10
_SESSION: Final = "session"
_VIEWS: Final[dict[str, View]] = {
    "worst": "worst", "came-back": "came_back", "answers": "answers", "time": "time", "worked": "worked",
}  # fmt: skip


def add_to(parser: Parser, shared: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.argument(
        "view",
        "VIEW",
        "worst, came-back, answers, time, worked, session (default: the first four)",
        nargs="?",
        choices=(*_VIEWS, _SESSION),
    )
    parser.argument("id", "ID", "with session: session id, or its first characters", nargs="?")
    parser.argument("--since", "DATE", "first week: the week of this date (2026-01-31)")
    parser.argument("--project", "NAME", "only this repository (name or folder)", stored="project")
    parser.argument("--limit", "N", f"cases per list (default: text {_SHOWN}, JSON 50)", type=number)
    parser.argument("--svg", "FILE", "write the view as SVG (- is stdout)", type=path_name)
    parser.flag("--force", "with --svg: replace an existing file")
    parser.set_defaults(run=run_insights)


def run_insights(args: argparse.Namespace, context: Context) -> int:
    """`insights`: exit 0 if there is anything to show, 1 if there is nothing."""
    _check(args, context)
    if args.view == _SESSION:
        return _session(args, context)
    if args.view == "worked":
        return _worked(args, context)
    from cli.format.insights import insight_lines
    from core.flows.insights.api import insights
    from core.flows.insights.pictures import picture_of
    from core.store import open_store

    with open_store(context.database) as store:
        found = insights(store, args.since, args.project, _most(args, context))
    view = None if args.view is None else _VIEWS[args.view]
    if args.svg is not None:
        _write(args, context, picture_of(found, view or "worst", _scope(args)))
    else:
        context.out.result(found, insight_lines(context.out, found, view))
    return 0 if found.by_week else 1


def _check(args: argparse.Namespace, context: Context) -> None:
    """Raise Fault for arguments that do not go together."""
    see = "see casebook insights --help"
    if (args.id is None) == (args.view == _SESSION):
        wrong = "session requires an ID" if args.id is None else f"{args.view} takes no ID"
        raise Fault("invalid_input", wrong, "run: casebook insights session ID")
    if args.view == "worked" and args.since is not None:
        raise Fault("invalid_input", "worked compares all weeks and cannot be combined with --since", see)
    if args.view == _SESSION and (args.since is not None or args.project is not None):
        raise Fault("invalid_input", "session cannot be combined with --since or --project", see)
    if args.svg is not None and args.view is None:
        raise Fault("invalid_input", "--svg requires a view", f"pass one of: {', '.join((*_VIEWS, _SESSION))}")
    if args.svg is not None and context.out.json:
        raise Fault("invalid_input", "--svg and --json cannot be combined", see)
    if args.force and args.svg is None:
        raise Fault("invalid_input", "--force requires --svg", see)


def _most(args: argparse.Namespace, context: Context) -> int:
    from core.flows.insights.api import CASES

    most = args.limit if args.limit is not None else CASES if context.out.json or args.svg is not None else _SHOWN
    if not 1 <= most <= 1000:
        raise Fault("invalid_input", f"--limit {most} is not between 1 and 1000", "see casebook insights --help")
    return most


def _worked(args: argparse.Namespace, context: Context) -> int:
    """`insights worked`: exit 0 if a decision has a date, 1 if none has."""
    from cli.format.insights import worked_lines
    from core.flows.insights.api import worked
    from core.flows.insights.pictures import picture_of_worked
    from core.store import open_store

    with open_store(context.database) as store:
        found = worked(store, args.project, _most(args, context))
    if args.svg is not None:
        _write(args, context, picture_of_worked(found, _scope(args)))
    else:
        context.out.result(found, worked_lines(context.out, found))
    return 0 if found.items else 1


def _session(args: argparse.Namespace, context: Context) -> int:
    """`insights session`: exit 0 if the session has results, 1 if it has none."""
    from cli.format.insights import strip_lines
    from core.flows.insights.pictures import picture_of_session
    from core.flows.insights.strip import session_strip
    from core.store import open_store

    with open_store(context.database) as store:
        found = session_strip(store, args.id)
    if args.svg is not None:
        _write(args, context, picture_of_session(found))
    else:
        context.out.result(found, strip_lines(context.out, found, args.limit or _SHOWN))
    return 0 if found.cells else 1


def _scope(args: argparse.Namespace) -> str:
    weeks = f"since {args.since}" if args.since else "all weeks"
    return f"{weeks}, {args.project or 'all projects'}"


def _write(args: argparse.Namespace, context: Context, picture: Picture) -> None:
    """Write the picture to the file, or to stdout."""
    from core.base.atomic import write_file
    from core.flows.insights.pictures import svg_of

    if args.svg == "-":
        context.out.line(svg_of(picture).rstrip("\n"))
        return
    path = from_home(args.svg).absolute()
    if path.is_dir():
        raise Fault("invalid_input", f"{Path(args.svg)} is a folder", "pass a file name")
    write_file(path, (svg_of(picture),), replace=args.force)
    context.out.note(f"written to {path}")
