"""The lessons file is one form of what it holds, and names each line that is no lesson."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.wire import canonical
from core.store import after
from core.team.lessons_file import (
    LONGEST_LINE,
    LessonsFile,
    Record,
    Stamped,
    join,
    line_of,
    parse,
    parse_line,
    read_line,
)
from core.text import clean
from tests.core.team.random_files import TIMES, files, ids, records

GOOD = json.dumps({"id": "l1", "shared": TIMES[0], "text": "한글 \u202e", "at": {"text": TIMES[1]}}).encode()


def test_a_line_is_sorted_and_holds_nothing_that_acts_on_a_terminal() -> None:
    read = parse_line(GOOD)
    assert not isinstance(read, str)
    assert line_of(*read) == (f'{{"at":{{"text":"{TIMES[1]}"}},"id":"l1","shared":"{TIMES[0]}","text":"한글 \\u202e"}}')


TEXTS = st.text(st.characters() | st.sampled_from('\\"\n\t\r\b\x00\x7f\u202e\ud800é'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(("check", "do", "error", "text")), VALUES, max_size=4), st.booleans(), st.data())
def test_fields_that_are_encoded_late_are_as_those_encoded_at_once(
    said: dict[str, object], escaped: bool, data: st.DataObject
) -> None:
    at = {name: data.draw(st.sampled_from(TIMES[1:])) for name in said if data.draw(st.booleans())}
    gone = data.draw(st.sampled_from(("", "2026-10-01T00:00:00.000Z")))
    written = {"withdrawn": gone, "at": at, **said, "shared": TIMES[1], "id": "l1"}
    read = parse_line(json.dumps(written, ensure_ascii=True).encode() if escaped else canonical(written).encode())
    assert not isinstance(read, str)
    fields = {name: Stamped(at.get(name, TIMES[1]), canonical(value)) for name, value in said.items()}
    plain = Record(TIMES[1], gone, dict(sorted(fields.items())))
    again = read_line(line_of("l1", plain))
    assert again is not None
    for id_, found in (read, again):
        assert (id_, found, plain) == ("l1", plain, found)
        assert [*found.fields] == [*plain.fields]
        assert (canonical(found.values()), found.latest()) == (canonical(plain.values()), plain.latest())
        assert (len(found.fields), found.is_rejected) == (len(fields), False)
        assert line_of(id_, found) == line_of(id_, plain)
        assert line_of("l2", found) == line_of("l2", plain)
        later = found._replace(withdrawn="2026-10-02T00:00:00.000Z")
        assert line_of(id_, later) == line_of(id_, plain._replace(withdrawn=later.withdrawn))
        texts = [one for value in found.values().values() for one in _texts(value)]
        assert not found.is_plain() or all(clean(one) == one for one in texts)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []


@given(ids, records(), records())
def test_what_was_read_is_joined_as_what_was_made(id_: str, left: Record, right: Record) -> None:
    read = [read_line(line_of(id_, one)) for one in (left, right)]
    assert read == [(id_, left), (id_, right)]
    assert join(*(one[1] for one in read if one)) == join(left, right)


def test_a_text_without_controls_is_plain() -> None:
    line = f'{{"id":"l1","shared":"{TIMES[0]}","text":"one\\ttwo\\nthree"}}'
    for text, plain in ((line, True), (line.replace("one", "é"), False), (line.replace("\\t", "\\r"), False)):
        read = read_line(text)
        assert read is not None
        assert read[1].is_plain() is plain
    for broken in ("[]", "{", '{"shared":"x"}', "null", ""):
        assert read_line(broken) is None


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
        (b'{"id":"a","shared":"2099-02-30T00:00:00.000Z"}', "no valid `shared` or `withdrawn` time"),
        (b'{"id":"a","shared":"2026-19-39T29:59:69.000Z"}', "no valid `shared` or `withdrawn` time"),
        (b'{"id":"a","shared":"9999-12-31T23:59:59.999Z"}', "no valid `shared` or `withdrawn` time"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","at":{"x":"2026-11-02T00:00:00.000Z"}}', "an invalid `at`"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","A b":1}', "an invalid field name"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","x":NaN}', "not JSON (truncated?)"),
        (b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","x":1e999}', "a number that is too large"),
        (
            b'{"id":"a","shared":"2026-11-01T00:00:00.000Z","x":[{"y":-1e999}],"z":"\\u0041"}',
            "a number that is too large",
        ),
        (b'{"x":' + b"[" * 100_000, "not JSON (truncated?)"),
        (b"x" * 50_000_000, f"longer than {LONGEST_LINE:,} bytes"),
        (b"<<<<<<< HEAD", "a conflict marker"),
        (b"=======", "a conflict marker"),
        (b"||||||| base", "a conflict marker"),
        (b">>>>>>> theirs", "a conflict marker"),
    ],
    ids=range(20),
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


@pytest.mark.parametrize("depth", [100, 300, 900])
def test_a_line_that_a_reader_cannot_follow_is_kept_and_not_read(depth: int) -> None:
    deep = f'{{"id":"l1","shared":"{TIMES[0]}","do":{"[" * depth}{"]" * depth}}}'.encode()
    found = parse([deep, GOOD.replace(b'"l1"', b'"l2"')])
    assert ([*found.records], found.kept) == (["l2"], (deep,))
    assert found.bad[0].reason == "nested too deeply"


def test_brackets_in_a_text_are_no_depth() -> None:
    line = json.dumps({"id": "l1", "shared": TIMES[0], "text": "[" * 900, "not": [["{"] * 90]})
    assert not isinstance(parse_line(line.encode()), str)


def test_the_last_time_of_a_lesson_can_be_withdrawn() -> None:
    last = "9998-12-31T23:59:59.999Z"
    gone = Record("", after(last, TIMES[0]), {})
    read = parse_line(line_of("l1", gone).encode())
    assert not isinstance(read, str)
    assert join(Record(last, "", {"text": Stamped(last, '"a"')}), read[1]).is_withdrawn
