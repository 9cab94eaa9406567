"""The files of an import: the agents' own folders, or what a person named.

Each file has its source: the agent that wrote it, how far it was read before, and its next lines."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

import apsw

from core.base.config.settings import ImportSettings
from core.base.config.settings_sources import from_home
from core.base.fault import Fault
from core.flows.transcripts.report import Tally
from core.transcripts import (
    HEAD,
    LINE_CAP,
    Agent,
    RawLine,
    SessionStart,
    default_roots,
    detect,
    discover,
    read_lines,
    start_of,
)
from core.transcripts.lines import parse

HEAD_HASHED = 4096
_CHUNK = 1024 * 1024
_AGENTS = ("claude-code", "codex")
_OTHER: dict[Agent, str] = {
    "claude-code": "this is a transcript of claude-code: casebook import claude-code",
    "codex": "this is a transcript of codex: casebook import codex",
    "plain": "this is a plain transcript: casebook import takes it without an agent's name",
}
BATCH_LINES = 2000
BATCH_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Position:
    """How far a file was read: `offset` bytes, `lines` lines; `head_hash` is of its first bytes up to there."""

    offset: int = 0
    lines: int = 0
    head_hash: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file opened for reading. `name` is its path as stored; `document`: one JSON value over all its lines."""

    file: BinaryIO
    path: Path
    name: str
    size: int
    head: bytes
    agent: Agent
    start: SessionStart
    document: bool


class NotATranscript(Exception):
    """Why a file is none; the text is for people."""


