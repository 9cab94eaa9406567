"""Fusing two rankings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.library.search.hybrid import fuse

LISTS = st.lists(st.integers(0, 40), max_size=20, unique=True)


def test_first_in_both_is_one_and_in_one_alone_a_half() -> None:
    both = fuse([7, 8], [7, 9])
    assert (both[0].item, both[0].score) == (7, 1.0)
    assert fuse([7], [])[0].score == 0.5
    assert fuse([], [7])[0].score == 0.5
    assert fuse([], []) == []


def test_agreement_beats_one_good_rank() -> None:
    found = fuse([1, 2, 3], [4, 2, 5])
    assert found[0].item == 2
    assert (found[0].lexical_rank, found[0].vector_rank) == (2, 2)
    assert [one.item for one in found[1:3]] == [1, 4]  # equal: the words decide


@given(lexical=LISTS, vector=LISTS)
def test_every_item_once_best_first_between_0_and_1(lexical: list[int], vector: list[int]) -> None:
    found = fuse(lexical, vector)
    assert {one.item for one in found} == {*lexical, *vector}
    assert len(found) == len({*lexical, *vector})
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1.0 for score in scores)
    assert fuse(lexical, []) == sorted(fuse(lexical, []), key=lambda one: one.lexical_rank or 0)


@given(items=LISTS)
def test_a_list_with_itself_keeps_its_order(items: list[int]) -> None:
    assert [one.item for one in fuse(items, items)] == items
