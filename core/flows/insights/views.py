"""Bars of block characters, an eighth of a cell fine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, get_args

from core.flows.insights.picture import Block, Picture, Row, Tone
from core.flows.insights.report import PAUSES, Insights, SessionStrip, Side, StripCell, StripMark, Worked, WorkedItem

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def bar(value: float, most: float, cells: int, *, ascii_only: bool = False) -> str:
    """A bar of at most `cells` cells for `value`, where `most` fills them all; what is more than nothing shows."""
    if value <= 0 or most <= 0 or cells <= 0:
        return ""
    if ascii_only:
        return "#" * max(1, round(cells * min(value / most, 1)))
    eighths = max(1, round(8 * cells * min(value / most, 1)))
    full, part = divmod(eighths, 8)
    return _EIGHTHS[8] * full + (_EIGHTHS[part] if part else "")


_SIGNS: Final[dict[StripMark, tuple[str, str]]] = {"failed": ("█", "#"), "passed": ("▄", "+"), "other": ("·", ".")}


def marks_in(cells: Sequence[StripCell], width: int) -> tuple[tuple[int, int, StripMark], ...]:
    """The cells in at most `width` buckets: where each begins and ends, and its gravest mark."""
    size = max(1, -(-len(cells) // max(1, width)))
    return tuple((at, min(at + size, len(cells)), _gravest(cells[at : at + size])) for at in range(0, len(cells), size))


def sign_of(mark: StripMark, *, ascii_only: bool = False) -> str:
    """The sign of a mark, which differs without colour too."""
    return _SIGNS[mark][ascii_only]


def _gravest(cells: Iterable[StripCell]) -> StripMark:
    marks = {cell.mark for cell in cells}
    return "failed" if "failed" in marks else "passed" if "passed" in marks else "other"


View = Literal["worst", "came_back", "answers", "time", "worked"]
VIEWS: Final[tuple[View, ...]] = get_args(View)
TITLES: Final[dict[View, str]] = {
    "worst": "Worst",
    "came_back": "Came back",
    "answers": "Answers",
    "time": "Where the time went",
    "worked": "Did it work",
}
_ROWS: Final = 20
_MARKS: Final = 984
"""Marks of a strip in a picture; in a longer session several results share one."""
_HEIGHTS: Final[dict[StripMark, tuple[float, Tone]]] = {
    "failed": (1.0, "red"), "passed": (0.55, "green"), "other": (0.12, "dim"),
}  # fmt: skip
_COLOURS: Final = "Red: failed. Green: a check passed. Grey: other results."
_LEVELS: Final = "▁▂▃▄▅▆▇█"


def picture_of(found: Insights, view: View, scope: str) -> Picture:
    """A view of the sums; `worked` has a picture of its own."""
    notes = (PAUSES,) if view != "answers" else ()
    if view == "answers":
        told = found.told[:_ROWS]
        rows = tuple(Row(one.told, f"{one.told:,}", f"{one.helped:,} helped", one.key_line) for one in told)
    elif view == "time":
        rows = tuple(_row(one.minutes, one.incidents, one.tool or "other") for one in found.by_tool[:_ROWS])
    else:
        cases = found.worst if view == "worst" else found.came_back
        rows = tuple(_row(one.minutes, one.times, one.key_line) for one in cases[:_ROWS])
    return Picture(TITLES[view], scope, rows, notes)


def picture_of_worked(found: Worked, scope: str) -> Picture:
    """Decisions with what came after them, and before."""
    rows = tuple(
        Row(one.after.times, f"{one.after.times:,} after", f"{one.before.times:,} before", one.name)
        if one.before is not None and one.after is not None
        else Row(0, "", "no weeks", one.name)
        for one in found.items[:_ROWS]
    )
    return Picture(TITLES["worked"], scope, rows, (found.note,))


def picture_of_session(found: SessionStrip) -> Picture:
    """A session as a strip, and the programs with their minutes in red."""
    rows = tuple(_row(one.minutes, one.incidents, one.program) for one in found.red[:_ROWS])
    strip = tuple(Block(*_HEIGHTS[mark]) for _, _, mark in marks_in(found.cells, _MARKS))
    scope = f"{found.started[:10]} {found.project}: {session_words(found)}"
    return Picture("One session", scope, rows, (_COLOURS, PAUSES), strip)


def session_words(found: SessionStrip) -> str:
    """The counts of a session in words."""
    return (
        f"{_counted(len(found.cells), 'result')}, {found.failed:,} failed, {_counted(found.passed, 'check')} passed;"
        f" {found.minutes_red:,.0f} of {found.minutes:,.0f} minutes with something failing"
    )


def side_words(side: Side, what: str) -> str:
    """One side of a decision in words: `9 incidents in 7 of 40 sessions`."""
    if not side.of_sessions and not side.times:
        return "no session"
    where = f"{side.sessions:,} of {side.of_sessions:,}" if side.sessions <= side.of_sessions else f"{side.sessions:,}"
    return f"{_counted(side.times, what)} in {where} {'session' if where == '1' else 'sessions'}"


def event_of(item: WorkedItem) -> str:
    """What is counted of a decision."""
    return "incident" if item.kind == "lesson" else "correction"


def weeks_line(item: WorkedItem, *, ascii_only: bool = False) -> str:
    """A sign a week, oldest first, as high as its events; `|` is the decision, a dot a week without events."""
    most = max((max(one.before, one.after) for one in item.by_week), default=0)
    line = ""
    for one, following in zip(item.by_week, (*item.by_week[1:], None), strict=True):
        split = one.week <= item.decided[:10] and (following is None or item.decided[:10] < following.week)
        if split or item.decided[:10] >= one.week:
            line += _level(one.before, most, ascii_only=ascii_only)
        if split:
            line += "|"
        if split or item.decided[:10] < one.week:
            line += _level(one.after, most, ascii_only=ascii_only)
    return line


def _level(count: int, most: int, *, ascii_only: bool) -> str:
    if not count:
        return "." if ascii_only else "·"
    if ascii_only:
        return str(count) if count < 10 else "9"
    return _LEVELS[max(1, round(len(_LEVELS) * count / most)) - 1]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _row(minutes: float, times: int, name: str) -> Row:
    return Row(minutes, f"{minutes:,.0f} min", f"{times:,}×", name)
