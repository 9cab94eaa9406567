"""Lessons files for tests, small in what they hold so that the same ids, times and values meet often."""

from __future__ import annotations

from hypothesis import strategies as st

from core.base.wire import canonical
from core.team.lessons_file import LessonsFile, Record, Stamped, kept_lines, normal

TIMES = [f"2026-11-0{day}T00:00:00.000Z" for day in range(1, 7)]
NAMES = ("check", "do", "error", "text")
VALUES = (None, "", "a", "b", ["a"], {"kind": "command", "text": "x"}, 1)
BAD = (b"<html>", b'{"id":"x"}', b"[]", b'{"id":"l1","shared":"2026', b"\xff\xfe")

times, ids = st.sampled_from(TIMES), st.sampled_from(("l1", "l2", "l3"))


@st.composite
def records(draw: st.DrawFn) -> Record:
    shared, withdrawn = draw(times), draw(st.sampled_from(("", *TIMES)))
    later = times.filter(lambda time: time >= shared)
    stamped = st.builds(Stamped, later, st.sampled_from(VALUES).map(canonical))
    return normal(shared, withdrawn, draw(st.dictionaries(st.sampled_from(NAMES), stamped, max_size=4)))


files = st.builds(
    lambda held, kept: LessonsFile(held, kept=kept_lines(kept)),
    st.dictionaries(ids, records(), max_size=3),
    st.lists(st.sampled_from(BAD), max_size=2),
)
