"""A better fix is not hidden by a newer one: drafts are ranked, and what a person decided goes before them all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import add_resolution, identify, observe, record_resolution, search, show_case
from core.errors.cases.derived import mirror_current
from core.errors.cases.resolutions import Draft, add_drafts
from core.errors.curation.transaction import look, version_of
from core.errors.fixes import Evidence
from core.errors.lessons import Do, Lesson, When
from core.errors.retrieval.answer import Strength, Worth
from core.store import Store, open_store

ERROR = "error TS2304: Cannot find name 'leftpad'."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        yield store


def draft(
    store: Store,
    text: str,
    strength: Strength = "strong",
    worth: Worth = "project",
    steps: int = 1,
    repo: str = "r",
    *,
    workaround: bool = False,
) -> int:
    """One more draft of the error, from a session of its own named like its text; its case."""
    found = identify(ERROR)
    links = tuple((text, step, "why") for step in range(steps))
    with store.transaction() as con:
        con.execute(
            "INSERT OR IGNORE INTO session(id, agent, project, repository) VALUES (?, 'claude-code', ?, ?)",
            (text, f"/{repo}", repo),
        )
        stale = set[int]()
        case = observe(
            con, found, session_id=text, message_idx=1, tool="Bash", project=f"/{repo}", ts="2026", stale=stale
        )
        evidence = Evidence(strength, worth, links)
        lesson = Lesson(When(ERROR), Do("command", text), workaround=workaround)
        add_drafts(con, [Draft(case, found.fingerprint, text, "Edit", (), text, (1,), "2026", evidence, lesson)], stale)
    return case


def tell(store: Store, text: str, *outcomes: str) -> None:
    for outcome in outcomes:
        store.con.execute(
            "INSERT INTO answer_outcome(resolution_id, via, told_at, outcome, performed)"
            " SELECT id, 'hook', '2026', ?, 1 FROM resolution WHERE text = ?",
            (outcome, text),
        )


def answer(store: Store, project: str = "") -> str | None:
    match = search(store, ERROR, project=project).match
    return None if match is None else match.resolution


def test_a_newer_weak_draft_does_not_hide_a_strong_one(store: Store) -> None:
    draft(store, "strong")
    case = draft(store, "newer", "weak")
    assert answer(store) == "strong"
    shown = show_case(store, case)
    assert shown is not None and shown.resolution == "strong" and shown.resolutions[0].current


def test_a_slip_is_behind_every_other_draft(store: Store) -> None:
    draft(store, "weak", "weak")
    draft(store, "slip", "strong", "slip")
    assert answer(store) == "weak"


def test_a_workaround_is_behind_every_fix_that_is_as_strong(store: Store) -> None:
    draft(store, "fix", "weak", steps=3)
    draft(store, "suppressed", "weak", workaround=True)
    assert answer(store) == "fix"
    draft(store, "slip", "strong", "slip")
    assert answer(store) == "fix"


def test_of_equal_drafts_the_one_with_fewer_steps_and_then_the_newest_answers(store: Store) -> None:
    draft(store, "one", steps=1)
    draft(store, "three", steps=3)
    assert answer(store) == "one"
    draft(store, "newest", steps=1)
    assert answer(store) == "newest"


def test_a_draft_that_helped_goes_before_one_that_did_not(store: Store) -> None:
    draft(store, "helpful", steps=3)
    case = draft(store, "useless", steps=1)
    tell(store, "useless", "failed_again")
    mirror_current(store.con, case)
    assert answer(store) == "helpful"
    tell(store, "useless", "helped", "helped")
    assert answer(store) == "useless"


def test_ignored_and_withheld_tellings_do_not_count(store: Store) -> None:
    draft(store, "first", steps=1)
    draft(store, "second", steps=2)
    tell(store, "first", "ignored", "ignored", "open")
    assert answer(store) == "first"


def test_a_fix_of_the_same_repository_goes_first_then_a_general_one(store: Store) -> None:
    draft(store, "here", "weak", repo="here")
    draft(store, "general", "weak", "general", repo="elsewhere")
    draft(store, "there", repo="there")
    assert answer(store) == "there"
    assert answer(store, "here") == "here"
    assert answer(store, "nowhere") == "general"


def test_a_folder_is_known_by_its_repository(store: Store) -> None:
    draft(store, "here", "weak", repo="github.com/me/here")
    draft(store, "there", repo="there")
    store.con.execute("INSERT INTO project_name(name, repository) VALUES ('/home/me/here', 'github.com/me/here')")
    assert answer(store, "/home/me/here") == "here"


def test_what_a_person_wrote_or_verified_goes_first_however_it_is_ranked(store: Store) -> None:
    draft(store, "weak", "weak")
    store.con.execute("UPDATE resolution SET status = 'verified'")
    draft(store, "strong")
    assert answer(store) == "weak"
    record_resolution(store, ERROR, "by hand")
    draft(store, "newest")
    assert answer(store) == "by hand"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["strong", "weak"]), st.sampled_from(["general", "project", "slip"]), st.integers(0, 3)
        ),
        max_size=5,
    ),
    st.booleans(),
)
def test_what_a_person_sees_first_is_what_answers(
    tmp_path: Path, drafts: list[tuple[Strength, Worth, int]], written: bool
) -> None:
    """Else their own decision would be refused as made on something that has changed."""
    with open_store(tmp_path / f"{uuid4()}.db", create=True) as store:
        case_id = draft(store, "first")
        for at, (strength, worth, steps) in enumerate(drafts):
            draft(store, f"draft {at}", strength, worth, steps)
        if written:
            add_resolution(store.con, case_id, None, "by hand", author="kim", ts="2026")
        case = show_case(store, case_id)
        assert case is not None
        for fingerprint in (None, identify(ERROR).fingerprint):
            assert version_of(case, fingerprint) == look(store.con, case_id, fingerprint)
