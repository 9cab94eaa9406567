"""Write one batch of a transcript to the store: new rows only, in the order in which they were first seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import apsw
import orjson

from core.flows.transcripts.files import Position, Source
from core.flows.transcripts.projects import mark_due
from core.flows.transcripts.rows import CallRow, MessageRow, ResultRow
from core.transcripts import OWN_TOOLS, Agent, SessionStart
from core.transcripts.fields import json_text

_WINDOW = 6
_ALIKE = 20
"""Code points from which a text found within another counts as the same words (one log adds context to a prompt)."""


@dataclass(frozen=True, slots=True)
class RecentMessage:
    """A recent message: its author and text, and which of the two logs has it."""

    role: str
    kind: str
    text: str
    display: bool


@dataclass(slots=True)
class Memory:
    """Kept for one pass over one file, so that every batch is judged as if the file had been read at once.

    `fresh`: the pass began at the start of the file. `repeating` holds, for a session that was forked from another,
    the hashes of that one's messages, for as long as the file has only repeated them.
    """

    fresh: bool
    by_session: dict[str, deque[RecentMessage]] = field(default_factory=dict[str, "deque[RecentMessage]"])
    repeating: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    checked: set[str] = field(default_factory=set[str])

    def recent(self, con: apsw.Connection, session: str) -> deque[RecentMessage]:
        """Return the last messages of the session in this file before the next one."""
        found = self.by_session.get(session)
        if found is None:
            found = self.by_session[session] = deque(maxlen=_WINDOW)
            if not self.fresh:
                found.extend(reversed(list(_last(con, session))))
        return found

    def own(self, session: str) -> None:
        """The session is past repeating another: a message of its own was met."""
        self.checked.add(session)
        self.repeating.pop(session, None)

    def is_echo(self, con: apsw.Connection, row: MessageRow) -> bool:
        """Whether the other of an agent's two logs said the same just before."""
        if row.kind not in ("text", "thinking") or row.role not in ("user", "assistant"):
            return False
        return any(
            recent.display != row.display
            and recent.role == row.role
            and recent.kind == row.kind
            and _alike(recent.text, row.text)
            for recent in self.recent(con, row.session)
        )

    def hear(self, con: apsw.Connection, row: MessageRow) -> None:
        """Remember a message that is kept, or was kept before."""
        self.recent(con, row.session).append(RecentMessage(row.role, row.kind, row.text, row.display))

    def is_replay(self, con: apsw.Connection, row: MessageRow, origin: str) -> bool:
        """Whether a forked session is still repeating what `origin`, the one it was forked from, had said."""
        if row.session not in self.checked:
            self.checked.add(row.session)
            if (
                self.fresh
                or con.execute("SELECT 1 FROM message WHERE session_id = ?", (row.session,)).fetchone() is None
            ):
                hashes = con.execute("SELECT sha256 FROM message WHERE session_id = ?", (origin,))
                self.repeating[row.session] = {str(sha) for (sha,) in hashes}
        known = self.repeating.get(row.session)
        shown_result = row.result is not None and row.display  # its text is kept as the other log told it
        if known is not None and (row.sha in known or shown_result):
            return True
        self.own(row.session)
        return False


def _alike(one: str, other: str) -> bool:
    one, other = one.strip(), other.strip()
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _ALIKE and short in long


def _last(con: apsw.Connection, session: str) -> list[RecentMessage]:
    rows = con.execute(
        "SELECT role, kind, text, uuid LIKE 'display:%' FROM message WHERE session_id = ? ORDER BY idx DESC LIMIT ?",
        (session, _WINDOW),
    )
    return [RecentMessage(*cast("tuple[str, str, str]", row[:3]), display=bool(row[3])) for row in rows]


PENDING = "harvest:"
"""Key prefix in `meta` of the sessions whose new rows are not harvested yet; written with the rows."""

REPEATS = "repeats:"
"""Key prefix in `meta` of the sessions whose file repeats messages of another; the value is that other."""

SHOWN = "shown"
"""Fact of a call whose stored result is the one of the display log: the other telling of it is no new message."""

