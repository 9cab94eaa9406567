"""Messages from a pulling process to the waiting one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of life: a request is sent, `done` of `total` bytes came, or what came is checked and converted."""

    kind: Literal["asking", "bytes", "working"]
    done: int = 0
    total: int = 0
    file: str = ""


class Signs:
    """Sends the signs of life of a pull, at a limited rate."""

    def __init__(self, tell: Callable[[Sign], None]) -> None:
        self._tell = tell
        self._done, self._total, self._last = 0, 0, 0.0

    def on_request(self) -> None:
        """The next thing is a request: from now on a server is waited for."""
        self._tell(Sign("asking"))

    def answered(self, total: int) -> None:
        """The server said what there is, `total` bytes of it."""
        self._total = total
        self._tell(Sign("bytes", 0, total))

    def on_bytes(self, count: int, file: str) -> None:
        """`count` more bytes of `file` came (fewer than none, where a part had to be fetched again)."""
        self._done = max(0, self._done + count)
        if time.monotonic() - self._last >= _EVERY_S:
            self._last = time.monotonic()
            self._tell(Sign("bytes", self._done, max(self._total, self._done), file))

    def working(self) -> None:
        """Everything came; checking and converting take their time."""
        self._tell(Sign("working", self._done))
