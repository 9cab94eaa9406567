"""A person confirms where a lesson holds; it is kept through a harvest, and can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import show_case
from core.errors.cases.resolutions import take_back
from core.errors.curation.decisions import set_scope
from core.errors.curation.history import case_history
from core.errors.curation.transaction import look
from core.errors.lessons import Scope
from core.flows.harvest.session import harvest_session
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        import_transcripts(opened, "auto", [chat.save()])
        yield opened


def scope_of(store: Store) -> Scope:
    case = show_case(store, 1)
    assert case is not None and case.resolutions[0].lesson is not None
    return case.resolutions[0].lesson.scope


def test_a_lesson_holds_in_every_project_once_a_person_says_so(store: Store) -> None:
    before = scope_of(store)
    done = set_scope(store, "ana", [look(store.con, 1)], "general")
    assert (done.act, done.cases, scope_of(store)) == ("general", (1,), "general")
    assert set_scope(store, "ana", [look(store.con, 1)], "general").unchanged == (1,)
    assert "fix 1: lesson valid in every project" in case_history(store, 1).changes[0].what
    take_back(store, "ana")
    assert scope_of(store) == before


def test_a_later_harvest_keeps_what_was_confirmed(store: Store) -> None:
    set_scope(store, "ana", [look(store.con, 1)], "general")
    (session,) = (str(row[0]) for row in store.con.execute("SELECT id FROM session"))
    stored = store.con.execute("SELECT * FROM resolution").fetchall()
    harvest_session(store, session)
    assert store.con.execute("SELECT * FROM resolution").fetchall() == stored
    store.con.execute("UPDATE resolution SET text = 'older'")
    harvest_session(store, session)
    assert scope_of(store) == "general"


def test_a_fix_without_a_lesson_is_refused(store: Store) -> None:
    store.con.execute("UPDATE resolution SET lesson = NULL")
    with pytest.raises(Fault, match="fix 1 of case 1 has no lesson"):
        set_scope(store, "ana", [look(store.con, 1)], "general")
    with pytest.raises(Fault, match="case 1 has no fix 7"):
        set_scope(store, "ana", [look(store.con, 1)], "general", pick=7)


def test_verifying_keeps_the_lesson(store: Store) -> None:
    from core.errors.curation.decisions import edit, verify
    from core.errors.curation.transaction import Written

    verify(store, "ana", [look(store.con, 1)])
    edit(store, "ana", [look(store.con, 1)], Written("another text"))
    case = show_case(store, 1)
    assert case is not None and case.resolutions[0].lesson is None
    verify(store, "ana", [look(store.con, 1)], pick=1)
    case = show_case(store, 1)
    assert case is not None and case.resolutions[0].current and case.resolutions[0].lesson is not None
