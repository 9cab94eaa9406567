"""The Insights pane: tabs, rows and totals, and the strip of one session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from core.flows.insights.pictures import TITLES, View, marks_in, session_words, sign_of
from core.flows.insights.report import PAUSES, Insights, SessionStrip, StripMark
from tui.render.case_list import short_line
from tui.render.common.amounts import stamp
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad, wrap
from tui.render.ranking import bar

_COUNT, _BAR, _LEAST, _LABEL = 9, 24, 36, 24
_NUMBER = 9
_WIDE: Final = 90
"""Cells from which a row has a last column."""
_ASIDE: Final = 22
_FEW: Final = 9.95
"""Minutes below which tenths are shown."""
MINUTES: Final = " min"
_WEEKS: Final = 26
_COMMANDS: Final = 10
_PAIR: Final = 18
"""Cells of a total with its label."""
UNKNOWN: Final = -1
"""The number of a row that no session can tell yet; it is drawn as `-`."""
HEADS: Final[dict[View, tuple[str, str, str, str]]] = {
    "worst": ("time", "times", "error", "project"),
    "came_back": ("time", "times", "error", "fix shown"),
    "answers": ("shown", "helped", "error", "without effect"),
    "time": ("time", "times", "command", "failed runs"),
    "worked": ("after", "before", "error or rule", "decided"),
    "practice": ("findings", "sessions", "practice", "project"),
}
"""The heads of a view's columns."""


def _tab(view: View, signs: Signs, *, here: bool) -> tuple[str, str]:
    """A tab with the blanks around it, and its tone."""
    edges = "[]" if here and signs.plain else "  "
    return f"{edges[0]}{TITLES[view]}{edges[1]}", "bold $cb-accent on $cb-cursor" if here else "$cb-dim"


def _all_fit(width: int) -> bool:
    return sum(cell_len(words) + 3 for words in TITLES.values()) <= width + 1


def draw_tabs(view: View, width: int, signs: Signs) -> Content:
    """The views, the open one marked, and the key to the next where there is room."""
    if not _all_fit(width):
        at = tuple(TITLES).index(view) + 1
        more = (f" {at} of {len(TITLES)}", "$cb-dim")
        return Content.assemble(_tab(view, signs, here=True), more)
    parts: list[tuple[str, str]] = []
    for name in TITLES:
        parts += [("", "") if not parts else (" ", ""), _tab(name, signs, here=name == view)]
    found = Content.assemble(*parts)
    keys = Content.assemble(
        (signs.key("insights.next"), "bold $cb-accent"), (" next  ", "$cb-dim"),
        (signs.key("insights.previous"), "bold $cb-accent"), (" previous", "$cb-dim"),
    )  # fmt: skip
    room = width - found.cell_length - keys.cell_length
    return Content.assemble(found, " " * room, keys) if room > 1 else found


