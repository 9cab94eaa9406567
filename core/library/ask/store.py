"""Stored answers and sessions: every answer and refusal with its trace, conversations turn by turn.

Source: kebab-frozen-design 5.7 and 5.7a.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

import apsw

from core.base.fault import Fault
from core.base.trace import Facts
from core.base.wire import dumps, to_wire
from core.library.ask.answer import Answer, AnswerCitation, SinceRead
from core.library.ask.prompt import Turn
from core.library.documents.read import sources
from core.library.documents.rows import asset_id, content_hash, id_from
from core.library.ingest.walk import file_of
from core.library.ingest.write import SETTLED
from core.store import Store
from core.store.sql import number, value

TITLE: Final = 80
_NAME: Final = 100
_HISTORY: Final = 20  # turns that are read; the budget decides how many come along

_READ: Final = 1 << 26
"""Bytes of a file that are compared with the indexed one; a larger one is compared by size."""
_ROWS: Final = """
  SELECT d.workspace_path, d.asset_id, d.source_id, d.indexed_at, p.size, p.mtime_ns, p.looked
  FROM json_each(?) JOIN documents d ON d.workspace_path = value
  LEFT JOIN asset_paths p ON p.workspace_path = d.workspace_path
"""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A conversation: its name, its first question, how many turns, when it began and when it last went on."""

    session_id: str
    title: str
    turns: int
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class SessionList:
    """The conversations, the last one first."""

    SCHEMA: ClassVar[str] = "ask_sessions.v1"

    sessions: tuple[SessionRow, ...]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn: question, answer, whether it was grounded (false without a `refusal_reason`: not verified), and the
    citations as URIs. `cut`: after how
    many tokens its length ran out, null where it did not."""

    turn_index: int
    question: str
    answer: str
    grounded: bool
    refusal_reason: str | None
    citations: tuple[str, ...]
    created_at: str
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One conversation with its turns, oldest first."""

    SCHEMA: ClassVar[str] = "ask_session.v1"

    session: SessionRow
    turns: tuple[TurnRow, ...]


@dataclass(frozen=True, slots=True)
class SessionDeleted:
    """A conversation that is gone, and how many turns it had. Its answers stay among the answers."""

    SCHEMA: ClassVar[str] = "ask_session_deleted.v1"

    session_id: str
    turns: int


def checked_session(name: str) -> str:
    """The name of a session. Raises Fault invalid_input for one that could not be shown or typed."""
    if not name.strip() or len(name) > _NAME or not name.isprintable():
        raise Fault(
            "invalid_input", "the session's name is empty, too long or not printable", "use a name like release-2"
        )
    return name


def keep(store: Store, answer: Answer, packed: Sequence[str]) -> Answer:
    """Keep an answer, and as a turn where it belongs to a session; returns it with its turn.

    `packed`: the chunk ids the model was given. Kept again it takes the place of what was kept of it before. Raises
    Fault as `Store.transaction`.
    """
    return replace(answer, turn_index=keep_wire(store, cast("dict[str, Any]", to_wire(answer)), packed))


def keep_wire(store: Store, answer: dict[str, Any], packed: Sequence[str]) -> int | None:
    """As `keep`, of an `answer.v1` as it is written; returns its turn."""
    with store.transaction() as con:
        turn = None if answer["conversation_id"] is None else _turn(con, answer)
        kept = {**answer, "turn_index": turn}
        if turn is not None:
            _put_turn(con, kept)
        _put_answer(con, kept, packed)
    return turn


def _turn(con: apsw.Connection, one: dict[str, Any]) -> int:
    """The turn it was kept as; else the next one. Answers of a session of this name that is gone are none of it."""
    session, trace_id = one["conversation_id"], one["retrieval"]["trace_id"]
    if value(con, "SELECT 1 FROM chat_sessions WHERE session_id = ?", (session,)) is None:
        _let_go(con, session)
    was = value(con, "SELECT turn_index FROM answers WHERE trace_id = ? AND conversation_id = ?", (trace_id, session))
    if was is None:
        return number(con, "SELECT coalesce(max(turn_index), -1) + 1 FROM chat_turns WHERE session_id = ?", (session,))
    return cast("int", was)


def _put_answer(con: apsw.Connection, one: dict[str, Any], packed: Sequence[str]) -> None:
    found, used = one["retrieval"], one["usage"]
    embedding: dict[str, Any] = one["embedding"] or {}
    con.execute(
        f"INSERT OR REPLACE INTO answers VALUES ({', '.join('?' * 25)})",
        (
            *(found["trace_id"], one["query"], one["answer"], int(one["grounded"]), one["refusal_reason"]),
            *(one["model"]["id"], one["model"]["provider"], embedding.get("id"), embedding.get("dimensions")),
            *(one["prompt_template_version"], found["mode"], found["k"], found["score_gate"], found["top_score"]),
            *(found["chunks_returned"], found["chunks_used"], dumps(one["citations"]), dumps(list(packed))),
            *(used["prompt_tokens"], used["completion_tokens"], used["latency_ms"]),
            *(one["created_at"], one["conversation_id"], one["turn_index"], dumps(one)),
        ),
    )


