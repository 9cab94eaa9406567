"""Which of a case's errors has the words that were searched, or what else of it, and whose fix stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.embedding.runtime.query_model import NoVectors
from core.errors import add_resolution, search, show_case
from core.errors.cases.browse import browse, browsed
from core.errors.cases.derived import refresh_case
from core.errors.cases.record import Name, observe
from core.errors.curation.decisions import edit
from core.errors.curation.transaction import Written, version_with
from core.errors.retrieval.answer import Hit, Place
from core.errors.retrieval.api import deepened, vector_skipped
from core.errors.retrieval.match_location import Standing, is_exact_answer, matched_error, matched_fix, standing
from core.store import Store, open_store

KEY = "ImportError: cannot import <STR>"
FIRST = "ImportError: cannot import 'freezegun' from vendor"
LATER = "cannot import harmonica"
TS = "2026-03-0{}T10:00:00.000Z"


def seen(store: Store, line: str, at: int = 1, *, key: str = KEY, mark: str = "", raw: str | None = None) -> int:
    """One time that an error of the case with this key was seen."""
    with store.transaction() as con:
        return observe(
            con, Name(line, key, mark or line, "python"), session_id=None, message_idx=None, tool="python",
            project="shop", ts=TS.format(at), raw=line if raw is None else raw,
        )  # fmt: skip


def fixed(store: Store, case_id: int, mark: str | None, text: str, tags: tuple[str, ...] = ()) -> None:
    with store.transaction() as con:
        add_resolution(con, case_id, mark, text, status="verified", author="mina", ts=TS.format(5), tags=tags)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One case of two errors."""
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        assert seen(store, FIRST, 1) == seen(store, LATER, 2) == 1
        yield store


def only(store: Store, text: str) -> Hit:
    (hit,) = browse(store, text)
    return hit


def test_the_error_that_has_the_words_is_named_and_not_the_first_one_of_its_case(store: Store) -> None:
    fixed(store, 1, FIRST, "pip install freezegun")
    fixed(store, 1, LATER, "pip install harmonica")
    later, first = only(store, "harmonica "), only(store, "freezegun ")
    assert (later.key_line, later.place) == (LATER, Place("error", "every", LATER, own_fix=True))
    assert later.why == ("another error of the case contains every word",)
    assert later.resolution == "pip install harmonica"
    assert (first.key_line, first.place) == (FIRST, Place("error", "every", FIRST, own_fix=True))
    assert (first.why, first.resolution) == (("contains every word",), "pip install freezegun")
    assert not later.accepted
    assert not first.accepted


def test_where_both_have_the_words_the_case_goes_by_its_name_unless_the_other_says_just_them(store: Store) -> None:
    assert only(store, "cannot import").key_line == FIRST
    exact = only(store, "harmonica, CANNOT import")
    assert (exact.key_line, exact.why) == (LATER, ("another error of the case contains this exact phrase",))
    assert exact.place == Place("error", "exactly", LATER)


def test_an_error_that_says_just_these_words_goes_before_the_name_that_says_more(store: Store) -> None:
    seen(store, "cannot import", 3)
    hit = only(store, "cannot import ")
    assert (hit.key_line, hit.place) == ("cannot import", Place("error", "exactly", "cannot import"))


def test_only_the_last_word_may_be_half_typed(tmp_path: Path) -> None:
    with open_store(tmp_path / "h.db", write=True, create=True) as store:
        seen(store, "canned imports", 1)
        seen(store, "can import it", 2)
        assert only(store, "can imp").key_line == "can import it"


