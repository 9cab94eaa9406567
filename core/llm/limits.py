"""How long a server is waited for, and how much is taken from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CONNECT_S: Final = 5.0
"""Seconds until there is a connection, finding the host included."""
LINE_BYTES: Final = 1 << 20
"""A line of a stream that is longer is no token."""
BODY_BYTES: Final = 64 << 20
"""Bytes taken of one stream; some hundred go with each token."""
MESSAGE_BYTES: Final = 1 << 20
"""Bytes taken of an answer that is no stream: a list of models, or what a server says is wrong."""
ANSWER_CHARS: Final = 1 << 18
"""Characters taken of one answer: more than a person reads, or a model should write."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: until the first line that says something, between two lines, and for all of it."""

    first_s: float
    idle_s: float
    total_s: float
    connect_s: float = CONNECT_S
