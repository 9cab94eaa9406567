"""The lesson of a fix as a card: a label and its lines, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from tui.render.common.untrusted import block

if TYPE_CHECKING:
    from core.errors.lessons.lesson import Lesson

_WIDTH: Final = 12
_SHOWN: Final = 2_000
"""Code points of one field that are shown."""
_TONES: Final = {"Do": "bold $cb-text", "Not": "$cb-bad", "Workaround": "$cb-draft", "Recheck": "$cb-draft"}
_DIFF: Final = {"+": "$cb-good", "-": "$cb-bad"}


def draw_lesson(lesson: Lesson) -> Content:
    """When, Do, Not, Check, Because, Scope: what is known of it."""
    from core.errors.lessons.text import card

    parts: list[tuple[str, str]] = []
    for label, text in card(lesson):
        shown, _ = block(text, _SHOWN)
        for at, line in enumerate(shown.split("\n")):
            edit = label == "Do" and lesson.do.kind == "hunk" and line[:2] in ("+ ", "- ")
            tone = _DIFF[line[0]] if edit else _TONES.get(label, "$cb-soft")
            parts += [(f"{'' if at else label:<{_WIDTH}}", "$cb-faint"), (f"{line}\n", tone)]
    return Content.assemble(*parts).rstrip()
