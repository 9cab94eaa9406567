"""Markers of an answer: which there are, in which form, and which sentence each belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.library.ask_markers import checked_markers, sentences

Cited = list[tuple[str, tuple[int, ...]]]


def cited(said: str, known: int = 5) -> Cited:
    return [(one.text, one.markers) for one in sentences(checked_markers(said, known).text)]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("`argv[0]` is the program.", [("`argv[0]` is the program.", ())]),
        ("Example: `wait[2] = 400`", [("Example: `wait[2] = 400`", ())]),
        ("``a `b[1]` c`` is it [2].", [("``a `b[1]` c`` is it.", (2,))]),
        ("```python\nwaits[1] = 300\n```\nIt waits [1].", [("waits[1] = 300", ()), ("It waits.", (1,))]),
        ("~~~\nx[1]\n~~~\nIt waits [1].", [("x[1]", ()), ("It waits.", (1,))]),
        ("It waits [1].\n\n    retries[1] = 900\n", [("It waits.", (1,)), ("retries[1] = 900", ())]),
        ("It is `200 ms`[1].", [("It is `200 ms`.", (1,))]),
        ("It waits [1](http://a.b/7).", [("It waits.", ())]),
        ("It [waits](http://a.b/7) long [1].", [("It waits long.", (1,))]),
    ],
)
def test_what_stands_in_code_or_links_somewhere_is_no_marker(said: str, found: Cited) -> None:
    assert cited(said) == found


@given(st.text(alphabet="ab 가.[]`~=(/)0129\n!?", max_size=60))
@settings(max_examples=300, deadline=None)
def test_the_markers_of_the_sentences_are_those_that_were_checked(said: str) -> None:
    marked = checked_markers(said, 3)
    found = sentences(marked.text)
    assert {at for one in found for at in one.markers} <= {*marked.used}
    last = 0
    for one in found:
        assert last <= one.start < one.end <= len(marked.text)
        last = one.end
