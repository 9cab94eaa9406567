"""Two messages built alike: what parts them is what they say, never what they name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors.equivalence import difference, plain_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("plant: too few arguments for 'seed'", "plant: too many arguments for 'seed'"),
        ("the harbour is starting up", "the harbour is shutting down"),
        ("failed to encode the letter 'a'", "failed to decode the letter 'a'"),
        ("buffer underflow in the reader", "buffer overflow in the reader"),
        ("cannot import the list of plants", "cannot export the list of plants"),
        ("lookup of undeclared module 'beds'", "lookup of undeclared resource 'beds'"),
        ("connect to host garden.example port 22: No route", "connect to host garden.example port 22: refused at once"),
        ("could not water bed 'north': the pump is dry", "could not water bed 'north': somebody else holds the can"),
    ],
)
def test_what_is_said_of_one_thing_parts_two_errors_both_ways(one: str, other: str) -> None:
    assert difference(plain_words(one), plain_words(other))
    assert difference(plain_words(other), plain_words(one))
    assert difference(plain_words(one), plain_words(one)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cannot find module 'rake'", "Cannot find module '@garden/hoe'"),
        ("no such file: /srv/beds/north.yaml", "no such file: ./south.toml"),
        ("bed north: 'utf-8' cannot decode: illegal byte", "bed south: 'ascii' cannot decode: invalid byte"),
        ("index out of bounds: the length is 3", "index out of bounds: the len is 8"),
        ("could not open the gate", "the gate is shut, and nobody has the key"),
        ("pump timeout", "gate timeout"),
        ("", "the gate is shut"),
    ],
)
def test_other_names_other_endings_and_other_wordings_do_not(one: str, other: str) -> None:
    assert difference(plain_words(one), plain_words(other)) is None


def test_names_quotes_paths_and_wrappers_are_not_said() -> None:
    assert plain_words("npm ERR! fatal: cannot read 'old rake' in /srv/beds/x.py at bedCount of snake_case") == (
        "cannot", "read", "in", "at", "of",
    )  # fmt: skip


@settings(max_examples=50)
@given(st.text(max_size=600), st.text(max_size=600))
def test_no_text_breaks_it_and_none_differs_from_itself(one: str, other: str) -> None:
    ours, theirs = plain_words(one), plain_words(other)
    assert difference(ours, ours) is None
    assert (difference(ours, theirs) is None) == (difference(theirs, ours) is None)
