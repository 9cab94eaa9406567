"""Hook records of a session with an open error, kept so that the next run can show its fix.

The fold that reads transcripts reads these events too, so a hook closes an error by the very rule the importer has.
Once the transcript itself is read, it tells the same better, and what was kept here is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import apsw

from core.flows.harvest.events import Ran
from core.flows.hook.payload import Payload, short_input
from core.transcripts.records import Failure

EVENTS_KEPT = 300
"""Events of one session; beyond it the oldest go."""
_FAILED_KEPT, _PASSED_KEPT = 32_768, 8_192


def is_followed(con: apsw.Connection, session_id: str) -> bool:
    """Whether events of this session are kept, that is: whether an error of it is open."""
    found = con.execute("SELECT 1 FROM hook_event WHERE session_id = ? LIMIT 1", (session_id,)).fetchone()
    return found is not None


def append(con: apsw.Connection, payload: Payload, text: str, ts: str, *, failed: bool) -> None:
    """Keep one event, inside the caller's transaction. `text` is redacted already."""
    limit = _FAILED_KEPT if failed else _PASSED_KEPT
    body = {
        "chain": payload.chain,
        "tool": payload.tool,
        "input": short_input(payload.tool_input),
        "text": text if len(text) <= limit else f"{text[: limit // 2]}\n…\n{text[-limit // 2 :]}",
        "failure": payload.failure,
        "exit_code": payload.exit_code,
        "facts": dict(payload.facts),
    }
    con.execute(
        "INSERT INTO hook_event(session_id, ts, body) VALUES (?, ?, ?)",
        (payload.session_id, ts, json.dumps(body)),
    )
    con.execute(
        "DELETE FROM hook_event WHERE session_id = ?1 AND id <= (SELECT id FROM hook_event WHERE session_id = ?1"
        " ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        (payload.session_id, EVENTS_KEPT),
    )


def events_of(con: apsw.Connection, session_id: str) -> list[Ran]:
    """The kept events of a session, in the order in which they came, also where one was written down late."""
    rows = con.execute("SELECT ts, body FROM hook_event WHERE session_id = ? ORDER BY ts, id", (session_id,))
    return [_ran(session_id, at, *cast("tuple[str, str]", row)) for at, row in enumerate(rows, 1)]


def forget(con: apsw.Connection, session_id: str) -> None:
    """Drop the kept events of a session, inside the caller's transaction."""
    con.execute("DELETE FROM hook_event WHERE session_id = ?", (session_id,))


def _ran(session_id: str, idx: int, ts: str, body: str) -> Ran:
    record = cast("dict[str, Any]", json.loads(body))
    return Ran(
        session_id,
        idx,
        str(record["chain"]),
        str(record["tool"]),
        cast("Mapping[str, object]", record["input"]),
        str(record["text"]),
        cast("Failure", record["failure"]),
        cast("int | None", record["exit_code"]),
        ts,
        cast("Mapping[str, object]", record["facts"]),
    )
