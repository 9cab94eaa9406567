"""Keys in their order: what a key opens has the focus before the next key is read.

Textual hands a key from widget to widget before its action is done, and a box gets the focus later still. Keys that
come in one piece, as a slow line delivers them, would all go to what had the focus before the first. So a message goes
the same way behind each key, until it finds everything as it was; what comes meanwhile waits for it. What is typed into
a box opens nothing: nothing is sent behind it, and nothing waits. What a key opens may have to be found first: then the
keys behind it wait for that, too, but not for long, and never one that gives up.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any, Final

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

_LOST: Final = 1.0
"""Seconds after which a message that has not come back is taken for lost, with a widget that it went through."""
_PATIENCE: Final = 2.0
"""Seconds that keys wait at most for what one before them has asked for."""
_GIVES_UP: Final = ("escape", "ctrl+c", "ctrl+q")
"""Keys that wait for no answer; what waited before them is not wanted any more."""


class Behind(Message):
    """Follows a key through all that the key goes through."""

    def __init__(self, lap: int) -> None:
        super().__init__()
        self.lap = lap


class KeysInOrder(App[None], inherit_bindings=False):
    """An app that reads the next key when the last one has done what it does."""

    AUTO_FOCUS = None  # a screen says itself who has its focus: Textual's choice, the first there is, may be hidden

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self._held: deque[events.Key | events.Paste] = deque()
        self._handed: events.Event | None = None
        self._at: Widget | None = None
        self._lap, self._under_way, self._sure = 0, False, False
        self._awaited: Timer | None = None  # until when keys wait for what was asked for

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
        """Keys wait for what the one before has asked for, until `let_keys_go`, or the patience is at its end."""
        if self._awaited is not None:
            self._awaited.stop()
        self._under_way = True
        self._awaited = self.set_timer(_PATIENCE, self.let_keys_go)

    def let_keys_go(self) -> None:
        """It is there, and where it leads is about to have the focus; or it is not to be."""
        if self._awaited is not None:
            self._awaited.stop()
            self._awaited = None
            self._send(sure=False)

    def _receiver(self) -> Widget | None:
        """Whoever gets the next key; nobody while the app ends."""
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
        """A lap is over. Who has the focus by now may have set off more: then there is another one."""
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
