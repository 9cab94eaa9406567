"""Regular expressions tried in a process of their own: one that backtracks without end can only be killed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.process.child import Child, ChildExitedError
from core.process.worker import Call


def find_within(seconds: float, sources: Sequence[str], text: str) -> list[tuple[int, int] | None]:
    """Where each of the patterns is in the text (None: nowhere), until the time is up: the rest is left out."""
    child, places = Child(), list[tuple[int, int] | None]()
    try:
        child.start()
        child.call(find, tuple(sources), text).result(places.append, timeout=seconds)
    except (OSError, TimeoutError, ChildExitedError):
        pass
    finally:
        child.kill()
        child.stop()
    return places


def find(call: Call, sources: Sequence[str], text: str) -> None:
    """Tell where each pattern is as soon as it is known."""
    for source in sources:
        found = re.search(source, text, re.MULTILINE)
        call.tell(None if found is None else found.span())
