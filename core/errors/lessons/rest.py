"""What the text of a fix says beyond the card of its lesson."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.errors.lessons.lesson import Lesson

_CODE = lazy_pattern(r"(?<!`)(?:`([^`\n]{1,600})`|`` ([^\n]{1,600}?) ``)(?!`)")
_LABEL: Final = "**"
_CUT: Final = "…"


@dataclass(slots=True)
class _Section:
    """A label (`**Run**`) and the lines below it, up to the next label; a text without labels is one a paragraph."""

    lines: list[str] = field(default_factory=list[str])
    said: list[bool] = field(default_factory=list[bool])

    def kept(self) -> Iterator[str]:
        """The lines that stay: bullets that the card has go alone, everything else stays or goes as a whole."""
        if all(self.said):
            return
        for line, said in zip(self.lines, self.said, strict=True):
            if not (said and line.startswith("- ") and not self._is_diff):
                yield line

    @property
    def _is_diff(self) -> bool:
        return any(line.lstrip().startswith("```") for line in self.lines)


def beyond_card(text: str, lesson: Lesson) -> str:
    """The sections of the Markdown `text` of a fix that say something its card does not; empty where none does.

    A line is on the card if what it quotes, or all of it, is a line of the card: labels and marks do not count.
    """
    known = _on_card(lesson)
    kept = ("\n".join(section.kept()).strip("\n") for section in _sections(text, known))
    return "\n\n".join(one for one in kept if one)


def _on_card(lesson: Lesson) -> frozenset[str]:
    do = lesson.do
    fields = (
        lesson.when.error, do.text, do.file, do.instead_of, *lesson.dead_ends, lesson.check, lesson.because or "",
    )  # fmt: skip
    lines = (line for text in fields for line in (text, *text.split("\n")))
    return frozenset(_flat(line) for line in lines)


def _sections(text: str, known: frozenset[str]) -> Iterator[_Section]:
    section, fenced, blank, labelled = _Section(), False, False, False
    for line in text.split("\n"):
        starts = not fenced and (line.startswith(_LABEL) or (blank and not labelled))
        if starts and section.lines:
            yield section
            section, labelled = _Section(), False
        labelled = labelled or (starts and line.startswith(_LABEL))
        blank = not line.strip()
        fence = line.lstrip().startswith("```")
        section.lines.append(line)
        section.said.append(fence or blank or _is_said(line, known, fenced=fenced))
        fenced ^= fence
    if section.lines:
        yield section


def _is_said(line: str, known: frozenset[str], *, fenced: bool) -> bool:
    if fenced:
        return _flat(line) in known
    coded = [_flat(one[1] or one[2]) for one in _CODE.finditer(line)] if line.startswith((_LABEL, "- `")) else []
    if coded:
        return all(_is_known(one, known) for one in coded)
    if line.startswith(_LABEL):  # a label alone says nothing
        return line.count(_LABEL) == 2 and (line.endswith(_LABEL) or line.endswith(")"))
    return _is_known(_flat(line.removeprefix("> ").removeprefix("- ")), known)


def _is_known(said: str, known: frozenset[str]) -> bool:
    """Whether the card has this line; of one that was cut, its beginning."""
    if said.endswith(_CUT) and len(said) > len(_CUT):
        return any(line.startswith(said.removesuffix(_CUT)) for line in known)
    return said in known


def _flat(text: str) -> str:
    return " ".join(text.split())
