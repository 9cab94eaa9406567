"""What an import found and what importing again changed, as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cli.format.layout import clip, counted, one_line, wrap
from cli.output import Output
from core.base.trace import lines as trace_lines
from core.flows.harvest.report import JudgedResult, LinkedFix, TranscriptHarvest
from core.flows.transcripts.report import Counts, ImportAgain

_TEXT = 20
"""Cells before the text of a result: its line in the transcript and its verdict."""
_WIDTH = 100


def inspection_lines(out: Output, found: TranscriptHarvest) -> Iterator[str]:
    """The counts, then each result: line, verdict, first key line; below them the command, the reason and the fix."""
    shown = f"{counted(len(found.results), 'result')} failed, {found.passed:,} did not"
    yield f"{one_line(found.session)} ({found.agent}): {shown}"
    verdicts = Counter(result.verdict for result in found.results)
    fixed = sum(result.fix is not None for result in found.results)
    yield (
        "  "
        + ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.most_common())
        + f", {fixed:,} with a fix"
    )
    for result in found.results:
        yield ""
        yield from _result(out, result)


def _result(out: Output, result: JudgedResult) -> Iterator[str]:
    indent = " " * _TEXT
    first = result.keys[0].text if result.keys else result.tool
    more = f" (+{len(result.keys) - 1})" if len(result.keys) > 1 else ""
    yield f"{result.line:>7}  {result.verdict:<10} {clip(one_line(first), _WIDTH - _TEXT)}{more}"
    if result.command:
        yield f"{indent}$ {clip(one_line(result.command), _WIDTH - _TEXT - 2)}"
    yield from wrap(result.reason, _WIDTH, indent)
    if result.fix is not None:
        yield from _fix(result.fix, indent)
    if out.verbose:
        yield from (f"{indent}{line}" for line in map(one_line, trace_lines(result.trace)))


def _fix(fix: LinkedFix, indent: str) -> Iterator[str]:
    checked = f", checked at line {fix.checked_line}" if fix.checked_line is not None else ""
    yield f"{indent}fix ({fix.strength}{checked}):"
    for link in fix.links:
        yield from wrap(f"line {link.line}: {link.why}", _WIDTH, indent + "  ")


_SHOWN = 10


def result_lines(out: Output, report: ImportAgain, *, asked: bool) -> Iterator[str]:
    """How `import --again` ended; `asked`: the changes were shown with the question already."""
    if report.canceled:
        yield out.paint("Stopped. The next `casebook import --again` resumes here.", "warn")
        return
    if report.changes_nothing:
        yield f"Harvested {counted(report.sessions, 'session')} again. No changes."
        return
    if not asked:
        yield from again_lines(out, report)
    if report.applied:
        yield f"Applied as change {report.change}. To undo it, run: casebook undo"
        yield f"Backup: {clip(report.backup or '', 500)}"
    else:
        yield "No change."


def again_lines(out: Output, report: ImportAgain) -> Iterator[str]:
    """What changes, and the counts before and after."""
    drafts = report.drafts
    yield f"Harvested {counted(report.sessions, 'session')} again:"
    yield (
        f"  drafts          {drafts.replaced:,} replaced, {drafts.removed:,} removed, {drafts.added:,} added,"
        f" {drafts.unchanged:,} unchanged"
    )
    yield f"  kept            {counted(report.kept, 'fix')} with your decision"
    yield f"  cases           {report.cases_removed:,} removed, {report.cases_added:,} added"
    if report.no_longer_harvested:
        yield f"                  {report.no_longer_harvested:,} kept, no longer harvested"
    yield ""
    yield out.paint(f"  {'':<12}{'before':>10}{'after':>10}", "dim")
    for name in Counts.__dataclass_fields__:
        yield f"  {name:<12}{getattr(report.before, name):>10,}{getattr(report.after, name):>10,}"
    if not report.gone:
        return
    yield ""
    yield "Removed cases:"
    most = len(report.gone) if out.verbose else _SHOWN
    for case in report.gone[:most]:
        yield "  " + clip(f"{case.id}  {case.key_line}", out.columns - 2)
    if report.cases_removed > most:
        yield f"  … and {report.cases_removed - most:,} more"
