"""`casebook db`: back the file up, put a backup in its place, save what a damaged one still holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cli.context import Context
from cli.format.layout import wrap
from cli.output import Output
from cli.parser import Group, Parser, path_name
from core.base.wire import FileReport


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "db_command")
    backup = children.leaf("backup", "copy the database, even while it is in use", run_backup)
    backup.argument("file", "FILE", "new file (existing files are not replaced)", type=path_name)
    restore = children.leaf("restore", "replace the database with a backup and keep the old file", run_restore)
    restore.argument("file", "FILE", "backup file", type=path_name)
    salvage = children.leaf("salvage", "copy every readable row of a damaged database into a new one", run_salvage)
    salvage.argument("file", "FILE", "new database (existing files are not replaced)", type=path_name)


def run_backup(args: argparse.Namespace, context: Context) -> int:
    from core.store.backups import backup

    target = Path(args.file)
    backup(context.database, target)
    return _exit_code(context, FileReport("backup", str(context.database), str(target), _size(target)))


def run_restore(args: argparse.Namespace, context: Context) -> int:
    from core.store.backups import restore

    done = restore(context.database, Path(args.file))
    kept = None if done.kept is None else str(done.kept)
    return _exit_code(context, FileReport("restore", args.file, str(done.path), _size(done.path), kept))


def run_salvage(args: argparse.Namespace, context: Context) -> int:
    """`db salvage`: the damaged file stays as it is."""
    from core.flows.system.doctor import repair
    from core.store.rescue import salvage

    target = Path(args.file)
    saved = salvage(context.database, target)
    repair(target)  # the browsing index is made anew from the rows that were saved
    tables = {name: count for name, count in saved.tables if count}
    source = str(context.database)
    return _exit_code(context, FileReport("salvage", source, str(target), _size(target), None, tables, saved.errors))


def _size(path: Path) -> int:
    return path.stat().st_size


def _exit_code(context: Context, report: FileReport) -> int:
    context.log("info", report.action, source=report.source, target=report.target, errors=len(report.errors))
    context.out.result(report, _lines(context.out, report))
    return 0


def _lines(out: Output, report: FileReport) -> Iterator[str]:
    verb = {"backup": "Backed up", "restore": "Restored", "salvage": "Salvaged"}[report.action]
    yield from wrap(f"{verb} {report.source} to {report.target} ({report.size:,} bytes).", out.columns)
    if report.kept:
        yield from wrap(f"The previous file was saved as {report.kept}.", out.columns)
    if report.tables:
        yield from wrap("Rows saved: " + ", ".join(f"{t} {n:,}" for t, n in report.tables.items()) + ".", out.columns)
    if report.errors:
        yield out.paint("Some rows could not be read:", "warn")
        for error in report.errors[: None if out.verbose else 10]:
            yield from wrap(error, out.columns, "  ")
