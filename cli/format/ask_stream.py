"""An answer on the terminal as it is said, and taken away again where it proves to have been thought aloud."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from cli.format.layout import width

if TYPE_CHECKING:
    from core.library.ask.answer import AnswerEvent

_TAB: Final = 8


class Spoken:
    """Tokens on the terminal as they come, inert. What may be the word of refusal is held back until it is known."""

    def __init__(self) -> None:
        self._held, self._shown, self._begun = "", "", False

    def hear(self, event: AnswerEvent) -> None:
        """Show a token at once."""
        if event.kind != "token" or event.text is None:
            return
        from core.library.ask.prompt import may_refuse
        from core.text import visible

        if event.anew:
            self._take_back()
        self._held += event.text
        if not self._held or (not self._shown and may_refuse(self._held)):
            return
        text, self._held = visible(self._held), ""
        sys.stdout.write(text if self._begun else f"\n{text}")
        sys.stdout.flush()
        self._shown, self._begun = self._shown + text, True

    def end(self) -> bool:
        """End the line; whether anything was said."""
        if self._shown:
            sys.stdout.write("\n")
        return self._shown != ""

    def _take_back(self) -> None:
        """Wipe what stands there. What has scrolled off, or a terminal that wipes nothing, keeps it, and says so."""
        shown, self._shown, self._held = self._shown, "", ""
        if not shown:
            return
        columns, lines = _size()
        up = rows(shown, columns) - 1
        wipes = os.environ.get("TERM") != "dumb"
        if wipes:
            sys.stdout.write("\r" + (f"\x1b[{min(up, lines - 1)}A" if up else "") + "\x1b[J")
        if not wipes or up >= lines:
            sys.stdout.write(("" if wipes else "\n") + "(So far it thought aloud.)\n\n")
        sys.stdout.flush()


def rows(text: str, columns: int) -> int:
    """The rows a text takes on a terminal that is so wide."""
    count = 1
    at = 0
    for sign in text:
        if sign == "\n":
            count, at = count + 1, 0
            continue
        cells = _TAB - at % _TAB if sign == "\t" else width(sign)
        if sign == "\t":
            at = min(at + cells, columns - 1)  # a tab stays in its row
        elif at + cells > columns:
            count, at = count + 1, cells
        else:
            at += cells
    return count


def _size() -> tuple[int, int]:
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return 80, 24
    return max(1, found.columns), max(1, found.lines)
