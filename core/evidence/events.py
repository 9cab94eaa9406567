"""The evidence log: events, appended and never changed, from which stages and alignments are rebuilt (decision 11b).

Each event holds the rows it left behind: `evidence` and `entries` are what `replay` writes. An import also marks the
sessions it continued, and loads no aligner; whoever aligns a session removes the mark.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import apsw

from core.base.fault import Fault
from core.base.wire import dumps
from core.store import Store, now
from core.store.sql import number

EventType = Literal[
    "session_ingested",
    "memory_extracted",
    "evidence_aligned",
    "evidence_accepted",
    "evidence_rejected",
    "quote_replaced",
    "entry_promoted",
    "entry_demoted",
    "change_undone",
]
_PAGE = 200
_EVIDENCE = (
    "SELECT v.id, v.entry_id, v.position, v.message_index, v.quote, v.quote_hash, v.original, a.status, a.method,"
    " a.confidence, a.near, a.body, a.verdict, a.decision, a.anchor, a.decided_by, a.decided_at"
    " FROM evidence v LEFT JOIN alignment a ON a.evidence_id = v.id"
)
_EVIDENCE_FIELDS = (
    "id", "entry_id", "position", "message_index", "quote", "quote_hash", "original", "status", "method", "confidence",
    "near", "body", "verdict", "decision", "anchor", "decided_by", "decided_at",
)  # fmt: skip
_ENTRY_FIELDS = ("id", "session_id", "type", "title", "stage", "created", "updated")


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `source` is the event it goes back to."""

    id: int
    ts: str
    type: EventType
    session_id: str | None
    source: int | None
    body: Mapping[str, Any]


def append(
    con: apsw.Connection, kind: EventType, session_id: str | None, body: Mapping[str, object], source: int | None = None
) -> int:
    """Append an event inside the caller's transaction; its id."""
    con.execute(
        "INSERT INTO event(ts, type, session_id, source_event_id, body) VALUES (?, ?, ?, ?, ?)",
        (now(), kind, session_id, source, dumps(body)),
    )
    return con.last_insert_rowid()


