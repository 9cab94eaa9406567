"""Merges of lessons files converge, whatever the order, and lose nothing silently."""

from __future__ import annotations

from itertools import permutations

from hypothesis import example, given
from hypothesis import strategies as st

from core.team.lessons_file import EMPTY, LessonsFile, Record, Stamped, join, merge, normal, parse
from tests.core.team.random_files import TIMES, files, records


def lines(file: LessonsFile) -> bytes:
    return b"".join(file.lines())


@given(records(), records(), records())
def test_joining_two_lessons_is_commutative_associative_and_idempotent(a: Record, b: Record, c: Record) -> None:
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(a, a) == a
    assert join(join(a, b), b) == join(a, b)


@given(files, st.lists(files, min_size=1, max_size=3))
def test_any_order_of_merges_with_one_base_ends_with_the_same_file(base: LessonsFile, sides: list[LessonsFile]) -> None:
    ends: set[bytes] = set()
    for order in permutations(sides):
        merged = order[0]
        for side in (*order[1:], order[0]):
            merged = merge(base, [merged, side])
        ends.add(lines(merged))
    ends.add(lines(merge(base, sides)))
    ends.add(lines(merge(base, [merge(base, sides[:2]), *sides[1:]])))
    assert len(ends) == 1


@given(files, files)
def test_a_merge_reads_back_as_it_was_written(ours: LessonsFile, theirs: LessonsFile) -> None:
    merged = merge(EMPTY, [ours, theirs])
    again = parse(lines(merged).splitlines(keepends=True))
    assert (again.records, again.kept) == (merged.records, merged.kept)
    assert lines(again) == lines(merged)


@given(files, files, files)
def test_a_merge_loses_no_lesson_that_a_side_changed(base: LessonsFile, ours: LessonsFile, theirs: LessonsFile) -> None:
    merged = merge(base, [ours, theirs])
    for side in (ours, theirs):
        for id_, record in side.records.items():
            before = base.records.get(id_)
            if before is None or join(before, record) != before:
                assert id_ in merged.records
                assert join(merged.records[id_], record) == merged.records[id_]
        assert all(line in merged.kept for line in side.kept if line not in base.kept)


def shared(day: int, *, until: str = "", **fields: str) -> Record:
    return normal(TIMES[day], until, {name: Stamped(TIMES[day], f'"{text}"') for name, text in fields.items()})


def test_a_withdrawal_beats_an_edit_that_did_not_know_of_it() -> None:
    """The edit is later, but of a lesson that was shared before it was withdrawn."""
    lesson = shared(0, text="old", check="x")
    edited = lesson._replace(fields={**lesson.fields, "text": Stamped(TIMES[4], '"new"')})
    assert join(edited, normal("", TIMES[2], {})) == Record("", TIMES[2], {})


def test_sharing_again_after_a_withdrawal_brings_the_lesson_back_whole() -> None:
    lesson, gone, again = shared(0, text="old", because="y"), normal("", TIMES[2], {}), shared(3, text="new")
    assert join(join(lesson, gone), again) == join(lesson, join(gone, again)) == shared(3, text="new", until=TIMES[2])


def test_of_two_edits_of_different_fields_both_stay_and_of_one_field_the_later() -> None:
    base = shared(0, text="t", check="c")
    ours = base._replace(fields={**base.fields, "text": Stamped(TIMES[1], '"mine"')})
    theirs = base._replace(
        fields={"text": Stamped(TIMES[2], '"theirs"'), "check": Stamped(TIMES[1], '"make"')},
    )
    assert join(ours, theirs).values() == {"text": "theirs", "check": "make"}


@example(day=1)
@given(st.integers(1, 5))
def test_a_line_taken_out_by_hand_stays_out_unless_the_other_side_changed_it(day: int) -> None:
    base, newer = shared(0, text="t"), shared(day, text="u")
    before, gone = LessonsFile({"l1": base}), EMPTY
    assert merge(before, [gone, before]).records == {}
    assert merge(before, [gone, LessonsFile({"l1": newer})]).records == {"l1": newer}
