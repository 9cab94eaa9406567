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


def draw_lesson(lesson: Lesson, width: int = 0) -> Content:
    """When, Do, Not, Check, Because, Scope: what is known of it.

    A line that does not fit in `width` cells goes on under its own beginning; 0: nothing is broken.
    """
    from core.errors.lessons.text import card

    lines: list[Content] = []
    for label, text in card(lesson):
        shown, _ = block(text, _SHOWN)
        drawn = [piece for line in shown.split("\n") for piece in _wrapped(line, _tone(label, line, lesson), width)]
        lines += [
            Content.assemble((f"{'' if at else label:<{_WIDTH}}", "$cb-faint"), line) for at, line in enumerate(drawn)
        ]
    return Content("\n").join(lines)


def _tone(label: str, line: str, lesson: Lesson) -> str:
    edit = label == "Do" and lesson.do.kind == "hunk" and line[:2] in ("+ ", "- ")
    return _DIFF[line[0]] if edit else _TONES.get(label, "$cb-soft")


def _wrapped(line: str, tone: str, width: int) -> list[Content]:
    drawn = Content.styled(line, tone)
    return drawn.wrap(width - _WIDTH) if line and width > _WIDTH else [drawn]
