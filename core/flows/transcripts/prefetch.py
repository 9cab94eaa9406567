"""Lines to rows, a batch ahead: parsing and redacting are half of an import, and a second process does them meanwhile.

Only for large files, because a process takes longer to start than a small file to read. Everything is also done here,
in the same order and with the same rows, where no second process is to be had.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from core.flows.system.parallel import Question, Second, shared
from core.flows.transcripts.rows import Rows, rows_of
from core.flows.transcripts.source import NotATranscript, Position, Source, batches, open_regular
from core.process.worker import Call
from core.transcripts import (
    LINE_CAP,
    Agent,
    RawLine,
    Record,
    SessionStart,
    Skipped,
    read_claude_code,
    read_codex,
    read_lines,
    read_plain,
)

WORTH_IT = 24 * 1024 * 1024
"""Bytes left in a file from which a second process is started: it takes about a third of a second."""
_TOO_LONG = f"longer than {LINE_CAP // (1024 * 1024)} MiB"

ChainOf = Callable[[str], str | None]
Batch = list[RawLine]
_Piece = tuple[Position, Batch]
"""A batch, and where it begins."""


def rows_ahead(second: Second, source: Source, position: Position, chain_of: ChainOf) -> Iterator[tuple[Batch, Rows]]:
    """Each batch of lines from `position` on with its rows, in order. `chain_of` as `read_claude_code` takes it."""

    def elsewhere(piece: _Piece) -> Question:
        place, batch = piece
        file = _identity(source.file)
        return _rows_elsewhere, (source.agent, source.start, source.path, file, place, batch[-1].end)

    def here(piece: _Piece) -> Rows:
        return read_rows(source.agent, source.start, piece[1], chain_of)

    pieces = _placed(batches(source, position), position)
    if source.document or source.size - position.offset < WORTH_IT:
        yield from ((piece[1], here(piece)) for piece in pieces)
    else:
        yield from ((piece[1], rows) for piece, rows in shared(second, pieces, elsewhere, here))


def _placed(found: Iterable[Batch], position: Position) -> Iterator[_Piece]:
    for batch in found:
        yield position, batch
        position = Position(batch[-1].end, batch[-1].lines)


def _identity(file: BinaryIO) -> tuple[int, int]:
    stat = os.fstat(file.fileno())
    return stat.st_dev, stat.st_ino


def read_rows(agent: Agent, start: SessionStart, batch: list[RawLine], chain_of: ChainOf) -> Rows:
    """The rows of a batch of lines."""
    return rows_of(records_of(agent, start, batch, chain_of), start)


def records_of(agent: Agent, start: SessionStart, batch: list[RawLine], chain_of: ChainOf) -> Iterator[Record]:
    """The records of a batch of lines; those too long to be read are skipped."""
    lines = [(line.number, line.data) for line in batch if line.data is not None]
    for line in batch:
        if line.data is None:
            yield Skipped(line.number, _TOO_LONG)
    if agent == "claude-code":
        yield from read_claude_code(lines, start, chain_of=chain_of)
    else:
        yield from (read_codex if agent == "codex" else read_plain)(lines, start)


def _rows_elsewhere(
    _call: Call, agent: Agent, start: SessionStart, path: Path, same: tuple[int, int], position: Position, end: int
) -> Rows | None:
    """In the second process: the rows of the lines from `position` to byte `end` of the file at `path`.

    None where it is not the `same` file any more, or where the store must be asked, which only the first process can.
    """
    batch: Batch = []
    try:
        with open_regular(path) as file:
            for line in read_lines(file, position.offset, position.lines) if _identity(file) == same else ():
                batch.append(line)
                if line.end >= end:
                    break
        return read_rows(agent, start, batch, _ask) if batch and batch[-1].end == end else None
    except (OSError, NotATranscript, _AskTheStore):
        return None


class _AskTheStore(Exception):
    """Whose message this answers is known to the store alone."""


def _ask(uuid: str) -> str | None:
    raise _AskTheStore(uuid)
