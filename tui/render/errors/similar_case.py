"""A similar case in one line: how alike, whether it is solved, its key line, the words that both have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad

if TYPE_CHECKING:
    from core.errors.retrieval.cases_like import CaseLike

_SHARED_FROM = 60
_SHARED = 28


def draw_like(like: CaseLike, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """The line in exactly `width` cells; what both say goes first where there is little room."""
    status = signs.status(like.row.status)
    head = [(signs.bar if chosen else " ", "$cb-accent"), (f"{like.similarity:.2f} ", "$cb-dim")]
    head.append((f"{status.sign} ", status.tone))
    room = max(0, width - sum(cell_len(text) for text, _ in head))
    tail = ""
    if width >= _SHARED_FROM and like.shared:
        tail = "  " + pad(inline(" ".join(like.shared), _SHARED, more=signs.more), _SHARED)
        room -= cell_len(tail)
    line = pad(inline(like.row.key_line, room, more=signs.more), room)
    return Content.assemble(*head, (line, "$cb-text bold" if chosen else "$cb-text"), (tail, "$cb-faint"))
