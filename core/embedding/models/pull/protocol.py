"""What a pulling process tells the one that waits for it: one JSON object a line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from typing import Any, cast

from core.base.fault import Fault

_EVERY_S = 0.1


class Signs:
    """Writes the signs of life of a pull to standard output, the counting ones not too often."""

    def __init__(self) -> None:
        self._done, self._total, self._last = 0, 0, 0.0

    def asking(self) -> None:
        """The next thing is a request: from now on a server is waited for."""
        self._say(sign="asking")

    def answered(self, total: int) -> None:
        """The server said what there is, `total` bytes of it."""
        self._total = total
        self._say(sign="bytes", done=0, total=total, file="")

    def came(self, count: int, file: str) -> None:
        """`count` more bytes of `file` came (fewer than none, where a part had to be fetched again)."""
        self._done = max(0, self._done + count)
        if time.monotonic() - self._last >= _EVERY_S:
            self._last = time.monotonic()
            self._say(sign="bytes", done=self._done, total=max(self._total, self._done), file=file)

    def working(self) -> None:
        """Everything came; checking and converting take their time."""
        self._say(sign="working", done=self._done)

    def ended(self, source: str) -> None:
        """The model is in its place."""
        self._say(sign="ended", source=source)

    def failed(self, fault: Fault) -> None:
        """It will not be."""
        self._say(sign="failed", code=fault.code, message=fault.message, hint=fault.hint)

    def _say(self, **said: object) -> None:
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def parse(line: str) -> Mapping[str, Any]:
    """A sign as it was written; empty for anything else that got onto the same stream."""
    try:
        found: object = json.loads(line)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}
