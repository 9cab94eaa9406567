"""An output inside an output: what a message that only announces it (`make check failed: exit=2`, `logs:`) holds."""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import Found, Part
from core.errors.identity.keylines.generic import is_hollow
from core.errors.identity.keylines.lines import Line, Page, page

_MOST = 400
_GUTTER = lazy_pattern(r"E(?=\s|\Z)")
_HEADING = lazy_pattern(r".*:\s*\Z")


class Nested(NamedTuple):
    """The lines below a message as a page of their own. `numbers` and `cut`: of each line, where it stands outside and
    how many code points it lost in front."""

    page: Page
    numbers: tuple[int, ...]
    cut: tuple[int, ...]

    def outside(self, found: Found, weight: int) -> Found:
        """What was found inside, in places of the outer page."""
        return Found(weight, tuple(self._outside(part) for part in found.parts))

    def _outside(self, part: Part) -> Part:
        cut = self.cut[part.number]
        return Part(self.numbers[part.number], part.start + cut, part.end + cut)


def nested_below(outer: Page, found: Found) -> Nested | None:
    """The output that a message announces and that is indented below it; None where it says something itself."""
    last = found.parts[-1]
    text = outer.text(last.number)
    said = text[last.start : last.end]
    if not (_HEADING.match(said) or is_hollow(said)):
        return None
    gutter = 1 if _GUTTER.match(text) else 0
    below = outer.lines[last.number + 1 : last.number + 1 + _MOST]
    if gutter:
        inside = list(takewhile(lambda line: _GUTTER.match(line.text) is not None, below))
        depth = 0
    else:
        depth = outer.lines[last.number].indent
        inside = list(takewhile(lambda line: not line.text.strip() or line.indent > depth, below))
    filled = [_indent(line, gutter) for line in inside if line.text[gutter:].strip()]
    if not filled:
        return None
    margin = min(filled) + gutter
    head = said.find(": ") + 2 + last.start if ": " in said else last.end
    lines = [(outer.lines[last.number], head, last.number)] if head < last.end else []
    lines += [(line, min(margin, len(line.text)), last.number + 1 + at) for at, line in enumerate(inside)]
    return Nested(
        page([Line(line.text[cut:], line.at + cut, line.chunk) for line, cut, _ in lines]),
        tuple(number for _, _, number in lines),
        tuple(cut for _, cut, _ in lines),
    )


def _indent(line: Line, gutter: int) -> int:
    text = line.text[gutter:]
    return len(text) - len(text.lstrip())
