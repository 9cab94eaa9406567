"""Plain transcripts: a JSON array, or JSON Lines, of strings or of `{role, text}` objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from core.transcripts.fields import elements, fields, items, string, timestamp, word
from core.transcripts.lines import Line, values
from core.transcripts.records import Message, Record, Role, SessionStart, Skipped

NAME = "Plain"
FILES = ("*.jsonl", "*.json")


def owns(value: object) -> bool:
    """Whether it is a text, a message with one, or an array that begins with either."""
    if isinstance(value, str):
        return True
    if first := items(value)[:1]:
        return not isinstance(first[0], list) and owns(first[0])
    record = fields(value)
    return not word(record.get("type")) and isinstance(record.get("text", record.get("content")), str)


def start_of(head: bytes, path: Path) -> SessionStart:
    """A session of the file's name and place: the file names none."""
    place = blake2b(str(path.absolute()).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return SessionStart(f"{word(path.stem, 80) or 'unnamed'}-{place}", "plain")


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """None: a person names the files."""
    return []


_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}


def read_plain(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The messages of numbered lines, in their order; an array holds one message an element.

    `content` is taken for `text` too, and an unknown role for `user`. An element that is neither is skipped.
    """
    session, announced = start or SessionStart("unnamed", "plain"), False
    for number, _, value in values(lines):
        for index, element in enumerate(elements(value)):
            record = element if isinstance(element, Skipped) else _message(element, session.session_id, number, index)
            if isinstance(record, Message) and not announced:
                announced = True
                yield session
            yield record


def _message(element: object, session: str, line: int, index: int) -> Message | Skipped:
    source = fields(element)
    text = element if isinstance(element, str) else source.get("text", source.get("content"))
    if not isinstance(text, str):
        where = f"element {index + 1} is" if index else "it is"
        return Skipped(line, f"{where} neither a string nor an object with a role and a text")
    role = _ROLES.get(word(source.get("role"), 20).lower(), "user")
    ts = timestamp(source.get("timestamp", source.get("ts")))
    # The content is part of the name: where the file was rewritten, what is new at a place is a new message.
    digest = blake2b(f"{role}\0{string(text)}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return Message(role, "text", text, f"{session}:{line}.{index}:{digest}", 0, ts, line)


read = read_plain