_MESSAGE = """INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256, chain, meta, tool_use_id)
 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_CALL = """INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx, result_idx, failed, failure,
 exit_code, facts_json, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
 ON CONFLICT DO UPDATE SET result_idx = excluded.result_idx, failed = excluded.failed, failure = excluded.failure,
 exit_code = excluded.exit_code, facts_json = excluded.facts_json"""
_SESSION = """INSERT INTO session(id, agent, project, started, parent, continues, remote) VALUES (?, ?, ?, ?, ?, ?, ?)
 ON CONFLICT DO UPDATE SET
 project = iif(session.project = '', excluded.project, session.project),
 started = iif(session.started = '', excluded.started, session.started),
 remote = iif(session.remote = '', excluded.remote, session.remote),
 parent = coalesce(session.parent, excluded.parent), continues = coalesce(session.continues, excluded.continues)"""

_PLACE = "SELECT project, remote, started, parent FROM session WHERE id = ?"

_KNOWN = "SELECT uuid, block, session_id FROM json_each(?) CROSS JOIN message ON uuid = value AND uuid <> ''"
_STATE = """SELECT coalesce((SELECT max(idx) + 1 FROM message WHERE session_id = session.id), 0),
 coalesce(continues, parent) FROM session WHERE id = ?"""
_CALLS = """SELECT tool_use_id, name, input_json, call_idx, result_idx, failure, exit_code, facts_json, chain
 FROM json_each(?) CROSS JOIN tool_call ON session_id = ? AND tool_use_id = value"""
_DUE = """INSERT OR IGNORE INTO meta(key, value) SELECT ?1 || id, 'pending' FROM session
 WHERE id = ?2 OR id = (SELECT parent FROM session WHERE id = ?2)"""
_POSITION = """INSERT OR REPLACE INTO source_file(path, size, head_hash, offset, line, session_id)
 VALUES (?, ?, ?, ?, ?, ?)"""


@dataclass(slots=True)
class Written:
    """What a batch added. `touched`: sessions with something to harvest; `repeats`: pairs of a session and the one
    whose messages its file repeats."""

    sessions: int = 0
    messages: int = 0
    tool_calls: int = 0
    touched: set[str] = field(default_factory=set[str])
    repeats: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])


@dataclass(slots=True)
class _Call:
    """A row of tool_call being made or changed."""

    session: str
    tool_use_id: str
    name: str
    input_json: str
    call_idx: int
    result_idx: int | None = None
    failure: str = "none"
    exit_code: int | None = None
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    chain: str = "main"

    def values(self) -> tuple[Any, ...]:
        failed = self.failure != "none"
        facts = json_text(self.facts) if self.facts else "{}"
        return (
            *(self.session, self.tool_use_id, self.name, self.input_json, self.call_idx, self.result_idx),
            *(failed, self.failure, self.exit_code, facts, self.chain),
        )


def write_sessions(con: apsw.Connection, sessions: Iterable[SessionStart]) -> int:
    """Make the sessions that are not there and fill what was not known of the others; how many are new."""
    made = 0
    for one in sessions:
        before = con.execute(_PLACE, (one.session_id,)).fetchone()
        made += before is None
        bindings = (one.session_id, one.agent, one.project, one.started, one.parent, one.continues, one.remote)
        con.execute(_SESSION, bindings)
        if before is None or before != con.execute(_PLACE, (one.session_id,)).fetchone():
            mark_due(con)
    return made


def write_position(con: apsw.Connection, source: Source, here: Position) -> None:
    """Note how far the file was read."""
    session = None if source.database else source.start.session_id  # a database holds many
    bindings = (source.name, here.size, here.head_hash, here.offset, here.lines, session)
    con.execute(_POSITION, bindings)


def write_messages(con: apsw.Connection, agent: Agent, rows: list[MessageRow], memory: Memory) -> Written:
    """Store what is new in `rows`, whose sessions exist already. Within the caller's transaction."""
    batch = _Batch(con, agent, memory)
    batch.look_up(rows)
    for row in rows:
        batch.take(row)
    batch.flush()
    return batch.written


