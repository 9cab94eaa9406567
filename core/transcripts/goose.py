"""Goose sessions: the SQLite database, and the JSON Lines of versions before 1.10.

A message has content blocks of Goose's own: `toolRequest` and `toolResponse` are paired by `id`; each holds a `Result`
of Rust, as `{status, value}` or `{status, error}`. Source: `crates/goose/src/session/session_manager.rs` and
`conversation/message.rs` of block/goose, schema 5.

Messages have no lasting name: Goose deletes the rows of a session and adds them again when it shortens the
conversation, and it moved old files into the database. So a message is known by its time and its content.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from core.transcripts.fields import elements, fields, instant, items, joined, json_text, small_int, string, word
from core.transcripts.lines import Fields, Line, head_objects, objects, parse
from core.transcripts.records import Connection, Failure, Record, Role, SessionStart, Skipped, Turn

NAME = "Goose"
FILES = ("sessions.db", "*.jsonl")
KEYS = frozenset(["working_dir", "created"])
TABLES = frozenset({"sessions", "messages", "schema_version"})

_EXIT: Final = re.compile(r"(?:[Ee]xit (?:code|status)|[Cc]ommand exited with code)[: ]{1,2}(-?[0-9]{1,10})\b")
_DENIED: Final = re.compile(r"The user has declined|Tool call (?:was )?(?:declined|rejected|denied)")
_TAIL: Final = 600

_CHANGED: Final = """SELECT session_id, max(id) FROM messages WHERE typeof(session_id) = 'text'
 GROUP BY session_id HAVING max(id) > ? ORDER BY 2"""
_SESSION: Final = "SELECT working_dir, created_at FROM sessions WHERE id = ?"
_MESSAGES: Final = """SELECT id, role, content_json, created_timestamp FROM messages
 WHERE session_id = ? AND id > ? ORDER BY id"""


def owns(value: object) -> bool:
    """Whether it is a message of Goose, or the record that opens an old session."""
    record = fields(value)
    if "working_dir" in record and ("message_count" in record or "description" in record):
        return True
    blocks = record.get("content")
    return "created" in record and "role" in record and isinstance(blocks, list) and "type" not in record


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session of an old file, which is named by its time; a database holds many."""
    known = next((one for one in head_objects(head) if "working_dir" in one), fields(None))
    first = next((at for one in head_objects(head) if (at := instant(one.get("created")))), "")
    return SessionStart(f"goose-{word(path.stem) or 'unnamed'}", "goose", string(known.get("working_dir")), first)


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`GOOSE_PATH_ROOT` and `XDG_DATA_HOME` move them, as they do for Goose."""
    if env.get("GOOSE_PATH_ROOT"):
        return [Path(env["GOOSE_PATH_ROOT"]) / "data" / "sessions"]
    bases = [Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "goose"]
    if sys.platform == "darwin":
        bases.append(home / "Library" / "Application Support" / "Block.goose")
    bases += [Path(env["APPDATA"]) / "Block" / "goose" / "data"] if env.get("APPDATA") else []
    return [base / "sessions" for base in bases]


def stored_lines(con: Connection, since: int, now: int) -> Iterator[tuple[int, bytes]]:
    """The messages after number `since`, session by session in the order of their last one.

    SQLite gives no number twice, so a database that has not come to `since` is a new one and is read from its start.
    """
    if since > _last_number(con):
        since = 0
    done = since
    for session, last in list(con.execute(_CHANGED, (since,))):
        folder, created = next(con.execute(_SESSION, (session,)), ("", ""))
        for own, role, content, at in con.execute(_MESSAGES, (session, since)):
            line = {
                "session": {"id": session, "working_dir": folder, "created": created},
                "id": own, "role": role, "created": at, "content": _content(content),
            }  # fmt: skip
            yield done, json_text(line).encode("utf-8", "replace")
        done = last
        yield done, b"{}"


def _last_number(con: Connection) -> int:
    """The highest number that a message has had."""
    newest = [*con.execute("SELECT max(id) FROM messages")]
    if next(con.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'"), None):
        newest += con.execute("SELECT seq FROM sqlite_sequence WHERE name = 'messages'")
    return max((number for (number,) in newest if isinstance(number, int)), default=0)


def _content(text: object) -> Any:
    try:
        return parse(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else None
    except ValueError as error:
        return {"unread": str(error)}


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of numbered lines, of a file or as `stored_lines` gives them."""
    session, announced = start or SessionStart("unnamed", "goose"), False
    for number, _, record in objects(lines):
        if isinstance(record, Skipped):
            yield record
            continue
        if stored := fields(record.get("session")):
            known = SessionStart(
                f"goose-{word(stored.get('id')) or 'unnamed'}",
                "goose",
                string(stored.get("working_dir")),
                instant(string(stored.get("created")).replace(" ", "T", 1)),
            )
            session, announced = known, announced and known == session
        for found in _message(record, session, number):
            if not announced and not isinstance(found, Skipped):
                announced = True
                yield session
            yield found


def _message(record: Fields, session: SessionStart, number: int) -> Iterator[Record]:
    role: Role = "user" if record.get("role") == "user" else "assistant"
    content = json_text([role, record.get("created"), record.get("content")]).encode("utf-8", "surrogatepass")
    turn = Turn(
        f"{session.session_id}:{blake2b(content, digest_size=8).hexdigest()}",
        instant(record.get("created")) or session.started,
        number,
    )
    if reason := string(fields(record.get("content")).get("unread")):
        own = small_int(record.get("id"))
        yield Skipped(number, f"message {number if own is None else own}: {reason}")
        return
    for block, part in enumerate(items(record.get("content"))):
        source = fields(part)
        kind, text = source.get("type"), string(source.get("text"))
        call_id = word(source.get("id")) or f"{turn.uuid}:{block}"
        if kind in ("toolRequest", "frontendToolRequest"):
            called = fields(fields(source.get("toolCall")).get("value"))
            name, given = word(called.get("name")) or "unnamed", fields(called.get("arguments"))
            yield turn.call(call_id, name, given or fields(source.get("toolCall")) if not called else given, block)
        elif kind == "toolResponse":
            yield _result(fields(source.get("toolResult")), call_id, turn, block)
        elif text:
            yield turn.message(role, "text", text, block)
        elif thought := string(source.get("thinking")):
            yield turn.message(role, "thinking", thought, block)
        elif note := string(source.get("msg")):
            yield turn._replace(meta=True).message("system", "text", note, block)
        elif kind == "image":
            yield turn.message(role, "image", "[image]", block)


def _result(result: Fields, call_id: str, turn: Turn, block: int) -> Record:
    value = result.get("value")
    shown = fields(value).get("content", value)
    text = string(result.get("error")) or joined(
        [found for part in elements(shown) if (found := string(fields(part).get("text")) or string(part))] or [""]
    )
    failed = result.get("status") == "error" or fields(value).get("isError") is True
    found = _EXIT.search(text[-_TAIL:]) if failed else None
    code = small_int(int(found[1])) if found else None
    failure: Failure = "denied" if _DENIED.match(text) else "error" if failed else "none"
    return turn.result(call_id, text, failure, code, block)
