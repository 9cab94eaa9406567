"""The help as text: keys, titles, why an action is not possible now; and what the signs mean."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from tui.actions import Action, Situation
from tui.keys import key_name
from tui.render.signs import Mark, Signs

_KEYS = 16


def draw_help(actions: Sequence[Action], now: Situation, signs: Signs) -> Content:
    """The actions by group. One that is not possible now is dim and says why."""
    if not actions:
        return Content.assemble(("No action has these words, and no key is called so.", "$cb-dim"))
    parts: list[tuple[str, str]] = []
    for group in dict.fromkeys(action.group for action in actions):
        parts.append((f"{group}\n", "bold $cb-accent"))
        for action in actions:
            if action.group == group:
                parts += _line(action, now, signs)
        parts.append(("\n", ""))
    return Content.assemble(*parts)


def _line(action: Action, now: Situation, signs: Signs) -> list[tuple[str, str]]:
    held = signs.keys.of(action.id, action.keys)
    keys = " ".join(key_name(key, ascii_only=signs.plain) for key in held) or "no key"
    why_not = signs.told(action.enabled(now))
    line = [
        ("  " + keys + " " * max(1, _KEYS - cell_len(keys)), "bold $cb-text" if not why_not else "$cb-dim"),
        (action.title, "$cb-soft" if not why_not else "$cb-dim"),
    ]
    return [*line, (f"  ({why_not})" if why_not else "", "$cb-faint"), ("\n", "")]


def draw_signs(signs: Signs) -> Content:
    """What the signs in the list mean."""
    parts: list[tuple[str, str]] = [("Signs\n", "bold $cb-accent")]
    for heading, marks in (("how it matched", signs.tiers), ("the fix", signs.statuses)):
        parts.append((f"  {heading}\n", "$cb-dim"))
        for mark in marks.values():
            parts += _mark(mark)
    return Content.assemble(*parts)


def _mark(mark: Mark) -> list[tuple[str, str]]:
    return [(f"    {mark.sign}  ", f"bold {mark.tone}"), (f"{mark.words}\n", "$cb-soft")]
