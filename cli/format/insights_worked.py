"""Whether decisions worked (`insights_worked.v1`), and one session as a strip (`session_strip.v1`), for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cli.format.layout import clip, counted, pad
from cli.output import Output, Style
from core.flows.insights.bars import bar
from core.flows.insights.marks import marks_in, sign_of
from core.flows.insights.report import NO_PROOF, PAUSES, SessionStrip, StripMark, Worked, WorkedItem
from core.flows.insights.views import event_of, session_words, side_words, weeks_line

_ROWS: Final = 6
"""The most lines of a strip: a longer session has several results in a cell."""
_LABEL: Final = 8
_WORDS: Final[tuple[tuple[StripMark, str], ...]] = (
    ("failed", "failed"),
    ("passed", "check passed"),
    ("other", "other result"),
)
_STYLES: Final[dict[StripMark, Style]] = {"failed": "bad", "passed": "good", "other": "dim"}


def worked_lines(out: Output, found: Worked) -> Iterator[str]:
    """Each decision with its two sides, its weeks, and where it still comes."""
    if not found.items:
        yield "No decision with a date. Verify a fix or accept a rule draft; then import more sessions."
        return
    yield out.paint(NO_PROOF, "dim")
    for item in found.items:
        yield ""
        yield from _item(out, item)


def _item(out: Output, item: WorkedItem) -> Iterator[str]:
    room = max(40, out.columns - _LABEL - 4)
    head = f"case {item.case_id}, fix verified" if item.kind == "lesson" else f"rule {item.id}, dated"
    yield out.paint(f"{head} {clip(item.decided[:10], 10)}", "bold")
    yield f"  {clip(item.name, room + _LABEL)}"
    if item.do:
        yield f"  {pad('fix', _LABEL)}{clip(item.do, room)}"
    if item.before is not None and item.after is not None:
        what = event_of(item)
        yield f"  {pad('before', _LABEL)}{side_words(item.before, what)}"
        yield f"  {pad('after', _LABEL)}{side_words(item.after, what)}"
    else:
        yield f"  {pad('', _LABEL)}Calls of this rule are not stored by week."
    if item.told:
        dismissed = f", dismissed {item.dismissed:,}×" if item.kind == "rule" else ""
        yield f"  {pad('shown', _LABEL)}{item.told:,}×, helped {item.helped:,}×{dismissed}"
    if item.by_week:
        yield f"  {pad('weeks', _LABEL)}{item.by_week[0].week} {weeks_line(item)} {item.by_week[-1].week}"
    for at, lead in enumerate(item.still):
        place = f"{lead.session} message {lead.message}, {lead.ts[:10]}"
        yield f"  {pad('still' if not at else '', _LABEL)}{clip(place, room)}"


def strip_lines(out: Output, found: SessionStrip, most: int) -> Iterator[str]:
    """The strip in lines of the terminal's width, the minutes by program, and what failed."""
    yield out.paint(clip(f"{found.started[:10]} {found.project} {found.session}", out.columns), "bold")
    yield session_words(found)
    if not found.cells:
        return
    yield ""
    wide = max(20, out.columns - 2)
    marks: list[StripMark] = [mark for _, _, mark in marks_in(found.cells, wide * _ROWS)]
    for at in range(0, len(marks), wide):
        yield "".join(out.paint(sign_of(mark), _STYLES[mark]) for mark in marks[at : at + wide])
    signs = ", ".join(f"{sign_of(mark)} {words}" for mark, words in _WORDS)
    yield out.paint(f"{signs}. {PAUSES}", "dim")
    if found.red:
        yield ""
        yield out.paint(f"{pad('Command', 22)}  {pad('minutes until gone', 35)}  incidents", "bold")
    longest = max((one.minutes for one in found.red), default=0.0)
    for one in found.red[:most]:
        drawn = pad(bar(one.minutes, longest, 24), 24)
        yield f"{pad(one.program or 'other', 22)}  {drawn}{one.minutes:>11,.0f}  {one.incidents:>9,}"
    if failed := [cell for cell in found.cells if cell.mark == "failed"]:
        yield ""
        yield out.paint("Failed", "bold")
    for cell in failed[:most]:
        case = "" if cell.case_id is None else f"case {cell.case_id}: "
        yield f"{cell.message:>6}  {clip(f'{case}{cell.key_line or cell.what}', max(40, out.columns - 8))}"
    if len(failed) > most:
        yield f"        {counted(len(failed) - most, 'more result')} (--limit {len(failed)})"
