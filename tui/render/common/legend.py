"""The legend: what the signs mean, all of them or those that a person asks about by sign or by meaning."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from tui.render.common.glyphs import Mark, Signs
from tui.render.library.rows import found_marks
from tui.render.rules.rows import label_marks, standing_marks


def legend(signs: Signs, text: str = "") -> tuple[tuple[str, tuple[Mark, ...]], ...]:
    """The signs by what they tell of; with a `text` those that are this sign, or whose meaning has all its words."""
    parts = (
        ("how a case matched", signs.tiers.values()),
        ("the fix of a case", signs.statuses.values()),
        ("a quote", signs.quotes.values()),
        ("a rule", standing_marks(signs)),
        ("what was said of a rule", label_marks(signs)),
        ("how a passage was found", found_marks(signs)),
        ("a step of the trace", signs.outcomes.values()),
    )
    words = text.casefold().split()
    found = ((heading, _asked(heading, marks, words)) for heading, marks in parts)
    return tuple((heading, marks) for heading, marks in found if marks)


def _asked(heading: str, marks: Iterable[Mark], words: list[str]) -> tuple[Mark, ...]:
    return tuple(mark for mark in marks if all(_tells(heading, mark, word) for word in words))


def _tells(heading: str, mark: Mark, word: str) -> bool:
    return word == mark.sign.casefold() or (len(word) > 1 and word in f"{mark.words} {heading} signs".casefold())


def draw_legend(found: Iterable[tuple[str, tuple[Mark, ...]]]) -> Content:
    """The signs under what they tell of; blank where there are none."""
    parts: list[tuple[str, str]] = []
    for heading, marks in found:
        parts.append((f"  {heading}\n", "$cb-dim"))
        for mark in marks:
            parts += [(f"    {mark.sign}  ", f"bold {mark.tone}"), (f"{mark.words}\n", "$cb-soft")]
    return Content.assemble(("Signs\n", "bold $cb-accent"), *parts) if parts else Content("")
