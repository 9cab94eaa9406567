"""Aider's chat history: one Markdown file a folder, to which each start of Aider adds.

`# aider chat started at` opens a session, `#### ` begins what the person typed, `> ` what Aider printed; the rest is
the model's. A command that the person ran with `/run` or `/test` is a call of `shell`, and what Aider printed of it the
result; the history holds neither an exit code nor the time of a message. Source: `aider/io.py` of Aider-AI/aider.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from core.transcripts.fields import timestamp, word
from core.transcripts.lines import Line
from core.transcripts.records import Record, Role, SessionStart, Turn

NAME = "Aider"
FILES = (".aider.chat.history.md",)
BEGINNING = b"# aider chat started at "
KEYS = frozenset[str]()

_START: Final = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*")
_RUN: Final = re.compile(r"/(?:run|test)[ \t]+(?P<command>\S[^\n]{0,4000})|!(?P<shell>\S[^\n]{0,4000})")
_FENCE: Final = re.compile(r" {0,3}(`{3,20})")


def owns(value: object) -> bool:
    """Always False: the format is not JSON. A history is known by its name or by how it begins."""
    return False


def start_of(head: bytes, path: Path) -> SessionStart:
    """The history of a folder; each session in it has this id and its number."""
    place = blake2b(str(path.absolute()).encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    folder = str(path.absolute().parent) if path.name == FILES[0] else ""
    return SessionStart(f"aider-{place}", "aider", word(folder, 1000))


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`AIDER_CHAT_HISTORY_FILE`, else the history of the home folder: a project's lies in the project."""
    named = env.get("AIDER_CHAT_HISTORY_FILE")
    return [Path(named)] if named else [home / FILES[0]]


@dataclass(slots=True)
class _Utterance:
    """A run of lines of one speaker, and the number of its first."""

    role: Role
    line: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of a history, given as one line with all of it."""
    session = start or SessionStart("aider", "aider")
    for number, data in lines:
        text = data.decode("utf-8", "replace").replace("\0", "\ufffd")
        yield from _sessions(text, session, number)


def _sessions(text: str, history: SessionStart, first: int) -> Iterator[Record]:
    session, count, utterances, call_id = history, 0, 0, ""
    for one in _spoken(text.split("\n"), first):
        if isinstance(one, str):
            count += 1
            session, utterances, call_id = (
                replace(history, session_id=f"{history.session_id}:{count}", started=one),
                0,
                "",
            )
            yield session
            continue
        if not one.text.strip():
            continue
        if count == 0 and utterances == 0:
            yield session
        utterances += 1
        turn = Turn(f"{session.session_id}:{utterances}", session.started, one.line)
        found = _RUN.match(one.text) if one.role == "user" else None
        if found:
            call_id = f"{turn.uuid}:run"
            yield turn.call(call_id, "shell", {"command": found["command"] or found["shell"]})
        elif one.role == "tool" and call_id:
            yield turn.result(call_id, one.text)
            call_id = ""
        else:
            printed = one.role == "tool"
            yield turn._replace(meta=printed).message("system" if printed else one.role, "text", one.text)


def _spoken(lines: list[str], first: int) -> Iterator[_Utterance | str]:
    """The utterances in their order; the time of each start of Aider as a text."""
    now: _Utterance | None = None
    fence = ""
    for number, line in enumerate(lines, first):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1] >= fence and line.strip() == mark[1] else fence
            role, spoken = now.role if now else "assistant", line
        elif begun := _START.fullmatch(line):
            if now:
                yield now
            now = None
            yield timestamp(begun[1])
            continue
        else:
            role, spoken = _speaker(line)
            fence = mark[1] if mark and role == "assistant" else ""
        if now is None or (role != now.role and (spoken.strip() or role != "assistant")):
            if now:
                yield now
            now = _Utterance(role, number, [])
        now.lines.append(spoken)
    if now:
        yield now


def settled(data: bytes) -> bytes:
    """The history without its last utterance, which Aider may still be writing."""
    last = 1
    for one in _spoken(data.decode("utf-8", "replace").split("\n"), 1):
        last = last if isinstance(one, str) else one.line
    return b"\n".join([*data.split(b"\n", last - 1)[: last - 1], b""])


def _speaker(line: str) -> tuple[Role, str]:
    if line.startswith("#### "):
        return "user", line[5:].rstrip()
    if line == ">" or line.startswith("> "):
        return "tool", line[2:].rstrip()
    return "assistant", line
