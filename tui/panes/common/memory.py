"""What a pane remembers, read back: a value of another kind, or one that makes no sense any more, counts as none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from textual.dom import DOMNode

from tui.runtime.state import Memory, Scalar

T = TypeVar("T", bound=str)

_NAME = 500


def text_of(found: Scalar, most: int = _NAME) -> str | None:
    """A text that is not empty and not too long."""
    return found if isinstance(found, str) and 0 < len(found) <= most else None


def number_of(found: Scalar) -> int | None:
    """An integer."""
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def one_of(known: Iterable[T], found: Scalar) -> T | None:
    """One of the values that are known."""
    return next((one for one in known if one == found), None)


def layout_of(part: DOMNode) -> dict[str, Scalar]:
    """Whether a part is zoomed, and whether its trace was asked for or put away."""
    why = "shown" if part.has_class("-why") else "hidden" if part.has_class("-no-why") else None
    return {"zoomed": part.has_class("-zoomed"), "why": why}


def lay_out(part: DOMNode, memory: Memory) -> None:
    """Zoom a part, and show its trace, as it was."""
    part.set_class(memory.get("zoomed") is True, "-zoomed")
    part.set_class(memory.get("why") == "shown", "-why")
    part.set_class(memory.get("why") == "hidden", "-no-why")
