"""Plain transcripts: a JSON array, or JSON Lines, of strings, of `{role, text}` objects, or of OpenAI's chat messages.

A chat may also be `{messages: [...]}`, a document or one a line. Its calls are `tool_calls` of the assistant, its
results messages of role `tool`; their exit code is read from the text, where common runners write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from core.transcripts.fields import elements, fields, items, joined, small_int, string, timestamp, word
from core.transcripts.lines import Line, parse, values
from core.transcripts.records import Record, Role, SessionStart, Skipped, Turn

NAME = "Plain"
FILES = ("*.jsonl", "*.json")
KEYS = None


def owns(value: object) -> bool:
    """Whether it is a text, a message with one, or an array that begins with either."""
    if isinstance(value, str):
        return True
    if first := items(value)[:1]:
        return not isinstance(first[0], list) and owns(first[0])
    record = fields(value)
    if word(record.get("type")):
        return False
    if listed := items(record.get("messages")):
        return owns(listed[0])
    content = record.get("text", record.get("content"))
    return isinstance(content, str) or (isinstance(record.get("role"), str) and isinstance(content, list))


def start_of(head: bytes, path: Path) -> SessionStart:
    """A session of the file's name and place: the file names none."""
    place = blake2b(str(path.absolute()).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return SessionStart(f"{word(path.stem, 80) or 'unnamed'}-{place}", "plain")


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """None: a person names the files."""
    return []


_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
_EXIT = re.compile(r"(?i:exit(?:ed with)? (?:code|status)|returncode|exit_code)[\">: ]{1,4}(-?[0-9]{1,10})\b")
_NEAR = 300
"""Code points at both ends of a result that hold its exit code."""


def read_plain(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The messages of numbered lines, in their order; an array holds one message an element.

    `content` is taken for `text` too, and an unknown role for `user`. An element that is neither is skipped.
    """
    session, announced = start or SessionStart("unnamed", "plain"), False
    for number, _, value in values(lines):
        listed = fields(value).get("messages")
        for index, element in enumerate(items(listed) if isinstance(listed, list) else elements(value)):
            found = [element] if isinstance(element, Skipped) else _message(element, session.session_id, number, index)
            for record in found:
                if not announced and not isinstance(record, Skipped):
                    announced = True
                    yield session
                yield record


def _message(element: object, session: str, line: int, index: int) -> list[Record]:
    source = fields(element)
    text = element if isinstance(element, str) else _text_of_content(source.get("text", source.get("content")))
    calls = [fields(call) for call in items(source.get("tool_calls"))]
    if not isinstance(text, str) and not calls:
        where = f"element {index + 1} is" if index else "it is"
        return [Skipped(line, f"{where} neither a string nor an object with a role and a text")]
    role = _ROLES.get(word(source.get("role"), 20).lower(), "user")
    ts = timestamp(source.get("timestamp", source.get("ts")))
    # The content is part of the name: where the file was rewritten, what is new at a place is a new message.
    digest = blake2b(f"{role}\0{string(text)}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    turn = Turn(f"{session}:{line}.{index}:{digest}", ts, line)
    answers = word(source.get("tool_call_id"))
    if role == "tool" and answers:
        return [_result(turn, answers, string(text))]
    found: list[Record] = []
    if isinstance(text, str) and (text or not calls):
        found.append(turn.message(role, "text", text))
    for number, call in enumerate(calls, 1):
        function = fields(call.get("function")) or call
        name = word(function.get("name")) or "unnamed"
        call_id = word(call.get("id")) or f"{turn.uuid}:{number}"
        found.append(turn.call(call_id, name, _input(function.get("arguments")), number))
    return found


def _text_of_content(content: object) -> object:
    """The text of a message: its string, or the texts of its parts."""
    if not isinstance(content, list):
        return content
    parts = [string(part) or string(fields(part).get("text")) for part in items(content)]
    return joined([part for part in parts if part] or [""])


def _input(arguments: object) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = parse(arguments.encode("utf-8", "surrogatepass"))
        except ValueError:
            return {"arguments": arguments}
    return fields(arguments) or ({"arguments": arguments} if arguments else {})


def _result(turn: Turn, call_id: str, text: str) -> Record:
    found = _EXIT.search(text[:_NEAR]) or _EXIT.search(text[-_NEAR:])
    code = small_int(int(found[1])) if found else None
    return turn.result(call_id, text, "error" if code else "none", code)


read = read_plain
