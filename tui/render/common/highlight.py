"""Light on the parts of a key line that matched: in the tone of the tier that says so, and underlined."""

from __future__ import annotations

from textual.content import Content

from tui.render.common.glyphs import Signs

Spans = tuple[tuple[int, int], ...]
"""Half-open ranges of code points, ordered and apart, as `core.errors.matched_spans` gives them."""


def tone_of(tier: str | None, signs: Signs) -> str:
    """The tone of what a tier lit. Words found by browsing have a quiet sign, but must be seen in their line."""
    return "$cb-accent" if tier == "text" else signs.tier(tier).tone


def light(content: Content, spans: Spans, tone: str, size: int) -> Content:
    """`content`, the beginning of a line of `size` code points, with `spans` lit; what was cut off is left out.

    A line that matched as a whole is only toned: its sign says `same case`, and underlining all of it says nothing.
    """
    length = len(content.plain)
    style = f"bold {tone}" if spans == ((0, size),) else f"bold underline {tone}"
    for start, end in spans:
        if start < length:
            content = content.stylize(style, start, min(end, length))
    return content
