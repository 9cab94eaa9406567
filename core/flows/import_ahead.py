"""Lines to rows, a batch ahead: parsing and redacting are half of an import, and a second process does them meanwhile.

Only for large files, because a process takes longer to start than a small file to read. Everything is also done here,
in the same order and with the same rows, where no second process is to be had.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from core.flows.import_rows import Rows, rows_of
from core.flows.import_source import NotATranscript, Position, Source, batches, open_regular
from core.flows.second import Gone, Second
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
_DEPTH: Final = 2
"""Batches the second process has at a time; while it has them, this one reads further ones itself."""
_MOST: Final = 4
"""Batches kept in memory until their turn comes."""
_TOO_LONG = f"longer than {LINE_CAP // (1024 * 1024)} MiB"

ChainOf = Callable[[str], str | None]
Batch = list[RawLine]


def rows_ahead(second: Second, source: Source, position: Position, chain_of: ChainOf) -> Iterator[tuple[Batch, Rows]]:
    """Each batch of lines from `position` on with its rows, in order. `chain_of` as `read_claude_code` takes it."""
    if source.document or source.size - position.offset < WORTH_IT:
        for batch in batches(source, position):
            yield batch, read_rows(source.agent, source.start, batch, chain_of)
        return
    reading = _Reading(second, source, chain_of)
    try:
        for batch in batches(source, position):
            reading.begin(batch, position)
            position = Position(batch[-1].end, batch[-1].lines)
            yield from reading.ended()
        yield from reading.ended(all_of_them=True)
    finally:
        if reading.asked:
            second.close()  # nobody waits for its answers any more


class _Reading:
    """The batches of one file that are begun; those without rows the second process has."""

    def __init__(self, second: Second, source: Source, chain_of: ChainOf) -> None:
        self.second, self.source, self.chain_of = second, source, chain_of
        self.waiting = deque[tuple[Batch, Rows | None]]()
        self.asked = 0

    def begin(self, batch: Batch, position: Position) -> None:
        """Hand a batch to the second process, or read it here where that has enough to do."""
        if self.asked - self.second.arrived < _DEPTH:
            source = self.source
            stat = os.fstat(source.file.fileno())
            same, end = (stat.st_dev, stat.st_ino), batch[-1].end
            try:
                self.second.ask(_rows_elsewhere, source.agent, source.start, source.path, same, position, end)
                self.asked += 1
                self.waiting.append((batch, None))
                return
            except Gone:
                self.asked = 0
        self.waiting.append((batch, self._here(batch)))

    def ended(self, *, all_of_them: bool = False) -> Iterator[tuple[Batch, Rows]]:
        """The batches whose turn has come, each with its rows."""
        while self.waiting:
            batch, rows = self.waiting[0]
            if rows is None and not self.second.arrived and not all_of_them and len(self.waiting) <= _MOST:
                return
            self.waiting.popleft()
            yield batch, rows or self._taken() or self._here(batch)

    def _taken(self) -> Rows | None:
        if not self.asked:
            return None  # it is gone
        self.asked -= 1
        try:
            return self.second.take()
        except Gone:
            self.asked = 0
            return None

    def _here(self, batch: Batch) -> Rows:
        return read_rows(self.source.agent, self.source.start, batch, self.chain_of)


def read_rows(agent: Agent, start: SessionStart, batch: list[RawLine], chain_of: ChainOf) -> Rows:
    """The rows of a batch of lines."""
    return rows_of(_records(agent, start, batch, chain_of), start)


def _records(agent: Agent, start: SessionStart, batch: list[RawLine], chain_of: ChainOf) -> Iterator[Record]:
    lines = [(line.number, line.data) for line in batch if line.data is not None]
    for line in batch:
        if line.data is None:
            yield Skipped(line.number, _TOO_LONG)
    if agent == "claude-code":
        yield from read_claude_code(lines, start, chain_of=chain_of)
    else:
        yield from (read_codex if agent == "codex" else read_plain)(lines, start)


def _rows_elsewhere(
    agent: Agent, start: SessionStart, path: Path, same: tuple[int, int], position: Position, end: int
) -> Rows | None:
    """In the second process: the rows of the lines from `position` to byte `end` of the file at `path`.

    None where it is not the `same` file any more (device and inode), or where the store must be asked, which only the
    first process can.
    """
    try:
        with open_regular(path) as file:
            stat = os.fstat(file.fileno())
            batch: Batch = []
            for line in read_lines(file, position.offset, position.lines):
                batch.append(line)
                if line.end >= end:
                    break
        if (stat.st_dev, stat.st_ino) != same or not batch or batch[-1].end != end:
            return None
        return read_rows(agent, start, batch, _ask)
    except (OSError, NotATranscript, _AskTheStore):
        return None


class _AskTheStore(Exception):
    """Whose message this answers is known to the store alone."""


def _ask(uuid: str) -> str | None:
    raise _AskTheStore(uuid)
