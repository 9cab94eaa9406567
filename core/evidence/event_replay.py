"""Rebuilding entries, stages, alignments and decisions from the events alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import apsw

from core.base.fault import Fault
from core.evidence.events import Event
from core.store import Store

_ENTRY = """INSERT INTO entry(id, session_id, type, title, stage, created, updated)
 VALUES (:id, :session_id, :type, :title, :stage, :created, :updated)
 ON CONFLICT (id) DO UPDATE SET stage = excluded.stage, updated = excluded.updated"""
_EVIDENCE = """INSERT INTO evidence(id, entry_id, position, message_index, quote, quote_hash, original)
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
    """Write what `history` tells into a casebook that has no entries yet; how many events that were.

    Messages are not part of it: they come from the transcripts. Raises Fault invalid_input where there are entries.
    """
    if target.con.execute("SELECT 1 FROM entry LIMIT 1").fetchone():
        raise Fault("invalid_input", f"{target.path} has entries already", "replay into a new casebook")
    told = 0
    with target.transaction() as con:
        for event in history:
            _apply(con, event)
            told += 1
    return told


def _apply(con: apsw.Connection, event: Event) -> None:
    body = event.body
    if event.type == "session_ingested":
        con.execute(_SESSION, cast("dict[str, Any]", body))
    for entry in body.get("entries", ()):
        con.execute(_ENTRY, entry)
    for quote in body.get("evidence", ()):
        con.execute(_EVIDENCE, quote)
        if quote["status"] is not None:
            con.execute(_ALIGNMENT, quote)
    con.execute(
        "INSERT INTO event(id, ts, type, session_id, source_event_id, body) SELECT ?, ?, ?, ?, ?, ?",
        (event.id, event.ts, event.type, event.session_id, event.source, _text(body)),
    )


def _text(body: object) -> str:
    from core.base.wire import dumps

    return dumps(body)
