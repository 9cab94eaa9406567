"""The labelled set itself: large enough, split by hash, its near strangers apart, its base made of strangers."""

from __future__ import annotations

import pytest

from bench.errors.wordings_data import Half, by_cause, half_of, near, strangers, wordings


def test_causes_have_two_wordings_and_more_and_no_message_stands_for_two() -> None:
    rows = wordings()
    causes = dict(by_cause(rows))
    assert len(causes) >= 200
    assert all(len(found) >= 2 for found in causes.values())
    assert len({row.text for row in rows}) == len(rows)
    assert len({row.tool for row in rows}) >= 30
    assert sum(row.lang == "ko" for row in rows) >= 40


def test_each_half_has_its_share() -> None:
    for half in ("tuned", "reported"):
        assert len({row.cause for row in wordings(half)}) >= 100
        assert len(near(half)) >= 60
    assert half_of("port-in-use") == half_of("port-in-use")
    assert {row.cause for row in wordings("tuned")}.isdisjoint(row.cause for row in wordings("reported"))


def test_the_base_is_large_distinct_and_always_the_same() -> None:
    base = strangers(10_000)
    assert len(set(base)) == 10_000
    assert base == strangers(10_000)
    assert base[:100] == strangers(100)
    assert not set(base) & {row.text for row in wordings()}


@pytest.mark.parametrize("later", ["fresh", "third"])
def test_a_later_set_has_causes_and_strangers_of_its_own(later: Half) -> None:
    sets: tuple[Half | None, ...] = (None, "fresh", "third")
    found = wordings(later)
    others = [row for one in sets if one != later for row in wordings(one)]
    causes = dict(by_cause(found))
    assert len(causes) >= 100
    assert all(len({row.text for row in several}) == len(several) >= 2 for several in causes.values())
    assert not {row.cause for row in others} & set(causes)
    assert not {row.text for row in others} & {row.text for row in found}
    assert len(near(later)) >= 50
    assert sum(row.lang == "ko" for row in found) >= 20


@pytest.mark.parametrize(
    ("later", "said"), [("fresh", "SyntaxError: await is only valid"), ("third", "error: unreported exception")]
)
def test_the_base_of_a_later_set_says_nothing_that_its_causes_say(later: Half, said: str) -> None:
    base = strangers(2_000, half=later)
    assert len(set(base)) == 2_000
    assert not [text for text in base if text.startswith(said)]
    assert [text for text in strangers(2_000) if text.startswith(said)]
