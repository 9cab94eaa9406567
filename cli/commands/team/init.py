"""`casebook init`: the lessons file and the block of a repository, for a first commit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cli.commands.team.group import commit_line, confirmed, export_lines
from cli.context import Context, says_yes
from cli.format.layout import clip, counted, one_line
from cli.output import Output
from cli.parser import Parser
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.agent_file import SyncedFile
    from core.flows.team.place import TeamPlace
    from core.flows.team.start import DearLesson, TeamInit
    from core.store import Store

_EXAMPLES = """\
examples:
  casebook init                 ask before writing
  casebook init --yes           write your verified fixes without confirmation
  casebook init --merge-driver  let git merge the lessons file with casebook

Then review the files and commit them.
"""


def add_to(parser: Parser, shared: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.flag("--merge-driver", "let git merge the lessons file with casebook")
    parser.flag("--no-import", "skip the import of your transcripts")
    parser.flag("--yes", "write without confirmation")
    parser.set_defaults(run=run_init)


def run_init(args: argparse.Namespace, context: Context) -> int:
    """`init`: exit 0 if the files are written or up to date, 1 if there is no verified lesson or the person says no."""
    from core.errors.curation.transaction import person
    from core.flows.team.export import plan_export, write_plan
    from core.flows.team.importing import import_lessons
    from core.flows.team.place import place_of
    from core.flows.team.start import TeamInit, dearest, has_merge_driver, set_merge_driver
    from core.store import open_store

    asks = not args.yes
    if asks and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Fault("invalid_input", "`init` needs your confirmation, but stdin is not a terminal", "pass --yes")
    place = place_of(Path())
    with open_store(context.database, write=True, create=True) as store:
        imported = 0 if args.no_import else _import(store, context)
        if place.file.is_file():
            import_lessons(store, place, person())
        lessons = dearest(store, place)
        for line in dear_lines(context.out, lessons):
            sys.stderr.write(line + "\n")
        if asks:
            _verify(store, lessons)
        plan = plan_export(store, place)
        agreed = not asks or not plan.lessons or confirmed(context, plan)
        export = write_plan(store, plan) if agreed and (plan.lessons or plan.before is not None) else None
        files = _blocks(store, place, asks=asks) if export is not None else ()
        sets_driver = args.merge_driver or (asks and export is not None and not has_merge_driver(place) and says_yes(
            "Use casebook as git's merge driver for this file (changes .gitattributes and this clone's settings)?"
        ))  # fmt: skip
        if sets_driver:
            set_merge_driver(place)
        lessons = dearest(store, place)
        done = TeamInit(place.file, place.repository, imported, lessons, export, files, has_merge_driver(place))
    context.log("info", "team init", lessons=0 if export is None else export.lessons)
    context.out.result(done, _lines(context.out, done))
    return 1 if export is None else 0


def _import(store: Store, context: Context) -> int:
    from cli.progress import reporter, stoppable
    from core.flows.system.evidence import align_imported
    from core.flows.transcripts.api import import_transcripts
    from core.flows.transcripts.files import agent_folders

    places = agent_folders(context.settings.imports)
    paths = [folder for folders in places.values() for folder in folders if folder.exists()]
    if not paths:
        return 0
    with stoppable() as stopped:
        report_progress = reporter(context.out)
        report = import_transcripts(store, "auto", paths, on_progress=report_progress, cancelled=stopped)
        report = align_imported(store, report, on_progress=report_progress, cancelled=stopped)
    if report.canceled:
        context.out.note("Stopped. The next `casebook init` resumes here.")
        raise KeyboardInterrupt
    return report.sessions


def _verify(store: Store, lessons: tuple[DearLesson, ...]) -> None:
    """Ask of each draft whether it is right; only what a person verified is shared."""
    from core.errors.curation.decisions import verify
    from core.errors.curation.transaction import look, person
    from core.flows.team.start import unverified

    for one in unverified(lessons):
        sys.stderr.write(f"case {one.case_id}: {one_line(one.key_line[:200])}\n  do: {one_line(one.do[:400])}\n")
        if says_yes("Verify this fix and share it?"):
            verify(store, person(), [look(store.con, one.case_id)], pick=one.fix_id)


def _blocks(store: Store, place: TeamPlace, *, asks: bool) -> tuple[SyncedFile, ...]:
    from core.flows.agent_file import BUDGET, block_for, has_block, sync_file
    from core.flows.team.start import block_files

    done: list[SyncedFile] = []
    for path in block_files(place):
        if asks and not has_block(path):
            body, _ = block_for(store, path, BUDGET)
            for line in body.split("\n"):
                sys.stderr.write(f"  {one_line(line)}\n")
            if not says_yes(f"Write this block into {one_line(str(path))} and keep it up to date?"):
                continue
        done.append(sync_file(store, path, BUDGET))
    return tuple(done)


def dear_lines(out: Output, lessons: tuple[DearLesson, ...]) -> Iterator[str]:
    """The most expensive lessons, one line each and what to do."""
    if not lessons:
        yield "Your sessions in this repository have no fix yet."
        return
    yield "Most expensive lessons of this repository:"
    for one in lessons:
        cost = f"{one.seconds / 60:,.0f} min, {counted(one.sessions, 'session')}"
        yield f"  case {one.case_id}, {one.status}, {cost}  " + clip(one.key_line, max(20, out.columns - 40))
        yield out.paint(f"    {clip(one.do, max(20, out.columns - 4))}", "dim")


def _lines(out: Output, done: TeamInit) -> Iterator[str]:
    if done.export is None:
        yield "No file was written, because this repository has no verified fixes."
        yield "Verify a fix (casebook errors verify ID), then run casebook init again."
        return
    yield from export_lines(out, done.export, commit=False)
    for one in done.files:
        yield f"{one_line(one.path)}: {one_line(one.fault) or 'block ' + ('written' if one.changed else 'unchanged')}"
    if done.merge_driver:
        yield "In this clone, git now uses casebook to merge the lessons file."
    blocks = (Path(one.path) for one in (*done.export.blocks, *done.files))
    attributes = (done.path.parent.parent / ".gitattributes",) if done.merge_driver else ()
    yield commit_line(out, done.path.parent.parent, (done.path.parent, *blocks, *attributes))
