"""What would be harvested from one transcript, as lines for people (`harvest.v1`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cli.format.layout import clip, counted, one_line, wrap
from cli.output import Output
from core.base.trace import lines as trace_lines
from core.flows.harvest.report import JudgedResult, LinkedFix, TranscriptHarvest

_TEXT = 20
"""Cells before the text of a result: its line in the transcript and its verdict."""
_WIDTH = 100


def inspection_lines(out: Output, found: TranscriptHarvest) -> Iterator[str]:
    """The counts, then each result: line, verdict, first key line; below them the command, the reason and the fix."""
    shown = f"{counted(len(found.results), 'result')} with a sign of failure, {found.passed:,} without"
    yield f"{one_line(found.session)} ({found.agent}): {shown}"
    verdicts = Counter(result.verdict for result in found.results)
    fixed = sum(result.fix is not None for result in found.results)
    yield (
        "  "
        + ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.most_common())
        + f"; {fixed:,} with a fix"
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
