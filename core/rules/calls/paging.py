"""The tool calls of imported sessions, to be read a page at a time: their keys once, their rows as they are looked at.

Keys are row ids, the newest import first; a page is read by its keys, never by counting past the rows before it.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import orjson

from core.rules.calls.query import Span, composed, lit, with_words
from core.rules.format.edit import patch_in_a_line
from core.rules.matching.call import ToolCall
from core.rules.matching.project_type import project_type
from core.store import Store, faults
from core.transcripts.commands import shell_command

ABOUT = 300
"""Code points of what a call is about, in a row."""
_HEAD, _WHOLE = 4_000, 1 << 30
_TELLING = (
    "description",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "query",
    "url",
    "prompt",
    "new_string",
    "content",
)
_TEXT = re.compile(r'"\s*:\s*"((?:[^"\\]|\\.)*)')


_Row = tuple[int, str, str, int, str, int, str, str]


@dataclass(frozen=True, slots=True)
class CallRow:
    """One tool call in a list: what it is about in a line, when it was made (ISO 8601, or empty), whether it failed;
    where the words that were searched stand in the line (`lit`) and in the tool's name."""

    id: int
    tool: str
    about: str
    ts: str
    failed: bool
    project: str
    lit: tuple[Span, ...] = ()
    lit_tool: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredCall:
    """One tool call whole, with the session and message that it is from, and when that session was begun."""

    id: int
    call: ToolCall
    session: str
    message: int
    project: str
    ts: str
    started: str


def call_keys(store: Store, tool: str = "") -> array[int]:
    """The keys of all calls (of one tool), the newest import first. Raises Fault."""
    where, given = ("WHERE name = ?", (tool,)) if tool else ("", ())
    with faults(store.path):
        rows = store.con.execute(f"SELECT rowid FROM tool_call {where}", given)
        found = array("q", (cast("int", row[0]) for row in rows))
    return array("q", sorted(found, reverse=True))


def call_rows(store: Store, keys: Sequence[int], words: Sequence[str] = ()) -> tuple[CallRow, ...]:
    """The rows of these keys, in their order; one that is gone is left out. Raises Fault.

    With `words` (of `words_of`) each line shows them, and where they are.
    """
    with faults(store.path):
        rows = store.con.execute(
            "SELECT t.rowid, t.name, substr(t.input_json, 1, ?), length(t.input_json), coalesce(m.ts, ''), t.failed,"
            " s.project, s.id FROM json_each(?) AS wanted JOIN tool_call AS t ON t.rowid = wanted.value"
            " JOIN session AS s ON s.id = t.session_id"
            " LEFT JOIN message AS m ON m.session_id = t.session_id AND m.idx = t.call_idx",
            (_WHOLE if words else _HEAD, json.dumps(list(keys))),
        ).fetchall()
    found: dict[int, CallRow] = {}
    for key, name, head, size, ts, failed, project, session in cast("list[_Row]", rows):
        line = _within(project, about(name, head, whole=bool(words) or size <= _HEAD))
        row = CallRow(key, name, line, ts, bool(failed), project)
        found[key] = _lit(row, (*texts_of(head, project), folder_name(project), session), words) if words else row
    return tuple(found[key] for key in keys if key in found)


def _lit(row: CallRow, texts: Sequence[str], words: Sequence[str]) -> CallRow:
    line, tool = with_words(row.about, row.tool, texts, words), composed(row.tool)
    return replace(row, tool=tool, about=line, lit=lit(line, words), lit_tool=lit(tool, words))


def stored_call(store: Store, key: int) -> StoredCall | None:
    """The call of this key with its whole input and its project's languages; None where it is gone. Raises Fault."""
    with faults(store.path):
        row = store.con.execute(
            "SELECT t.name, t.input_json, t.session_id, t.call_idx, s.project, coalesce(m.ts, ''), s.started"
            " FROM tool_call AS t"
            " JOIN session AS s ON s.id = t.session_id"
            " LEFT JOIN message AS m ON m.session_id = t.session_id AND m.idx = t.call_idx WHERE t.rowid = ?",
            (key,),
        ).fetchone()
    if row is None:
        return None
    name, given, session, message, project, ts, started = cast("tuple[str, str, str, int, str, str, str]", row)
    kind = project_type(Path(project)) if project and Path(project).is_absolute() else ()
    return StoredCall(key, ToolCall(name, _input(given), kind), session, message, project, ts, started)


def about(tool: str, given: str, *, whole: bool = True) -> str:
    """What a call is about, from its input as JSON, in one line; of one that was cut off, its first texts."""
    said = _input(given) if whole else {}
    command = shell_command(tool, said)
    if command is None:
        texts = [str(said[name]) for name in _TELLING if isinstance(said.get(name), str)][:2]
        texts = texts or [str(value) for value in said.values() if isinstance(value, str)][:2]
        cut = (found.group(1).replace("\\n", "\n") for found in _TEXT.finditer(given[:_HEAD]))
        command = "  ".join(texts) or "  ".join(cut) or given
    line = patch_in_a_line(command[:_HEAD]) or command
    return " ".join(line[: ABOUT * 2].split())[:ABOUT]


def texts_of(given: str, project: str) -> list[str]:
    """Every text of an input, however deep, paths within the project without its own path; of an input that has none,
    the input as it is written."""
    found: list[str] = []
    left: list[object] = [_read(given)]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found.append(_within(project, one, " "))
        elif isinstance(one, dict):
            left += reversed(list(cast("dict[str, object]", one).values()))
        elif isinstance(one, list):
            left += reversed(cast("list[object]", one))
    return found if any(found) else [given]


def folder_name(project: str) -> str:
    """The name of a project's folder."""
    return project.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _within(project: str, said: str, instead: str = "") -> str:
    """Paths within the project without its own path."""
    return said.replace(project + ("\\" if "\\" in project else "/"), instead) if len(project) > 1 else said


def _read(given: str) -> dict[str, Any]:
    """The input as an object whose texts alone are of interest: three times as fast, with numbers less exact."""
    try:
        found: object = orjson.loads(given)
    except orjson.JSONDecodeError:
        return _input(given)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {"input": given}


def _input(given: str) -> dict[str, Any]:
    """The input as an object; what is none (a broken import, a bare text) is kept under a name of its own."""
    try:
        found: object = json.loads(given)
    except (ValueError, RecursionError):
        return {"input": given}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {"input": given}
