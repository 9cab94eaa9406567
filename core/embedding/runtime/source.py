"""What can be embedded: one protocol, met by each domain that keeps texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import apsw


class Source(Protocol):
    """Texts of one `kind` (`error`, `rule`, `chunk`), each with the id of its row.

    `recipe` names how a text is made of its row; a change of it means that every vector is made anew. Whoever writes
    a row puts its id into the table `backlog` (by triggers), and again when its text may have changed or it is gone.
    """

    @property
    def kind(self) -> str: ...
    @property
    def recipe(self) -> str: ...

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        """The texts to embed, by id; an id whose row is gone is left out."""
        ...

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        """The first `limit` ids above `after`, ascending: for walking all of them."""
        ...

    def count(self, con: apsw.Connection) -> int:
        """How many there are."""
        ...