def test_accents_are_found_as_the_index_finds_them(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db", write=True, create=True) as store:
        seen(store, FIRST, 1)
        seen(store, "Échec du chargement naïf", 2)
        hit = only(store, "echec naif")
    assert (hit.key_line, hit.place and hit.place.says) == ("Échec du chargement naïf", "every")


def test_a_word_that_is_half_typed_is_not_said_exactly(store: Store) -> None:
    half = only(store, "cannot import harmon")
    assert (half.key_line, half.place) == (LATER, Place("error", "every", LATER))


@pytest.mark.parametrize(
    ("asked", "part", "why"),
    [
        ("vendored", "fix", "all words appear in its fix"),
        ("네트워크", "tag", "all words appear in the tags of its fix"),
        ("collecting plugins", "output", "all words appear in its output"),
        ("freezegun harmonica", "error", "contains every word, in several fields"),
    ],
)
def test_where_no_error_has_them_all_it_says_what_else_does(tmp_path: Path, asked: str, part: str, why: str) -> None:
    with open_store(tmp_path / "d.db", write=True, create=True) as store:
        seen(store, FIRST, 1, raw=f"collecting plugins\n{FIRST}")
        seen(store, LATER, 2)
        fixed(store, 1, None, "Take the vendored one.", ("네트워크",))
        hit = only(store, asked)
    assert hit.place is not None
    assert (hit.place.part, hit.why, hit.key_line) == (part, (why,), FIRST)
    assert standing(hit) == Standing("like", "worded" if part in ("fix", "tag") else "other")


def test_a_fix_is_of_this_error_if_it_is_its_own_or_that_of_the_whole_case(store: Store) -> None:
    fixed(store, 1, FIRST, "pip install freezegun")
    none = only(store, LATER.upper())
    assert (standing(none), none.resolution) == (Standing("same", "sibling"), "pip install freezegun")
    assert not is_exact_answer(none)
    fixed(store, 1, None, "uv sync")
    whole = only(store, LATER.upper())
    assert (standing(whole), whole.resolution) == (Standing("same", "own"), "uv sync")
    assert is_exact_answer(whole)
    assert not is_exact_answer(only(store, "harmonica")), "one of its words is not the error"


def test_what_the_seed_s_own_programs_wrote_is_the_fix_of_the_whole_case(store: Store) -> None:
    with store.transaction() as con:
        con.execute("UPDATE error_kb SET resolution = 'reinstall' WHERE id = 1")
        refresh_case(con, 1)
    assert standing(only(store, "harmonica")) == Standing("has", "own")


def test_what_is_shown_is_that_error_with_its_fix(store: Store) -> None:
    for mark in (LATER, FIRST):  # the same words, for another error: not the newest one, but its own
        fixed(store, 1, mark, "reinstall it")
    hit, case = only(store, "harmonica"), show_case(store, 1)
    assert case is not None
    shown, error = matched_fix(case, hit), matched_error(case, hit)
    assert shown is not None
    assert error is not None
    assert (shown.fingerprint, error.key_line) == (LATER, LATER)
    assert matched_fix(case, replace(hit, place=replace(hit.place, own_fix=False))) is None  # pyright: ignore[reportArgumentType]


def test_a_fix_of_the_whole_case_shown_for_one_error_is_decided_on_for_that_one(store: Store) -> None:
    fixed(store, 1, None, "uv sync")
    fixed(store, 1, FIRST, "pip install freezegun")
    hit, case = only(store, "harmonica"), show_case(store, 1)
    assert case is not None
    shown = matched_fix(case, hit)
    assert (hit.resolution, shown and shown.text) == ("uv sync", "uv sync")
    done = edit(store, "mina", [version_with(case, shown, LATER)], Written("uv sync --all-extras"))
    assert done.conflicts == (), "what answers for the other error stands in no way"
    assert only(store, "harmonica").resolution == "uv sync --all-extras"
    assert only(store, "freezegun").resolution == "pip install freezegun"


def test_what_was_seen_before_without_a_fix_is_no_case_that_only_looks_like_it(store: Store) -> None:
    with store.transaction() as con:
        con.execute("DELETE FROM case_key")  # else the key they share answers
    fixed(store, 1, FIRST, "pip install freezegun")
    with store.transaction() as con:
        con.execute("UPDATE fingerprint SET fingerprint = 'cannot import harmonica' WHERE fingerprint = ?", (LATER,))
    answer = search(store, LATER, count=False)
    (silent,) = (hit for hit in answer.candidates if hit.tier == "fingerprint")
    assert standing(silent) == Standing("same", "sibling")


def test_the_trace_says_where_each_case_has_the_words(store: Store) -> None:
    _, step = browsed(store, "harmonica")
    assert (step.stage, step.outcome) == ("words", "rejected")
    (case,) = step.steps
    assert case.reason == "another error of the case contains every word"
    assert (case.fact("case"), case.fact("part"), case.fact("line")) == (1, "error", LATER)
    answer = search(store, "harmonica", count=False, words=True)
    assert answer.trace[-1].steps == (case,)
    (near,) = answer.candidates
    assert (near.key_line, near.place) == (LATER, Place("error", "every", LATER))
    later = deepened(answer, vector_skipped(NoVectors("no model", "", "failed")))
    assert [one.stage for one in later.trace][-2:] == ["vector", "words"], "a later answer still says where"


def test_one_of_the_rarest_words_stands_in_the_error_that_has_most_of_them(store: Store) -> None:
    hit = only(store, "harmonica vendored nowhere")
    assert (hit.key_line, hit.why) == (LATER, ("another error of the case contains one of: harmonica",))
    assert standing(hit) == Standing("like", "other")


WORDS = (
    "설정",
    "설정을",
    "파일",
    "파일에서",
    "Échec",
    "echec",
    "naïve",
    "x1",
    "don't",
    "ERROR",
    "a_b",
    "열",
    "ﬁx",
    "İstanbul",
    "数据",
)


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1, max_size=6),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.booleans(),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_the_index_finds_in_one_error_is_found_there(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]], asked: list[str], half: bool
) -> None:
    with open_store(tmp_path_factory.mktemp("w") / "w.db", write=True, create=True) as store:
        for at, words in enumerate(lines):
            line = " ".join(words)
            seen(store, line, key=f"{at} {line}", mark=f"{at} {line}", raw="")
        text = " ".join(asked)
        for hit in browse(store, text[:-1] if half and len(asked[-1]) > 1 else text + " "):
            if hit.why[0].startswith("contains one of"):
                continue
            assert hit.place is not None
            assert hit.place.says != "some", (text, hit.key_line)
