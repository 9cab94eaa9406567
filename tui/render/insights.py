"""The Insights pane: tabs, rows and totals, and the strip of one session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from core.flows.insights.pictures import TITLES, View, bar, marks_in, session_words, sign_of
from core.flows.insights.report import PAUSES
from tui.render.common.amounts import counted, stamp
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad

if TYPE_CHECKING:
    from core.flows.insights.report import Insights, SessionStrip, StripMark


_COUNT, _BAR, _LEAST = 9, 24, 36
_NUMBER = 9
_FEW: Final = 9.95
"""Minutes below which a tenth of one is told."""
MINUTES: Final = " min"
_WEEKS: Final = 26


def draw_tabs(view: View, width: int) -> Content:
    """The views, the open one marked."""
    parts: list[tuple[str, str]] = []
    for name, words in TITLES.items():
        here = name == view
        parts.append((f"[{words}] " if here else f" {words}  ", "bold $cb-accent" if here else "$cb-dim"))
    found = Content.assemble(*parts)
    if found.cell_length <= width:
        return found
    at = tuple(TITLES).index(view) + 1
    return Content.assemble((f"[{TITLES[view]}]", "bold $cb-accent"), (f"  view {at} of {len(TITLES)}", "$cb-dim"))


def draw_row(
    value: float,
    most: float,
    count: str,
    name: str,
    status: str | None,
    width: int,
    signs: Signs,
    *,
    unit: str,
    count_cells: int = _COUNT,
    chosen: bool = False,
) -> Content:
    """A row: what it cost, as a number and a bar, how often, its status, and the line that names it.

    `count_cells`: the cells of the column that says how often."""
    room = min(_BAR, max(0, width - _NUMBER - count_cells - 6 - _LEAST) // 2)
    drawn = pad(bar(value, most, room, ascii_only=signs.plain), room)
    number = minutes_text(value) if unit == MINUTES else f"{value:,.0f}{unit}"
    mark = signs.status(status) if status is not None else None
    lead = (
        (signs.bar if chosen else " ", "$cb-accent"),
        (f"{inline(number, _NUMBER):>{_NUMBER}} ", "$cb-text"),
        (f"{drawn} ", "$cb-accent" if chosen else "$cb-faint"),
        (f"{inline(count, count_cells):>{count_cells}} ", "$cb-soft"),
        (f"{mark.sign} " if mark is not None else "", mark.tone if mark is not None else ""),
    )
    used = sum(cell_len(text) for text, _ in lead)
    shown = inline(name or "(no name)", max(1, width - used), more=signs.more)
    return Content.assemble(*lead, (shown, "$cb-text bold" if chosen else "$cb-text"))


def minutes_text(minutes: float) -> str:
    """Minutes as precise as they are few: `40 s`, `1.7 min`, `80 min`."""
    if 0 < minutes < 1:
        return f"{max(1, round(60 * minutes))} s"
    return f"{minutes:.1f} min" if 0 < minutes < _FEW else f"{minutes:,.0f} min"


def draw_side(found: Insights, name: str, detail: str, width: int, signs: Signs, *, wide: bool) -> Content:
    """The chosen row whole and in words, the sums, and the minutes by week and project as bars."""
    sums = found.totals
    parts: list[tuple[str, str]] = []
    if name:
        parts.append((f"{inline(name, 600 if wide else width, more=signs.more)}\n", "bold $cb-text"))
    if detail:
        lines = detail.split("\n")
        room = 300 if wide else width
        shown = "".join(f"{inline(line.replace('×', signs.times), room)}\n" for line in lines)
        parts.append((f"{shown}\n" if wide else shown, "$cb-soft"))
    parts.append((
        f"Total: {counted(sums.failures, 'failure')}, {counted(sums.incidents, 'incident')}, {sums.minutes:,.0f} min,"
        f" {counted(sums.attempts, 'attempt')}. {counted(sums.answered, 'answer')}, {sums.helped:,} helped.\n",
        "$cb-soft",
    ))  # fmt: skip
    weeks = [(one.week or "no time", one.minutes) for one in found.by_week[:_WEEKS]]
    projects = [(one.name or "no project", one.minutes) for one in found.by_project[:_WEEKS]]
    for title, rows in (("Minutes by week", weeks), ("Minutes by project", projects)):
        parts.append((f"\n{title}\n", "bold $cb-dim"))
        parts += _bars(rows, width, signs)
    return Content.assemble(*parts)


def _bars(rows: Sequence[tuple[str, float]], width: int, signs: Signs) -> list[tuple[str, str]]:
    most = max((value for _, value in rows), default=0.0)
    name = min(24, max(10, max((cell_len(inline(one, 24)) for one, _ in rows), default=10)))
    room = max(4, width - name - 10)
    parts: list[tuple[str, str]] = []
    digits = 1 if most < _FEW else 0
    for label, value in rows:
        drawn = bar(value, most, room, ascii_only=signs.plain)
        parts += [
            (pad(inline(label, name, more=signs.more), name), "$cb-text"),
            (f"{value:>8,.{digits}f} ", "$cb-soft"),
            (f"{drawn}\n", "$cb-faint"),
        ]
    return parts


def no_insights(*, scoped: bool, readonly: bool) -> Notice:
    """Nothing failed in the scope, or nothing was imported yet."""
    if scoped:
        return Notice(
            "Nothing here",
            "No failures in these weeks and this project.",
            (("{insights.unscope}", "show all weeks and projects"),),
        )
    steps = [("casebook import auto", "import the sessions found on this computer"), ("{view.reload}", "reload")]
    if readonly:
        steps = [("{view.reload}", "reload")]
    return Notice(
        "No insights yet",
        "casebook counts them during an import." + (" This casebook is read-only." if readonly else ""),
        tuple(steps),
    )


def no_rows(view: View) -> Notice:
    """A view without rows, though something failed."""
    words = {
        "came_back": ("No recurring errors", "No error recurred after its fix was known."),
        "answers": ("No answers yet", "No hook, search or agent has used a known fix yet."),
        "worked": ("No dated decision", "There is no verified fix and no accepted rule draft."),
    }
    what, why = words.get(view, ("Nothing here", "No case failed."))
    return Notice(what, why, (("{insights.next}", "show the next view"),))


_TONES: Final[dict[StripMark, str]] = {"failed": "$cb-bad", "passed": "$cb-good", "other": "$cb-faint"}
_WORDS: Final[tuple[tuple[StripMark, str], ...]] = (
    ("failed", "failed"),
    ("passed", "check passed"),
    ("other", "other result"),
)
_PROGRAMS: Final = 12


def draw_strip(found: SessionStrip, chosen: int, width: int, rows: int, signs: Signs) -> Content:
    """The strip in at most `rows` lines, then the chosen result, then the minutes by program."""
    parts: list[tuple[str, str]] = [(f"{inline(session_words(found), width, more=signs.more)}\n\n", "$cb-soft")]
    wide = max(1, width)
    for at, (start, end, mark) in enumerate(marks_in(found.cells, wide * max(1, rows))):
        if at and at % wide == 0:
            parts.append(("\n", ""))
        here = start <= chosen < end
        parts.append((sign_of(mark, ascii_only=signs.plain), f"{'reverse ' if here else ''}{_TONES[mark]}"))
    parts.append(("\n", ""))
    for mark, words in _WORDS:
        parts += [(sign_of(mark, ascii_only=signs.plain), _TONES[mark]), (f" {words}  ", "$cb-dim")]
    parts.append(("\n\n", ""))
    parts += _chosen(found, chosen, width, signs)
    parts.append((f"\n{inline(f'Minutes until fixed by command. {PAUSES}', width, more=signs.more)}\n", "bold $cb-dim"))
    most = max((one.minutes for one in found.red), default=0.0)
    room = max(4, min(48, width - 50))
    for one in found.red[:_PROGRAMS]:
        drawn = bar(one.minutes, most, room, ascii_only=signs.plain)
        parts += [
            (pad(inline(one.program or "other", 20, more=signs.more), 20), "$cb-text"),
            (f"{one.minutes:>7,.0f} ", "$cb-soft"),
            (f"{pad(drawn, room)} ", "$cb-accent"),
            (f"{one.incidents:,} incident{'' if one.incidents == 1 else 's'}\n", "$cb-soft"),
        ]
    return Content.assemble(*parts)


def _chosen(found: SessionStrip, chosen: int, width: int, signs: Signs) -> list[tuple[str, str]]:
    """The chosen result: its place, what ran, and what it showed."""
    if not found.cells:
        return [("This session has no result.\n", "$cb-dim")]
    cell = found.cells[chosen]
    place = f"Result {chosen + 1:,} of {len(found.cells):,}, message {cell.message:,}, {stamp(cell.ts)}"
    mark = dict(_WORDS)[cell.mark]
    lines = [
        (inline(f"{place}: {cell.verdict or mark}", width, more=signs.more), _TONES[cell.mark]),
        (inline(f"{cell.program}: {cell.what}", width, more=signs.more), "$cb-text"),
        (inline(cell.key_line, width, more=signs.more), "$cb-soft"),
    ]
    return [(f"{text}\n", tone) for text, tone in lines]
