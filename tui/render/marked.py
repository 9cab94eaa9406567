"""Markdown made readable where it stands: every character stays, headings, bullets and code are lit."""

from __future__ import annotations

import re

from textual.content import Content, Span

_CODE = re.compile(r"`[^`\n]{1,300}`")
_BULLET = re.compile(r"\s{0,8}(?:[-*+]|\d{1,3}[.)])\s")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")


def draw_marked(text: str) -> Content:
    """Inert `text` with spans over its Markdown; the characters are the text's own, so offsets hold."""
    spans: list[Span] = []
    at, fenced = 0, False
    for line in text.split("\n"):
        end = at + len(line)
        if line.lstrip().startswith("```"):
            fenced = not fenced
            spans.append(Span(at, end, "$cb-faint"))
        elif fenced:
            spans.append(Span(at, end, "$cb-accent"))
        elif _HEADING.match(line):
            spans.append(Span(at, end, "bold $cb-text"))
        else:
            if bullet := _BULLET.match(line):
                spans.append(Span(at, at + bullet.end(), "$cb-accent"))
            spans += [Span(at + code.start(), at + code.end(), "$cb-accent") for code in _CODE.finditer(line)]
        at = end + 1
    return Content(text, spans)
