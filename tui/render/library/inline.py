"""The marks inside a paragraph of Markdown, drawn: code, bold, slanted, links, pictures. Nothing of them acts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text import visible

LONGEST = 4_000
"""Code points of one line that are shown."""
_MARKS = re.compile(
    r"`(?P<code>[^`]{1,400})`"
    r"|\*\*(?P<bold>[^*]{1,400})\*\*|__(?P<bold2>[^_]{1,400})__"
    r"|(?<![\w*])\*(?P<slant>[^*\s][^*]{0,400})\*(?![\w*])|(?<![\w_])_(?P<slant2>[^_\s][^_]{0,400})_(?![\w_])"
    r"|~~(?P<struck>[^~]{1,400})~~"
    r"|!\[(?P<alt>[^\]]{0,300})\]\((?P<src>[^()\s]{1,600})[^()]{0,200}\)"
    r"|\[(?P<link>[^\[\]]{1,400})\]\((?P<url>[^()\s]{0,600})[^()]{0,200}\)"
    r"|<!--(?P<comment>.{0,2000}?)-->"
    r"|<(?P<auto>https?://[^<>\s]{1,600})>"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
)
_TONES = {
    "code": "$cb-text on $cb-sunk", "bold": "bold $cb-text", "bold2": "bold $cb-text", "slant": "italic $cb-text",
    "slant2": "italic $cb-text", "struck": "strike $cb-dim", "link": "underline $cb-text", "auto": "underline $cb-dim",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one tone; `at` is where in the source it begins."""

    at: int
    text: str
    tone: str


def runs(text: str, tone: str) -> list[Run]:
    """Inert `text` in runs, its marks drawn; those not closed stay as they are, and no word but a comment's is lost."""
    found: list[Run] = []
    at = 0
    for mark in _MARKS.finditer(text):
        if mark.start() > at:
            found.append(Run(at, text[at : mark.start()], tone))
        found += _drawn(mark, tone)
        at = mark.end()
    if at < len(text):
        found.append(Run(at, text[at:], tone))
    return found


def _drawn(mark: re.Match[str], tone: str) -> list[Run]:
    kind = mark.lastgroup or ""
    if kind == "comment":
        return []
    if kind == "src":
        return [Run(mark.start(), f"[{mark['alt'] or 'picture'}]", "italic $cb-dim"),
                Run(mark.start("src"), f" {mark['src']}", "$cb-faint")]  # fmt: skip
    if kind == "url":
        label, url, at = mark["link"], mark["url"], mark.start("url")
        kept = [Run(mark.start("link"), label, _TONES["link"])]
        if not url or url.startswith("#") or url.removeprefix("./") == label.strip("`"):
            return kept
        return [*kept, Run(at - 2, " (", "$cb-faint"), Run(at, url, "$cb-faint"), Run(at + len(url), ")", "$cb-faint")]
    return [Run(mark.start(kind), mark[kind], _TONES.get(kind, tone))]


def as_shown(raw: str) -> str:
    """As much of a line as is shown, inert."""
    return visible(raw[:LONGEST]).expandtabs(4)
