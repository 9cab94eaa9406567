"""How terminal input is read: Esc at once, a paste as one event, alt and a digit as `alt+digit`.

Textual's driver waits 100 ms after ESC for more. A sequence of another key follows at once, so Esc need not wait.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Final, cast

from textual import (
    _ansi_sequences,  # no public door leads to the table; a test on a real terminal holds it
    events,
)
from textual._xterm_parser import XTermParser  # no public door leads to it; a test on a real terminal holds it
from textual.constants import ESCAPE_DELAY
from textual.message import Message


def read_alt_digits() -> None:
    """From now on ESC and a digit is `alt+digit`.

    Textual reads it as what Option and the digit write on a Mac (`™`, `£`): the box would hold a sign where a pane was
    asked for. A Mac's terminal that sends the sign itself still types it.
    """
    table = cast("dict[str, object]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    for digit in "0123456789":
        table.pop(f"\x1b{digit}", None)


_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_ESCAPE: Final = "\ufdd0"
"""Stands for an escape on its way through Textual's parser: no character, so no text has it."""


class PasteParser(XTermParser):
    """Textual's, but a paste is one event, whole: whatever stands between its two marks is text, also an escape.

    Textual's own takes what follows an escape for keys: in a text that a stranger wrote these would press keys of the
    workbench, and be missing from what was pasted.
    """

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


WAIT: Final = ESCAPE_DELAY if "ESCDELAY" in os.environ else 0.03
"""Seconds in which the rest of a key's sequence comes, also from far away; `ESCDELAY` says otherwise, in ms."""


def more_comes() -> bool:
    """Whether something follows at once. Where that cannot be seen, as on Windows, Textual's own wait is kept."""
    if (given := sys.__stdin__) is None:
        return True
    try:
        return bool(select.select([given], [], [], WAIT)[0])
    except (OSError, ValueError):
        return True


class LoneEscape(PasteParser):
    """Pastes whole, and Esc at once."""

    def __init__(self, debug: bool = False, more: Callable[[], bool] = more_comes) -> None:
        super().__init__(debug)
        self._more = more

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what has come; empty: nothing more will."""
        yield from super().feed(data)
        if data.endswith("\x1b") and not self.in_paste and not self._more():
            self._timeout_time = 0.0  # it is over: no public door leads to it; a test holds it
            yield from self.tick()


def lenient_decoder(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """What makes an incremental decoder of `encoding` that replaces an invalid byte by U+FFFD.

    Textual's drivers decode strictly: one invalid byte (a Latin-1 paste, a raw C1 sign, line noise) ends their input.
    """
    return partial(codecs.getincrementaldecoder(encoding), "replace")


def read_input_so() -> None:
    """From now on Textual's drivers parse with it, and replace invalid bytes. The names used here are Textual's own."""
    if sys.platform == "win32":  # its console gives characters
        vars(import_module("textual.drivers.win32"))["XTermParser"] = LoneEscape
        return
    for driver in ("linux_driver", "linux_inline_driver"):
        own = vars(import_module(f"textual.drivers.{driver}"))
        assert {"XTermParser", "getincrementaldecoder"} <= own.keys()
        own |= {"XTermParser": LoneEscape, "getincrementaldecoder": lenient_decoder}
