"""Lines to rows, a batch ahead: parsing and redacting are half of an import, and a second process does them meanwhile.

Only for large files, because a process takes longer to start than a small file to read. Everything is also done here,
in the same order and with the same rows, where no second process is to be had.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType

from core.flows.import_rows import Rows, rows_of
from core.flows.import_source import Position, Source, batches
from core.transcripts import (
    LINE_CAP,
    Agent,
    RawLine,
    Record,
    SessionStart,
    Skipped,
    read_claude_code,
    read_codex,
    read_plain,
)

WORTH_IT = 24 * 1024 * 1024
"""Bytes left in a file from which a second process is started: it takes about a third of a second."""
_DEPTH = 2
"""Batches the second process has at a time; while it has them, this one reads further ones itself."""
_MOST = 4
"""Batches kept in memory until their turn comes."""
_TOO_LONG = f"longer than {LINE_CAP // (1024 * 1024)} MiB"

ChainOf = Callable[[str], str | None]


class Ahead:
    """Reads files into rows for one import; a context manager that ends the second process, if one was started."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._broken = False

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def rows(self, source: Source, position: Position, chain_of: ChainOf) -> Iterator[tuple[list[RawLine], Rows]]:
        """Each batch of lines from `position` on with its rows, in order. `chain_of` as `read_claude_code` takes it."""
        if source.document or source.size - position.offset < WORTH_IT:
            for batch in batches(source, position):
                yield batch, read_rows(source.agent, source.start, batch, chain_of)
            return
        waiting: deque[tuple[list[RawLine], Future[Rows | None]]] = deque()
        for batch in batches(source, position):
            waiting.append((batch, self._begin(source, batch, chain_of, waiting)))
            while waiting and (waiting[0][1].done() or len(waiting) > _MOST):
                yield self._ended(source, chain_of, *waiting.popleft())
        while waiting:
            yield self._ended(source, chain_of, *waiting.popleft())

    def _begin(
        self,
        source: Source,
        batch: list[RawLine],
        chain_of: ChainOf,
        waiting: deque[tuple[list[RawLine], Future[Rows | None]]],
    ) -> Future[Rows | None]:
        """Hand the batch to the second process, or read it here where that has enough to do."""
        if not self._broken and sum(not begun.done() for _, begun in waiting) < _DEPTH:
            try:
                if self._pool is None:
                    self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=_leave_ctrl_c)
                return self._pool.submit(_rows_elsewhere, source.agent, source.start, batch)
            except (OSError, RuntimeError, ValueError, BrokenProcessPool):
                # No memory for it, no standard error to hand on (as under a full-screen application): read here.
                self._broken = True
        here: Future[Rows | None] = Future()
        here.set_result(read_rows(source.agent, source.start, batch, chain_of))
        return here

    def _ended(
        self, source: Source, chain_of: ChainOf, batch: list[RawLine], begun: Future[Rows | None]
    ) -> tuple[list[RawLine], Rows]:
        try:
            rows = begun.result()
        except (OSError, RuntimeError, BrokenProcessPool):  # killed, or no memory for it
            rows, self._broken = None, True
        return batch, rows or read_rows(source.agent, source.start, batch, chain_of)


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


def _rows_elsewhere(agent: Agent, start: SessionStart, batch: list[RawLine]) -> Rows | None:
    """In the second process: the rows, or None where the store must be asked, which only the first can."""
    try:
        rows = read_rows(agent, start, batch, _ask)
    except _AskTheStore:
        return None
    for row in rows.messages:
        row.message = row.message._replace(text="")  # said in `row.text`: no need to send it twice
    return rows


class _AskTheStore(Exception):
    """Whose message this answers is known to the store alone."""


def _ask(uuid: str) -> str | None:
    raise _AskTheStore(uuid)


def _leave_ctrl_c() -> None:
    """Ctrl-C is for the first process, which stops at a safe place."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
