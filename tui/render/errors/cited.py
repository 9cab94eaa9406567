"""What a fix cites, one a line: what became of it, where it stands, its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.errors.cases.case import Cited

_TONES = {"attached": "$cb-good", "moved": "$cb-draft", "detached": "$cb-bad"}
_STATUS = 9


def draw_cited(one: Cited, width: int, signs: Signs, *, chosen: bool) -> Content:
    """The state in a word, the place of today, and as much of the quote as there is room for."""
    mark = signs.bar if chosen else " "
    place = inline(one.place or one.uri, max(8, width - _STATUS - 4), more=signs.more)
    parts = [
        (mark, "$cb-accent"), (f"{one.status:<{_STATUS}}", _TONES[one.status]), (f" {place}", "$cb-text"),
    ]  # fmt: skip
    room = width - 1 - _STATUS - 1 - cell_len(place) - 2
    if room >= 8:
        parts.append(("  " + inline(one.quote, room, more=signs.more), "$cb-dim"))
    return Content.assemble(*parts)
