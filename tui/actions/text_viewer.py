"""What a person can do in a text shown whole, and in a session."""

from __future__ import annotations

from tui.actions.action import Action

_READ = "In a text"
SESSION = "In a session"


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

SESSION_ACTIONS: tuple[Action, ...] = (
    Action("session.next_mark", "Next error or fix", ("n",), "session", SESSION, "next mark", 2, palette=False),
    Action("session.previous_mark", "Previous error or fix", ("p",), "session", SESSION, "previous", 3, palette=False),
    Action("session.next", "Next message", ("J", "right_square_bracket"), "session", SESSION, palette=False),
    Action("session.previous", "Previous message", ("K", "left_square_bracket"), "session", SESSION, palette=False),
    Action("session.whole", "Show the message whole", ("enter", "a"), "session", SESSION, "whole", 4, palette=False),
    Action("session.copy", "Copy the message", ("y",), "session", SESSION, "copy", 5, palette=False),
    Action("session.why", "Show or hide why: the verdict", ("t",), "session", SESSION, "why", 6, palette=False),
    Action("session.strip", "Show the session as a strip", ("s",), "session", SESSION, "strip", 7, palette=False),
    Action("session.back", "Back to the pane", ("escape", "q", "o"), "session", SESSION, "back", 1, palette=False),
)