def _put_turn(con: apsw.Connection, one: dict[str, Any]) -> None:
    session, at, created = one["conversation_id"], one["turn_index"], one["created_at"]
    con.execute(
        "INSERT INTO chat_sessions VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET updated_at = ?",
        (
            *(session, created, created, " ".join(one["query"].split())[:TITLE]),
            dumps({"prompt_template_version": one["prompt_template_version"], "llm.model": one["model"]["id"]}),
            created,
        ),
    )
    con.execute(
        "INSERT OR REPLACE INTO chat_turns VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *(id_from({"kind": "turn", "session_id": session, "turn_index": at}), session, at),
            *(one["query"], one["answer"]),
            *(dumps([cited["citation"] for cited in one["citations"] if cited["marker"]]), created),
        ),
    )


def history(con: apsw.Connection, session: str) -> tuple[Turn, ...]:
    """Return the last answered turns, oldest first, without refusals. Unverified ones count too: every answer is
    checked against its own passages. Raises apsw errors."""
    rows = con.execute(
        "SELECT t.question, t.answer FROM chat_turns t JOIN answers a ON a.conversation_id = t.session_id"
        " AND a.turn_index = t.turn_index WHERE t.session_id = ? AND a.refusal_reason IS NULL"
        " ORDER BY t.turn_index DESC LIMIT ?",
        (session, _HISTORY),
    ).fetchall()
    return tuple(Turn(*row) for row in reversed(cast("list[tuple[str, str]]", rows)))


def questions(con: apsw.Connection, limit: int = 100) -> tuple[str, ...]:
    """What was asked last, each once, the newest first. Raises apsw errors."""
    found = con.execute("SELECT query FROM answers GROUP BY query ORDER BY max(created_at) DESC LIMIT ?", (limit,))
    return tuple(query for (query,) in cast("list[tuple[str]]", found.fetchall()))


_SESSIONS = """
  SELECT s.session_id, coalesce(s.title, ''), (SELECT count(*) FROM chat_turns t WHERE t.session_id = s.session_id),
    s.created_at, s.updated_at FROM chat_sessions s
"""


def list_sessions(con: apsw.Connection) -> SessionList:
    """All conversations. Raises apsw errors."""
    rows = con.execute(_SESSIONS + " ORDER BY s.updated_at DESC, s.session_id").fetchall()
    return SessionList(tuple(SessionRow(*row) for row in cast("list[tuple[str, str, int, str, str]]", rows)))


def show_session(con: apsw.Connection, session: str) -> StoredSession:
    """One conversation. Raises Fault not_indexed where there is none of this name."""
    row = con.execute(_SESSIONS + " WHERE s.session_id = ?", (session,)).fetchone()
    if row is None:
        raise _unknown(session)
    turns = con.execute(
        "SELECT t.turn_index, t.question, t.answer, coalesce(a.grounded, 0), a.refusal_reason, t.citations_json,"
        " t.created_at, json_extract(a.answer_json, '$.cut.tokens') FROM chat_turns t"
        " LEFT JOIN answers a ON a.conversation_id = t.session_id AND"
        " a.turn_index = t.turn_index WHERE t.session_id = ? ORDER BY t.turn_index",
        (session,),
    ).fetchall()
    return StoredSession(
        SessionRow(*cast("tuple[str, str, int, str, str]", row)),
        tuple(
            TurnRow(at, query, answer, bool(grounded), why, tuple(one["uri"] for one in json.loads(cited)), when, cut)
            for at, query, answer, grounded, why, cited, when, cut in cast(
                "list[tuple[int, str, str, int, str | None, str, str, int | None]]", turns
            )
        ),
    )


def delete_session(store: Store, session: str) -> SessionDeleted:
    """Take a conversation out, with its turns. Raises Fault not_indexed where there is none, and as transaction."""
    with store.transaction() as con:
        turns = number(con, "SELECT count(*) FROM chat_turns WHERE session_id = ?", (session,))
        if value(con, "SELECT 1 FROM chat_sessions WHERE session_id = ?", (session,)) is None:
            raise _unknown(session)
        _let_go(con, session)
        con.execute("DELETE FROM chat_sessions WHERE session_id = ?", (session,))
    return SessionDeleted(session, turns)


def _let_go(con: apsw.Connection, session: str) -> None:
    """Its answers are kept as answers; a new session of the same name must not find them as its own."""
    con.execute("UPDATE answers SET conversation_id = NULL, turn_index = NULL WHERE conversation_id = ?", (session,))


