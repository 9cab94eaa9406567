"""`casebook team`: share verified fixes as lessons in a file of the repository, or through a server."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.commands.team.server import SHOWN, add_index, add_server, fault_lines, left_lines, lesson_lines
from cli.commands.team.server import run_preview as run_server_preview
from cli.context import Context, says_yes
from cli.format.layout import clip, counted, one_line
from cli.output import Output
from cli.parser import Group, Parser, number, path_name
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.team.check import TeamCheck
    from core.flows.team.export import Plan, TeamExport

_EXAMPLES = """\
examples:
  casebook team preview                 show every field that would be shared
  casebook team export                  write .casebook/lessons.jsonl
  casebook team export --withdraw 3f0c  withdraw a lesson
  casebook team check                   list stale lessons
  casebook import --team                import the team's lessons
  casebook team join postgresql://mina@db.example.com/acme
                                        share through a PostgreSQL server

A team shares through its git repository, through a PostgreSQL server, or both.
"""
_NOTHING_TO_SHARE = "This repository has no verified fixes. To verify one, run: casebook errors verify ID"
_STAYS = "A withdrawn lesson stays in the history of git and of each casebook that imported it."


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    parser.epilog = _EXAMPLES
    children = Group(parser, shared, "team_command")
    export = children.leaf("export", "write verified fixes of this repository into its lessons file", run_export)
    _add_selection(export)
    export.argument("--withdraw", "LESSON", "withdraw this lesson (repeatable)", action="append", default=[])
    export.flag("--yes", "skip the confirmation of the first export")
    show = children.leaf("preview", "show every field and excerpt that an export would write", run_preview)
    _add_selection(show)
    show.flag("--server", "show the fields that the next sync would send to the server")
    check = children.leaf("check", "list stale lessons and invalid lines", run_check)
    _add_folder(check)
    merge = children.leaf("merge", "merge lessons files (git can run this command as a merge driver)", run_merge)
    merge.argument("files", "FILE", "BASE OURS THEIRS (writes OURS), or one "
        "file with conflict markers", nargs="+", type=path_name)  # fmt: skip
    merge.set_defaults(bare=True)
    add_server(children)
    add_index(children)


def _add_folder(leaf: Parser) -> None:
    leaf.argument("--repository", "DIR", "folder in the repository", type=path_name, default=".")


def _add_selection(leaf: Parser) -> None:
    _add_folder(leaf)
    leaf.argument(
        "--case",
        "ID",
        "also share the verified fixes of this case (repeatable)",
        action="append",
        type=number,
        default=[],
    )
    leaf.argument("--restore", "LESSON", "share a withdrawn lesson again (repeatable)", action="append", default=[])


def _planned(args: argparse.Namespace, store: Any) -> Plan:
    from core.flows.team.export import plan_export
    from core.flows.team.place import place_of

    return plan_export(store, place_of(Path(args.repository)), cases=args.case, restore=args.restore)


def run_export(args: argparse.Namespace, context: Context) -> int:
    """`team export`: exit 0 if the file is up to date, 1 if the person says no."""
    from core.flows.team.export import plan_withdrawal, write_plan
    from core.flows.team.fresh import take_changed
    from core.flows.team.place import place_of
    from core.store import open_store

    if args.withdraw:
        if args.case or args.restore:
            raise Fault("invalid_input", "--withdraw cannot be combined with --case or --restore", "run two commands")
        plan = plan_withdrawal(place_of(Path(args.repository)), args.withdraw)
        done = write_plan(None, plan)
    else:
        with open_store(context.database, write=True) as store:
            take_changed(
                store, str(Path(args.repository).resolve()), requested=True
            )  # a later version in the file must not be lost
            plan = _planned(args, store)
            if plan.before is None and plan.lessons and not args.yes and not confirmed(context, plan):
                context.out.note("Nothing was written.")
                return 1
            done = write_plan(store, plan)
    context.log("info", "team export", lessons=done.lessons, written=done.written)
    context.out.result(done, export_lines(context.out, done))
    return 0


def confirmed(context: Context, plan: Plan) -> bool:
    """Whether a person agrees to what leaves for the first time. Raises Fault where no person can be asked."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        hint = "check the preview (casebook team preview), then pass --yes"
        raise Fault(
            "invalid_input", f"{plan.place.file} does not exist yet, and you must confirm the first export", hint
        )
    for line in lesson_lines(context.out, plan.lessons):
        sys.stderr.write(line + "\n")
    sys.stderr.write(_STAYS + "\n")
    return says_yes(f"Write {counted(len(plan.lessons), 'lesson')} to {one_line(str(plan.place.file))}?")


