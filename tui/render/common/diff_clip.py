"""Lines that begin alike and are longer than their room: each is drawn from shortly before where they part."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from tui.render.common.untrusted import inline


def told_apart(line: str, others: Iterable[str], room: int, more: str) -> str:
    """The line, or its part that tells it from those of `others` that would be drawn just as it is."""
    seen = inline(line, room, more=more)
    if not seen.endswith(more):
        return line
    near = (one for one in others if one != line and one[:8] == line[:8])
    alike = [one for one in near if inline(one, room, more=more) == seen]
    if not alike:
        return line
    parts = min(sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(line, one, strict=False))) for one in alike)
    return more + line[max(0, parts - room // 4) :]
