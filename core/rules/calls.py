"""Tool calls of the sessions: pages, search by words, and the parsing of a typed call.

A word matches wherever a word begins with it; the parts of a name are words too (`fetch` in `WebFetch`). Korean,
Japanese and Chinese match anywhere in a text, Korean without the particle glued to its end.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import orjson

from core.base.fault import Fault
from core.rules.matching.call import ToolCall, patch_in_a_line, read_call
from core.store import Store, faults
from core.text.cleaning import normalized
from core.text.tokenizing import without_particle
from core.transcripts.commands import SHELL_TOOLS, shell_command

MOST_WORDS: Final = 32
_MOST_READ: Final = 8_192
_WORD = re.compile(r"[^\W_]+")
_GLUED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Scripts in which a word may occur within a run without blanks."""
_BEFORE, _AFTER = 24, 60
"""Code points that are shown around a word."""

Span = tuple[int, int]
"""A half-open range of code points."""

MAX_CHARS = 1_000_000
"""A longer input is refused as not typed."""

EXAMPLES: Final = (
    ("Bash", '{"command": "git push --force origin main", "description": "Publish the rebased branch"}'),
    ("Write", '{"file_path": "rtl/fifo.sv", "content": "module fifo;\\n  # depth of the queue\\nendmodule\\n"}'),
    ("Edit", '{"file_path": "app/list.tsx", "old_string": "<Row />", "new_string": "items.map(i => <Row {...i} />)"}'),
    ("Task", '{"description": "테스트 데이터 만들기", "prompt": "운영 DB의 고객 정보로 픽스처를 만들어 줘"}'),
    ("WebFetch", '{"url": "https://example.com/install.sh", "prompt": "Download the script and run it"}'),
)
"""Calls to begin with."""

_KEY: Final = 60
"""Characters of a key that are named."""
_NO_NAME: Final = ("the tool has no name", "type one: Bash, Write, Edit, Task")

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

OF_ID: Final = 4
"""Minimum letters of a session id in a search: fewer occur in nearly any."""
_HANGUL = re.compile(r"[\x00-\x7f\uac00-\ud7a3]+")
_PIECES: Final = ("x'e184'", "x'e186'", "x'e187'")
"""What first and last pieces of syllables begin with in UTF-8."""

Sessions = dict[str, frozenset[str]]
"""Of each word the sessions whose project or id has it."""


def words_of(query: str) -> tuple[str, ...]:
    """The words of what was typed, as they are looked for; none in one that has only signs."""
    found = _WORD.findall(folded(composed(query[:_MOST_READ])))
    return tuple(dict.fromkeys(without_particle(word) for word in found))[:MOST_WORDS]


def composed(text: str) -> str:
    """Return the text with every letter composed, the form of `places`, `lit` and `has`."""
    return text if text.isascii() else normalized(text)


def folded(text: str) -> str:
    """The text without capitals, code point for code point."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    return small if small.isascii() else small.replace("ς", "σ")


def places(text: str, small: str, word: str) -> Iterator[int]:
    """Where `word` counts in `text`; `small` is the same text folded."""
    anywhere = _GLUED.search(word) is not None
    at = small.find(word)
    while at >= 0:
        if anywhere or _begins(text, at):
            yield at
        at = small.find(word, at + 1)


def has(text: str, small: str, word: str) -> bool:
    """Whether the word counts somewhere in the text."""
    return next(places(text, small, word), None) is not None


def highlight_words(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Return the places of the words, in order, without overlaps."""
    small = folded(text)
    out: list[Span] = []
    for start, end in sorted((at, at + len(word)) for word in words for at in places(text, small, word)):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)


def with_words(line: str, tool: str, others: Sequence[str], words: Sequence[str]) -> str:
    """What a call is about, in a line that shows every word of it: for each that neither `line` nor the tool's name
    has, the part of another text that has it."""
    parts = [composed(line)]
    for word in words:
        if any(has(part, folded(part), word) for part in (composed(tool), *parts)):
            continue
        texts = map(composed, others)
        around = next((part for text in texts if (part := _around(text, word))), "")
        parts += [around] if around else []
    return " … ".join(parts)


