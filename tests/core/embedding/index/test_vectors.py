"""Stored vectors: unit length always, unusable ones named, cosine and L2 two names of one thing."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import cosine, distance_of, pack, similarity_of, unpack, unusable

components = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=12).filter(
    lambda values: math.fsum(value * value for value in values) > 1e-3
)


@given(components)
def test_a_packed_vector_has_unit_length_and_keeps_its_direction(values: list[float]) -> None:
    vector = pack(values)
    assert unusable(vector, len(values)) is None
    length = math.sqrt(math.fsum(value * value for value in values))
    assert unpack(vector) == pytest.approx([value / length for value in values], abs=1e-6)
    assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)


@given(components.filter(lambda values: len(values) > 1))
def test_l2_on_unit_vectors_says_the_same_as_cosine(values: list[float]) -> None:
    one, other = pack(values), pack([*values[1:], values[0]])
    squares = math.fsum((a - b) ** 2 for a, b in zip(unpack(one), unpack(other), strict=True))
    assert distance_of(cosine(one, other)) == pytest.approx(math.sqrt(squares), abs=1e-3)
    assert similarity_of(distance_of(cosine(one, other))) == pytest.approx(cosine(one, other), abs=1e-6)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((math.nan, 0.0), "not a number"),
        ((math.inf, 0.0), "not a number"),
        ((0.0, 0.0), "norm is 0"),
        ((3.0, 4.0), "5.0"),
    ],
)
def test_an_unusable_vector_is_named(values: tuple[float, float], said: str) -> None:
    assert said in str(unusable(struct.pack("<2f", *values), 2))


def test_a_vector_of_another_size_is_unusable() -> None:
    assert "8 bytes" in str(unusable(struct.pack("<2f", 1, 0), 3))


@pytest.mark.parametrize("values", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_what_is_no_vector_is_not_packed(values: list[float]) -> None:
    with pytest.raises(ValueError, match="not a vector"):
        pack(values)
