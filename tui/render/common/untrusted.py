"""Foreign text on its way to the screen: made inert, cut to size. Nothing else may draw it."""

from __future__ import annotations

from rich.cells import cell_len

from core.text import visible

ROW_CELLS = 1_000
"""The most cells of one list row."""

BLOCK = 65_536
"""The most code points of one wrapped text; more is one key away."""

_TITLE = 200


def inline(text: str, cells: int = ROW_CELLS, *, more: str = "…") -> str:
    """One line of at most `cells` cells, inert; line ends and tabs become blanks, a cut is marked by `more`."""
    cells = min(cells, ROW_CELLS)
    # A cell holds at most a few code points of honest text, so the rest need not be looked at.
    head = text[: cells * 4 + 8]
    flat = visible(head).replace("\n", " ").replace("\t", " ")
    if len(head) == len(text) and cell_len(flat) <= cells:
        return flat
    return cut(flat, max(0, cells - cell_len(more))) + more if cells > 0 else ""


def title(text: str) -> str:
    """A foreign name for a border, a toast or a header: short, one line, inert."""
    return inline(text, _TITLE)


def block(text: str, limit: int = BLOCK) -> tuple[str, int]:
    """Text of several lines, inert, at most `limit` code points, and how many were left out."""
    head = text[:limit]
    return visible(head).expandtabs(4), len(text) - len(head)


def cut(text: str, cells: int) -> str:
    """The longest beginning of inert one-line `text` that fits into `cells` cells."""
    if cell_len(text) <= cells:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if cell_len(text[:middle]) <= cells:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def pad(text: str, cells: int) -> str:
    """`text` filled with blanks to `cells` cells."""
    return text + " " * (cells - cell_len(text))
