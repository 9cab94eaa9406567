"""What a fix cites, as it stands today; filled in by who knows the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage that the fix `resolution_id` cites: where it stood (`uri`), its words, and what became of it.

    `status`: attached where it stood, moved to `place`, or detached: its words are gone or say something else (`place`
    is then the likest one, or None). `reason` says it in words. `kept`: the row it is kept in; None: in the fix's text.
    """

    resolution_id: int
    uri: str
    quote: str
    headings: tuple[str, ...]
    status: Literal["attached", "moved", "detached"]
    reason: str
    place: str | None
    kept: int | None = None
