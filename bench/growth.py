"""CPU time of every reader of foreign text on adversarial text: its growth, and against ordinary text of its kind.

The text is that of `tests/adversarial.py`, the readers those of `tests/foreign_readers.py`. Each unit is read at one
length; the slowest are read at four times that length, 4 is linear. Ordinary text is what the reader usually gets.
"""

from __future__ import annotations

import sys
import time
from typing import Final

from bench.table import Row
from tests.adversarial import UNITS as ALL
from tests.adversarial import Text, mixed, text_of, texts
from tests.foreign_readers import READERS, Reader

GROWTH: Final = 8.0
"""Four times the text may take so many times the time; 16 is square."""
SLOWEST: Final = 3
_LENGTH: Final = 4_000
_TOO_LONG_S: Final = 60.0


def measure(*, quick: bool) -> list[Row]:
    """Two rows a reader, each with its worst unit."""
    length = _LENGTH // 4 if quick else _LENGTH
    units = (*(ALL[::3] if quick else ALL), *(() if quick else mixed(60)))
    rows: list[Row] = []
    for reader in READERS:
        print(f"  {reader.name} …", file=sys.stderr)
        rows += _rows(reader, min(length, reader.cap // 4) if reader.cap else length, units)
    return rows


def _rows(reader: Reader, length: int, units: tuple[str, ...]) -> list[Row]:
    usual = text_of(reader.usual, length)
    reader.read(text_of(reader.usual, 4 * length))  # what is made once is made
    base = min(_cpu(reader, usual) for _ in range(3))
    found: list[tuple[float, Text]] = []
    start = time.monotonic()
    for text in texts(length, units):
        found.append((_cpu(reader, text.text), text))
        if time.monotonic() - start > _TOO_LONG_S:
            break
    found.sort(key=lambda one: -one[0])
    slowest = [text for _, text in found[:SLOWEST]]
    times = {text.name: min(_cpu(reader, text.text) for _ in range(2)) for text in slowest}
    longer = [text for text in texts(4 * length, units) if text.name in times]
    took = {text.name: min(_cpu(reader, text.text) for _ in range(2)) for text in longer}
    ordinary = _cpu(reader, text_of(reader.usual, 4 * length))
    # What is as quick as ordinary text may grow as it likes: it passed the length from which more is done.
    growth = {name: took[name] / times[name] for name in times if took[name] > 2 * ordinary} or {"": 0.0}
    worst = max(times, key=times.__getitem__)
    grown = max(growth, key=growth.__getitem__)
    note = f"{worst!r}: {times[worst] * 1e3:.1f} / {base * 1e3:.1f} ms for {length:,}"
    return [
        Row(f"{reader.name}: adversarial / ordinary", times[worst] / base, reader.most, note),
        Row(f"{reader.name}: growth, four times as long", growth[grown], GROWTH, repr(grown)),
    ]


def _cpu(reader: Reader, text: str) -> float:
    """CPU seconds: others may load the machine."""
    start = time.process_time()
    reader.read(text)
    return max(time.process_time() - start, 1e-6)
