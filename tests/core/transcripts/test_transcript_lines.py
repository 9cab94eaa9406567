"""Lines of files that are long, broken, or still being written."""

from __future__ import annotations

import io
import tracemalloc
from typing import BinaryIO, cast

from hypothesis import assume, given
from hypothesis import strategies as st

from core.transcripts import RawLine, read_lines
from core.transcripts.lines import is_blank


def lines(data: bytes, offset: int = 0, before: int = 0, cap: int = 1000) -> list[RawLine]:
    return list(read_lines(io.BytesIO(data), offset, before, cap))


def test_lines_carry_their_number_and_where_reading_goes_on() -> None:
    assert lines(b'{"a":1}\r\n\n[2]\n') == [
        RawLine(1, b'{"a":1}\r\n', 9, 1),
        RawLine(2, b"\n", 10, 2),
        RawLine(3, b"[2]\n", 14, 3),
    ]
    assert lines(b'{"a":1}\n[2]\n', 8, 1) == [RawLine(2, b"[2]\n", 12, 2)]


def test_a_half_written_last_line_is_left_for_the_next_time() -> None:
    for half in (b'{"a":', b'{"a":1', b"[1,", b'"ab', b"12", b"true", b" ", b'"a\\"'):
        assert [line.end for line in lines(b"{}\n" + half)] == [3]


def test_a_whole_last_line_without_its_newline_is_read_and_still_ended_by_it_later() -> None:
    first = lines(b'{}\n{"a":1}')
    assert first[-1] == RawLine(2, b'{"a":1}', 10, 1)
    rest = lines(b'{}\n{"a":1}\n{"b":2}\n', first[-1].end, first[-1].lines)
    assert [(line.number, line.data) for line in rest] == [(2, b"\n"), (3, b'{"b":2}\n')]


def test_a_line_beyond_the_cap_is_passed_over_with_its_number() -> None:
    data = b"{}\n" + b"x" * 5000 + b"\n[]\n"
    assert [(line.number, line.data) for line in lines(data)] == [(1, b"{}\n"), (2, None), (3, b"[]\n")]
    assert [line.end for line in lines(data)] == [3, 5004, 5007]
    assert [line.data for line in lines(b"y" * 1000 + b"\n")] == [b"y" * 1000 + b"\n"]
    assert lines(b"{}\n" + b"x" * 5000)[-1].number == 1


class _Endless:
    """A file of one line of `size` bytes, made up as it is read."""

    def __init__(self, size: int) -> None:
        self.left = size

    def seek(self, offset: int) -> int:
        return offset

    def readline(self, limit: int) -> bytes:
        taken = min(limit, self.left)
        self.left -= taken
        return b"x" * taken if self.left else b"x" * max(taken - 1, 0) + b"\n" * min(taken, 1)


def test_a_huge_line_takes_no_more_memory_than_the_cap() -> None:
    tracemalloc.start()
    found = list(read_lines(cast("BinaryIO", _Endless(200_000_000)), cap=1_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [line.data for line in found] == [None]
    assert peak < 8_000_000


@given(st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=8), st.data())
def test_reading_in_two_parts_gives_the_lines_of_reading_once(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"\n".join(parts) + (b"\n" if data.draw(st.booleans()) else b"")
    cut = data.draw(st.integers(0, len(whole)))
    first = lines(whole[:cut], cap=20)
    after = (first[-1].end, first[-1].lines) if first else (0, 0)
    # A whole value with more behind it on its line is no JSON; cut behind the value, it is read before that is known.
    assume(whole[:cut].endswith(b"\n") or after[0] < cut or is_blank(whole[cut:].partition(b"\n")[0]))
    joined = [*first, *lines(whole, *after, cap=20)]
    once = lines(whole, cap=20)
    assert _told(joined) == _told(once)


def _told(found: list[RawLine]) -> list[tuple[int, bytes | None]]:
    """What was read: without line ends and padding, and without lines that hold nothing."""
    kept = [(line.number, None if line.data is None else line.data.rstrip(b" \t\r\n\0")) for line in found]
    return [(number, data) for number, data in kept if data is None or data]
