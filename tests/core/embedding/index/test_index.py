"""The nearest vectors: both indexes against a plain walk over all of them, and nothing that is gone or no number."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest

from core.base.fault import Fault
from core.embedding import Vector, distance_of, pack, unpack
from core.embedding.index.binary_index import Bits, CachedBits
from core.embedding.index.index import Vec0, open_index
from core.embedding.index.maintenance import counted, rebuild_bits, worth_tidying
from core.embedding.index.stored import Made, Place, forget, put, sign_bits
from core.embedding.index.vectors import cosine
from core.store import Store, load_vec, open_store
from tests.core.embedding.exact_embedder import at_distance, random_vector, unit

ERRORS = Place("error", "exact@1", "error/1+exact/1", 384)
RULES = Place("rule", "exact@1", "rule/1+exact/1", 64)


def made(item: int, windows: int = 1, place: Place = ERRORS) -> Made:
    return Made(item, "sha", tuple(random_vector((item, at), place.dim) for at in range(windows)))


def fill(store: Store, place: Place, *items: Made) -> None:
    with store.transaction() as con:
        put(con, place, items)


def by_hand(items: list[Made], query: Vector, k: int) -> list[tuple[int, float]]:
    best = [(one.item_id, distance_of(max(cosine(query, vector) for vector in one.windows))) for one in items]
    return sorted(best, key=lambda pair: pair[1])[:k]


def both(store: Store, place: Place) -> list[Any]:
    return [Vec0(store.con, place), Bits(store.con, place, CachedBits())]


def near(pairs: list[tuple[int, float]]) -> list[Any]:
    return [(item, pytest.approx(distance, abs=1e-4)) for item, distance in pairs]


@pytest.mark.parametrize("place", [ERRORS, RULES], ids=["seed's table", "own table"])
def test_the_nearest_windows_of_the_nearest_items(book: Store, place: Place) -> None:
    items = [made(item, 1 + item % 3, place) for item in range(1, 300)]
    fill(book, place, *items)
    among = frozenset(range(7, 300, 11))
    for index in both(book, place):
        for seed in range(5):
            query = random_vector(("query", seed), place.dim)
            assert index.nearest(query, 7) == near(by_hand(items, query, 7))
            some = [one for one in items if one.item_id in among]
            assert index.nearest(query, 4, among) == near(by_hand(some, query, 4))
            assert index.nearest(query, 1000, among) == near(by_hand(some, query, 1000))
        assert index.nearest(unit(1, dim=place.dim), 3, frozenset()) == []
        assert index.nearest(unit(1, dim=place.dim), 0) == []


def test_distances_are_l2_on_unit_vectors(book: Store) -> None:
    fill(book, ERRORS, Made(1, "s", (at_distance(0.76),)), Made(2, "s", (at_distance(0.85),)))
    for index in both(book, ERRORS):
        assert index.nearest(unit(1), 2) == near([(1, 0.76), (2, 0.85)])


def test_a_few_wanted_ones_are_found_behind_thousands_of_others(book: Store) -> None:
    """A filter after the search would come back empty."""
    place = Place("rule", "exact@1", "r", 8)
    crowd = [Made(item, "s", (unit(1, item / 1e6, dim=8),)) for item in range(1, 5000)]
    far = Made(9000, "s", (unit(0, 0, 1, dim=8), unit(0, 0.5, 1, dim=8)))
    fill(book, place, *crowd, far)
    for index in both(book, place):
        assert index.nearest(unit(1, dim=8), 3, frozenset({9000, 9001})) == near([(9000, math.sqrt(2))])


def test_bits_find_what_is_near_among_very_many(book: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recall is measured in bench; here, with small limits, each stage has to leave most behind, with a filter too."""
    monkeypatch.setattr("core.embedding.index.binary_index.WEIGHED", 600)
    monkeypatch.setattr("core.embedding.index.binary_index.RESCORED", 80)
    place = Place("rule", "exact@1", "r", 72)  # no whole number of 64-bit words
    items = [made(item, 1, place) for item in range(1, 2501)]
    fill(book, place, *items)
    index = Bits(book.con, place, CachedBits())
    assert index.nearest(random_vector((17, 0), 72), 1) == near([(17, 0.0)])
    missed = 0
    for seed in range(8):
        here, noise = unpack(items[seed].windows[0]), unpack(random_vector(seed, 72))
        query = pack([a + 0.3 * b for a, b in zip(here, noise, strict=True)])
        missed += index.nearest(query, 1) != near(by_hand(items, query, 1))
        third = items[seed % 3 :: 3]
        found = index.nearest(query, 1, frozenset(one.item_id for one in third))
        missed += found != near(by_hand(third, query, 1))
    assert missed <= 1
    few = frozenset({17, 900, 2400})
    assert index.nearest(query, 3, few) == near(by_hand([items[16], items[899], items[2399]], query, 3))


@pytest.mark.parametrize(
    "query",
    [b"", b"\0" * 1536, b"\x00\x00\xc0\x7f" * 384, unit(1)[:-4], struct.pack("<384f", 2, *[0] * 383)],
    ids=["empty", "zero", "nan", "short", "long"],
)
def test_an_unusable_query_is_a_fault(book: Store, query: bytes) -> None:
    fill(book, ERRORS, made(1))
    for index in both(book, ERRORS):
        with pytest.raises(Fault) as caught:
            index.nearest(query, 3)
        assert caught.value.code == "invalid_input"


