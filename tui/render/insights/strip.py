"""A session's strip as content: its marks, the chosen result in words, the programs it went to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from core.flows.insights.bars import bar
from core.flows.insights.marks import marks_in, sign_of
from core.flows.insights.report import PAUSES
from core.flows.insights.views import session_words
from tui.render.common.glyphs import Signs
from tui.render.common.relative_time import stamp
from tui.render.common.untrusted import inline, pad

if TYPE_CHECKING:
    from core.flows.insights.report import SessionStrip, StripMark

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
    parts.append((f"\n{inline(f'Minutes until gone, by command. {PAUSES}', width, more=signs.more)}\n", "bold $cb-dim"))
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
