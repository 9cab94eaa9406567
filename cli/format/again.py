"""`import --again` as lines for people: what changes, and the counts before and after."""

from __future__ import annotations

from collections.abc import Iterator

from cli.format.layout import clip, counted
from cli.output import Output
from core.flows.transcripts.again.report import Counts, ImportAgain

_SHOWN = 10


def result_lines(out: Output, report: ImportAgain, *, asked: bool) -> Iterator[str]:
    """How `import --again` ended; `asked`: the changes were shown with the question already."""
    if report.canceled:
        yield out.paint("Stopped. The next `casebook import --again` continues from there.", "warn")
        return
    if report.changes_nothing:
        yield f"Harvested {counted(report.sessions, 'session')} again. Nothing changes."
        return
    if not asked:
        yield from again_lines(out, report)
    if report.applied:
        yield f"Applied as change {report.change}. `casebook undo` takes it back."
        yield f"Backup: {clip(report.backup or '', 500)}"
    else:
        yield "Nothing was changed."


def again_lines(out: Output, report: ImportAgain) -> Iterator[str]:
    """What changes, and the counts before and after."""
    drafts = report.drafts
    yield f"Harvested {counted(report.sessions, 'session')} again:"
    yield (
        f"  drafts          {drafts.replaced:,} replaced, {drafts.removed:,} removed, {drafts.added:,} added,"
        f" {drafts.unchanged:,} unchanged"
    )
    yield f"  kept            {counted(report.kept, 'fix')} that you decided on"
    yield f"  cases           {report.cases_removed:,} disappear, {report.cases_added:,} added"
    if report.no_longer_harvested:
        yield f"                  {report.no_longer_harvested:,} stay, no longer harvested"
    yield ""
    yield out.paint(f"  {'':<12}{'before':>10}{'after':>10}", "dim")
    for name in Counts.__dataclass_fields__:
        yield f"  {name:<12}{getattr(report.before, name):>10,}{getattr(report.after, name):>10,}"
    if not report.gone:
        return
    yield ""
    yield "Cases that disappear:"
    most = len(report.gone) if out.verbose else _SHOWN
    for case in report.gone[:most]:
        yield "  " + clip(f"{case.id}  {case.key_line}", out.columns - 2)
    if report.cases_removed > most:
        yield f"  … and {report.cases_removed - most:,} more"
