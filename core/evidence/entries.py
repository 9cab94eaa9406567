"""Entries of the casebook: claims with their quotes, each stored once, and the entries in pages by stage.

Before an entry is stored its secrets are masked, a missing name is filled in, and its texts are capped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Literal, cast

import apsw

from core.align import ExtractedEntry
from core.align.result import hash_of
from core.base.fault import Fault
from core.evidence.events import append, entry_images, evidence_images, ingested
from core.evidence.promotion import READY
from core.store import Store, now
from core.store.sql import storable
from core.text import redact

_Row = tuple[str, str, str, str, Literal["candidate", "verified"], int, int]


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry in a list, with its number of quotes and the number of open ones."""

    id: str
    session: str
    type: str
    title: str
    stage: Literal["candidate", "verified"]
    quotes: int
    blocking: int


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One page of entries by id; `next` is the `after` of the page that follows."""

    SCHEMA: ClassVar[str] = "evidence_entries.v1"

    entries: tuple[EntryRow, ...]
    next: str | None


def list_entries(
    store: Store,
    *,
    session: str | None = None,
    stage: Literal["candidate", "verified"] | None = None,
    ready: bool = False,
    limit: int = 50,
    after: str = "",
) -> EntryPage:
    """One page of entries: of a session, at a stage, or only those that are ready to be promoted."""
    tests, values = ["e.id > ?", *([READY] if ready else [])], [after]
    for name, value in (("session_id", session), ("stage", stage)):
        if value is not None:
            tests.append(f"e.{name} = ?")
            values.append(value)
    rows = store.con.execute(
        "SELECT e.id, coalesce(e.session_id, ''), e.type, e.title, e.stage,"
        " (SELECT count(*) FROM evidence v WHERE v.entry_id = e.id),"
        " (SELECT count(*) FROM evidence v JOIN review r ON r.evidence_id = v.id"
        "  WHERE v.entry_id = e.id AND r.state NOT IN ('aligned', 'accepted'))"
        f" FROM entry e WHERE {' AND '.join(tests)} ORDER BY e.id LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    page = tuple(EntryRow(*cast("_Row", row)) for row in rows[:limit])
    return EntryPage(page, page[-1].id if len(rows) > limit else None)


QUOTE_KEPT = 100_000
"""Code points of a quote; an entry with a longer one is left out."""
_TITLE_KEPT = 500
_LARGEST = 2**63 - 1
NO_INDEX = -1
"""What is stored for a message index that is none."""


@dataclass(frozen=True, slots=True)
class RejectedEntry:
    """An entry that was not taken (`at` counts from 0), and why."""

    at: int
    entry_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParsedEntry:
    """One claim ready to be stored; its quotes are (message index, text)."""

    entry_id: str
    type: str
    title: str
    quotes: tuple[tuple[int, str], ...]


def parse_entry(entry: ExtractedEntry) -> ParsedEntry | str:
    """The entry as it is stored, or why it cannot be."""
    long = next((at for at, one in enumerate(entry.evidence, 1) if len(one.quote) > QUOTE_KEPT), None)
    if long is not None:
        return f"its quote {long} has more than {QUOTE_KEPT:,} characters"
    quotes = tuple((_index(one.message_index), _masked(one.quote)) for one in entry.evidence)
    kind = _masked(entry.type)[:80] or "fact"
    title = _masked(entry.title)[:_TITLE_KEPT] or (quotes[0][1][:80] if quotes else "")
    name = _masked(entry.entry_id)[:200] or f"ent_{digest(kind, title, quotes)}"
    return ParsedEntry(name, kind, title, quotes)


def digest(*content: object) -> str:
    """A name made of content: the same content, the same name."""
    return sha256(json.dumps(content).encode()).hexdigest()[:16]


def _masked(text: str) -> str:
    return storable(redact(text))


def _index(given: int | None) -> int:
    return NO_INDEX if given is None or not 0 <= given <= _LARGEST else given


_BATCH = 200
"""Entries stored in one transaction."""


@dataclass(frozen=True, slots=True)
class EntriesAdded:
    """What was taken: `added` entries with `quotes`, `known` ones that were there already; `left` were not taken."""

    session: str
    added: tuple[str, ...]
    quotes: int
    known: int
    left: tuple[RejectedEntry, ...] = ()


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
        hint = "to import its transcript, run: casebook import auto"
        raise Fault("invalid_input", f"session {session_id[:80]} not found", hint)
    added: list[str] = []
    refused: list[RejectedEntry] = []
    known = quotes = 0
    for start in range(0, len(entries), _BATCH):
        with store.transaction() as con:
            made: list[str] = []
            for at, given in enumerate(entries[start : start + _BATCH], start):
                entry = parse_entry(given)
                if isinstance(entry, str):
                    refused.append(RejectedEntry(at, given.entry_id[:200], entry))
                    continue
                name, there = _name(con, session_id, entry)
                if there is None:
                    quotes += _insert(con, session_id, name, entry)
                    made.append(name)
                elif there:
                    known += 1
                else:
                    refused.append(RejectedEntry(at, entry.entry_id, "it already exists with other quotes"))
            if made:
                append_added(con, session_id, made, source)
            added += made
    return EntriesAdded(session_id, tuple(added), quotes, known, tuple(refused))


def _name(con: apsw.Connection, session_id: str, entry: ParsedEntry) -> tuple[str, bool | None]:
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


def _insert(con: apsw.Connection, session_id: str, name: str, entry: ParsedEntry) -> int:
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


def append_added(con: apsw.Connection, session_id: str, made: Sequence[str], source: str) -> None:
    """Append the event that says where these entries of a session came from, inside the caller's transaction."""
    cause = ingested(con, session_id)
    ids = con.execute(
        "SELECT id FROM evidence WHERE entry_id IN (SELECT value FROM json_each(?))", (json.dumps(made),)
    ).fetchall()
    body = {
        "source": source,
        "entries": entry_images(con, made),
        "evidence": evidence_images(con, [cast("int", row[0]) for row in ids]),
    }
    append(con, "memory_extracted", session_id, body, cause)
