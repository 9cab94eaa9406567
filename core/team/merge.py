"""The three-way merge of lessons files. It always ends without a conflict, and in any order with the same file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from core.team.lessons_file import LessonsFile, Record, join, kept_lines


def merge(base: LessonsFile, sides: Sequence[LessonsFile]) -> LessonsFile:
    """What the `sides` made of `base`. `bad` names the lines of the sides that are no lesson, the first side's first.

    A lesson that is on each side is joined, field by field. One whose line a side took out goes, as in any merge,
    unless another side changed it since. A line that is no lesson stays while no side took it out.
    """
    ids = {id_ for one in (base, *sides) for id_ in one.records}
    merged = {id_: _merged(base.records.get(id_), [one.records.get(id_) for one in sides]) for id_ in ids}
    records = {id_: found for id_, found in sorted(merged.items()) if found is not None}
    return LessonsFile(records, tuple(bad for one in sides for bad in one.bad), _kept(base, sides))


def _merged(base: Record | None, sides: Sequence[Record | None]) -> Record | None:
    there = [one if base is None else join(base, one) for one in sides if one is not None]
    changed = [one for one in there if one != base]
    if changed:
        return reduce(join, changed)
    return base if len(there) == len(sides) else None


def _kept(base: LessonsFile, sides: Sequence[LessonsFile]) -> tuple[bytes, ...]:
    every = {line for one in sides for line in one.kept}
    before = {*base.kept}
    return kept_lines(line for line in every if line not in before or all(line in one.kept for one in sides))
