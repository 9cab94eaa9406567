"""The words of a quote that a look elsewhere in its session begins with."""

from __future__ import annotations

import pytest

from core.evidence import rarest_words
from core.store import Store
from tests.core.evidence.evidence_support import add_messages

TEXTS = ("The port is set.", "The port is not set in staging.", "The port is set again; the timeout is 30.")


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("the port is 30 seconds", "is 30"),
        ("The PORT is not  known", "is not"),
        ("nobody says timeout but this", "timeout"),
        ("is of an", ""),
        ("evicted for memory", ""),
        ("", ""),
    ],
)
def test_they_are_the_two_that_fewest_messages_have_else_one_word(store: Store, quote: str, words: str) -> None:
    add_messages(store, TEXTS, "other")
    assert rarest_words(store, "other", quote) == words


def test_a_stopped_look_gives_none(store: Store) -> None:
    add_messages(store, TEXTS, "other")
    assert rarest_words(store, "other", "is 30", cancelled=lambda: True) == ""
