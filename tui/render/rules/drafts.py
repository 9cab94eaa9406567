"""Draft rules as rows and in detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import block, inline, pad

if TYPE_CHECKING:
    from core.flows.corrections.drafts import RuleDraft

_CALL = 24
_WIDE = 60
"""Cells from which a row has room for the declined call."""


def draw_draft_row(draft: RuleDraft, width: int, signs: Signs, *, chosen: bool) -> Content:
    """One draft: in how many sessions it was said, the rule, the call that was declined."""
    mark = signs.bar if chosen else " "
    times = pad(inline(f"{max(1, len(draft.said_in))}x", 4), 4)
    call = inline(f"{draft.tool} {draft.call}", _CALL, more=signs.more) if width >= _WIDE else ""
    room = max(1, width - 8 - (_CALL + 2 if call else 0))
    said = pad(inline(draft.rule, room, more=signs.more), room)
    tone = "$cb-text"
    return Content.assemble((f"{mark} ", "$cb-accent"), (times, "$cb-dim"), (said, tone), (f"  {call}", "$cb-dim"))


def draw_draft(draft: RuleDraft) -> Content:
    """One draft whole: the rule, the quote it rests on, the call, where it was said."""
    quote, _ = block(draft.quote)
    call, _ = block(draft.call, 2_000)
    sessions = len(draft.said_in)
    where = f"message {draft.message_index} of session {inline(draft.session)}"
    others = f", and in {sessions - 1} more" if sessions > 1 else ""
    parts = [
        (inline(draft.rule), "$cb-text"), "\n\n", ("Said ", "$cb-dim"), (f"“{quote}”", "$cb-text"), "\n\n",
        ("Declined ", "$cb-dim"), (f"{inline(draft.tool)} ", "$cb-text"), (call, "$cb-text"), "\n\n",
        (f"{inline(draft.why)}; {inline(draft.repository)}\n{where}{others}", "$cb-dim"),
    ]  # fmt: skip
    return Content.assemble(*parts)