def _unknown(session: str) -> Fault:
    return Fault("not_indexed", f"session {session[:80]} not found", "run: casebook library ask sessions list")


@dataclass(frozen=True, slots=True)
class _Read:
    """A document as it was read; `size`, `mtime_ns` and `looked` are null where that is not known."""

    path: str
    asset_id: str
    source_id: str
    indexed_at: str
    size: int | None
    mtime_ns: int | None
    looked: float | None


def with_files(con: apsw.Connection, answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers, their citations with what became of their files since. A few files are looked at.

    Raises apsw errors; a file that cannot be looked at counts as the same.
    """
    paths = {cited.citation.path for one in answers for cited in one.citations}
    if not paths:
        return tuple(answers)
    roots = {one.source_id: one for one in sources(con)}
    rows = cast("list[tuple[str, str, str, str, int | None, int | None, float | None]]",
                con.execute(_ROWS, (json.dumps(sorted(paths)),)).fetchall())  # fmt: skip
    known = {one.path: one for one in (_Read(*row) for row in rows)}
    became: dict[str, SinceRead | None] = dict.fromkeys(paths, "gone")
    for path, one in known.items():
        root = roots.get(one.source_id)
        try:
            became[path] = None if root is None else _became(one, file_of(root, path))
        except (OSError, ValueError, Fault):
            became[path] = None
    return tuple(
        replace(one, citations=tuple(_read_citation(cited, known, became) for cited in one.citations))
        for one in answers
    )


def _read_citation(one: AnswerCitation, known: dict[str, _Read], became: dict[str, SinceRead | None]) -> AnswerCitation:
    """Of one that was answered from an older reading than the last, too."""
    path, when = one.citation.path, one.citation.indexed_at
    since = became[path]
    if since is None and path in known and when and when != known[path].indexed_at:
        since = "changed"
    return one if since == one.since_read else replace(one, since_read=since)


def _became(one: _Read, file: Path) -> SinceRead | None:
    """Size and time tell, as they do when folders are read again; else the content."""
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    if not stat.S_ISREG(found.st_mode):
        return "gone"
    settled = one.looked is not None and one.looked - found.st_mtime > SETTLED
    if (one.size, one.mtime_ns) == (found.st_size, found.st_mtime_ns) and settled:
        return None
    if one.size is not None and one.size != found.st_size:
        return "changed"
    if found.st_size > _READ:
        return None
    return None if asset_id(content_hash(file.read_bytes())) == one.asset_id else "changed"


def answers_of(con: apsw.Connection, session: str) -> dict[int, Answer]:
    """The answers of a conversation by turn; one that was written in another form is left out. Raises apsw errors."""
    rows = con.execute(
        "SELECT turn_index, answer_json FROM answers WHERE conversation_id = ? AND turn_index IS NOT NULL", (session,)
    ).fetchall()
    found = {turn: read_answer(text) for turn, text in cast("list[tuple[int, str]]", rows)}
    return {turn: answer for turn, answer in found.items() if answer is not None}


def read_answer(text: str) -> Answer | None:
    """An `answer.v1`; None where it is none. What was added since it was written is as it is by default."""
    try:
        made = _made(json.loads(text), Answer)
    except (ValueError, TypeError, KeyError, RecursionError, Fault):
        return None
    return cast("Answer", made)


def _made(given: Any, hint: Any) -> Any:
    """`given` as a value of this type. Raises ValueError, TypeError or KeyError where it is none."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint == Facts:
        return tuple(_object(given).items())
    if origin in (Union, UnionType):
        return _one_of(given, inner)
    if origin is Literal:
        if given not in inner:
            raise ValueError(given)
        return given
    if origin is tuple:
        if not isinstance(given, list):
            raise TypeError(given)
        return tuple(_made(one, inner[0]) for one in cast("list[Any]", given))
    if isinstance(hint, type) and is_dataclass(hint):
        known = _hints(hint)
        return hint(**{name: _made(one, known[name]) for name, one in _object(given).items() if name in known})
    if hint is float and isinstance(given, int):
        return float(given)
    if not isinstance(given, hint):
        raise TypeError(given)
    return given


def _one_of(given: Any, hints: tuple[Any, ...]) -> Any:
    if given is None and type(None) in hints:
        return None
    for hint in hints:
        if hint is type(None) or (is_dataclass(hint) and _kind(hint) not in (None, _object(given).get("kind"))):
            continue
        return _made(given, hint)
    raise ValueError(given)


def _object(given: Any) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise TypeError(given)
    return cast("dict[str, Any]", given)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of what it is made with, by name."""
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind) if one.init}


def _kind(hint: Any) -> str | None:
    """Return what distinguishes a citation from one of another kind."""
    return next((str(one.default) for one in fields(hint) if one.name == "kind"), None)