class _Batch:
    """The rows of one batch, judged one after the other against what is stored."""

    def __init__(self, con: apsw.Connection, agent: Agent, memory: Memory) -> None:
        self.con, self.agent, self.memory = con, agent, memory
        self.written = Written()
        self._owners: dict[tuple[str, int], str] = {}
        self._origins: dict[str, str | None] = {}
        self._next: dict[str, int] = {}
        self._calls: dict[tuple[str, str], _Call] = {}
        self._messages: list[tuple[Any, ...]] = []
        self._changed: dict[tuple[str, str], _Call] = {}

    def look_up(self, rows: list[MessageRow]) -> None:
        """Fetch what is stored of the messages, sessions and calls that the rows name."""
        names = orjson.dumps(list({row.uuid for row in rows})).decode()
        for uuid, block, session in self.con.execute(_KNOWN, (names,)):
            self._owners[str(uuid), cast("int", block)] = str(session)
        ids: dict[str, set[str]] = {}
        for row in rows:
            of = ids.setdefault(row.session, set())
            if row.tool_use_id:
                of.add(row.tool_use_id)
        for session, used in ids.items():
            state = self.con.execute(_STATE, (session,)).fetchone()
            count, origin = cast("tuple[int, str | None]", state) if state else (0, None)
            self._next[session] = count
            self._origins[session] = origin if self.agent == "codex" else None
            for values in self.con.execute(_CALLS, (orjson.dumps(list(used)).decode(), session)) if used else ():
                call = _Call(session, *cast("tuple[Any, ...]", values))
                call.facts = orjson.loads(cast("str", cast("object", call.facts)))
                self._calls[session, call.tool_use_id] = call

    def take(self, row: MessageRow) -> None:
        """Store the row's message, or what it adds to what is stored, or nothing."""
        owner = self._owners.get((row.uuid, row.block))
        if owner is not None:
            if owner == row.session:
                self.memory.own(owner)
            elif row.kind != "summary":
                self.written.repeats.add((row.session, owner))
            if row.result is not None:
                self._complete_result(row, row.result)
            self._hear(row)
            return
        origin = self._origins[row.session]
        if origin is not None and self.memory.is_replay(self.con, row, origin):
            return
        if row.call is not None:
            self._call(row, row.call)
        elif row.result is not None:
            self._result(row, row.result)
        elif self.agent != "codex" or not self.memory.is_echo(self.con, row):
            self._keep(row)

    def flush(self) -> None:
        """Write what was taken."""
        self.con.executemany(_MESSAGE, self._messages)
        self.con.executemany(_CALL, [call.values() for call in self._changed.values()])  # row ids follow the messages
        self.written.messages = len(self._messages)
        for session in self.written.touched:
            # A session's harvest looks at its subagents too, so their news are its own.
            self.con.execute(_DUE, (PENDING, session))
        repeats = [(f"{REPEATS}{session}", owner) for session, owner in self.written.repeats]
        self.con.executemany("INSERT OR IGNORE INTO meta(key, value) VALUES (?, ?)", repeats)

    def _keep(self, row: MessageRow) -> int:
        session, role, kind, text, uuid, block, ts, sha, chain, meta, tool_use_id, _, _, _ = row
        idx = self._next[session]
        self._next[session] = idx + 1
        self._owners[uuid, block] = session
        self._messages.append((session, idx, role, kind, text, uuid, block, ts, sha, chain, meta, tool_use_id))
        self.written.touched.add(session)
        self._hear(row)
        return idx

    def _hear(self, row: MessageRow) -> None:
        if self.agent == "codex":  # the only one that keeps two logs
            self.memory.hear(self.con, row)

    def _call(self, row: MessageRow, call: CallRow) -> None:
        key = (row.session, row.tool_use_id or row.uuid)
        known = self._calls.get(key)
        if known is None:
            made = _Call(*key, call.name, call.input_json, self._keep(row), chain=row.chain)
            self._calls[key] = self._changed[key] = made
            self.written.tool_calls += 1
        elif (known.name, known.input_json) != (call.name, call.input_json):
            self._keep(row)  # an id used again: the words are kept, but there is one call by that id

    def _result(self, row: MessageRow, result: ResultRow) -> None:
        call = self._calls.get((row.session, row.tool_use_id or ""))
        if call is not None and call.result_idx is not None:
            if self.agent != "claude-code" and not row.display and SHOWN not in call.facts:
                self._keep(row)  # an id used again
            else:
                self._complete_result(row, result)
            return
        kept = self._keep(row) if row.text or not row.display else None
        if call is not None:
            call.result_idx = kept
            _add(call, result)
            if row.display and kept is not None:
                call.facts[SHOWN] = True
            self._change(call)

    def _complete_result(self, row: MessageRow, result: ResultRow) -> None:
        """Complete a result with a known message: Codex records it twice, and either may have more."""
        call = self._calls.get((row.session, row.tool_use_id or ""))
        if call is None or self.agent != "codex":
            return
        before = call.values()
        _add(call, result)
        if call.values() != before:
            self._change(call)

    def _change(self, call: _Call) -> None:
        self._changed[call.session, call.tool_use_id] = call
        self.written.touched.add(call.session)


def _add(call: _Call, result: ResultRow) -> None:
    if result.exit_code is not None:
        call.exit_code = result.exit_code
    call.failure = _failure(call, result)
    call.facts = {**call.facts, **result.facts}
    if call.exit_code is not None:
        call.facts.pop("running", None)


def _failure(call: _Call, result: ResultRow) -> str:
    failures = (call.failure, result.failure)
    own = next((one for one in failures if one not in ("none", "error")), None)
    if own is not None:
        return own
    failed = call.exit_code != 0 if call.exit_code is not None else "error" in failures
    return "tool_use_error" if failed and call.name in OWN_TOOLS else "error" if failed else "none"
