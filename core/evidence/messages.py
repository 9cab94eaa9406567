"""A stored session's messages as the aligner takes them: read when they are looked at, a bounded part of them held."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import overload

import apsw

from core.base.fault import Fault
from core.store.sql import number, storable

HELD = 4 << 20
"""Code points of messages held in memory."""


class StoredMessages(Sequence[str]):
    """The texts of a session by message index; an index nobody stored reads as the empty text. For one thread."""

    def __init__(self, con: apsw.Connection, session_id: str, held: int = HELD) -> None:
        self._con, self._session, self._most = con, session_id, held
        self._size = count_messages(con, session_id)
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._held = 0

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._size))]
        if not 0 <= at < self._size:
            raise IndexError(at)
        if (known := self._texts.get(at)) is not None:
            self._texts.move_to_end(at)
            return known
        text = message_text(self._con, self._session, at)
        self._texts[at] = text
        self._held += len(text)
        while self._held > self._most and len(self._texts) > 1:
            self._held -= len(self._texts.popitem(last=False)[1])
        return text


def count_messages(con: apsw.Connection, session_id: str) -> int:
    """How many messages a session has."""
    return number(con, "SELECT max(idx) + 1 FROM message WHERE session_id = ?", (session_id,))


def message_text(con: apsw.Connection, session_id: str, index: int) -> str:
    """The whole text of one message; empty where there is none."""
    row = con.execute("SELECT text FROM message WHERE session_id = ? AND idx = ?", (session_id, index)).fetchone()
    return "" if row is None else str(row[0])


def session_named(con: apsw.Connection, name: str) -> str:
    """The id of the session that `name` is, or is the beginning of. Raises Fault invalid_input."""
    name = storable(name)
    if con.execute("SELECT 1 FROM session WHERE id = ?", (name,)).fetchone():
        return name
    found = con.execute(
        "SELECT id FROM session WHERE id >= ? AND substr(id, 1, ?) = ? ORDER BY id LIMIT 2", (name, len(name), name)
    ).fetchall()
    if len(found) == 1 and name:
        return str(found[0][0])
    if found and name:
        raise Fault("invalid_input", f"more than one session begins with {name[:80]!r}", "give more of its id")
    raise Fault(
        "invalid_input", f"there is no session {name[:80]!r}", "import its transcript first: casebook import auto"
    )
