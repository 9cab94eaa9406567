"""A paste as a terminal sends it, between two marks: whatever stands within is text, also an escape.

Textual's own parser takes what follows an escape for keys. In a text that a stranger wrote, coloured output will do,
these would press keys of the workbench, and be missing from what was pasted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual import events
from textual._xterm_parser import XTermParser  # no public door leads to it; a test on a real terminal holds it
from textual.message import Message

_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_ESCAPE: Final = "\ufdd0"
"""Stands for an escape on its way through Textual's parser: no character, so no text has it."""


class PasteParser(XTermParser):
    """Textual's, but a paste is one event, whole."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._inside = False
        self._seen = ""  # the last of what is not pasted: a mark may come in two parts
        self._held = ""  # what may be the beginning of the end

    @property
    def in_paste(self) -> bool:
        """Whether a paste has begun and not ended."""
        return self._inside

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what has come; empty: nothing more will."""
        ready = self._masked(self._held + data) if data else ""
        if data and not ready:
            return
        for event in super().feed(ready):
            pasted = isinstance(event, events.Paste)
            yield events.Paste(event.text.replace(_ESCAPE, "\x1b")) if pasted else event

    def _masked(self, data: str) -> str:
        """The same with a stand-in for every escape within a paste, but for what may still be its end."""
        out: list[str] = []
        self._held = ""
        while data:
            if self._inside:
                text, end, data = data.partition(_END)
                if not end:
                    self._held = _beginning(text)
                    text = text[: len(text) - len(self._held)]
                self._inside = not end
                out.append(text.replace("\x1b", _ESCAPE) + end)
            else:
                before = len(self._seen)
                at = (self._seen + data).find(_BEGIN)
                self._inside = at >= 0
                size = at + len(_BEGIN) - before if at >= 0 else len(data)
                out.append(data[:size])
                self._seen = "" if at >= 0 else (self._seen + data)[1 - len(_BEGIN) :]
                data = data[size:]
        return "".join(out)


def _beginning(text: str) -> str:
    """The longest end of a text with which the mark of the end begins."""
    return next((_END[:size] for size in range(len(_END) - 1, 0, -1) if text.endswith(_END[:size])), "")
