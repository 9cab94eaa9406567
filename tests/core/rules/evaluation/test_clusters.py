"""Rules that say nearly the same, or belong together, by vectors of known likeness (REQ-SEM-014)."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.embedding.models.catalogue import CATALOGUE, MINILM, Thresholds
from core.embedding.runtime.embedder import Vector
from core.rules.evaluation.clusters import Cluster, ToGroup, clusters
from core.rules.format.book import book_of
from core.rules.format.parse import joined, parse_text
from core.store import open_store


def _at(degrees: float) -> tuple[Vector, ...]:
    """A unit vector in a plane: two of them are as like as the cosine of the angle between them."""
    turn = math.radians(degrees)
    return (struct.pack("<2f", math.cos(turn), math.sin(turn)),)


def _of(*degrees: float, ids: Sequence[int] = ()) -> tuple[Cluster, ...]:
    numbers = ids or range(1, len(degrees) + 1)
    files = [
        parse_text(f"### ERR-{number:03d}: Title {at}\n**Problem**: problem {at}\n", f"/rules/{at}.md")
        for at, number in enumerate(numbers)
    ]
    book = book_of(joined(files).rules)
    return clusters(book.rules, book.tables.glossary, {at: _at(turn) for at, turn in enumerate(degrees)}).clusters


def test_req_sem_014_who_is_nearly_the_same_by_way_of_another_is_in_one_group_and_told_once() -> None:
    """0 and 40 degrees are .77 alike: related by themselves, but both are nearly the same as the one at 20."""
    (one,) = _of(0, 20, 40, 120)
    assert (one.kind, [rule.id for rule in one.rules]) == ("duplicate", ["ERR-001", "ERR-002", "ERR-003"])
    assert one.similarity == round(math.cos(math.radians(20)), 4), "the lowest that joined them"
    assert one.suggestion.startswith("merge ERR-002 and ERR-003 into ERR-001, the most complete rule")


def test_two_groups_that_a_third_pair_joins_become_one() -> None:
    (one,) = _of(0, 10, 35, 45)
    assert [rule.id for rule in one.rules] == ["ERR-001", "ERR-002", "ERR-003", "ERR-004"]


def test_a_related_rule_joins_only_where_it_is_related_to_all() -> None:
    found = _of(0, 45, 90)
    assert [(one.kind, [rule.id for rule in one.rules]) for one in found] == [
        ("related", ["ERR-001", "ERR-002"]),
        ("related", ["ERR-002", "ERR-003"]),
    ]
    assert found[0].suggestion == "compare ERR-001 and ERR-002: merge them, or link them"


def test_rules_of_one_id_are_told_apart_by_their_files() -> None:
    (one,) = _of(0, 5, ids=(1, 1))
    assert one.suggestion.startswith("merge ERR-001 (1.md, line 1) into ERR-001 (0.md, line 1)")


@pytest.mark.parametrize("by", ["meaning", "words"])
@pytest.mark.parametrize("turn", [0.1, 3.0], ids=["same", "akin"])
def test_whoever_stops_it_is_heeded_all_the_while(by: str, turn: float) -> None:
    text = "".join(f"### ERR-{at:03d}: Title\n**Problem**: the pump runs dry\n" for at in range(220))
    book = book_of(parse_text(text, "r.md").rules)
    vectors = {at: _at(turn * at) for at in range(220)} if by == "meaning" else {}
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > most:
            raise InterruptedError

    most = 1 << 40
    clusters(book.rules, book.tables.glossary, vectors, check)
    assert asked > 220, "and not only where it compares"
    most = asked - 1
    asked = 0
    with pytest.raises(InterruptedError):
        clusters(book.rules, book.tables.glossary, vectors, check)


def test_it_ends_with_the_store_it_is_given(tmp_path: Path) -> None:
    ask = ToGroup(book_of(parse_text("### ERR-001: A\n**Problem**: b\n", "r.md").rules).rules, {}, {})
    with open_store(tmp_path / "c.db", create=True) as store:
        assert ask(store).rules == 1
        store.interrupt()
        with pytest.raises(Fault, match="was stopped"):
            ask(store)


def test_another_models_rules_are_grouped_by_what_its_own_cosines_mean() -> None:
    """Rules of which any two have a cosine of .9 are strangers to a model whose strangers have that."""
    text = "".join(f"### ERR-{at:03d}: Title {at}\n**Problem**: problem {at}\n" for at in range(3))
    book = book_of(parse_text(text, "/rules/one.md").rules)
    vectors = {0: _at(0), 1: _at(14), 2: _at(40)}  # .97, .90, .77
    narrow = Thresholds(high=0.94, high_rise=0.0, low=0.93, low_rise=0.0, similar=0.90)
    (akin,) = ToGroup(book.rules, book.tables.glossary, vectors, narrow)().clusters
    assert (akin.kind, [one.id for one in akin.rules]) == ("duplicate", ["ERR-000", "ERR-001"])
    assert akin.similarity == pytest.approx(math.cos(math.radians(14)), abs=1e-4)
    assert len(ToGroup(book.rules, book.tables.glossary, vectors)().clusters[0].rules) == 3
    assert (
        ToGroup(book.rules, book.tables.glossary, vectors, CATALOGUE[MINILM].thresholds)()
        == ToGroup(book.rules, book.tables.glossary, vectors)()
    )
