"""A bound that goes the other way is another thing, though the number is the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.library.ask.figures import bounds
from core.library.ask.verdict import claims, contradicts, holds
from core.library.search.rows import Passage

POOL = "connections | 20\nThe pool holds at most 20 connections. A client waits 200 ms, then makes up to five retries."
LEAVE = "연차는 최대 5일까지 이월할 수 있다. 휴가는 최소 7일 전에 신청한다. 심사는 10일 이상 걸린다."


def passage(text: str) -> Passage:
    spans = '[{"kind":"line","start":1,"end":9}]'
    return Passage(1, "chunk1", "doc", text, json.dumps(("Notes",)), "Notes", spans, "v", 1, 9, "n.md", "Notes",
                   "2026-01-01T00:00:00Z", None, None)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The pool holds more than 20 connections", POOL),
        ("The pool holds at least 20 connections", POOL),
        ("At least 5 retries are made", POOL),
        ("There are no fewer than five retries", POOL),
        ("연차는 최소 5일 이월할 수 있다", LEAVE),
        ("휴가는 7일 이내에 신청한다", LEAVE),
        ("심사는 10일 이하 걸린다", LEAVE),
    ],
)
def test_a_bound_that_goes_the_other_way_refutes(said: str, text: str) -> None:
    (one,) = claims(f"{said} [1].", [passage(text)])
    assert any(concern.kind == "quantity" for concern in one.concerns)
    assert contradicts(one)
    assert not holds(one)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("At most 5 retries are made", POOL),
        ("There are 5 retries", POOL),
        ("No more than five retries are made", POOL),
        ("The pool never holds more than 20 connections", POOL),
        ("The pool holds 20 connections", POOL),
        ("심사는 최소 10일 걸린다", LEAVE),
    ],
)
def test_a_bound_that_goes_the_same_way_in_other_words_is_let_be(said: str, text: str) -> None:
    (one,) = claims(f"{said} [1].", [passage(text)])
    assert holds(one)
    assert not contradicts(one)


@given(
    st.integers(2, 999), st.sampled_from(("at most", "up to", "no more than")), st.sampled_from(("at least", "over"))
)
@settings(max_examples=50, deadline=None)
def test_every_bound_has_its_opposite(number: int, up: str, low: str) -> None:
    above, below = f"It takes {up} {number} days", f"It takes {low} {number} days"
    assert bounds(above, [below])
    assert bounds(below, [above])
    assert not bounds(above, [above])
    assert not bounds(above, [f"{below}. {above}."])


@pytest.mark.parametrize("piece", ["at most 5 ", "no more ", "최대 5일 ", "a ", "5", "five of the "])
def test_no_text_takes_long(piece: str) -> None:
    bounds(piece * 2000, [piece * 2000])
