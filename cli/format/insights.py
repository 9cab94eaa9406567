"""What failed, what it cost, what helped, what decisions did, one session, and a replay, as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from cli.format.layout import clip, counted, one_line, pad
from cli.output import Output, Style
from core.flows.insights.pictures import View, bar, event_of, marks_in, session_words, side_words, sign_of, weeks_line
from core.flows.insights.report import NO_PROOF, PAUSES, Insights, SessionStrip, StripMark, Worked, WorkedItem

if TYPE_CHECKING:
    from core.flows.replay import Replay, ReplayItem

_BAR, _NAME = 24, 22
_ROWS = 12
"""Rows of a table of bars; the text says how many more there are."""


def insight_lines(out: Output, found: Insights, view: View | None = None) -> Iterator[str]:
    """The totals, then minutes by week, tool and project as bars, then the cases; or only what a view shows."""
    sums = found.totals
    scope = f" since {found.since}" if found.since else ""
    if not found.by_week:
        yield f"No failures{scope}. To import transcripts, run: casebook import auto"
        return
    yield (
        f"{counted(sums.failures, 'failure')} in {counted(sums.incidents, 'incident')}{scope}:"
        f" {sums.minutes:,.0f} minutes, {counted(sums.attempts, 'attempt')}"
    )
    yield f"{counted(sums.answered, 'answer')}, {sums.helped:,} helped"
    yield out.paint(PAUSES, "dim")
    weeks = [(one.week or "no time", one.minutes, one.incidents) for one in found.by_week]
    tools = [(one.tool or "other", one.minutes, one.incidents) for one in found.by_tool]
    projects = [(one.name or "no project", one.minutes, one.incidents) for one in found.by_project]
    bars = (("Week", weeks), ("Command", tools), ("Project", projects))
    for title, rows in bars if view is None else bars[1:2] if view == "time" else ():
        yield from _bars(out, title, rows)
    worst = [(one.case_id, one.key_line, _cost(one.minutes, one.times), one.fix_status) for one in found.worst]
    again = [(one.case_id, one.key_line, _cost(one.minutes, one.times), one.reason) for one in found.came_back]
    told = [
        (one.case_id, one.key_line, f"shown {one.told:,}, helped {one.helped:,}", f"failed again {one.failed_again:,}")
        for one in found.told
    ]
    lists: tuple[tuple[View, str, list[tuple[int, str, str, str]]], ...] = (
        ("worst", "Worst", worst),
        ("came_back", "Recurred despite a known fix", again),
        ("answers", "Answers", told),
    )
    for name, title, cases in lists:
        if view in (None, name):
            yield from _cases(out, title, cases)


def _cost(minutes: float, times: int) -> str:
    return f"{minutes:,.0f} min, {times:,}×"


def _bars(out: Output, title: str, rows: list[tuple[str, float, int]]) -> Iterator[str]:
    yield ""
    yield out.paint(f"{pad(title, _NAME)}  {pad('minutes', _BAR + 11)}  incidents", "bold")
    most = max((minutes for _, minutes, _ in rows), default=0.0)
    for name, minutes, incidents in rows[:_ROWS]:
        yield f"{pad(name, _NAME)}  {pad(bar(minutes, most, _BAR), _BAR)}{minutes:>11,.0f}  {incidents:>9,}"
    if len(rows) > _ROWS:
        yield f"… and {len(rows) - _ROWS:,} more (--json shows all)"


def _cases(out: Output, title: str, rows: Iterable[tuple[int, str, str, str]]) -> Iterator[str]:
    shown = list(rows)
    if not shown:
        return
    yield ""
    yield out.paint(title, "bold")
    for case_id, key_line, cost, note in shown:
        yield f"{case_id:>6}  {clip(key_line, max(40, out.columns - 8))}"
        yield f"        {cost}, {note}"


_STRIP_ROWS: Final = 6
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
        yield "There are no dated decisions. Verify a fix or accept a draft rule, then import more sessions."
        return
    yield out.paint(NO_PROOF, "dim")
    for item in found.items:
        yield ""
        yield from _worked_item(out, item)


def _worked_item(out: Output, item: WorkedItem) -> Iterator[str]:
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
        yield f"  {pad('', _LABEL)}casebook does not store the calls of this rule by week."
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
    wide = max(20, min(out.columns, 120) - 2)
    marks: list[StripMark] = [mark for _, _, mark in marks_in(found.cells, wide * _STRIP_ROWS)]
    for at in range(0, len(marks), wide):
        yield "".join(out.paint(sign_of(mark), _STYLES[mark]) for mark in marks[at : at + wide])
    signs = ", ".join(f"{sign_of(mark)} {words}" for mark, words in _WORDS)
    yield out.paint(f"{signs}. {PAUSES}", "dim")
    if found.red:
        yield ""
        yield out.paint(f"{pad('Command', 22)}  {pad('minutes until fixed', 35)}  incidents", "bold")
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


_WIDTH = 100
_INDENT = " " * 6


def replay_lines(out: Output, found: Replay) -> Iterator[str]:
    """The counts, then each failure that was seen before; with `--verbose` every failure and both fixes."""
    answered = found.answered.high + found.answered.low
    compared = found.agreed + found.disagreed
    yield f"{counted(found.sessions, 'session')}, {counted(found.failures, 'failure')} (without agent mistakes)"
    yield f"  {found.known_before:,} seen before ({found.minutes_spent_on_known:,.0f} minutes spent)"
    by = f"{found.answered.high:,} with high confidence, {found.answered.low:,} with low confidence"
    yield f"  {answered:,} answered: {by}"
    yield f"  {compared:,} of these compared with the actual fix: {found.agreed:,} agree, {found.disagreed:,} differ"
    if found.canceled:
        yield out.paint("Stopped early.", "warn")
    if found.skipped:
        yield out.paint(f"{counted(len(found.skipped), 'line')} or files could not be read.", "warn")
    shown = [item for item in found.items if out.verbose or item.known]
    for item in shown:
        yield ""
        yield from _replay_item(out, item)


def _replay_item(out: Output, item: ReplayItem) -> Iterator[str]:
    sign = {True: "agrees", False: "differs", None: "-"}[item.agreed] if item.match is not None else "silent"
    yield f"{one_line(item.session)[:36]}:{item.line}  {item.minutes:,.0f} min"
    yield f"{_INDENT}{clip(item.key_line, _WIDTH)}"
    match = item.match
    if match is not None:
        source = f" from {one_line(match.session)[:36]}" if match.session else ""
        told = f"case {match.case_id}, {match.tier}, {match.confidence}{source}"
        yield f"{_INDENT}{sign}: {told}. {clip(item.reason, 200)}"
    else:
        yield f"{_INDENT}{sign}: {clip(item.reason, 200)}"
    if out.verbose:
        for title, text in (("known", match.fix if match is not None else None), ("real", item.fix)):
            if text:
                yield f"{_INDENT}{title}:"
                yield from (f"{_INDENT}  {clip(line, _WIDTH)}" for line in text.split("\n") if line.strip())
