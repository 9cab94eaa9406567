"""What one text has and the other has not, for somebody who chooses between them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from core.align.diff import differing


def test_the_words_that_differ_are_named_on_both_sides() -> None:
    mine, theirs = "run `uv add pyyaml`\nthen  again", "run `uv add yaml`\nthen start again"
    found = differing(mine, theirs)
    assert found is not None
    assert [mine[start:end] for start, end in found[0]] == ["pyyaml`"]
    assert [theirs[start:end] for start, end in found[1]] == ["yaml`", "start"]


def test_texts_with_little_in_common_have_nothing_to_light() -> None:
    assert differing("one two", "three") is None
    assert differing("one two three", "one 2 3") is None
    assert differing("", "three") is None
    assert differing("same", "same") == ((), ())


@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30))
def test_what_is_not_named_is_the_same_on_both_sides(mine: str, theirs: str) -> None:
    found = differing(mine, theirs)
    if found is not None:
        rest = []
        for text, ranges in zip((mine, theirs), found, strict=True):
            ends = [0, *(end for _, end in ranges)]
            starts = [*(start for start, _ in ranges), len(text)]
            rest.append([word for at, to in zip(ends, starts, strict=True) for word in re.findall(r"\S+", text[at:to])])
        assert rest[0] == rest[1]