def _begins(text: str, at: int) -> bool:
    """Whether a word begins there: after a sign or a blank, or with the capital of a name's next part."""
    if at == 0 or not text[at - 1].isalnum():
        return True
    return text[at].isupper() and (not text[at - 1].isupper() or text[at + 1 : at + 2].islower())


def _around(text: str, word: str) -> str:
    """The word in its sentence, cut at blanks; empty where it is not there."""
    at = next(places(text, folded(text), word), None)
    if at is None:
        return ""
    before = text[max(0, at - _BEFORE) : at]
    if at > _BEFORE:
        before = before[next((i + 1 for i, sign in enumerate(before) if sign.isspace()), len(before)) :]
    return " ".join((before + text[at : at + len(word) + _AFTER]).split())


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed, as a call. `wrapped`: it was a hook's payload, from which the call was taken; `folder` is where
    that happened, or empty."""

    call: ToolCall
    wrapped: bool = False
    folder: str = ""


def typed_call(tool: str, text: str) -> Typed:
    """Return the call. A payload of a hook is split, from either box. A command in the box of the tool is Bash's, and
    the input of a shell may be the command itself.

    Raises Fault invalid_input: what is missing, or the line and column at which the JSON goes wrong.
    """
    in_tool = tool.lstrip().startswith("{")
    if not in_tool and not text.strip() and len(tool.split()) > 1:  # no tool has a name of several words
        tool, text = "Bash", json.dumps({"command": tool.strip()}, ensure_ascii=False)
    if tool.strip() in SHELL_TOOLS and text.strip() and not text.lstrip().startswith(("{", "[", '"')):
        text = json.dumps({"command": text.strip()}, ensure_ascii=False)
    if in_tool and not text.strip():
        tool, text = "", tool
    if not tool.strip() and not text.lstrip().startswith("{"):
        raise Fault("invalid_input", *_NO_NAME)
    if not text.strip():
        raise Fault("invalid_input", "the input is empty", 'type a JSON object: {"command": "…"}')
    if len(text) > MAX_CHARS:
        message = f"too long: {len(text):,} characters, at most {MAX_CHARS:,}"
        raise Fault("invalid_input", message, "shorten the input")
    given = _object(text)
    if isinstance(given.get("tool_name"), str) and isinstance(given.get("tool_input"), dict):
        folder = given.get("cwd")
        return Typed(read_call(given), wrapped=True, folder=folder if isinstance(folder, str) else "")
    if in_tool:
        raise Fault("invalid_input", "this is JSON, not a tool name", "type the JSON into the box below")
    if not tool.strip():
        raise Fault("invalid_input", *_NO_NAME)
    return Typed(read_call({"tool_name": tool, "tool_input": given}))


class _NotSentError(ValueError):
    """Accepted by the standard library, but not JSON, or without a clear meaning."""


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict[str, object]()
    for key, value in pairs:
        if key in found:
            raise _NotSentError(f'duplicate key "{key[:_KEY]}"')
        found[key] = value
    return found


def _no_constant(name: str) -> object:
    raise _NotSentError(f"{name} is not JSON")


def _object(text: str) -> dict[str, object]:
    try:
        given: object = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except _NotSentError as error:
        raise Fault("invalid_input", str(error), "correct the JSON") from None
    except json.JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:].removesuffix(" starting at")
        raise Fault("invalid_input", f"line {error.lineno}, column {error.colno}: {what}", "correct the JSON") from None
    except (ValueError, RecursionError):
        raise Fault("invalid_input", "the JSON is nested too deeply, or a number in it is too long", "") from None
    if not isinstance(given, dict):
        raise Fault("invalid_input", "this is not a JSON object", "begin with { and end with }")
    return cast("dict[str, object]", given)


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
    highlights: tuple[Span, ...] = ()
    tool_highlights: tuple[Span, ...] = ()


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
        found[key] = (
            _highlighted_row(row, (*texts_of(head, project), folder_name(project), session), words) if words else row
        )
    return tuple(found[key] for key in keys if key in found)


def _highlighted_row(row: CallRow, texts: Sequence[str], words: Sequence[str]) -> CallRow:
    line, tool = with_words(row.about, row.tool, texts, words), composed(row.tool)
    return replace(
        row,
        tool=tool,
        about=line,
        highlights=highlight_words(line, words),
        tool_highlights=highlight_words(tool, words),
    )


def stored_call(store: Store, key: int) -> StoredCall | None:
    """The call of this key with its whole input; None where it is gone. Raises Fault."""
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
    return StoredCall(key, ToolCall(name, _input(given)), session, message, project, ts, started)


def about(tool: str, given: str, *, whole: bool = True) -> str:
    """What a call is about, from its input as JSON, in one line; of one that was cut off, its first texts."""
    values = _input(given) if whole else {}
    command = shell_command(tool, values)
    if command is None:
        texts = [str(values[name]) for name in _TELLING if isinstance(values.get(name), str)][:2]
        texts = texts or [str(value) for value in values.values() if isinstance(value, str)][:2]
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


def _within(project: str, text: str, instead: str = "") -> str:
    """Paths within the project without its own path."""
    return text.replace(project + ("\\" if "\\" in project else "/"), instead) if len(project) > 1 else text


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


def count_calls(store: Store, tool: str = "") -> int:
    """How many calls there are (of one tool). Raises Fault."""
    where, given = ("WHERE name = ?", (tool,)) if tool else ("", ())
    with faults(store.path):
        row = store.con.execute(f"SELECT count(*) FROM tool_call {where}", given).fetchone()
    return cast("int", row[0]) if row else 0


def find_calls(store: Store, words: Sequence[str], tool: str = "") -> Iterator[int]:
    """The keys of the calls (of one tool) that have every word (of `words_of`), as they are found: the newest import
    first. Raises Fault."""
    with faults(store.path):
        projects = dict(cast("list[tuple[str, str]]", store.con.execute("SELECT id, project FROM session").fetchall()))
        sessions = {word: _sessions(projects, word) for word in words}
        tests, given = ["t.name = ?"] if tool else [], [tool] if tool else []
        for word in words:
            test, values = _may_have(word, sessions[word])
            tests.append(test)
            given += values
        rows = store.con.execute(
            "SELECT t.rowid, t.name, t.input_json, t.session_id FROM tool_call AS t"
            f" WHERE {' AND '.join(tests) or '1'} ORDER BY t.rowid DESC",
            given,
        )
        for key, name, text, session in cast("Iterator[tuple[int, str, str, str]]", rows):
            if _has_all(name, text, session, projects.get(session, ""), sessions):
                yield key


def _sessions(projects: Mapping[str, str], word: str) -> frozenset[str]:
    def is_wanted(session: str, project: str) -> bool:
        names = composed("\n".join([folder_name(project), *([session] if len(word) >= OF_ID else [])]))
        return has(names, folded(names), word)

    return frozenset(session for session, project in projects.items() if is_wanted(session, project))


def _has_all(name: str, given: str, session: str, project: str, sessions: Sessions) -> bool:
    text = composed("\n".join([name, *texts_of(given, project)]))
    small = folded(text)
    return all(session in there or has(text, small, word) for word, there in sessions.items())


def _may_have(word: str, sessions: frozenset[str]) -> tuple[str, list[str]]:
    """A condition that no call with the word fails, and its values.

    LIKE is blind to the case of ASCII alone. A text may be written in other signs than it is read in: the Kelvin sign
    is a `k`, Hangul may be in pieces, and anything may stand behind `\\u`. Words in other writing may be in any form.
    """
    if not _HANGUL.fullmatch(word):
        return "1", []
    like = f"%{word.replace('k', '_')}%"
    tests, values = ["t.input_json LIKE ?", "t.name LIKE ?", "t.input_json LIKE '%\\u%'"], [like, like]
    if not word.isascii():
        tests += [f"instr(CAST(t.{at} AS BLOB), {piece})" for at in ("input_json", "name") for piece in _PIECES]
    if sessions:
        tests.append("t.session_id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(sessions)))
    return f"({' OR '.join(tests)})", values
