"""`casebook errors export --sync`: keep casebook's block in an agent's file up to date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import Context
from cli.format.layout import one_line
from core.base.fault import Fault
from core.store import open_store

if TYPE_CHECKING:
    from core.flows.agent_file import SyncedFile


def run_sync(args: argparse.Namespace, context: Context) -> int:
    """Write, refresh or remove the block. Exit 1 if a person said no, or a file could not be refreshed.

    Without a file every file is refreshed that a person opted in.
    """
    from core.flows.agent_file import BUDGET, SyncedFiles, block_for, has_block, refresh_files, stop_sync, sync_file

    with open_store(context.database, write=not args.dry_run) as store:
        if not args.sync:
            reports = refresh_files(store)
            context.out.result(SyncedFiles(reports), _lines(reports))
            return 1 if not reports or any(one.fault for one in reports) else 0
        path, budget = Path(args.sync).absolute(), args.budget or BUDGET
        if args.remove:
            report = stop_sync(store, path)
            context.out.result(
                SyncedFiles((report,)), [f"{one_line(report.path)}: {'removed' if report.changed else 'no block'}"]
            )
            return 0 if report.changed else 1
        body, report = block_for(store, path, budget)
        if args.dry_run:
            context.out.result(SyncedFiles((report,)), [*map(one_line, body.split("\n")), "", *_lines([report])])
            return 0
        first = not has_block(path)
        if first and not args.yes and not _is_allowed(path, body, report):
            context.out.note("nothing was written")
            return 1
        report = sync_file(store, path, budget, force=args.force)
    undo = f"To remove the block, run: casebook errors export --sync {one_line(args.sync)} --remove"
    lines = [*_lines([report]), *([context.out.paint(undo, "dim")] if first else [])]
    context.out.result(SyncedFiles((report,)), lines)
    return 0


def _is_allowed(path: Path, body: str, report: SyncedFile) -> bool:
    """Return whether the user allows the first block in this file. Raises Fault without a terminal."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        hint = "pass --yes, or run it in a terminal"
        raise Fault("invalid_input", f"{path} has no casebook block yet, and you must confirm the first block", hint)
    for line in body.split("\n"):
        sys.stderr.write(f"  {one_line(line)}\n")
    if not report.fixes + report.practices + report.corrections:
        sys.stderr.write("This project has no verified fixes yet. To verify a fix, run: casebook errors triage\n")
    sys.stderr.write(f"Write this block into {one_line(str(path))} and keep it up to date? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _lines(reports: list[SyncedFile] | tuple[SyncedFile, ...]) -> Iterator[str]:
    if not reports:
        yield "No file has a casebook block. To add one, run: casebook errors export --sync FILE"
    for one in reports:
        if one.fault:
            yield f"{one_line(one.path)}: {one_line(one.fault)}"
            continue
        left = f", {one.left_out:,} omitted" if one.left_out else ""
        held = f"fixes {one.fixes:,}, practices {one.practices:,}, corrections {one.corrections:,}{left}"
        state = "written" if one.changed else "unchanged"
        yield f"{one_line(one.path)}: {state}, {held}, about {one.tokens:,} tokens"