def ingested(con: apsw.Connection, session_id: str) -> int:
    """The event that says the session came in as it is now; appended where it is new or has grown since."""
    row = con.execute(
        "SELECT id, body FROM event WHERE session_id = ? AND type = 'session_ingested' ORDER BY id DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    messages = count_messages(con, session_id)
    if row is not None and json.loads(str(row[1])).get("messages") == messages:
        return cast("int", row[0])
    about = con.execute("SELECT agent, project, started FROM session WHERE id = ?", (session_id,)).fetchone()
    agent, project, started = about or ("plain", "", "")
    body = {"session": session_id, "agent": agent, "project": project, "started": started, "messages": messages}
    return append(con, "session_ingested", session_id, body)


def count_messages(con: apsw.Connection, session_id: str) -> int:
    """How many messages a session has."""
    return number(con, "SELECT max(idx) + 1 FROM message WHERE session_id = ?", (session_id,))


def evidence_images(con: apsw.Connection, ids: Sequence[int]) -> list[dict[str, Any]]:
    """The rows of these quotes, with their alignments and decisions, as they are now."""
    rows = con.execute(f"{_EVIDENCE} WHERE v.id IN (SELECT value FROM json_each(?)) ORDER BY v.id", (json.dumps(ids),))
    return [dict(zip(_EVIDENCE_FIELDS, row, strict=True)) for row in rows.fetchall()]


def entry_images(con: apsw.Connection, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of these entries as they are now."""
    rows = con.execute(
        f"SELECT {', '.join(_ENTRY_FIELDS)} FROM entry WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
        (json.dumps(ids),),
    )
    return [dict(zip(_ENTRY_FIELDS, row, strict=True)) for row in rows.fetchall()]


def read_events(store: Store, session_id: str | None = None) -> Iterator[Event]:
    """Every event, or those of a session, the oldest first; read a page at a time."""
    last = 0
    while True:
        rows = store.con.execute(
            "SELECT id, ts, type, session_id, source_event_id, body FROM event WHERE id > ?"
            " AND (?2 IS NULL OR session_id = ?2) ORDER BY id LIMIT ?",
            (last, session_id, _PAGE),
        ).fetchall()
        for row in rows:
            last = cast("int", row[0])
            yield Event(
                *cast("tuple[int, str, EventType, str | None, int | None]", row[:5]), body=json.loads(str(row[5]))
            )
        if len(rows) < _PAGE:
            return


_ENTRY = """INSERT INTO entry(id, session_id, type, title, stage, created, updated)
 VALUES (:id, :session_id, :type, :title, :stage, :created, :updated)
 ON CONFLICT (id) DO UPDATE SET stage = excluded.stage, updated = excluded.updated"""
_INSERT_EVIDENCE = """INSERT INTO evidence(id, entry_id, position, message_index, quote, quote_hash, original)
 VALUES (:id, :entry_id, :position, :message_index, :quote, :quote_hash, :original)
 ON CONFLICT (id) DO UPDATE SET quote = excluded.quote, quote_hash = excluded.quote_hash,
 original = excluded.original"""
_ALIGNMENT = """INSERT INTO alignment(evidence_id, status, method, confidence, near, body, verdict, decision, anchor,
 decided_by, decided_at)
 VALUES (:id, :status, :method, :confidence, :near, :body, :verdict, :decision, :anchor, :decided_by, :decided_at)
 ON CONFLICT (evidence_id) DO UPDATE SET status = excluded.status, method = excluded.method,
 confidence = excluded.confidence, near = excluded.near, body = excluded.body, verdict = excluded.verdict,
 decision = excluded.decision, anchor = excluded.anchor, decided_by = excluded.decided_by,
 decided_at = excluded.decided_at"""
_SESSION = "INSERT OR IGNORE INTO session(id, agent, project, started) VALUES (:session, :agent, :project, :started)"


def replay_events(target: Store, history: Iterable[Event]) -> int:
    """Replay `history` into a casebook without entries. Return the number of events.

    Messages are not part of it: they come from the transcripts. Raises Fault invalid_input where there are entries.
    """
    if target.con.execute("SELECT 1 FROM entry LIMIT 1").fetchone():
        raise Fault("invalid_input", f"{target.path} already has entries", "replay into a new casebook")
    count = 0
    with target.transaction() as con:
        for event in history:
            _apply(con, event)
            count += 1
    return count


def _apply(con: apsw.Connection, event: Event) -> None:
    body = event.body
    if event.type == "session_ingested":
        con.execute(_SESSION, cast("dict[str, Any]", body))
    for entry in body.get("entries", ()):
        con.execute(_ENTRY, entry)
    for quote in body.get("evidence", ()):
        con.execute(_INSERT_EVIDENCE, quote)
        if quote["status"] is not None:
            con.execute(_ALIGNMENT, quote)
    con.execute(
        "INSERT INTO event(id, ts, type, session_id, source_event_id, body) SELECT ?, ?, ?, ?, ?, ?",
        (event.id, event.ts, event.type, event.session_id, event.source, dumps(body)),
    )


_MARK = "align:"


def mark_to_align(con: apsw.Connection, session_id: str) -> None:
    """Note, inside the caller's transaction, how far a session went on; one without entries has nothing to align."""
    con.execute(
        "INSERT OR REPLACE INTO meta(key, value) SELECT ?1, coalesce(max(idx), -1) FROM message WHERE session_id = ?2"
        " HAVING EXISTS (SELECT 1 FROM entry WHERE session_id = ?2)",
        (_MARK + session_id, session_id),
    )


def sessions_to_align(con: apsw.Connection) -> tuple[tuple[str, str], ...]:
    """The sessions that are marked, and those with a quote that waits; each with its mark, which may be empty."""
    rows = con.execute(
        "SELECT substr(key, ?2), value FROM meta WHERE key >= ?1 AND key < ?1 || char(0x10FFFF)"
        " UNION ALL SELECT DISTINCT session_id, '' FROM review WHERE state = 'waiting' AND session_id <> ''"
        " AND NOT EXISTS (SELECT 1 FROM meta WHERE key = ?1 || session_id)",
        (_MARK, len(_MARK) + 1),
    ).fetchall()
    return cast("tuple[tuple[str, str], ...]", tuple(tuple(row) for row in rows))


def unmark(con: apsw.Connection, session_id: str, mark: str) -> None:
    """The session was aligned as it was when it was marked so; a later mark stays."""
    con.execute("DELETE FROM meta WHERE key = ? AND value = ?", (_MARK + session_id, mark))
