"""How terminal input is read, and in which order it is handled.

Esc at once, a paste as one event, alt and a digit as `alt+digit`. Textual's driver waits 100 ms after ESC for more. A
sequence of another key follows at once, so Esc need not wait.

What a key opens has the focus before the next key is read. Textual hands a key from widget to widget before its action
is done, and a box gets the focus later still. Keys that come in one piece, as a slow line delivers them, would all go
to what had the focus before the first. So a message goes the same way behind each key, until it finds everything as it
was; what comes meanwhile waits for it. What is typed into a box opens nothing: nothing is sent behind it, and nothing
waits. What a key opens may have to be found first: then the keys behind it wait for that, too, but not for long, and
never one that gives up.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final, cast

from textual import (
    _ansi_sequences,  # Textual has no public API for the table; a test on a real terminal holds it
    events,
)
from textual._xterm_parser import XTermParser  # Textual has no public API for it; a test on a real terminal holds it
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.constants import ESCAPE_DELAY
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget


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
    """Textual's parser, but a paste is one event: all text between its two marks is literal, also an escape.

    Textual's own takes what follows an escape for keys: in a text that a stranger wrote these would press keys of the
    workbench, and be missing from what was pasted.

    A terminal marks a paste only after the app has enabled it. Lines that wait when the first input is read were pasted
    before: they are a paste too, or their letters would press keys.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._inside = False
        self._seen = ""  # the last of what is not pasted: a mark may come in two parts
        self._held = ""  # what may be the beginning of the end
        self._first = True  # no text has come yet

    @property
    def in_paste(self) -> bool:
        """Whether a paste has begun and not ended."""
        return self._inside

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what has come; empty: nothing more will."""
        if self._first and "\x1b" not in data and data:  # an answer of the terminal has an escape
            self._first = False
            lines = data.replace("\r", "\n")
            if "\n" in lines.strip("\n"):
                data = _BEGIN + lines + _END
        ready = self._masked(self._held + data) if data else ""
        if data and not ready:
            return
        for event in super().feed(ready):
            pasted = isinstance(event, events.Paste)
            yield events.Paste(event.text.replace(_ESCAPE, "\x1b")) if pasted else event

    def _masked(self, data: str) -> str:
        """Return the same with a replacement for every escape within a paste, except a possible end mark."""
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


def has_more_input() -> bool:
    """Whether something follows at once. Where that cannot be seen, as on Windows, Textual's own wait is kept."""
    if (given := sys.__stdin__) is None:
        return True
    try:
        return bool(select.select([given], [], [], WAIT)[0])
    except (OSError, ValueError):
        return True


class LoneEscape(PasteParser):
    """Pastes whole, and Esc at once."""

    def __init__(self, debug: bool = False, more: Callable[[], bool] = has_more_input) -> None:
        super().__init__(debug)
        self._more = more

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what has come; empty: nothing more will."""
        yield from super().feed(data)
        if data.endswith("\x1b") and not self.in_paste and not self._more():
            self._timeout_time = 0.0  # it is over: Textual has no public API for it; a test holds it
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


_LOST: Final = 1.0
"""Seconds after which a message that has not come back is taken for lost, with a widget that it went through."""
_PATIENCE: Final = 2.0
"""Seconds that keys wait at most for the effect of the key before."""
_GIVES_UP: Final = ("escape", "ctrl+c", "ctrl+q")
"""Keys that wait for no answer; what waited before them is not wanted any more."""


@dataclass
class Behind(Message):
    """Follows a key through all that the key goes through."""

    lap: int


class KeysInOrder(App[None], inherit_bindings=False):
    """An app that reads the next key when the last one has done what it does."""

    AUTO_FOCUS = None  # a screen says itself who has its focus: Textual's choice, the first there is, may be hidden

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self._held: deque[events.Key | events.Paste] = deque()
        self._handed: events.Event | None = None
        self._at: Widget | None = None
        self._lap, self._under_way, self._sure = 0, False, False
        self._awaited: Timer | None = None  # until when keys wait for an effect

    async def on_event(self, event: events.Event) -> None:
        """Hold a key back while another is under way; note when one comes back that no widget took: it acts here."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            if self._awaited is not None and isinstance(event, events.Key) and event.key in _GIVES_UP:
                self._held.clear()
                self.let_keys_go()
                await self._hand_on(event)
            elif self._under_way:
                self._hold(event)
            else:
                await self._hand_on(event)
            return
        await super().on_event(event)
        if event is self._handed:
            self._handed = None
            self._send(sure=True)

    async def _hand_on(self, event: events.Key | events.Paste) -> None:
        at = self._receiver()
        screen = self.screen_stack[-1] if self.screen_stack else None
        typed = isinstance(event, events.Key) and at is not None and at.check_consume_key(event.key, event.character)
        await super().on_event(event)
        if not typed and at is not None:
            self._handed, self._under_way = event, True
            closed = screen not in self.screen_stack  # a screen gives nothing back then
            self._send(sure=False, at=None if closed else at)

    def _hold(self, event: events.Key | events.Paste) -> None:
        if not self._held:
            self.set_timer(_LOST, partial(self._overdue, self._lap))
        self._held.append(event)
        if self._at is None or not self._at.is_attached:
            self._send(sure=False)

    def hold_keys(self) -> None:
        """Keys wait for the effect of the key before, until `let_keys_go`, or the patience is at its end."""
        if self._awaited is not None:
            self._awaited.stop()
        self._under_way = True
        self._awaited = self.set_timer(_PATIENCE, self.let_keys_go)

    def let_keys_go(self) -> None:
        """The effect is there and its target gets the focus, or it is not possible."""
        if self._awaited is not None:
            self._awaited.stop()
            self._awaited = None
            self._send(sure=False)

    def _receiver(self) -> Widget | None:
        """Return the widget that gets the next key; None while the app ends."""
        return (self.focused or self.screen) if self.screen_stack else None

    def _send(self, *, sure: bool, at: Widget | None = None) -> None:
        """Begin a lap. `sure`: nothing that the key has set off is younger than it."""
        self._lap += 1
        self._sure = sure
        self._at = at or self._receiver()
        message = Behind(self._lap)
        if self._at is None or not self._at.post_message(message):
            self.post_message(message)

    async def on_behind(self, message: Behind) -> None:
        """A round is over. The focused widget may have queued more keys: then there is another round."""
        if message.lap != self._lap:
            return
        if not self._sure or self._receiver() is not self._at:
            self._send(sure=True)
        else:
            await self._go_on()

    async def _overdue(self, lap: int) -> None:
        if lap == self._lap and self._under_way and self._awaited is None:
            await self._go_on()
        elif self._held:
            self.set_timer(_LOST, partial(self._overdue, self._lap))

    async def _go_on(self) -> None:
        if self._awaited is not None:
            return
        self._under_way, self._handed = False, None
        while self._held and not self._under_way:
            await self._hand_on(self._held.popleft())

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top; what is on its way there would not come back."""
        popped = super().pop_screen()
        if self._under_way:
            self._send(sure=False)
        return popped
