"""Lines that break where a person expects it: between two facts, and under their own beginning."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.amounts import cells_in
from tui.render.common.glyphs import Signs


def dotted(parts: Sequence[tuple[str, str]], width: int, signs: Signs, indent: str = "") -> Content:
    """Facts and their tones on one line, a dot between two; one that does not fit in `width` cells begins a new line.

    `width` 0: nothing is broken. `indent`: how every line but the first begins.
    """
    dot = (f"  {signs.dot}  ", "$cb-dim")
    lines: list[list[tuple[str, str]]] = []
    room = 0
    for part in parts:
        need = cell_len(dot[0]) + cell_len(part[0])
        if lines and (not width or need <= room):
            lines[-1] += [dot, part]
            room -= need
        else:
            lines.append([(indent, ""), part] if lines else [part])
            room = width - cells_in(lines[-1])
    return Content("\n").join(Content.assemble(*line) for line in lines)


def hanging(content: Content, width: int) -> Content:
    """Break each line that does not fit in `width` cells; the rest continues under its own start.

    A line whose blanks leave it less than half of the width is broken by the widget. `width` 0: nothing is broken.
    """
    if not width:
        return content
    drawn: list[Content] = []
    for line in content.split("\n", allow_blank=True):
        blanks = len(line.plain) - len(line.plain.lstrip(" "))
        if not 0 < blanks <= width // 2 or line.cell_length <= width:
            drawn.append(line)
            continue
        pieces = line[blanks:].wrap(width - blanks)
        drawn += [Content.assemble(" " * blanks, piece) for piece in pieces]
    return Content("\n").join(drawn)
