"""`casebook undo`: take changes back, bring them back, see what was changed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.context import Context
from cli.format.layout import wrap
from cli.output import Output
from cli.parser import Parser, number
from core.base.fault import Fault
from core.flows.system.history import UndoResult, bring_back, take_back, take_back_several

if TYPE_CHECKING:
    from core.store import Store

_MOST = 1000


def add_to(parser: Parser, shared: Parser) -> None:
    parser.argument("steps", "N", "number of changes (default 1)", nargs="?", type=number, default=1)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--change", metavar="ID", type=number, help="undo only this change (--list shows the numbers)")
    which.add_argument("--redo", action="store_true", help="redo the last undone change")
    which.add_argument("--list", action="store_true", help="list changes, newest first")
    parser.argument("--limit", "N", "with --list: changes per page", type=number, default=20)
    parser.argument("--before", "ID", "with --list: cursor of the next page", type=number)
    parser.set_defaults(run=run_undo)


def run_undo(args: argparse.Namespace, context: Context) -> int:
    if args.list:
        from cli.commands.errors.curation import run_history

        return run_history(args, context)
    if not 1 <= args.steps <= _MOST:
        raise Fault("invalid_input", f"invalid number of changes: {args.steps}", f"pass a number from 1 to {_MOST:,}")

    with context.store(write=True) as store:
        try:
            done = _undo(args, store)
        except Fault as fault:
            if fault.code != "invalid_input":
                raise
            context.out.fault(fault)  # refused: there is none, or something was changed since
            return 1
    context.log("info", "undone", changes=len(done.changes), stopped=bool(done.stopped))
    context.out.result(done, _lines(context.out, done, redo=args.redo))
    return 1 if done.stopped else 0


def _undo(args: argparse.Namespace, store: Store) -> UndoResult:
    from core.errors.curation.transaction import person

    if args.change is not None:
        one = take_back(store, person(), args.change)
        return UndoResult((one.undid,), (one.id,), "")
    return take_back_several(store, person(), args.steps, how=bring_back if args.redo else take_back)


def _lines(out: Output, done: UndoResult, *, redo: bool) -> Iterator[str]:
    word = "Redone" if redo else "Undone"
    for entry in done.undone:
        title = entry.title.partition(": ")[2] if redo else entry.title
        yield from wrap(
            f"{word}: {title} (change {entry.id}, {entry.actor}, {entry.ts})".replace("\n", " "), out.columns
        )
    if done.stopped:
        yield from (out.paint(line, "warn") for line in wrap(f"Stopped: {done.stopped}", out.columns))
    if not redo:
        yield out.paint("To redo it, run: casebook undo --redo", "dim")
