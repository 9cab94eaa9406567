"""The words a user reads: banned words, long sentences and semicolons may only become fewer.

`python -m tests.words.strings --faults tui/panes` lists them. Lower `MOST` when you have removed some."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.words.strings import BANNED, Text, faults, prose, sentences, strings, words

MOST = {
    "core": {"word": 1, "length": 7, "semicolon": 6},
    "cli": {"word": 0, "length": 1, "semicolon": 3},
    "tui": {"word": 0, "length": 1, "semicolon": 0},
}
"""How many faults each part has at most. A number may only fall."""


@pytest.fixture(scope="module")
def interface() -> tuple[Text, ...]:
    """The texts of the code."""
    return tuple(strings())


def test_the_words_of_the_interface_and_the_pages_only_get_plainer(interface: tuple[Text, ...]) -> None:
    found: dict[str, Counter[str]] = {}
    for text in (*interface, *prose()):
        part = text.place.replace(":", "/").partition("/")[0]
        found.setdefault(part, Counter()).update(kind for kind, _ in faults(text))
    print({part: dict(kinds) for part, kinds in found.items()})
    more = {
        f"{part}: {kind}": (count, MOST.get(part, {}).get(kind, 0))
        for part, kinds in found.items()
        for kind, count in kinds.items()
        if count > MOST.get(part, {}).get(kind, 0)
    }
    assert more == {}, "more than before, list them with: python -m tests.words.strings --faults PART"


def test_the_collector_sees_what_a_user_sees(interface: tuple[Text, ...]) -> None:
    collected = {text.text for text in interface}
    assert len(collected) > 2000
    assert "check the installation and the casebook" in collected  # a help line
    assert not any("SELECT" in text for text in collected)


def test_a_fault_is_found_and_a_plain_sentence_is_not() -> None:
    assert faults(Text("x:1", "interface", "There is no case with this id. Run `casebook errors list`.")) == []
    kinds = [
        kind for kind, _ in faults(Text("x:1", "interface", "'x' is no whole number; nobody was told " + "so " * 20))
    ]
    assert kinds == ["word", "word", "word", "word", "length", "semicolon"]
    assert [words(one) for one in sentences(Text("x:1", "page", "One two. Three ◦ five."))] == [2, 3]
    assert not BANNED.search("stands for method standard leader")
