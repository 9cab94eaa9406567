"""Filters in words: the chips in the list's title, the lines of the menu, what it says when nothing passes."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad

_CHIP = 24
_KIND, _VALUE, _COUNT = 8, 30, 8
KIND_NAMES = {"status": "status", "period": "seen", "tool": "tool", "project": "project", "tag": "tag"}


def draw_title(name: str, picked: Sequence[tuple[str, str]], signs: Signs) -> Content:
    """The list's title, and a chip for each filter that is on."""
    parts: list[tuple[str, str] | str] = [name]
    for kind, value in picked:
        parts += [" ", (f" {_chip(kind, value, signs)} ", "$cb-text on $cb-cursor")]
    return Content.assemble(*parts)


def _chip(kind: str, value: str, signs: Signs) -> str:
    if kind == "status":
        return f"{signs.status(value).sign} {value}"
    if kind == "period":
        return "today" if value == "today" else f"last {value}"
    return f"{KIND_NAMES[kind]} {shown_value(kind, value, _CHIP, signs)}"


def shown_value(kind: str, value: str, cells: int, signs: Signs) -> str:
    """A value as it is shown; the end of a project's path tells more than its beginning."""
    if not value:
        return "(none)"
    flat = inline(value)
    if kind == "project" and len(flat) > cells:
        from rich.cells import cell_len

        while cell_len(flat) > cells - len(signs.more):
            flat = flat[1:]
        return signs.more + flat
    return inline(value, cells, more=signs.more)


def draw_choice(kind: str, value: str, cases: int | None, signs: Signs, *, on: bool, complete: bool) -> Content:
    """A line of the menu: whether it is on, the kind, the value, how many cases it would show."""
    count = "" if cases is None else f"{cases:,}{'' if complete else '+'}"
    mark = signs.outcomes["hit"]
    return Content.assemble(
        (f"{mark.sign if on else ' '} ", mark.tone),
        (pad(KIND_NAMES[kind], _KIND), "$cb-dim"),
        (pad(shown_value(kind, value, _VALUE, signs), _VALUE), "$cb-text bold" if on else "$cb-text"),
        (count.rjust(_COUNT), "$cb-dim" if cases else "$cb-faint"),
    )


def none_pass(picked: Sequence[tuple[str, str]], every: int, signs: Signs) -> Notice:
    """The filters let nothing pass."""
    named = ", ".join(_chip(kind, value, signs) for kind, value in picked)
    hidden = "The only case is hidden" if every == 1 else f"All {every:,} cases are hidden"
    return Notice(
        "No case passes the filter",
        f"{hidden} by: {named}.",
        (("{list.unfilter}", "shows them all"), ("{list.filter}", "changes the filter")),
    )