def test_a_damaged_vector_never_gets_out(book: Store) -> None:
    """vec0 takes NaN and gives NULL, which sorts before every distance."""
    fill(book, ERRORS, made(1), made(2))
    spoilt = b"\x00\x00\xc0\x7f" * 384
    with book.transaction() as con:
        con.execute("UPDATE vector SET blob = ? WHERE item_id = 1", (spoilt,))
        con.execute("DELETE FROM vec_error_kb WHERE error_kb_id = 1")
        con.execute("INSERT INTO vec_error_kb VALUES (1, ?)", (spoilt,))
    for index in both(book, ERRORS):
        assert [item for item, _ in index.nearest(random_vector("q"), 5)] == [2]
        assert index.nearest(random_vector("q"), 5, frozenset({1})) == []


def test_an_item_that_is_gone_is_not_found(book: Store) -> None:
    fill(book, ERRORS, *(made(item) for item in range(1, 20)))
    query = random_vector((3, 0))
    kept = CachedBits()
    assert Bits(book.con, ERRORS, kept).nearest(query, 1)[0][0] == 3
    with book.transaction() as con:  # as a trigger does it: the row in vec0 is still there
        con.execute("DELETE FROM vector WHERE item_id = 3")
    for index in (Vec0(book.con, ERRORS), Bits(book.con, ERRORS, kept)):
        assert 3 not in [item for item, _ in index.nearest(query, 20)]
        assert len(index.nearest(query, 18)) == 18
    with book.transaction() as con:
        forget(con, "error", [3])
    load_vec(book.con)
    assert book.con.execute("SELECT count(*) FROM vec_error_kb").fetchone() == (18,)


def test_kept_bits_follow_what_others_write(book: Store) -> None:
    kept = CachedBits()
    among = frozenset({1, 2, 3, 4, 5})

    def found(query: Vector, store: Store = book) -> int:
        return Bits(store.con, ERRORS, kept).nearest(query, 1, among)[0][0]

    fill(book, ERRORS, *(made(item) for item in range(1, 4)))
    assert found(random_vector((2, 0))) == 2
    before = kept.memory
    with open_store(book.path, write=True) as other:
        fill(other, ERRORS, made(4))
        fill(other, ERRORS, Made(2, "new", (random_vector("anew"),)))
    assert found(random_vector((4, 0))) == 4
    assert found(random_vector("anew")) == 2
    assert Bits(book.con, ERRORS, kept).nearest(random_vector((2, 0)), 5)[0][1] > 1  # its old vector is gone
    assert kept.memory > before
    with open_store(book.path, write=True) as other:
        rebuild_bits(other, ERRORS)
        assert counted(other.con, ERRORS) == (4, 4)
        assert found(random_vector((4, 0)), other) == 4
    assert found(random_vector("anew")) == 2


def test_kept_bits_serve_one_model_after_another(book: Store) -> None:
    kept = CachedBits()
    other = Place("error", "other@1", ERRORS.recipe, 384)
    fill(book, ERRORS, made(1))
    fill(book, other, made(2))
    assert [item for item, _ in Bits(book.con, ERRORS, kept).nearest(random_vector("q"), 5)] == [1]
    assert [item for item, _ in Bits(book.con, other, kept).nearest(random_vector("q"), 5)] == [2]


def test_bits_are_worth_tidying_only_when_many_belong_to_nothing(book: Store) -> None:
    place = Place("rule", "exact@1", "r", 8)
    many = [Made(item, "s", (unit(1, item, dim=8),)) for item in range(1, 1001)]
    fill(book, place, *many)
    assert not worth_tidying(book.con, place)
    fill(book, place, *many)
    fill(book, place, *many)
    assert worth_tidying(book.con, place)
    rebuild_bits(book, place)
    assert counted(book.con, place) == (1000, 1000)


def test_sign_bits_are_the_signs() -> None:
    vector = struct.pack("<12f", 1, -1, 0.0, -0.5, 2, 3, -3, 1e-30, -1e-30, 1, 1, -1)
    assert sign_bits(vector) == bytes([0b10101101, 0b01100000])


def test_few_are_walked_and_many_are_kept_in_memory(book: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.embedding.index.index.VEC0_MOST_KEPT", 10)
    fill(book, ERRORS, *(made(item) for item in range(1, 12)))
    names = ("error", ERRORS.model, ERRORS.recipe, 384)
    assert isinstance(open_index(book.con, *names), Vec0)
    assert isinstance(open_index(book.con, *names, CachedBits()), Bits)
    monkeypatch.setattr("core.embedding.index.index.VEC0_MOST", 10)
    index = open_index(book.con, *names)
    assert isinstance(index, Bits)
    assert index.nearest(random_vector((5, 0)), 1)[0][0] == 5


def test_no_vectors_no_neighbours(book: Store) -> None:
    assert open_index(book.con, "error", "m", "r", 384).nearest(unit(1), 3) == []
    assert Bits(book.con, ERRORS, CachedBits()).nearest(unit(1), 3) == []
