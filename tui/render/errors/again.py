"""What harvesting again changes: the counts before and after, and the cases that disappear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from tui.render.common.progress import counted
from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.flows.transcripts.again.report import ImportAgain

_NAMES: Final = ("cases", "errors", "occurrences", "drafts", "verified", "rejected")
_LINE: Final = 400


def draw_again(report: ImportAgain) -> Content:
    """The changes, as they are or would be."""
    drafts = report.drafts
    lines = [
        ("Drafts     ", f"{drafts.replaced:,} replaced, {drafts.removed:,} removed, {drafts.added:,} added"),
        ("Decisions  ", f"{counted(report.kept, 'fix')} kept"),
        ("Cases      ", f"{report.cases_removed:,} removed, {report.cases_added:,} added"),
    ]
    if report.no_longer_harvested:
        lines.append(("           ", f"{report.no_longer_harvested:,} kept, no longer harvested"))
    parts = [part for name, text in lines for part in ((name, "$cb-faint"), (f"{text}\n", "$cb-text"))]
    parts.append((f"\n{'':<11}{'before':>10}{'after':>10}\n", "$cb-faint"))
    for name in _NAMES:
        before, after = getattr(report.before, name), getattr(report.after, name)
        tone = "$cb-dim" if before == after else "bold $cb-text"
        parts += [(f"{name:<11}", "$cb-faint"), (f"{before:>10,}{after:>10,}\n", tone)]
    if report.gone:
        parts.append(("\nCases that disappear\n", "$cb-faint"))
        parts += [(f"{inline(f'#{one.id}  {one.key_line}', _LINE)}\n", "$cb-soft") for one in report.gone]
    if report.cases_removed > len(report.gone):
        parts.append((f"and {report.cases_removed - len(report.gone):,} more\n", "$cb-faint"))
    return Content.assemble(*parts).rstrip()


def again_line(report: ImportAgain) -> str:
    """How it ended, in a sentence or two, with the undo key's place in braces."""
    if report.canceled:
        return "Harvesting again was stopped. The next run continues from there."
    if report.applied:
        changed = counted(report.drafts.replaced + report.drafts.removed + report.drafts.added, "draft")
        return f"Harvested {counted(report.sessions, 'session')} again: {changed} changed. {{undo.last}} takes it back."
    return f"Harvested {counted(report.sessions, 'session')} again. Nothing changes."