def tab_at(x: int, view: View, width: int) -> View:
    """The view whose tab is in this column; the open one if none is."""
    at = 0
    for name in TITLES if _all_fit(width) else ():
        end = at + cell_len(TITLES[name]) + 2
        if at <= x < end:
            return name
        at = end + 1
    return view


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of a view's columns, 0 for none: its bar, how often, the sign of the fix, and the last column."""

    bar: int
    count: int
    sign: int
    aside: int

    @classmethod
    def fitting(cls, width: int, count: int, *, signs: bool, aside: int) -> Columns:
        room = min(_BAR, max(0, width - _NUMBER - count - 6 - _LEAST) // 2)
        return cls(room, count, 2 if signs else 0, min(_ASIDE, aside) if width >= _WIDE else 0)


def draw_heads(view: View, columns: Columns, width: int, signs: Signs) -> Content:
    value, count, name, aside = HEADS[view]
    lead = f" {value:>{_NUMBER}} {'':{columns.bar}} {count:>{columns.count}} {'':{columns.sign}}"
    return Content.assemble((f"{lead}{_with_aside(name, aside, columns, width - cell_len(lead), signs)}", "$cb-dim"))


def draw_row(
    value: float,
    most: float,
    count: str,
    name: str,
    status: str | None,
    aside: str,
    columns: Columns,
    width: int,
    signs: Signs,
    *,
    unit: str,
    chosen: bool = False,
    tall: int = 1,
) -> Content:
    """A row: what it cost, as a number and a bar (`UNKNOWN` has none), how often, its status, the line that names it,
    and what is aside.

    `tall`: its lines, 1 or 2; in two the name continues on the second.
    """
    drawn = bar(value / most if most > 0 else 0.0, columns.bar, signs) if value > 0 else " " * columns.bar
    number = minutes_text(value) if unit == MINUTES else "-" if value == UNKNOWN else f"{value:,.0f}{unit}"
    mark = signs.status(status) if status is not None and columns.sign else None
    lead = (
        (signs.bar if chosen else " ", "$cb-accent"),
        (f"{inline(number, _NUMBER):>{_NUMBER}} ", "$cb-text"),
        (f"{drawn} ", "$cb-accent"),
        (f"{inline(count, columns.count):>{columns.count}} ", "$cb-soft"),
        (f"{mark.sign} " if mark is not None else " " * columns.sign, mark.tone if mark is not None else ""),
    )
    before = sum(cell_len(text) for text, _ in lead)
    tone = "$cb-text bold" if chosen else "$cb-text"
    first, rest = (name, "") if tall == 1 else _halves(name, _name_cells(columns, width - before))
    label = _with_aside(first or "(no name)", "", columns, width - before, signs)
    below: list[tuple[str, str]] = []
    if tall > 1:
        second = inline(rest, _name_cells(columns, width - before), more=signs.more)
        below = [("\n", ""), lead[0], (f"{'':{before - 1}}{second}", tone)]
    return Content.assemble(
        *lead,
        (label, tone),
        (inline(aside, columns.aside, more=signs.more) if columns.aside else "", "$cb-dim"),
        *below,
    )


def name_cells(columns: Columns, width: int) -> int:
    """The cells that a row of `width` cells has for its name."""
    return _name_cells(columns, width - _NUMBER - columns.bar - columns.count - columns.sign - 4)


def _name_cells(columns: Columns, room: int) -> int:
    return max(1, room - columns.aside - 3 if columns.aside else room)


def _halves(name: str, cells: int) -> tuple[str, str]:
    """A name as it fits in so many cells, and the rest of it."""
    flat = inline(name)
    pieces = [*wrap(flat, cells)]
    return (flat, "") if len(pieces) < 2 else (flat[: pieces[0][1]], flat[pieces[1][0] :])


def _with_aside(name: str, aside: str, columns: Columns, room: int, signs: Signs) -> str:
    """A name in the room that the last column leaves, and that column."""
    left = _name_cells(columns, room)
    label = inline(short_line(name, left)[0], left, more=signs.more)
    return f"{pad(label, left)}  {aside}" if columns.aside else label


def minutes_text(minutes: float) -> str:
    """Minutes as precise as they are few: `40 s`, `1.7 min`, `80 min`."""
    if 0 < minutes < 1:
        return f"{max(1, round(60 * minutes))} s"
    return f"{minutes:.1f} min" if 0 < minutes < _FEW else f"{minutes:,.0f} min"


def draw_details(name: str, detail: str, width: int, signs: Signs, *, wide: bool) -> Content:
    """The chosen row whole and in words."""
    parts: list[tuple[str, str]] = []
    if name:
        parts.append((f"{inline(name, 600 if wide else width, more=signs.more)}\n", "bold $cb-text"))
    if detail:
        room = 300 if wide else width
        lines = (inline(line.replace("×", signs.times), room) for line in detail.split("\n"))
        parts.append(("\n".join(lines), "$cb-soft"))
    return Content.assemble(*parts)


def draw_totals(found: Insights, width: int, signs: Signs) -> Content:
    """The sums, and the minutes by week, project and command and the answers by channel as bars."""
    sums = found.totals
    parts = _pairs(
        (
            ("minutes", f"{sums.minutes:,.0f}"),
            ("incidents", f"{sums.incidents:,}"),
            ("failures", f"{sums.failures:,}"),
            ("attempts", f"{sums.attempts:,}"),
            ("answers", f"{sums.answered:,}"),
            ("helped", f"{sums.helped:,}"),
        ),
        max(1, (width + 2) // _PAIR),
    )
    blocks = (
        ("Minutes by week", [(one.week or "no time", one.minutes) for one in found.by_week[:_WEEKS]]),
        (
            "Minutes by project",
            [(one.name or "no project", one.minutes) for one in found.by_project[:_WEEKS] if one.minutes],
        ),
        (
            "Minutes by command",
            [(one.tool or "other", one.minutes) for one in found.by_tool[:_COMMANDS] if one.minutes],
        ),
        ("Answers by channel", [(one.via.replace("_", " "), float(one.told)) for one in found.by_way]),
    )
    for title, rows in blocks:
        if rows:
            parts.append((f"\n{title}\n", "bold $cb-dim"))
            parts += _bars(rows, width, signs)
    return Content.assemble(*parts)


def _pairs(pairs: Sequence[tuple[str, str]], columns: int) -> list[tuple[str, str]]:
    """Totals with their labels, so many a line."""
    parts: list[tuple[str, str]] = []
    for at, (label, number) in enumerate(pairs, 1):
        end = "\n" if at % columns == 0 or at == len(pairs) else "  "
        parts += [(f"{label:<9} ", "$cb-dim"), (f"{number:>6}{end}", "bold $cb-text")]
    return parts


def _bars(rows: Sequence[tuple[str, float]], width: int, signs: Signs) -> list[tuple[str, str]]:
    most = max((value for _, value in rows), default=0.0)
    longest = max(_LABEL, width // 2)
    name = min(longest, max(10, max((cell_len(inline(one, longest)) for one, _ in rows), default=10)))
    room = max(4, width - name - 10)
    parts: list[tuple[str, str]] = []
    digits = 1 if most < _FEW and any(value % 1 for _, value in rows) else 0
    for label, value in rows:
        drawn = bar(value / most, room, signs) if value > 0 else ""
        number = f"{value:,.{digits}f}"
        parts += [
            (pad(inline(label, name, more=signs.more), name), "$cb-text"),
            (f"{'<1' if value and number == '0' else number:>8} ", "$cb-soft"),
            (f"{drawn}\n", "$cb-accent"),
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
    steps = [("{import.begin}", "import agent sessions"), ("{view.reload}", "reload")]
    if readonly:
        steps = [("{view.reload}", "reload")]
    return Notice(
        "No insights yet",
        "casebook counts them during an import." + (" This casebook is read-only." if readonly else ""),
        tuple(steps),
        alone=True,
    )


def no_rows(view: View) -> Notice:
    """A view without rows, though something failed."""
    words = {
        "came_back": ("No recurring errors", "No error recurred after its fix was known."),
        "answers": ("No answers yet", "No hook, search or agent has used a known fix yet."),
        "worked": ("No effects yet", "Verify a fix or accept a rule draft. Later sessions show its effect."),
        "practice": ("No practice yet", "A practice needs two findings of a lint rule or missing program."),
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
        drawn = bar(one.minutes / most if most > 0 else 0.0, room, signs)
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
