"""opencode sessions: the SQLite database, and what `opencode export` writes (`{info, messages: [{info, parts}]}`).

In the database each message (`message.data`) and each part of it (`part.data`) is a JSON object; both forms hold the
same objects. A tool call and its result are one part, whose `state` is pending, running, completed or error; the exit
code of a shell command is in `state.metadata.exit`. Seen in versions 1.2 to 1.18.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from core.transcripts.fields import fields, instant, items, json_text, small_int, string, word
from core.transcripts.lines import Fields, Line, head_objects, objects, parse
from core.transcripts.records import Connection, Failure, Record, Role, SessionStart, Skipped, Turn

NAME = "opencode"
FILES = ("opencode*.db", "opencode*.json")  # an export has the name that a person gives it
KEYS = frozenset(["info"])
TABLES = frozenset({"session", "message", "part"})

_DENIED: Final = re.compile(
    r"The user (?:rejected|dismissed)|(?:The )?user has (?:specified a rule|rejected)", re.IGNORECASE
)
_MISUSED: Final = re.compile(
    r"The \S{1,60} tool was called with invalid arguments|Model tried to call unavailable tool"
)
_STOPPED: Final = ("Tool execution aborted", "Tool execution was interrupted")
_HELD_MS: Final = 3_600_000
"""How long a message that is not finished is waited for; opencode may have been killed in the middle of it."""

_SESSIONS: Final = """SELECT session_id, max(time_updated) FROM
 (SELECT session_id, time_updated FROM part UNION ALL SELECT session_id, time_updated FROM message)
 WHERE typeof(session_id) = 'text' AND typeof(time_updated) = 'integer'
 GROUP BY session_id HAVING max(time_updated) > ? ORDER BY 2, 1"""
_SESSION: Final = "SELECT id, parent_id, directory, time_created FROM session WHERE id = ?"
_MESSAGES: Final = "SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS: Final = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"


def owns(value: object) -> bool:
    """Whether it is an exported session."""
    record = fields(value)
    first = fields(next(iter(items(record.get("messages"))), None))
    info = fields(record.get("info"))
    if string(info.get("id")).startswith("ses_"):
        return True
    return isinstance(info.get("id"), str) and "messages" in record and "parts" in first


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session of an export; a database holds many, each of which is named where its messages begin."""
    exported = next((one for one in head_objects(head) if owns(one)), None)
    if exported is None:
        own = re.search(rb'\{\s{0,9}"info"\s{0,9}:\s{0,9}\{\s{0,9}"id"\s{0,9}:\s{0,9}"(\w{1,100})"', head[:4096])
        return SessionStart(own[1].decode() if own else word(path.stem) or "unnamed", "opencode")
    return _session(fields(exported.get("info")))


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`OPENCODE_DB` names the database, `XDG_DATA_HOME` moves the folder; the folder is the same on every system."""
    named = env.get("OPENCODE_DB")
    base = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    return [base / named if named and named != ":memory:" else base]


def stored_lines(con: Connection, since: int, now: int) -> Iterator[tuple[int, bytes]]:
    """The sessions in which something changed after `since`, message by message.

    A clock that was ahead must not hide what changes later: no position is after `now`.
    """
    done, held = min(since, now), False
    for session, changed in list(con.execute(_SESSIONS, (done,))):
        row = next(con.execute(_SESSION, (session,)), None)
        own, parent, folder, created = row or (session, None, "", None)
        info = {"id": own, "parentID": parent, "directory": folder, "time": {"created": created}}
        messages = list(con.execute(_MESSAGES, (session,)))
        for at, (message,) in enumerate(messages):
            line, finished = _line(con, info, message)
            if not finished and at == len(messages) - 1 and changed > now - _HELD_MS:
                held = True  # it is still written
                break
            yield done, line
        if not held:
            done = min(changed, now)
            yield done, b"{}"


def _line(con: Connection, session: Mapping[str, Any], message: object) -> tuple[bytes, bool]:
    data = next(con.execute("SELECT data FROM message WHERE id = ?", (message,)), ("",))[0]
    info = {**_object(data), "id": message}
    parts = [{**_object(part), "id": own} for own, part in con.execute(_PARTS, (message,))]
    finished = info.get("role") != "assistant" or "completed" in fields(info.get("time")) or "error" in info
    line = {"info": session, "message": {"info": info, "parts": parts}}
    return json_text(line).encode("utf-8", "replace"), finished


def _object(data: object) -> dict[str, Any]:
    try:
        return fields(parse(data.encode("utf-8", "surrogatepass"))) if isinstance(data, str) else {}
    except ValueError as error:
        return {"unread": str(error)}


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines: an export, or lines as `stored_lines` gives them."""
    session, announced = start or SessionStart("unnamed", "opencode"), False
    for number, _, record in objects(lines):
        if isinstance(record, Skipped):
            yield record
            continue
        known = _session(info) if (info := fields(record.get("info"))) else session
        session, announced = known, announced and known == session
        for at, message in enumerate(items(record.get("messages")) or [record.get("message")]):
            for found in _message(fields(message), session, number, at):
                if not announced and not isinstance(found, Skipped):
                    announced = True
                    yield session
                yield found


