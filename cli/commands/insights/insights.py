"""`casebook insights`: what failed, what it cost, what came back, what was told and helped."""

from __future__ import annotations

import argparse

from cli.context import Context
from cli.parser import Parser, number
from core.base.fault import Fault

_EXAMPLES = """\
examples:
  casebook insights
  casebook insights --since 2026-01-01 --project acme/shop
  casebook insights --json
"""
_SHOWN = 10


def add_to(parser: argparse.ArgumentParser, shared: Parser) -> None:
    """The arguments."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--since", metavar="DATE", help="begin with the week of this date (2026-01-31)")
    parser.add_argument("--project", metavar="NAME", help="only this repository, by its name or a folder of it")
    parser.add_argument("--limit", metavar="N", type=number, help=f"cases in each list (text {_SHOWN}, JSON 50)")
    parser.set_defaults(run=run_insights)


def run_insights(args: argparse.Namespace, context: Context) -> int:
    """`insights`: exit 0 if anything failed or was told, 1 if nothing did."""
    from cli.format.insights import insight_lines
    from core.flows.insights.api import CASES, insights
    from core.store import open_store

    most = args.limit if args.limit is not None else CASES if context.out.json else _SHOWN
    if not 1 <= most <= 1000:
        raise Fault("invalid_input", f"--limit {most} is not between 1 and 1000", "see casebook insights --help")
    with open_store(context.database) as store:
        found = insights(store, args.since, args.project, most)
    context.out.result(found, insight_lines(context.out, found))
    return 0 if found.by_week else 1
