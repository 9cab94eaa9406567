"""Light on the parts of a key line that matched: in the tone of the tier that says so, and underlined."""

from __future__ import annotations

from textual.content import Content

Spans = tuple[tuple[int, int], ...]
"""Half-open ranges of code points, ordered and apart, as `core.errors.matched_spans` gives them."""


def light(content: Content, spans: Spans, tone: str, at: int = 0) -> Content:
    """`content` with `spans` lit, which count from its position `at`; what was cut off is left out.

    A line that matched as a whole is only toned: its sign says `same case`, and underlining all of it says nothing.
    """
    length = len(content.plain)
    whole = len(spans) == 1 and spans[0][0] == 0 and at + spans[0][1] >= len(content.plain.rstrip())
    style = f"bold {tone}" if whole else f"bold underline {tone}"
    for start, end in spans:
        if at + start < length:
            content = content.stylize(style, at + start, min(at + end, length))
    return content
