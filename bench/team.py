"""What a team shares: random merges of lessons files end with one file, whatever the order; export, import and a look
at an unchanged file cost by the lesson."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

from bench.table import Row, seconds
from bench.team_server import fill, measure_server
from core.base.wire import canonical
from core.flows.team.export import plan_export, preview, write_plan
from core.flows.team.fresh import take_changed
from core.flows.team.importing import import_lessons
from core.flows.team.place import place_of
from core.store import open_store
from core.team.lessons_file import LessonsFile, Record, Stamped, kept_lines, merge, normal, parse

_IDS = [f"{at:016x}" for at in range(40)]
_TIMES = [f"2026-11-{day:02}T{hour:02}:00:00.000Z" for day in range(1, 28) for hour in (0, 12)]
_FIELDS = ("because", "check", "do", "error", "not", "text")
_BAD = (b"<html>", b'{"id":"x"}', b"{", b"\xff")


def measure(*, quick: bool) -> list[Row]:
    """Merges, one repository with more and more lessons, then a server with clients that are killed."""
    sizes = (300, 1_000) if quick else (1_000, 10_000, 30_000)
    return [*_merges(quick=quick), *_sizes(sizes), *measure_server(quick=quick)]


def _merges(*, quick: bool) -> list[Row]:
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


def _sizes(sizes: tuple[int, ...]) -> Iterator[Row]:
    """Export, preview of nothing new and import of so many lessons; the time of a lesson must not grow with them.

    Seconds of this process on a processor, so that other programs do not count."""
    first = 0.0
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder).resolve() / "shop"
            (tree / ".git").mkdir(parents=True)
            (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            place = place_of(tree)
            with open_store(tree.parent / "ours.db", write=True, create=True) as store:
                fill(store, place, size)
                began = time.process_time()
                done = write_plan(store, plan_export(store, place))
                wrote = time.process_time() - began
                looked = _cpu(lambda store=store, place=place: preview(store, plan_export(store, place)))
            with open_store(tree.parent / "theirs.db", write=True, create=True) as store:
                read = _cpu(lambda store=store, place=place: import_lessons(store, place, "bench"))
                take_changed(store, str(tree))
                idle = statistics.median(
                    seconds(lambda store=store, tree=tree: take_changed(store, str(tree))) for _ in range(200)
                )
            first = first or wrote / size
            note = f"{wrote:.1f} s, {done.size / 1e6:.1f} MB; preview {looked:.1f} s, import {read:.1f} s"
            yield Row(f"export of {size:,} lessons, a lesson / of {sizes[0]:,}", wrote / size / first, 1.5, note)
            yield Row(f"a hook's look at that file, unchanged, {size:,} lessons", idle * 1e3, 0.5, unit=" ms")


def _cpu(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


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
