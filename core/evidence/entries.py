"""Entries into the casebook: claims with their quotes, each taken once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.align import ExtractedEntry
from core.align.result import hash_of
from core.base.fault import Fault
from core.evidence.events import append, entry_images, evidence_images, ingested
from core.evidence.import_entries import Left, Taken, taken
from core.store import Store, now

_BATCH = 200
"""Entries stored in one transaction."""


@dataclass(frozen=True, slots=True)
class EntriesAdded:
    """What was taken: `added` entries with `quotes`, `known` ones that were there already; `left` were not taken."""

    session: str
    added: tuple[str, ...]
    quotes: int
    known: int
    left: tuple[Left, ...] = ()


def add_entries(
    store: Store,
    session_id: str,
    entries: Sequence[ExtractedEntry],
    *,
    source: str = "file",
) -> EntriesAdded:
    """Take entries of a session as candidates; those that are there already stay as they are.

    An id that another session's entry has is made this session's own (`id@session`); one whose quotes differ from the
    stored ones is left out. Raises Fault invalid_input for a session that is not there, and what `Store.transaction`
    raises; inside a transaction of the caller it is part of that.
    """
    if store.con.execute("SELECT 1 FROM session WHERE id = ?", (session_id,)).fetchone() is None:
        hint = "import its transcript first: casebook import auto"
        raise Fault("invalid_input", f"there is no session {session_id[:80]}", hint)
    added: list[str] = []
    refused: list[Left] = []
    known = quotes = 0
    for start in range(0, len(entries), _BATCH):
        with store.transaction() as con:
            made: list[str] = []
            for at, given in enumerate(entries[start : start + _BATCH], start):
                entry = taken(given)
                if isinstance(entry, str):
                    refused.append(Left(at, given.entry_id[:200], entry))
                    continue
                name, there = _name(con, session_id, entry)
                if there is None:
                    quotes += _insert(con, session_id, name, entry)
                    made.append(name)
                elif there:
                    known += 1
                else:
                    refused.append(Left(at, entry.entry_id, "it is there already, with other quotes"))
            if made:
                tell_added(con, session_id, made, source)
            added += made
    return EntriesAdded(session_id, tuple(added), quotes, known, tuple(refused))


def _name(con: apsw.Connection, session_id: str, entry: Taken) -> tuple[str, bool | None]:
    """The id the entry has here, and whether one of it is there: None not, else whether its quotes are the same."""
    for name in (entry.entry_id, f"{entry.entry_id}@{session_id}"):
        row = con.execute("SELECT session_id FROM entry WHERE id = ?", (name,)).fetchone()
        if row is None:
            return name, None
        if row[0] == session_id:
            break
    rows = con.execute(
        "SELECT message_index, coalesce(original, quote) FROM evidence WHERE entry_id = ? ORDER BY position", (name,)
    ).fetchall()
    return name, [tuple(row) for row in rows] == list(entry.quotes)


def _insert(con: apsw.Connection, session_id: str, name: str, entry: Taken) -> int:
    ts = now()
    con.execute(
        "INSERT INTO entry(id, session_id, type, title, stage, created, updated)"
        " VALUES (?, ?, ?, ?, 'candidate', ?, ?)",
        (name, session_id, entry.type, entry.title, ts, ts),
    )
    con.executemany(
        "INSERT INTO evidence(entry_id, position, message_index, quote, quote_hash) VALUES (?, ?, ?, ?, ?)",
        [(name, at, index, quote, hash_of(quote)) for at, (index, quote) in enumerate(entry.quotes)],
    )
    return len(entry.quotes)


def tell_added(con: apsw.Connection, session_id: str, made: Sequence[str], source: str) -> None:
    """Append the event that says where these entries of a session came from, inside the caller's transaction."""
    came = ingested(con, session_id)
    ids = con.execute(
        "SELECT id FROM evidence WHERE entry_id IN (SELECT value FROM json_each(?))", (json.dumps(made),)
    ).fetchall()
    body = {
        "source": source,
        "entries": entry_images(con, made),
        "evidence": evidence_images(con, [cast("int", row[0]) for row in ids]),
    }
    append(con, "memory_extracted", session_id, body, came)
