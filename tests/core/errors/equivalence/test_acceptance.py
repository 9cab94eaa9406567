"""What a neighbour needs to answer: nearness, words, a second witness and a lead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.errors.equivalence import opposed, opposites
from core.errors.retrieval.embed_text import embed_text
from core.errors.retrieval.neighbours import Neighbour
from core.errors.retrieval.vector_tier import Bars, bars_of, evidence, judged

NEAR = Neighbour(1, "the gate is shut", 0.72, ("gate",), ("shut",), 0.4, 9.0, 1.5, False, "", True)
FAR = replace(NEAR, id=2, similarity=0.3, overlap=0.0, weight=0.0, witness=False)


def bars(cases: int) -> Bars:
    return bars_of(CATALOGUE[MINILM], cases)


def verdict(one: Neighbour, cases: int, second: Neighbour | None = FAR) -> str:
    return judged(one, evidence(one, second, bars(cases)), bars(cases))[0]


def test_the_points_are_what_is_told() -> None:
    found = evidence(NEAR, FAR, bars(1_000))
    assert found.near == pytest.approx(1.1)
    assert found.words == pytest.approx(2.0)
    assert found.witness == 1.0
    assert found.code == 0.0
    assert found.lead == pytest.approx(3.2)
    assert found.points == pytest.approx(7.3)
    assert "7.3 points, 4.3 needed" in judged(NEAR, found, bars(1_000))[1]
    assert evidence(replace(NEAR, same_code=True), FAR, bars(1_000)).code == 1.0


def test_a_near_cosine_without_words_answers_in_a_small_base_only() -> None:
    silent = replace(NEAR, overlap=0.02, shared=(), weight=0.0, witness=False)
    rival = replace(FAR, similarity=0.6)
    assert verdict(silent, 10, rival) == "high"
    assert verdict(silent, 1_000, rival) == "no"
    assert verdict(replace(silent, similarity=0.9), 1_000, rival) == "high"


def test_only_telling_words_count_in_a_small_base() -> None:
    near = replace(NEAR, similarity=(bars(10).low + bars(10).high) / 2, shared=("error",))
    assert judged(near, evidence(near, FAR, bars(10)), bars(10)) == (
        "no",
        "similar, but without a specific word in common",
    )


def test_words_and_a_second_witness_carry_a_lower_cosine() -> None:
    far = replace(NEAR, similarity=0.55, overlap=0.6)
    assert verdict(far, 1_000) == "low"
    assert verdict(replace(far, witness=False), 1_000) == "no"
    assert verdict(far, 10) == "no"
    assert verdict(replace(far, similarity=0.45), 1_000) == "low"  # bm25 finds it first by itself
    assert verdict(replace(far, similarity=0.45, witness=False, overlap=1.0), 1_000) == "no"
    assert verdict(replace(far, similarity=0.2, overlap=0.2), 1_000) == "no"


def test_high_keeps_its_cosine_however_much_the_words_say() -> None:
    agreed = replace(NEAR, overlap=0.9)
    assert verdict(agreed, 1_000) == "high"
    assert verdict(agreed, 10_000) == "low"
    assert verdict(replace(agreed, similarity=0.81), 10_000) == "high"


@pytest.mark.parametrize("cases", [200, 10_000])
def test_a_rival_close_behind_asks_for_more(cases: int) -> None:
    one = replace(NEAR, similarity=0.68, overlap=0.18)
    assert verdict(one, cases) == "low"
    assert verdict(one, cases, replace(one, id=2)) == "no"
    assert verdict(replace(one, overlap=0.6), cases, replace(one, id=2)) == "low"


def test_one_that_nobody_comes_near_to_still_needs_more_than_that() -> None:
    alone = replace(NEAR, similarity=0.64, overlap=0.03, witness=False)
    assert verdict(alone, 1_000, None) == "no"
    assert verdict(replace(alone, overlap=0.2), 1_000, None) == "low"


def test_a_veto_outweighs_everything() -> None:
    assert verdict(replace(NEAR, similarity=0.99, overlap=1.0, veto="the codes differ"), 1_000) == "no"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("UNIQUE constraint failed: shelf.code", "NOT NULL constraint failed: shelf.code"),
        ("'ascii' codec can't encode character", "'utf-8' codec can't decode byte 0xc3"),
        ("dial tcp 10.1.2.3:80: connection refused", "dial tcp 10.1.2.3:80: no route to host"),
        ("certificate has expired", "self signed certificate in chain"),
        ("plant() missing 1 required positional argument: 'seed'", "plant() got multiple values for argument 'seed'"),
        ("ReferenceError: soil is not defined", "Cannot access 'soil' before initialization"),
        ("window is not defined", "process is not defined"),
        ("Java heap space", "unable to create new native thread"),
        ('database "garden" does not exist', 'role "garden" does not exist'),
        ('column "seed" of relation "beds" does not exist', 'relation "beds" does not exist'),
        ("Your local changes would be overwritten", "untracked files would be overwritten"),
        ("main process code=exited", "main process code=killed"),
        ("push failed (non-fast-forward)", "push failed (pre-receive hook declined)"),
        ("Compilation failure", "There are test failures"),
    ],
)
def test_words_that_exclude_each_other_are_seen_both_ways(one: str, other: str) -> None:
    left, right = embed_text(one), embed_text(other)
    assert opposed(opposites(left), right)
    assert opposed(opposites(right), left)
    assert opposed(opposites(left), left) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no such table: beds", 'relation "garden.beds" does not exist'),
        ("duplicate key value violates unique constraint", "UNIQUE constraint failed: beds.code"),
        ("localStorage is not defined", "window is not defined"),
        ("self-signed certificate", "unable to get local issuer certificate"),
        ("UNIQUE constraint failed", "the harbour gate is shut"),
    ],
)
def test_one_error_in_other_words_is_not_taken_for_two(one: str, other: str) -> None:
    assert opposed(opposites(embed_text(one)), embed_text(other)) is None


def test_what_both_are_about_makes_them_more_alike_and_a_veto_only_later() -> None:
    plain = replace(NEAR, wording=0.0)
    assert plain.likeness == pytest.approx(0.72)
    assert replace(plain, wording=10.0, kinds=2.0, same_code=True, subjects=1).likeness == pytest.approx(1.42)
    vetoed = replace(plain, veto="the codes differ")
    assert vetoed.likeness == plain.likeness
    assert vetoed.rank == pytest.approx(plain.rank - 0.3)
