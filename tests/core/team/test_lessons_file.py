"""The lessons file is one form of what it holds, and names each line that is no lesson."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given

from core.team.lessons_file import LONGEST_LINE, LessonsFile, line_of, parse, parse_line
from tests.core.team.random_files import TIMES, files

GOOD = json.dumps({"id": "l1", "shared": TIMES[0], "text": "한글 \u202e", "at": {"text": TIMES[1]}}).encode()


def test_a_line_is_sorted_and_holds_nothing_that_acts_on_a_terminal() -> None:
    read = parse_line(GOOD)
    assert not isinstance(read, str)
    assert line_of(*read) == (f'{{"at":{{"text":"{TIMES[1]}"}},"id":"l1","shared":"{TIMES[0]}","text":"한글 \\u202e"}}')


@given(files)
def test_a_file_does_not_depend_on_the_order_of_its_lines(file: LessonsFile) -> None:
    lines = [*file.lines(), *file.lines()]
    random.Random(len(lines)).shuffle(lines)
    assert [*parse(lines).lines()] == [*file.lines()]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (GOOD[:40], "not JSON (truncated?)"),
        (b"[1]", "not a JSON object"),
        (b"\xff{}", "not UTF-8"),
        (b'{"id":"../x","shared":"2026-11-01T00:00:00.000Z"}', "`id` is missing or invalid"),
        (b'{"id":"a","shared":"yesterday"}', "no valid `shared` or `withdrawn` time"),
        (b'{"id":"a"}', "no valid `shared` or `withdrawn` time"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","at":{"x":"2026-11-02T00:00:00.000Z"}}', "an invalid `at`"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","A b":1}', "an invalid field name"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","x":NaN}', "not JSON (truncated?)"),
        (b'{"x":' + b"[" * 100_000, "not JSON (truncated?)"),
        (b"x" * 50_000_000, f"longer than {LONGEST_LINE:,} bytes"),
        (b"<<<<<<< HEAD", "a conflict marker"),
        (b"=======", "a conflict marker"),
        (b"||||||| base", "a conflict marker"),
        (b">>>>>>> theirs", "a conflict marker"),
    ],
    ids=range(15),
)
def test_a_line_that_is_no_lesson_is_named_and_kept(line: bytes, reason: str) -> None:
    file = parse([GOOD + b"\n", line + b"\r\n", b"\n"])
    assert [(bad.line, bad.reason) for bad in file.bad] == [(2, reason)]
    assert [*file.records] == ["l1"]
    assert file.kept == (() if reason == "a conflict marker" else (line,))
    assert parse([*file.lines()]).kept == file.kept


def test_both_sides_of_a_conflict_are_read() -> None:
    other = GOOD.replace(b"l1", b"l2")
    file = parse([b"<<<<<<< ours\n", GOOD + b"\n", b"=======\n", other + b"\n", b">>>>>>> theirs\n"])
    assert [*file.records] == ["l1", "l2"]
    assert [bad.line for bad in file.bad] == [1, 3, 5]


def test_fields_of_a_later_version_are_kept() -> None:
    read = parse_line(b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","later":{"b":[1,2.5],"a":null}}')
    assert not isinstance(read, str)
    assert '"later":{"a":null,"b":[1,2.5]}' in line_of(*read)
