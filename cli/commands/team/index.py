"""`casebook team index|hold`: what a team's server finds lessons by, and which of them are here too."""

from __future__ import annotations

import argparse
from typing import Any

from cli.context import Context
from cli.format.layout import counted, one_line
from cli.parser import Parser, add_leaf
from core.base.fault import Fault


def add_index(children: Any, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    index = add_leaf(children, shared, "index", "build or update the server's search index")
    index.set_defaults(run=run_index)
    hold = add_leaf(children, shared, "hold", "show or select which lessons of the team your casebook stores")
    hold.add_argument(
        "--project", metavar="NAME", action="append", default=[],
        help="store lessons of this repository, for example github.com/acme/shop (repeatable)",
    )  # fmt: skip
    hold.add_argument(
        "--tool", metavar="NAME", action="append", default=[], help="store lessons about this tool (repeatable)"
    )
    hold.add_argument("--everything", action="store_true", help="store every lesson (default)")
    hold.set_defaults(run=run_hold)


def run_index(args: argparse.Namespace, context: Context) -> int:
    """`team index`: exit 0 done, 130 where it was stopped."""
    from cli.progress import reporter, stoppable
    from core.flows.system.vectors import vector_search
    from core.flows.team.sync.indexing import index_team
    from core.store import open_store

    with (
        stoppable() as stopped,
        open_store(context.database) as store,
        vector_search(context.settings.embedding, "process") as vectors,
    ):
        done = index_team(store, vectors, progress=reporter(context.out), stop=stopped)
    context.log("info", "team index", lessons=done.lessons, vectors=done.vectors)
    added = f"{counted(done.lessons, 'lesson')} and {counted(done.vectors, 'vector')} added"
    lines = [f"Team {done.team}: {done.events:,} events, {added}"]
    if done.note:
        lines.append(context.out.paint(one_line(done.note), "warn"))
    if done.canceled:
        lines.append(context.out.paint("Stopped. To continue, run: casebook team index", "warn"))
    context.out.result(done, lines)
    return 130 if done.canceled else 0


def run_hold(args: argparse.Namespace, context: Context) -> int:
    """`team hold`: exit 0. A choice is followed by a round with the server."""
    from core.flows.team.sync.holding import held_lessons, hold_lessons
    from core.flows.team.sync.session import sync
    from core.store import faults, open_store

    chosen = bool(args.project or args.tool)
    if chosen and args.everything:
        raise Fault("invalid_input", "--everything cannot be combined with --project or --tool", "omit one of them")
    with open_store(context.database, write=chosen or args.everything) as store, faults(context.database):
        if chosen or args.everything:
            hold_lessons(store, args.project, args.tool, everything=args.everything)
            sync(store)
        found = held_lessons(store.con)
    named = ", ".join(map(one_line, (*found.projects, *found.tools)))
    held = "every lesson of the team" if found.everything else f"lessons of your own repositories and of {named}"
    context.out.result(found, [f"Held: {held}"])
    return 0
