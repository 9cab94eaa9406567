"""The key Esc as soon as it is known to be that key: what begins like it, a sequence of another key, follows at once.

Textual's driver looks a tenth of a second later whether more has come. That is all the time Esc has to stop something.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Final

from textual.constants import ESCAPE_DELAY
from textual.message import Message

from tui.terminal.bracketed_paste import PasteParser

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