def run_preview(args: argparse.Namespace, context: Context) -> int:
    """`team preview`: exit 0 if something would leave, 1 if nothing."""
    from core.flows.team.export import preview
    from core.flows.team.fresh import take_changed_at
    from core.store import open_store

    if args.server:
        if args.case or args.restore:
            raise Fault("invalid_input", "--server cannot be combined with --case or --restore", "run two commands")
        return run_server_preview(context)
    take_changed_at(context.database, str(Path(args.repository).resolve()), requested=True)  # as the export does
    with open_store(context.database) as store:
        plan = _planned(args, store)
        report = preview(store, plan)
    out = context.out
    lines = [*lesson_lines(out, report.lessons)]
    for body in report.blocks:
        lines += ["", "Block:", *(f"  {one_line(line)}" for line in body.split("\n"))]
    lines += [*left_lines(out, report.left_out), *fault_lines(out, report.bad)]
    total = counted(len(report.lessons), "lesson")
    lines += [out.paint(_STAYS, "dim")] if report.lessons else []
    if report.lessons or report.unchanged:
        lines.append(f"{one_line(str(report.path))}: {total} to write, {report.unchanged:,} unchanged")
    else:
        lines.append(_NOTHING_TO_SHARE)
    out.result(report, lines)
    return 0 if report.lessons else 1


def run_check(args: argparse.Namespace, context: Context) -> int:
    """`team check`: exit 0 if every lesson is sound, 1 if one went stale or a line is no lesson."""
    from core.flows.team.check import check_lessons
    from core.flows.team.place import place_of
    from core.store import open_store

    place = place_of(Path(args.repository))
    if not place.file.is_file():
        raise Fault("not_indexed", f"{place.file} not found", "to create it, run: casebook team export")
    if context.database.exists():
        with open_store(context.database) as store:
            found = check_lessons(store, place)
    else:
        found = check_lessons(None, place)
    context.out.result(found, check_lines(context.out, found))
    return 1 if found.findings or found.bad or not found.sorted else 0


def run_merge(args: argparse.Namespace, context: Context) -> int:
    """`team merge`: exit 0 if it is written, 2 if a file cannot be read or written: then git keeps the conflict."""
    from core.flows.team.merging import merge_files

    if len(args.files) not in (1, 3):
        raise Fault(
            "invalid_input", f"expected 1 or 3 files, got {len(args.files)}", "pass BASE OURS THEIRS, or one file"
        )
    done = merge_files([Path(name) for name in args.files])
    # As git's driver it has nothing to say, and its file is a temporary one.
    lines = [f"{one_line(str(done.path))}: merged, {counted(done.lessons, 'lesson')}"] * (len(args.files) == 1)
    context.out.result(done, [*lines, *fault_lines(context.out, done.bad)])
    return 0


def commit_line(out: Output, root: Path, written: Iterable[Path]) -> str:
    """The command that commits the files that were written in the repository `root`."""
    names = (str(path.relative_to(root)) if path.is_relative_to(root) else str(path) for path in written)
    listed = " ".join(shlex.quote(one_line(name)) for name in dict.fromkeys(names))
    return out.paint(f"To share the lessons, review the files and run: git add {listed} && git commit", "dim")


def export_lines(out: Output, done: TeamExport, *, commit: bool = True) -> Iterator[str]:
    words = ("added", "changed", "restored", "withdrawn")
    counts = [f"{len(getattr(done, word)):,} {word}" for word in words if getattr(done, word)]
    state = "written" if done.written else "unchanged"
    if done.lessons or done.written or counts:
        yield f"{one_line(str(done.path))}: {', '.join((state, counted(done.lessons, 'lesson'), *counts))}"
    else:
        yield f"No file was written. {_NOTHING_TO_SHARE}"
    for one in done.blocks:
        state = one_line(one.fault) or f"block {'written' if one.changed else 'unchanged'}"
        yield f"{one_line(one.path)}: {state}"
    yield from left_lines(out, done.left_out)
    yield from fault_lines(out, done.bad)
    if done.withdrawn:
        yield out.paint(_STAYS, "dim")
    if done.written and commit:
        blocks = (Path(one.path) for one in done.blocks if one.changed)
        yield commit_line(out, done.path.parent.parent, (done.path.parent, *blocks))


def check_lines(out: Output, found: TeamCheck) -> Iterator[str]:
    """What a check found, one line a lesson."""
    gone = f", {found.withdrawn:,} withdrawn" if found.withdrawn else ""
    yield f"{one_line(str(found.path))}: {counted(found.lessons, 'lesson')}{gone}, {len(found.findings):,} stale"
    shown = found.findings if out.verbose else found.findings[:SHOWN]
    for one in shown:
        yield f"  {one.id}  {clip(one.error, 60)}"
        yield out.paint(f"    {one_line(one.reason)}", "warn")
    if len(shown) < len(found.findings):
        yield f"  … and {len(found.findings) - len(shown):,} more (--verbose shows all)"
    yield from fault_lines(out, found.bad)
    if not found.sorted and not found.bad:
        yield out.paint("The file was edited manually. To sort its lines, run: casebook team merge FILE", "warn")
    if out.verbose:
        yield from (f"  {id_}" for id_ in found.ids)
