"""Conversations as they are kept: one in a list, a turn of which only the words are left, turns that are not shown."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.relative_time import ago
from tui.render.common.untrusted import block, inline, pad
from tui.render.library.ask import REFUSED, cited
from tui.render.library.ask_markdown import draw_markdown

if TYPE_CHECKING:
    from core.library.ask.store import SessionRow, TurnRow

_ANSWER = 20_000
_SOURCES = 20
_WHEN, _TURNS = 5, 9


def draw_kept(turn: TurnRow, signs: Signs) -> Content:
    """A turn whose checks cannot be read any more: its words, why it was refused, its sources."""
    shown, left = block(turn.answer, _ANSWER)
    parts = [draw_markdown(shown, signs)]
    if left:
        parts.append(Content.styled(f"{signs.more} {left:,} more characters", "$cb-dim"))
    if not turn.grounded:
        reason = turn.refusal_reason
        why = "Not verified." if reason is None else REFUSED.get(reason, reason)
        parts.insert(0, Content.styled(inline(why, 200), f"bold {signs.quote('waiting').tone}"))
    parts += [cited(uri) for uri in turn.citations[:_SOURCES]]
    return Content("\n").join([*parts, Content.styled("Only its words are kept, not how it was checked.", "$cb-dim")])


def draw_left_out(turns: int, signs: Signs) -> Content:
    """That a conversation has so many turns before those that are shown."""
    told = "one earlier question is" if turns == 1 else f"{turns:,} earlier questions are"
    return Content.styled(f"{signs.more} {told} not shown; casebook library ask sessions show has all", "$cb-dim")


def draw_talk(row: SessionRow, width: int, signs: Signs, now: datetime) -> Content:
    """A conversation in a list: how long ago, how many questions, the first one, its name where a person gave it."""
    count = "1 turn" if row.turns == 1 else f"{row.turns:,} turns"
    before = f"{ago(row.updated_at, now):>{_WHEN}}  {count:>{_TURNS}}  "
    named = "" if row.session_id.startswith("workbench-") else f"{inline(row.session_id, 24)} {signs.dot} "
    room = width - cell_len(before) - cell_len(named)
    return Content.assemble(
        (before, "$cb-dim"), (named, "$cb-accent"), (pad(inline(row.title, max(1, room)), max(0, room)), "$cb-text")
    )
