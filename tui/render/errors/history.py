"""The fixes of a case through time: the one that answers, earlier and rejected ones; who, when, from where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.relative_time import ago, stamp
from tui.render.common.untrusted import block, inline, title

if TYPE_CHECKING:
    from core.errors import Resolution

_SHOWN = 50
_LINE = 160
"""Cells of a fix that is told in short."""
_MARKS = re.compile(r"\*\*|`|^(?:#{1,6}|>|[-*]) ", re.MULTILINE)
"""Markdown's marks: in one line they are noise."""
_TEXT = 4_000
"""Code points of one fix in the history."""


def has_history(resolutions: Sequence[Resolution]) -> bool:
    """Whether there is more to tell than the one fix that answers."""
    return len(resolutions) > 1 or any(not one.current for one in resolutions)


def draw_history(resolutions: Sequence[Resolution], signs: Signs, now: datetime, *, whole: bool = False) -> Content:
    """Every fix, the answering one first, then the newest; empty where there is only that one.

    Each has a line of its status, author, age and source, and below it its text: one line, or with `whole` all of it.
    """
    if not has_history(resolutions):
        return Content("")
    ordered = sorted(resolutions, key=lambda one: (one.current, one.ts, one.id), reverse=True)
    parts: list[tuple[str, str]] = []
    for one in ordered[:_SHOWN]:
        parts += [*_line(one, signs, now), ("\n", "")]
        tone = "$cb-soft" if one.current else "$cb-dim"
        if whole:
            text, left = block(one.text.strip("\n"), _TEXT)
            more = f"\n{signs.more} {left:,} more characters" if left else ""
            parts += [("    " + (text + more).replace("\n", "\n    ") + "\n", tone)]
        else:
            parts += [("    " + inline(_MARKS.sub("", one.text.strip()), _LINE, more=signs.more) + "\n", tone)]
    if len(ordered) > _SHOWN:
        parts.append((f"and {len(ordered) - _SHOWN} more\n", "$cb-dim"))
    return Content.assemble(*parts).rstrip()


def _line(one: Resolution, signs: Signs, now: datetime) -> list[tuple[str, str]]:
    status = signs.status(one.status)
    place = "answers now" if one.current else "" if one.status == "rejected" else "earlier"
    age = ago(one.ts, now)
    told = [place, f"by {title(one.author)}" if one.author else "", f"{stamp(one.ts)}{f' ({age})' if age else ''}"]
    if one.source.session:
        numbers = ", ".join(map(str, one.source.messages[:6])) + (signs.more if one.source.messages[6:] else "")
        told.append(f"{title(one.source.session)}{f' messages {numbers}' if numbers else ''}")
    rest = "".join(f"  {signs.dot}  {part}" for part in told if part)
    return [(f"{status.sign} {status.words}", f"bold {status.tone}"), (rest, "$cb-dim")]
