"""A line that is longer than its room, drawn together so that every word that is lit in it can be seen."""

from __future__ import annotations

from rich.cells import cell_len

from tui.render.common.highlight import Spans
from tui.render.common.untrusted import cut, inline


def in_sight(text: str, lit: Spans, room: int, more: str) -> tuple[str, Spans]:
    """The text, inert, and where its lit words stand: what lies between them is shortened where one of them would be
    beyond `room` cells. A word that is lit several times is seen once."""
    text = inline(text, more=more)
    first = {text[start:end].casefold(): (start, end) for start, end in reversed(lit) if end <= len(text)}
    seen = sorted(first.values())
    if not seen or cell_len(text[: seen[-1][1]]) < room:
        return text, lit
    words = sum(cell_len(text[start:end]) for start, end in seen)
    share = max(0, (room - words - len(more)) // len(seen) - len(more))
    said, kept, at = "", list[tuple[int, int, int]](), 0  # what is kept: from, to, how far it has moved
    for start, end in seen:
        between = text[at:start]
        head, tail = cut(between, share * 2 // 3), cut(between[::-1], share // 3)[::-1]
        if len(head) + len(tail) + len(more) < len(between):
            kept.append((at, at + len(head), len(said) - at))
            said += head + more
            at = start - len(tail)
        kept.append((at, end, len(said) - at))
        said += text[at:end]
        at = end
    kept.append((at, len(text), len(said) - at))
    spans = ((start + by, end + by) for start, end in lit for a, z, by in kept if a <= start and end <= z)
    return said + text[at:], tuple(spans)
