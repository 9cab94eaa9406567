"""Harvested errors put aside in order, so that a session of a gigabyte needs no more memory than a small one."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

import apsw

from core.flows.harvest.events import HarvestedError

_TABLE = """CREATE TEMP TABLE IF NOT EXISTS harvested(
 session INTEGER, idx INTEGER, start INTEGER, serial INTEGER, body BLOB NOT NULL,
 PRIMARY KEY (session, idx, start, serial)) WITHOUT ROWID"""


class Aside:
    """Errors in a temporary table of the connection, read in message order as often as needed until the next one."""

    def __init__(self, con: apsw.Connection, errors: Iterable[HarvestedError], order: Mapping[str, int]) -> None:
        self._con = con
        con.execute(_TABLE)
        con.execute("DELETE FROM temp.harvested")
        con.executemany(
            "INSERT INTO temp.harvested VALUES (?, ?, ?, ?, ?)",
            (
                (order[error.session_id], error.message_idx, error.key.start, serial, pickle.dumps(error))
                for serial, error in enumerate(errors)
            ),
        )

    def __iter__(self) -> Iterator[HarvestedError]:
        for (body,) in self._con.execute("SELECT body FROM temp.harvested ORDER BY session, idx, start, serial"):
            # Written just above, by this very process: no foreign bytes.
            yield cast("HarvestedError", pickle.loads(cast("bytes", body)))
