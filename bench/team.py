"""What a team shares: random merges of lessons files end with one file, whatever the order."""

from __future__ import annotations

import random
import time
from itertools import permutations

from bench.table import Row
from core.base.wire import canonical
from core.team.lessons_file import LessonsFile, Record, Stamped, kept_lines, normal, parse
from core.team.merge import merge

_IDS = [f"{at:016x}" for at in range(40)]
_TIMES = [f"2026-11-{day:02}T{hour:02}:00:00.000Z" for day in range(1, 28) for hour in (0, 12)]
_FIELDS = ("because", "check", "do", "error", "not", "text")
_BAD = (b"<html>", b'{"id":"x"}', b"{", b"\xff")


def measure(*, quick: bool) -> list[Row]:
    """Three sides of one base, merged in each order, one after another and at once."""
    chance = random.Random(28)
    rounds = 500 if quick else 10_000
    differing, spent = 0, 0.0
    for _ in range(rounds):
        base = _file(chance)
        sides = [_changed(chance, base) for _ in range(3)]
        began = time.perf_counter()
        ends = {_bytes(merge(base, sides))}
        for one, two, three in permutations(sides):
            ends.add(_bytes(merge(base, [merge(base, [one, two]), three])))
            ends.add(_bytes(merge(base, [one, merge(base, [two, three]), one])))
        spent += time.perf_counter() - began
        (end, *others) = ends
        differing += bool(others) or _bytes(parse(end.splitlines(keepends=True))) != end
    return [
        Row(f"three sides merged in any order, {rounds:,} times: ends that differ", differing, 0, unit=" "),
        Row("one merge of some 20 lessons", spent / rounds / 25 * 1e3, None, unit=" ms"),
    ]


def _bytes(file: LessonsFile) -> bytes:
    return b"".join(file.lines())


def _file(chance: random.Random) -> LessonsFile:
    ids = chance.sample(_IDS, chance.randrange(30))
    return LessonsFile({id_: _record(chance) for id_ in ids}, kept=kept_lines(chance.choices(_BAD, k=2)))


def _record(chance: random.Random) -> Record:
    shared, withdrawn = chance.choice(_TIMES), chance.choice(("", "", "", chance.choice(_TIMES)))
    later = [time for time in _TIMES if time >= shared]
    names = chance.sample(_FIELDS, chance.randrange(1, len(_FIELDS)))
    fields = {name: Stamped(chance.choice(later), canonical(chance.randrange(3))) for name in names}
    return normal(shared, withdrawn, fields)


def _changed(chance: random.Random, base: LessonsFile) -> LessonsFile:
    """A side: lessons edited, withdrawn, taken out, shared again and added; lines that are no lesson too."""
    records = dict(base.records)
    for id_ in chance.sample(_IDS, 8):
        if chance.random() < 0.2:
            records.pop(id_, None)
        else:
            records[id_] = _record(chance)
    kept = [line for line in base.kept if chance.random() < 0.8]
    return LessonsFile(records, kept=kept_lines([*kept, *chance.choices(_BAD, k=chance.randrange(2))]))
