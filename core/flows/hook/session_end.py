"""The end of a turn or a session.

Before an agent stops: where a failure cost much and ended green, the agent is asked once for what it learned.
After a session's end, in a process of its own: its transcript is imported, and new texts get their vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import apsw

from core.errors.fixes import AGENT, evidence_of
from core.flows.hook.payload import Payload
from core.store import Store, faults, now, open_store
from core.text import visible


def read_session(database: Path, transcript: Path, model: str) -> dict[str, int]:
    """Import one transcript, then give what is new its vectors, if there is a model. Says for the log what was done.

    Raises Fault.
    """
    from core.flows.agent_file import refresh_files
    from core.flows.system.evidence import align_due
    from core.flows.transcripts.api import import_transcripts

    with open_store(database, write=True, create=True) as store:
        report = import_transcripts(store, "auto", [transcript])
        align_due(store)
        synced = refresh_files(store)
    done = {"messages": report.messages, "errors": report.errors, "resolutions": report.resolutions}
    if synced:
        done["synced"] = sum(one.changed for one in synced)
    return done | {"embedded": _embed(database, model)}


def _embed(database: Path, model: str) -> int:
    """How many texts got their vector: none without a model, or while another process is at it."""
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.models.models import Absent, current
    from core.flows.system.embedding import embed_pending

    settings = EmbeddingSettings(model=model)
    if isinstance(current(settings), Absent):
        return 0
    return embed_pending(database, settings=settings, threads=1, kinds=("error",)).embedded


def warm_model(database: Path, model: str, *, service: bool) -> None:
    """Start the model service, where it may be asked and the casebook has vectors; does not wait for it."""
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.index.stored import has_vectors
    from core.embedding.models.models import Absent, current
    from core.embedding.service.client import Unserved, connect, worth_starting

    found = current(EmbeddingSettings(model=model))
    if not service or isinstance(found, Absent) or not database.exists():
        return
    with open_store(database) as store, faults(database):
        vectors = any(has_vectors(store.con, kind) for kind in ("error", "rule"))
    if worth_starting(service=service, vectors=vectors):
        connected = connect(found.model.id, version=found.model.version, deadline_ms=50, start=True)
        if not isinstance(connected, Unserved):
            connected.close()


ATTEMPTS: Final = 3
"""Failing runs from which a failure that was fixed is worth a question."""
SECONDS: Final = 300.0
"""Seconds from its first failing run to the one that passed, from which it is."""
_REQUEST_KEY: Final = "lesson_asked:"
_REMEMBERED: Final = 1_000
"""Sessions that were asked and are remembered."""
_WAIT_MS: Final = 300


def ask_for_lesson(payload: Payload, database: Path) -> dict[str, object] | None:
    """The reply that asks for the lesson, once a session; None where there is nothing to ask.

    Never while the agent goes on because of a stop hook. Raises Fault of the store.
    """
    if payload.stopping_again or not payload.session_id or not database.exists():
        return None
    with open_store(database, timeout_ms=_WAIT_MS) as store, faults(database):
        attempts = _worst(store.con, payload.session_id)
    if attempts is None:
        return None
    with open_store(database, write=True, timeout_ms=_WAIT_MS) as store, faults(database):
        if store.readonly is not None or not _is_first(store, payload.session_id):
            return None
    session = visible(payload.session_id)[:200]
    failed = f"after {attempts} failed attempts" if attempts >= ATTEMPTS else "after more than five minutes"
    reason = (
        f"A command that failed before now passes {failed}. If you have casebook's tool record_lesson, call it"
        f" once for session {session} with the fix. Otherwise, stop."
    )
    return {"decision": "block", "reason": reason}


def _worst(con: apsw.Connection, session_id: str) -> int | None:
    """The failed attempts of the failure of this session that cost most and was fixed; None where none cost much, or
    the agent has recorded a lesson or was asked for one."""
    row = con.execute(
        "SELECT 1 FROM resolution WHERE author = ?1 AND session_id = ?2"
        " UNION ALL SELECT 1 FROM meta WHERE key = ?3 LIMIT 1",
        (AGENT, session_id, _REQUEST_KEY + session_id),
    ).fetchone()
    if row is not None:
        return None
    rows = con.execute(
        "SELECT original FROM resolution WHERE author = 'harvest' AND session_id = ? AND status <> 'rejected'",
        (session_id,),
    )
    known = [one for (original,) in rows if (one := evidence_of(str(original or ""))) is not None]
    worth = [one for one in known if one.attempts >= ATTEMPTS or one.seconds >= SECONDS]
    return max((one.attempts for one in worth if one.worth in ("general", "project")), default=None)


def _is_first(store: Store, session_id: str) -> bool:
    """Whether this session was not asked before; from now on it was."""
    with store.transaction() as con:
        con.execute(
            "DELETE FROM meta WHERE key GLOB ?1 AND key NOT IN"
            " (SELECT key FROM meta WHERE key GLOB ?1 ORDER BY value DESC LIMIT ?2)",
            (f"{_REQUEST_KEY}*", _REMEMBERED),
        )
        con.execute("INSERT OR IGNORE INTO meta(key, value) VALUES (?, ?)", (_REQUEST_KEY + session_id, now()))
        return con.changes() > 0
