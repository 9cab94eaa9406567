"""`casebook import --team`: the lessons file of a repository into the casebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cli.commands.team.lines import fault_lines
from cli.context import Context
from cli.format.layout import counted, one_line
from cli.output import Output
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.team.importing import TeamImport

_SHOWN = 10


def run_team(paths: Sequence[str], context: Context) -> int:
    """`import --team`: exit 0 if the file holds a lesson, 1 if it holds none. The casebook is made if there is none."""
    from core.errors.curation.transaction import person
    from core.flows.team.importing import import_lessons
    from core.flows.team.place import place_of
    from core.store import open_store

    if len(paths) > 1:
        raise Fault("invalid_input", f"{len(paths)} files given", "pass one lessons file, or none")
    place, path = place_of(Path()), Path(paths[0]) if paths else None
    if not (path or place.file).is_file():
        raise Fault("not_indexed", f"there is no {path or place.file}", "to create it, run: casebook team export")
    with open_store(context.database, write=True, create=True) as store:
        report = import_lessons(store, place, person(), path)
    context.log("info", "team import", lessons=report.lessons, added=report.added, change=report.change)
    context.out.result(report, import_lines(context.out, report))
    return 0 if report.lessons or report.withdrawn else 1


def import_lines(out: Output, done: TeamImport) -> Iterator[str]:
    """What an import of lessons did."""
    counts = [f"{count:,} {word}" for count, word in ((done.added, "added"), (done.changed, "changed")) if count]
    counts += [f"{done.withdrawn:,} withdrawn"] if done.withdrawn else []
    yield f"{one_line(str(done.path))}: {', '.join((counted(done.lessons, 'lesson'), *(counts or ['unchanged'])))}"
    for one in done.kept[:_SHOWN]:
        yield out.paint(f"lesson {one.id}: {one_line(one.reason)}", "warn")
    if len(done.kept) > _SHOWN:
        yield out.paint(f"{len(done.kept) - _SHOWN:,} more lessons were not imported", "warn")
    yield from fault_lines(out, done.bad)
    if done.change is not None:
        yield out.paint(f"Saved as change {done.change}. To undo it, run: casebook undo", "dim")
