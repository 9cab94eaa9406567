"""What a person can do in a text shown whole."""

from __future__ import annotations

from tui.actions.action import Action

_READ = "In a text"


def _act(name: str, told: str, keys: tuple[str, ...], label: str, weight: int) -> Action:
    return Action(f"whole.{name}", told, keys, "whole", _READ, label, weight, palette=False)


WHOLE: tuple[Action, ...] = (
    _act("left", "Scroll to the left", ("h", "left"), "left", 5),
    _act("right", "Scroll to the right", ("l", "right"), "right", 6),
    _act("find", "Look for words in a text shown whole", ("slash",), "find", 2),
    _act("next", "The next place with these words", ("n",), "next", 3),
    _act("previous", "The place before with these words", ("N",), "", 0),
    _act("wrap", "Break long lines, or scroll to their ends", ("w",), "wrap", 4),
    _act("back", "Back from a text shown whole", ("escape", "q", "a"), "back", 1),
)
