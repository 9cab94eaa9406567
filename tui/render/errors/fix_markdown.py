"""A little Markdown for fixes: headings, bullets, bold, code, diffs. What is copied is the text as it was written."""

from __future__ import annotations

import re

from textual.content import Content

_INLINE = re.compile(r"`(?P<code>[^`\n]{1,300})`|\*\*(?P<bold>[^*\n]{1,300})\*\*")
_BULLET = re.compile(r"(?P<indent>\s{0,8})(?P<sign>[-*+]|\d{1,3}[.)])(?P<space>\s)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<title>.*)")
_DIFF = {"+": "$cb-good", "-": "$cb-bad", "@": "$cb-dim"}

Parts = list[tuple[str, str]]


def draw_marked(text: str) -> Content:
    """Inert `text` with its Markdown drawn. Marks that are not closed stay as they are; no word is lost."""
    parts: Parts = []
    fence: str | None = None
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fence = line.strip().removeprefix("```").strip() if fence is None else None
            continue
        if fence is not None:
            tone = _DIFF.get(line[:1], "$cb-soft") if fence == "diff" else "$cb-accent"
            parts.append(("  " + line, tone))
        else:
            parts += _prose(line)
        parts.append(("\n", ""))
    return Content.assemble(*parts).rstrip()


def _prose(line: str) -> Parts:
    """One line outside of code."""
    if heading := _HEADING.fullmatch(line):
        return [(heading["title"], "bold $cb-text")]
    tone, start, parts = "$cb-text", 0, Parts()
    if line.startswith(">"):
        tone = "$cb-soft"
    elif bullet := _BULLET.match(line):
        parts.append((bullet[0], "$cb-accent"))
        start = bullet.end()
    for mark in _INLINE.finditer(line, start):
        parts.append((line[start : mark.start()], tone))
        code = mark["code"]
        parts.append((code, "$cb-accent") if code is not None else (mark["bold"], f"bold {tone}"))
        start = mark.end()
    parts.append((line[start:], tone))
    return parts