def _session(info: Fields) -> SessionStart:
    return SessionStart(
        word(info.get("id")) or "unnamed",
        "opencode",
        string(info.get("directory")),
        instant(fields(info.get("time")).get("created")),
        word(info.get("parentID")) or None,
    )


def _message(message: Fields, session: SessionStart, number: int, at: int) -> Iterator[Record]:
    info = fields(message.get("info"))
    role: Role = "user" if info.get("role") == "user" else "assistant"
    ts = instant(fields(info.get("time")).get("created")) or session.started
    own = _name(info.get("id"), "msg", f"{session.session_id}:{number}.{at}")
    if reason := string(info.get("unread")):
        yield Skipped(number, f"message {own}: {reason}")
    for index, part in enumerate(items(message.get("parts"))):
        source = fields(part)
        turn = Turn(_name(source.get("id"), "prt", f"{own}:{index}"), ts, number)
        yield from _part(source, turn, role, summary=info.get("summary") is True)
    error = fields(info.get("error"))
    if text := string(fields(error.get("data")).get("message")) or word(error.get("name")):
        yield Turn(f"{own}:error", ts, number, meta=True).message("system", "text", text)


def _name(value: object, sign: str, place: str) -> str:
    """The id of a message or a part; its place where the id was masked, as in sessions that people publish."""
    own = word(value)
    return own if sign in own else place


def _part(part: Fields, turn: Turn, role: Role, *, summary: bool) -> Iterator[Record]:
    kind, text = part.get("type"), string(part.get("text"))
    if reason := string(part.get("unread")):
        yield Skipped(turn.line, f"part {turn.uuid}: {reason}")
    elif kind == "text" and text:
        injected = part.get("synthetic") is True or summary
        yield turn._replace(meta=injected).message(role, "summary" if summary else "text", text)
    elif kind == "reasoning" and text:
        yield turn.message(role, "thinking", text)
    elif kind == "file":
        yield turn._replace(meta=True).message(role, "image", f"[file {word(part.get('filename')) or 'unnamed'}]")
    elif kind in ("subtask", "agent") and (prompt := string(part.get("prompt"))):
        yield turn._replace(meta=True).message(role, "text", prompt)
    elif kind == "tool":
        yield from _tool(part, turn)


def _tool(part: Fields, turn: Turn) -> Iterator[Record]:
    state = fields(part.get("state"))
    status, times = state.get("status"), fields(state.get("time"))
    call_id = turn.uuid  # `callID` is the model's, and some count from 0 in every answer
    given = state.get("input")
    tool_input = fields(given) or ({"input": given} if isinstance(given, str) and given else {})
    began = turn._replace(ts=instant(times.get("start")) or turn.ts)
    yield began.call(call_id, word(part.get("tool")) or "unnamed", tool_input)
    if status not in ("completed", "error"):
        return
    metadata = fields(state.get("metadata"))
    text = string(state.get("output")) if status == "completed" else string(state.get("error"))
    if status == "error" and (printed := string(metadata.get("output"))):
        text = f"{text}\n{printed}"
    code = small_int(metadata.get("exit"))
    ended = turn._replace(ts=instant(times.get("end")) or began.ts)
    yield ended.result(call_id, text, _failure(status == "error", text, code), code, block=1)


def _failure(failed: bool, text: str, code: int | None) -> Failure:
    if not failed:
        return "error" if code else "none"
    if text.startswith(_STOPPED):
        return "interrupted"
    if _DENIED.match(text):
        return "denied"
    return "tool_use_error" if _MISUSED.match(text) else "error"
