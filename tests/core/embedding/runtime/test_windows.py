"""A long text in windows: nothing of it is lost, each fits."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from core.embedding.runtime.local import windows


def _words(text: str) -> list[tuple[int, int]]:
    """A tokenizer for which every word, and every sign, is a token; a word of more than three letters is several."""
    return [found.span() for found in re.finditer(r"\w{1,3}|[^\w\s]", text)]


def _unlike(shape: str) -> str:
    """The text of that shape in which no letter and no sign comes twice, so that a part lies at one place only."""
    letters, signs = iter(range(0xAC00, 0xAE00)), iter(range(0x2200, 0x2400))
    return "".join({"w": lambda: chr(next(letters)), ".": lambda: chr(next(signs))}.get(a, a.__str__)() for a in shape)


@given(st.text(st.sampled_from("www \n.."), max_size=400).map(_unlike), st.integers(4, 40))
def test_each_window_fits_and_together_they_hold_everything(text: str, room: int) -> None:
    found = windows(text, room, _words)
    assert all(len(_words(part)) <= room for part in found)
    if len(_words(text)) <= room:
        assert found == [text]
        return
    covered: set[int] = set()
    for part in found:
        place = text.index(part)
        covered |= set(range(place, place + len(part)))
    assert all(set(range(*span)) <= covered for span in _words(text))


def test_neighbours_share_a_quarter() -> None:
    text = " ".join(f"{number:03}" for number in range(100))
    first, second, *_ = windows(text, 40, _words)
    assert first.split()[-1] == "039"
    assert second.split()[0] == "030"


def test_a_window_begins_with_a_whole_word_where_that_is_near() -> None:
    text = "aa " * 29 + "abcdefghi" + " bb" * 40
    found = windows(text, 40, _words)
    assert found[1].startswith("abcdefghi")