def stored_name(path: Path) -> str:
    """A path as text that SQLite and JSON can hold, whatever bytes the name has."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file without ever waiting for it. Raises OSError, or NotATranscript for anything else."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotATranscript("not a regular file")
    return os.fdopen(handle, "rb", buffering=1024 * 1024)


def source_of(file: BinaryIO, path: Path, agent: Agent | None, *, named: bool) -> Source | None:
    """What `file` is; None for the transcript of another agent, or one that says nothing yet.

    `named`: a person named this very file, so a plain transcript is taken where no `agent` is given, and it is told
    of one with nothing in it and of one of another agent. Raises NotATranscript where nothing tells whose it is.
    """
    size, head = os.fstat(file.fileno()).st_size, _head(file, path)
    told = detect(head, path)
    if named and told and agent in _AGENTS and told != agent:
        raise NotATranscript(_OTHER[told])
    found = "plain" if named and agent == "plain" else told
    if named and not head.strip():
        raise NotATranscript("nothing in it")
    if found is None and not head.strip():
        return None
    if found is not None and agent not in (None, found):
        return None
    if found is None or (found == "plain" and agent is None and not named):
        raise NotATranscript("no record that casebook knows")
    start = start_of(found, head, path)
    if not start.session_id and named:
        raise NotATranscript("nothing was said in it yet")
    if not start.session_id:
        return None
    document = path.suffix == ".json" or (found == "plain" and _opens_document(head))
    return Source(file, path, stored_name(path), size, head, found, start, document)


def _head(file: BinaryIO, path: Path) -> bytes:
    """The first bytes; where they are all of one long line (an image, a pasted log), those behind it too."""
    head = file.read(HEAD)
    if len(head) < HEAD or b"\n" in head or path.suffix == ".json":
        return head
    while more := file.readline(_CHUNK):
        if more.endswith(b"\n"):
            return head + b"\n" + file.read(HEAD)
    return head


def _opens_document(head: bytes) -> bool:
    """Whether a plain transcript is one array over many lines, rather than a value a line."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not first.startswith(b"["):
        return False
    try:
        parse(first)
    except ValueError:
        return True
    return False


def position_of(con: apsw.Connection, name: str) -> Position | None:
    """How far the file of that name was read, or None."""
    row = con.execute("SELECT offset, line, head_hash FROM source_file WHERE path = ?", (name,)).fetchone()
    return Position(*cast("tuple[int, int, str]", row)) if row else None


def head_hash(source: Source, offset: int) -> str:
    """The hash that says whether the part read before is still the same (a document may change anywhere)."""
    limit = HEAD if source.document else HEAD_HASHED
    return sha256(source.head[: min(limit, offset)]).hexdigest()


def going_on(source: Source, known: Position | None) -> Position:
    """Where to read on: behind what was read, or at the start where the file was rewritten."""
    if known is None or known.offset > source.size or head_hash(source, known.offset) != known.head_hash:
        return Position()
    return known


def batches(source: Source, position: Position) -> Iterator[list[RawLine]]:
    """The lines from `position` on, in batches of about `BATCH_BYTES`; a document is one line."""
    if source.document:
        yield from _document(source)
        return
    batch: list[RawLine] = []
    begun = position.offset
    for line in read_lines(source.file, position.offset, position.lines):
        batch.append(line)
        if len(batch) >= BATCH_LINES or line.end - begun >= BATCH_BYTES:
            yield batch
            batch, begun = [], line.end
    if batch:
        yield batch


def _document(source: Source) -> Iterator[list[RawLine]]:
    source.file.seek(0)
    data = source.file.read(LINE_CAP + 1)
    whole = data if len(data) <= LINE_CAP else None
    yield [RawLine(1, whole, source.size, 1)]


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read; `named`: a person named this very file."""

    path: Path
    size: int
    named: bool


def files_to_read(agent: Agent | None, paths: Sequence[Path | str], tally: Tally) -> list[Found]:
    """The files of `paths` in their order, those of a folder sorted, each once; without paths the agents' own folders.

    What holds nothing to read is noted in `tally`. Raises Fault invalid_input for a path that is not there.
    """
    found: dict[Path, Found] = {}
    for path in [_checked(path) for path in paths] if paths else _defaults(agent, tally):
        inside = _inside(path, agent, tally)
        for one in inside:
            found.setdefault(one.path, one)
    return list(found.values())


def _defaults(agent: Agent | None, tally: Tally) -> list[Path]:
    roots = default_roots(agent)
    if not roots:
        raise Fault("invalid_input", "Plain transcripts have no folder of their own.", "Name the files to import.")
    there = [root for root in roots if root.is_dir()]
    if not there:
        for root in roots:
            tally.skip(stored_name(root), 0, "no such folder")
    return there


def _checked(given: Path | str) -> Path:
    try:
        path = Path(given).expanduser()
        path.stat()
    except PermissionError:
        return Path(given)
    except (OSError, ValueError, RuntimeError):
        shown = stored_name(Path(given)).replace("\0", "\\0")
        raise Fault("invalid_input", f"There is no file or folder at {shown}.", "Check the path.", path=shown) from None
    return path


def _inside(path: Path, agent: Agent | None, tally: Tally) -> list[Found]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        tally.skip(stored_name(path), 0, f"cannot be read: {error.strerror or error}")
        return []
    if stat.S_ISDIR(mode):
        unread: list[OSError] = []
        inside = [Found(one, _size(one), named=False) for one in discover(agent, [path], unread.append)]
        for error in unread:
            name = stored_name(Path(os.fsdecode(error.filename or path)))
            tally.skip(name, 0, f"the folder cannot be read: {error.strerror or error}")
        if not inside and not unread:
            tally.skip(stored_name(path), 0, "no transcripts in this folder")
        return inside
    if stat.S_ISREG(mode):
        return [Found(path.resolve(), _size(path), named=True)]
    tally.skip(stored_name(path), 0, "not a regular file")
    return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def agent_folders(chosen: ImportSettings) -> dict[Agent, list[Path]]:
    """The folders of each agent; a setting left at its default means the agent's own places (and what it archived)."""
    usual = ImportSettings()
    own: dict[Agent, str | None] = {
        "claude-code": chosen.claude_code if chosen.claude_code != usual.claude_code else None,
        "codex": chosen.codex if chosen.codex != usual.codex else None,
    }
    return {agent: default_roots(agent) if folder is None else [from_home(folder)] for agent, folder in own.items()}
