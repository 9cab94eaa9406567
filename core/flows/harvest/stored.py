"""A stored session's rows as the events of a harvest, each with what it says by itself."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, cast

import apsw
import orjson

from core.flows.harvest.changes import DELEGATED, DELEGATES, Change, change_of
from core.flows.harvest.command import command_of
from core.flows.harvest.events import Event, Ran, Said
from core.flows.harvest.seen import Seen, seen
from core.flows.second import Gone, Second
from core.store import Store, open_store
from core.transcripts.commands import OWN_TOOLS, SHELL_TOOLS
from core.transcripts.records import Failure

WORTH_IT: Final = 1_000
"""Messages of a session from which the second process, if it runs, looks through them."""
_AT_ONCE: Final = 400
"""Events that come from the second process together."""

# Texts of tools that neither run a command nor failed are not fetched: they say nothing of errors.
_ROWS = """SELECT m.ts, m.idx, m.chain, m.role, t.name, t.input_json, t.failure, t.exit_code, t.facts_json,
 iif(t.name IS NULL OR t.failure = 'error' OR t.name IN (SELECT value FROM json_each(?2)), m.text, '')
 FROM message m LEFT JOIN tool_call t INDEXED BY tool_call_result
 ON t.session_id = m.session_id AND t.result_idx = m.idx
 WHERE m.session_id = ?1
 AND (t.name IS NOT NULL OR (m.kind = 'text' AND m.meta = 0 AND m.role IN ('user', 'assistant')))
 ORDER BY m.idx"""
_READ_TOOLS = json.dumps(sorted(SHELL_TOOLS | OWN_TOOLS | {"write_stdin"}))


def seen_in(store: Store, sessions: Sequence[str], second: Second | None) -> Iterator[Seen]:
    """The events of stored sessions as one history, by time, each session's own in message order.

    Where the `second` process runs it looks at them; should it stop half-way, the rest is looked at here.
    """
    done = 0
    if second is not None and second.running and _messages(store.con, sessions) >= WORTH_IT:
        try:
            for some in second.stream(_seen_elsewhere, store.path, tuple(sessions)):
                yield from some
                done += len(some)
            return
        except Gone:
            pass
    yield from map(seen, islice(_events(store.con, sessions), done, None))


def _seen_elsewhere(path: Path, sessions: Sequence[str]) -> Iterator[list[Seen]]:
    """In the second process, which sees what was committed: all that a harvest reads."""
    with open_store(path) as store:
        events = map(seen, _events(store.con, sessions))
        while some := list(islice(events, _AT_ONCE)):
            yield some


def _messages(con: apsw.Connection, sessions: Iterable[str]) -> int:
    """About how many messages the sessions have."""
    sql = "SELECT coalesce(max(idx) + 1, 0) FROM message WHERE session_id = ?"
    return sum(cast("int", count) for session in sessions for (count,) in con.execute(sql, (session,)))


def _events(con: apsw.Connection, sessions: Sequence[str]) -> Iterator[Event]:
    streams = [_rows(con, session) for session in sessions]
    merged = heapq.merge(*streams, key=lambda pair: pair[0]) if len(streams) > 1 else streams[0]
    return (event for _, event in merged)


def _rows(con: apsw.Connection, session: str) -> Iterator[tuple[str, Event]]:
    latest = ""
    for row in con.execute(_ROWS, (session, _READ_TOOLS)):
        ts, idx, chain, role, tool, given, failure, exit_code, facts, text = cast(
            "tuple[str, int, str, str, str | None, str, Failure, int | None, str, str]", row
        )
        latest = max(latest, ts)
        if tool is None:
            yield latest, Said(session, idx, chain, role, text, ts)
        else:
            known = _object(facts)
            if tool in DELEGATES and isinstance(known.get("agent"), str):
                known = {**known, **_delegated(con, f"{session}/{known['agent']}")}
            yield latest, Ran(session, idx, chain, tool, _object(given), text, failure, exit_code, ts, known)


def _delegated(con: apsw.Connection, session: str) -> dict[str, object]:
    """What a subagent's session changed, as the fact of the call that started it; empty where it is not known."""
    if con.execute("SELECT 1 FROM session WHERE id = ?", (session,)).fetchone() is None:
        return {}
    calls = con.execute(
        "SELECT name, input_json FROM tool_call WHERE session_id = ? AND failed = 0 AND result_idx IS NOT NULL"
        " ORDER BY result_idx LIMIT 500",
        (session,),
    ).fetchall()
    given = ((str(name), _object(str(text))) for name, text in calls)
    changes = [change_of(name, inputs, command_of(name, inputs), {}) for name, inputs in given]
    made = [change for change in changes if change is not None]
    return {DELEGATED: Change(tuple(dict.fromkeys(file for change in made for file in change.files))) if made else None}


def _object(text: str) -> Mapping[str, object]:
    try:
        value: object = orjson.loads(text)
    except ValueError:  # what orjson does not take (huge numbers, lone surrogates) the standard library may
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
