"""The files of an import: the agents' own folders, or what a person named.

Each file has its source: the agent that wrote it, how far it was read before, and its next lines."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, cast

import apsw

from core.base.config.settings import ImportSettings
from core.base.config.settings_sources import from_home
from core.base.fault import Fault
from core.base.paths import file_size
from core.flows.transcripts.opening import NotATranscript, open_regular
from core.flows.transcripts.report import Tally
from core.store.files import reading
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
from core.transcripts.aider import settled
from core.transcripts.detection import READERS
from core.transcripts.lines import parse
from core.transcripts.records import Connection, DatabaseReader

HEAD_HASHED = 4096
DOCUMENTS = frozenset({".json", ".md"})
"""Endings of files that are read as one value."""
_SQLITE = b"SQLite format 3\0"
_EXPORTS = b'{"schema_version": "case.v1"', b'{"schema_version": "fix.v1"'
_CHUNK = 1024 * 1024
_PLAIN = "a plain transcript. To import it, omit the name of the agent"
AIDER_WRITES_S = 60.0
"""Seconds after its last change for which a history of Aider counts as being written."""
BATCH_LINES = 2000
BATCH_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Position:
    """How far a file was read: `offset` bytes, `lines` lines; `head_hash` is of its first bytes up to there.

    `size` is that of the file then; 0 for a compressed one that was not read to its end.
    """

    offset: int = 0
    lines: int = 0
    head_hash: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """A file opened for reading. `name` is its path as stored; `document`: one value over all its lines.

    `size` is that of the file; a position in a `compressed` file counts the bytes that it holds, one in a `database`
    is the time up to which it was read.
    """

    file: BinaryIO
    path: Path
    name: str
    size: int
    head: bytes
    agent: Agent
    start: SessionStart
    document: bool
    compressed: bool = False
    database: bool = False

    def bytes_at(self, offset: int) -> int:
        """How many bytes of the file are read at that position, for the progress."""
        return min(offset, self.size)


def stored_name(path: Path) -> str:
    """A path as text that SQLite and JSON can hold, whatever bytes the name has."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def open_transcript(path: Path) -> BinaryIO:
    """Open a transcript as `open_regular` does; a compressed one gives what it holds."""
    file = open_regular(path)
    if path.suffix != ".zst":
        return file
    try:
        return cast("BinaryIO", _Unpacked(file))
    except BaseException:
        file.close()
        raise


def _zstd() -> ModuleType:
    """Python's own module, or before 3.14 the same one from the package index."""
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


