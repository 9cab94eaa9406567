"""Confidence is of the fix as much as of the likeness (decision 3b): a weak draft is never a high answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import identify, observe, record_resolution, search, show_case
from core.errors.cases.resolutions import Draft, add_drafts
from core.errors.fixes import Evidence
from core.errors.retrieval.answer import for_agents
from core.store import Store, open_store

ERROR = "error TS2304: Cannot find name 'leftpad'."
LINK = ("s1", 3, "the change holds the name")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        yield store


def drafted(store: Store, evidence: Evidence | None, text: str = "import it", session: str = "s1") -> int:
    """The case of the error with one more harvested draft."""
    found = identify(ERROR)
    with store.transaction() as con:
        case = observe(
            con, found, session_id=session, message_idx=1, tool="Bash", project="/p", ts="2026", stale=(stale := set())
        )
        draft = Draft(case, found.fingerprint, text, "Edit", ("Edit",), session, (1,), "2026", evidence)
        add_drafts(con, [draft], stale)
    return case


@pytest.mark.parametrize(
    ("evidence", "strength", "confidence", "why"),
    [
        (None, "weak", "low", "weak fix: no evidence"),
        (Evidence("weak", "project"), "weak", "low", "weak fix: no step is linked to the error"),
        (Evidence("weak", "project", (LINK,)), "weak", "low", "weak fix: uncertain check or"),
        (Evidence("strong", "project", (LINK,)), "strong", "high", "same fingerprint"),
    ],
)
def test_confidence_is_the_lower_of_likeness_and_fix_strength(
    store: Store, evidence: Evidence | None, strength: str, confidence: str, why: str
) -> None:
    drafted(store, evidence)
    match = search(store, ERROR).match
    assert match is not None
    assert (match.likeness, match.fix_strength, match.confidence) == ("high", strength, confidence)
    assert match.why[-1].startswith(why)


def test_a_fix_that_a_person_wrote_is_strong_and_other_names_lower_only_the_likeness(store: Store) -> None:
    record_resolution(store, ERROR, "import it")
    other = search(store, ERROR.replace("leftpad", "rightpad")).match
    assert other is not None
    assert (other.likeness, other.fix_strength, other.confidence) == ("low", "strong", "low")
    same = search(store, ERROR).match
    assert same is not None and (same.fix_strength, same.confidence) == ("strong", "high")


def test_a_verified_draft_is_strong(store: Store) -> None:
    drafted(store, None)
    store.con.execute("UPDATE resolution SET status = 'verified'")
    match = search(store, ERROR).match
    assert match is not None and (match.fix_strength, match.confidence) == ("strong", "high")


def test_a_case_without_a_fix_has_no_strength(store: Store) -> None:
    with store.transaction() as con:
        observe(con, identify(ERROR), session_id=None, message_idx=None, tool=None, project=None, ts="2026")
    answer = search(store, ERROR)
    assert answer.match is None and answer.candidates[0].fix_strength is None


def test_an_agent_is_not_told_a_slip_but_a_person_is(store: Store) -> None:
    drafted(store, Evidence("strong", "slip", (LINK,)), "rename it back")
    answer = search(store, ERROR)
    assert answer.match is not None and answer.match.worth == "slip"
    told = for_agents(answer)
    assert told.match is None and told.candidates[0].resolution is None
    assert "agent mistake" in told.candidates[0].reason and told.trace[-1].outcome == "rejected"
    store.con.execute("UPDATE resolution SET status = 'verified'")
    assert for_agents(search(store, ERROR)).match is not None


def test_a_shown_case_says_how_strong_each_fix_is(store: Store) -> None:
    case = show_case(store, drafted(store, Evidence("weak", "project")))
    assert case is not None
    assert (case.resolutions[0].strength, case.resolutions[0].weakness) == (
        "weak",
        "weak fix: no step is linked to the error",
    )
