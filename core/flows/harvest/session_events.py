"""A stored session's rows as the events of a harvest, each with what it says by itself."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import apsw
import orjson

from core.flows.harvest.changes import DELEGATED, DELEGATES, Change, change_of
from core.flows.harvest.command import command_of
from core.flows.harvest.event_features import Seen, seen
from core.flows.harvest.events import Event, Ran, Said
from core.flows.system.parallel import Question, Second, shared
from core.process.worker import Call
from core.store import Store, open_store
from core.transcripts.commands import LOOKS_AT_RUNNING, OWN_TOOLS, SHELL_TOOLS
from core.transcripts.records import Failure

_PIECE: Final = 2_000
"""Messages of a session that are looked at together; one of more is shared with the second process, if that runs."""

# Texts of tools that neither run a command nor failed are not fetched: they say nothing of errors.
_ROWS = """SELECT m.ts, m.idx, m.chain, m.role, t.name, t.input_json, t.failure, t.exit_code, t.facts_json, t.call_idx,
 iif(t.name IS NULL OR t.failure IN ('error', 'tool_use_error') OR t.name GLOB 'mcp__*'
  OR t.name IN (SELECT value FROM json_each(?2)), m.text, '')
 FROM message m LEFT JOIN tool_call t INDEXED BY tool_call_result
 ON t.session_id = m.session_id AND t.result_idx = m.idx
 WHERE m.session_id = ?1 AND m.idx >= ?3 AND m.idx < ?4
 AND (t.name IS NOT NULL OR (m.kind = 'text' AND m.meta = 0 AND m.role IN ('user', 'assistant')))
 ORDER BY m.idx"""
_READ_TOOLS = json.dumps(sorted(SHELL_TOOLS | OWN_TOOLS | LOOKS_AT_RUNNING))


def seen_in(store: Store, sessions: Sequence[str], second: Second | None) -> Iterator[Seen]:
    """The events of stored sessions as one history, by time, each session's own in message order."""
    if len(sessions) > 1:
        for _, event in heapq.merge(*(_by_time(store.con, session) for session in sessions), key=_time):
            yield seen(event)
        return
    (session,) = sessions
    pieces = _pieces(store.con, session)
    if second is None or not second.running or len(pieces) < 2:
        yield from (seen(event) for piece in pieces for event in _events(store.con, session, piece))
        return

    def elsewhere(piece: range) -> Question:
        return _seen_elsewhere, (store.path, session, piece)

    def here(piece: range) -> list[Seen]:
        return [seen(event) for event in _events(store.con, session, piece)]

    for _, some in shared(second, pieces, elsewhere, here):
        yield from some


def _seen_elsewhere(_call: Call, path: Path, session: str, piece: range) -> list[Seen]:
    """In the second process, which sees what was committed: all that a harvest reads."""
    with open_store(path) as store:
        return [seen(event) for event in _events(store.con, session, piece)]


def _pieces(con: apsw.Connection, session: str) -> list[range]:
    """The message numbers of a session in pieces."""
    row = con.execute("SELECT max(idx) + 1 FROM message WHERE session_id = ?", (session,)).fetchone()
    count = cast("int", row[0]) if row and row[0] else 0
    return [range(start, start + _PIECE) for start in range(0, count, _PIECE)]


def _by_time(con: apsw.Connection, session: str) -> Iterator[tuple[str, Event]]:
    """Events with the latest time that stood in their session so far."""
    latest = ""
    for piece in _pieces(con, session):
        for event in _events(con, session, piece):
            latest = max(latest, event.ts)
            yield latest, event


def _time(event: tuple[str, Event]) -> str:
    return event[0]


def _events(con: apsw.Connection, session: str, piece: range) -> Iterator[Event]:
    """The events of a piece of a session."""
    for row in con.execute(_ROWS, (session, _READ_TOOLS, piece.start, piece.stop)):
        ts, idx, chain, role, tool, given, failure, exit_code, facts, called, text = cast(
            "tuple[str, int, str, str, str | None, str, Failure, int | None, str, int | None, str]", row
        )
        if tool is None:
            yield Said(session, idx, chain, role, text, ts)
        else:
            known = object_of(facts)
            if tool in DELEGATES and isinstance(known.get("agent"), str):
                known = {**known, **_delegated(con, f"{session}/{known['agent']}")}
            yield Ran(session, idx, chain, tool, object_of(given), text, failure, exit_code, ts, known, called)


def _delegated(con: apsw.Connection, session: str) -> dict[str, object]:
    """What a subagent's session changed, as the fact of the call that started it; empty where it is not known."""
    if con.execute("SELECT 1 FROM session WHERE id = ?", (session,)).fetchone() is None:
        return {}
    calls = con.execute(
        "SELECT name, input_json FROM tool_call WHERE session_id = ? AND failed = 0 AND result_idx IS NOT NULL"
        " ORDER BY result_idx LIMIT 500",
        (session,),
    ).fetchall()
    given = ((str(name), object_of(str(text))) for name, text in calls)
    changes = [change_of(name, inputs, command_of(name, inputs), {}) for name, inputs in given]
    made = [change for change in changes if change is not None]
    return {DELEGATED: Change(tuple(dict.fromkeys(file for change in made for file in change.files))) if made else None}


def object_of(text: str) -> Mapping[str, object]:
    """The JSON object in a text; an empty one where there is none."""
    try:
        value: object = orjson.loads(text)
    except ValueError:  # what orjson does not take (huge numbers, lone surrogates) the standard library may
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