class _Unpacked:
    """A zstd file as the bytes that it holds. Damage ends it: `damaged` says so, what was read until then is given."""

    def __init__(self, file: BinaryIO) -> None:
        zstd = _zstd()
        self._below, self._file = file, zstd.ZstdFile(file)
        self._errors: tuple[type[Exception], ...] = (zstd.ZstdError, EOFError)
        self.damaged = False

    def __enter__(self) -> _Unpacked:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self._below.close()

    def fileno(self) -> int:
        return self._below.fileno()

    def seek(self, offset: int) -> None:
        self._try(self._file.seek, offset)

    def read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0 and (part := self._try(self._file.read1, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def readline(self, size: int = -1) -> bytes:
        return self._try(self._file.readline, size)

    def _try(self, act: Callable[[int], Any], argument: int) -> Any:
        try:
            return act(argument)
        except self._errors:
            self.damaged = True
            return b""


def source_of(file: BinaryIO, path: Path, agent: Agent | None, *, named: bool) -> Source | None:
    """What `file` is; None for the transcript of another agent, or one that says nothing yet.

    `named`: a person named this very file, so a plain transcript is taken where no `agent` is given, and it is told
    of one with nothing in it and of one of another agent. Raises NotATranscript where nothing tells whose it is.
    """
    size, head = os.fstat(file.fileno()).st_size, _head(file, path)
    database = head.startswith(_SQLITE)
    kind = _database_agent(path) if database else detect(head, path)
    if named and kind and agent not in (None, "plain", kind):
        raise NotATranscript(_PLAIN if kind == "plain" else f"a transcript of {kind}. Run: casebook import {kind}")
    found = "plain" if named and agent == "plain" else kind
    if named and not head.strip():
        raise NotATranscript("empty file")
    if (found is None and not head.strip()) or (found is not None and agent not in (None, found)):
        return None
    if head.startswith(_EXPORTS):
        raise NotATranscript("an export of cases. Run: casebook errors import FILE")
    if found is None or (found == "plain" and agent is None and not named):
        raise NotATranscript("the file contains no known records")
    start = start_of(found, head, path)
    if not start.session_id and named:
        raise NotATranscript("the file contains no messages yet")
    if not start.session_id:
        return None
    document = path.suffix in DOCUMENTS or found == "aider" or _opens_document(head)
    return Source(
        file, path, stored_name(path), size, head, found, start, document, isinstance(file, _Unpacked), database
    )


def _database_agent(path: Path) -> Agent | None:
    """The agent whose tables a database has. Raises NotATranscript where it cannot be read."""
    with _database(path) as con:
        tables = {str(name) for (name,) in con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return next(
        (one for one, reader in READERS.items() if isinstance(reader, DatabaseReader) and tables >= reader.TABLES), None
    )


@contextmanager
def _database(path: Path) -> Generator[apsw.Connection]:
    """A foreign database, open for reading only. Raises NotATranscript where SQLite cannot read it."""
    try:
        with reading(path) as con:
            con.execute("PRAGMA trusted_schema = OFF")
            yield con
    except (apsw.Error, UnicodeDecodeError) as error:
        raise NotATranscript(f"the database cannot be read: {error}") from None


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
    """Whether a transcript is one value over many lines, rather than a value a line."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if first.strip() == b"{":
        return True
    if not first.startswith(b"["):
        return False
    try:
        parse(first)
    except ValueError:
        return True
    return False


def position_of(con: apsw.Connection, name: str) -> Position | None:
    """How far the file of that name was read, or None."""
    row = con.execute("SELECT offset, line, head_hash, size FROM source_file WHERE path = ?", (name,)).fetchone()
    return Position(*cast("tuple[int, int, str, int]", row)) if row else None


def head_hash(source: Source, offset: int) -> str:
    """The hash that says whether the part read before is still the same (a document may change anywhere)."""
    if source.database:
        return sha256(_SQLITE).hexdigest()
    limit = HEAD if source.document else HEAD_HASHED
    return sha256(source.head[: min(limit, offset)]).hexdigest()


def resume_position(source: Source, known: Position | None) -> Position:
    """Where to read on: behind what was read, or at the start where the file was rewritten."""
    shrunk = known is not None and known.offset > source.size and not (source.compressed or source.database)
    if known is None or shrunk or head_hash(source, known.offset) != known.head_hash:
        return Position()
    return known


def batches(source: Source, position: Position) -> Iterator[list[RawLine]]:
    """The lines from `position` on, in batches of about `BATCH_BYTES`; a document is one line."""
    if source.document:
        yield from _document(source)
        return
    batch: list[RawLine] = []
    held = 0
    lines = _stored(source, position) if source.database else read_lines(source.file, position.offset, position.lines)
    for line in lines:
        batch.append(line)
        held += len(line.data or b"")
        if len(batch) >= BATCH_LINES or held >= BATCH_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
    if isinstance(source.file, _Unpacked) and source.file.damaged:
        raise NotATranscript("the compressed data is damaged or incomplete: casebook read the part before the damage")


def _stored(source: Source, position: Position) -> Iterator[RawLine]:
    """What changed in a database since it was read, a message a line."""
    reader = READERS[source.agent]
    if not isinstance(reader, DatabaseReader):
        return
    with _database(source.path) as con:
        lines = reader.stored_lines(cast("Connection", con), position.offset, time.time_ns() // 1_000_000)
        for number, (end, data) in enumerate(lines, position.lines + 1):
            yield RawLine(number, data if len(data) <= LINE_CAP else None, end, number)


def _document(source: Source) -> Iterator[list[RawLine]]:
    source.file.seek(0)
    data = source.file.read(LINE_CAP + 1)
    whole, end = data if len(data) <= LINE_CAP else None, source.size
    if source.agent == "aider" and whole is not None and 0 <= time.time() - _changed_at(source) < AIDER_WRITES_S:
        whole = settled(whole)
        end = max(0, min(len(whole), source.size - 1))  # so that the file is read again
    yield [RawLine(1, whole, end, 1)]


def _changed_at(source: Source) -> float:
    return os.fstat(source.file.fileno()).st_mtime


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A file to read; `named`: a person named this very file."""

    path: Path
    size: int
    named: bool


def files_to_read(agent: Agent | None, paths: Sequence[Path | str], tally: Tally) -> list[TranscriptFile]:
    """The files of `paths` in their order, those of a folder sorted, each once; without paths the agents' own folders.

    What holds nothing to read is noted in `tally`. Raises Fault invalid_input for a path that is not there.
    """
    found: dict[Path, TranscriptFile] = {}
    for path in [_checked(path) for path in paths] if paths else _defaults(agent, tally):
        inside = _inside(path, agent, tally)
        for one in inside:
            found.setdefault(one.path, one)
    return list(found.values())


def _defaults(agent: Agent | None, tally: Tally) -> list[Path]:
    roots = default_roots(agent)
    if not roots:
        raise Fault("invalid_input", "plain transcripts have no default folder", "pass the files to import")
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
        raise Fault("invalid_input", f"file or folder {shown} not found", "check the path", path=shown) from None
    return path


def _inside(path: Path, agent: Agent | None, tally: Tally) -> list[TranscriptFile]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        tally.skip(stored_name(path), 0, f"cannot be read: {error.strerror or error}")
        return []
    if stat.S_ISDIR(mode):
        unread: list[OSError] = []
        inside = [TranscriptFile(one, file_size(one), named=False) for one in discover(agent, [path], unread.append)]
        for error in unread:
            name = stored_name(Path(os.fsdecode(error.filename or path)))
            tally.skip(name, 0, f"the folder cannot be read: {error.strerror or error}")
        if not inside and not unread:
            tally.skip(stored_name(path), 0, "no transcripts in this folder")
        return inside
    if stat.S_ISREG(mode):
        return [TranscriptFile(path.resolve(), file_size(path), named=True)]
    tally.skip(stored_name(path), 0, "not a regular file")
    return []


def agent_folders(chosen: ImportSettings) -> dict[Agent, list[Path]]:
    """The folders of each agent; a setting left at its default means the agent's own places (and what it archived)."""
    usual = ImportSettings()
    own: dict[Agent, str] = {}
    if chosen.claude_code != usual.claude_code:
        own["claude-code"] = chosen.claude_code
    if chosen.codex != usual.codex:
        own["codex"] = chosen.codex
    found: dict[Agent, list[Path]] = {
        agent: [from_home(own[agent])] if agent in own else default_roots(agent) for agent in READERS
    }
    return {agent: folders for agent, folders in found.items() if folders}
