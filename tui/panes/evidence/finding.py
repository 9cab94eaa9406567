"""Looking for a place in the whole session: by words, or by the number of a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.align import ViewCache
    from core.evidence import MessageText, Seen

MOST = 100
"""Places that are listed."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found for some words. `cache`: the folded messages, for whoever searches next (one job at a time)."""

    words: str
    seen: tuple[Seen, ...] = ()
    cache: ViewCache | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place that a person chose, with the message it lies in."""

    seen: Seen
    message: MessageText


def search(
    session: str, evidence_id: int, near: int, words: str, cache: ViewCache | None
) -> Callable[[Job[Hits]], Hits]:
    """Where the words stand in the session, the message `near` first; for a number alone, where the quote may stand in
    that message."""

    def work(job: Job[Any]) -> Hits:
        from core.align import ViewCache
        from core.evidence import find_in_session, look_in

        said, held, store = words.strip(), cache or ViewCache(), job.store()
        seen = find_in_session(store, session, said, near=near, limit=MOST, cancelled=lambda: job.stopped, cache=held)
        if said.isascii() and said.isdecimal() and len(said) < 10:
            seen = (*look_in(store, evidence_id, int(said)), *seen)[:MOST]
        return Hits(words, seen, held)

    return work


def with_message(session: str, seen: Seen) -> Callable[[Job[FoundPlace | None]], FoundPlace | None]:
    """The place with its message; None where it is gone."""

    def work(job: Job[Any]) -> FoundPlace | None:
        from core.evidence import show_message

        message = show_message(job.store(), session, seen.span.message_index)
        return None if message is None else FoundPlace(seen, message)

    return work
