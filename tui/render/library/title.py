"""The title of the library's list: what it shows, the mode, a chip for each filter that is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.library.search.hit import Mode, SearchHit, SearchResponse

_MORE = "…"
_CHIP, _KIND, _VALUE, _COUNT = 24, 9, 29, 8
_NONE = "no document"
KIND_NAMES = {
    "tag": "tag", "path": "path", "period": "changed", "lang": "language", "code": "code", "media": "kind",
    "type": "type", "trust": "trust", "source": "root", "repo": "repo", "doc": "document",
}  # fmt: skip
"""How each kind of filter is called."""
MODE_NAMES = {"hybrid": "words and meaning", "lexical": "words", "vector": "meaning"}


def how_found(response: SearchResponse, *, waiting: bool) -> str:
    """By what the hits were found, where that is less than was asked for."""
    if waiting:
        return f"by words; meaning comes {_MORE}"
    fell_back = response.mode == "lexical" and any(step.stage == "vector" for step in response.trace)
    return "by words alone" if fell_back and response.hint else ""


def found_name(hits: Sequence[SearchHit], signs: Signs) -> str:
    """What the hits are: that they are only near in meaning, where none has a word of the query."""
    if hits and all(hit.missing and not hit.words for hit in hits):
        return f"No passage has these words {signs.dot} {len(hits):,} nearest by meaning"
    return "Found"


def draw_list_title(name: str, by: str, mode: Mode, picked: Sequence[tuple[str, str]], signs: Signs) -> Content:
    """The title. `by`: by what the hits were found, where that is to be told; `picked`: the filters that are on."""
    parts: list[tuple[str, str] | str] = [name]
    if by:
        parts.append((f" {by.replace(_MORE, signs.more)}", "$cb-dim"))
    if mode != "hybrid":
        parts += [" ", (f" {MODE_NAMES[mode]} only ", "$cb-text on $cb-cursor")]
    for kind, value in picked:
        parts += [" ", (f" {KIND_NAMES[kind]} {inline(value, _CHIP, more=signs.more)} ", "$cb-text on $cb-cursor")]
    return Content.assemble(*parts)


def draw_filter_value(kind: str, value: str, documents: int | None, signs: Signs, *, on: bool) -> Content:
    """A line of the filter menu: whether it is on, the kind, the value, how many documents have it."""
    mark = signs.outcomes["hit"]
    count = "" if documents is None else f"{documents:,}" if documents else _NONE
    cells = _VALUE + _COUNT - max(_COUNT, len(count))
    return Content.assemble(
        (f"{mark.sign if on else ' '} ", mark.tone),
        (pad(KIND_NAMES[kind], _KIND), "$cb-dim"),
        (pad(inline(value, cells - 1, more=signs.more), cells), "$cb-text bold" if on else "$cb-text"),
        (count.rjust(_COUNT), "$cb-draft" if count == _NONE else "$cb-dim"),
    )
