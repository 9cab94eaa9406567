"""How much of a passage is rows of figures: a table of measurements says little in words, like a file of data."""

from __future__ import annotations

from typing import Final

_BETWEEN: Final = " | "  # the cells of a table, as chunks keep them (`core.library.documents.blocks`)
_FIGURES: Final = 0.5  # of a cell's letters and digits


def figures(text: str) -> float:
    """The share, 0 to 1, of a passage's letters and digits that stand in rows of which most cells but the first are
    figures. A row whose cells are words says something, and counts as prose.
    """
    weights = [(sum(letter.isalnum() for letter in line), _is_row(line)) for line in text.splitlines()]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, row in weights if row) / total if total else 0.0


def _is_row(line: str) -> bool:
    cells = [cell for cell in line.split(_BETWEEN)[1:] if cell.strip()]
    return bool(cells) and sum(map(_is_figure, cells)) * 2 > len(cells)


def _is_figure(cell: str) -> bool:
    said = [letter for letter in cell if letter.isalnum()]
    return bool(said) and sum(letter.isdigit() for letter in said) >= len(said) * _FIGURES
