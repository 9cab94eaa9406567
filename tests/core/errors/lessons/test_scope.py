"""A person confirms where a lesson holds; it is kept through a harvest, and can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import show_case
from core.errors.cases.resolutions import answering
from core.errors.curation.decisions import set_scope
from core.errors.curation.history import case_history
from core.errors.curation.transaction import look
from core.errors.lessons import Do, Lesson, LessonEvidence, Scope, When, edited_lesson
from core.flows.harvest.session import harvest_session
from core.flows.system.history import take_back
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
    before = answering(store.con, 1)
    edit(store, "ana", [look(store.con, 1)], Written("another text"))
    after = answering(store.con, 1)
    assert before is not None and before.lesson is not None and after is not None and after.lesson is not None
    assert (after.lesson.when, after.lesson.do.kind, after.lesson.do.text) == (
        before.lesson.when, "words", "another text",
    )  # fmt: skip
    verify(store, "ana", [look(store.con, 1)], pick=1)
    again = answering(store.con, 1)
    assert again is not None and again.lesson == before.lesson


TEXT = "**Run** `pip install pyyaml`\n\n**Did not help**\n\n- `pip install yaml`\n- `pip list`\n\n> the image lacks it"
LESSON = Lesson(
    When("ModuleNotFoundError: No module named 'yaml'", "pytest", "8.1"),
    Do("command", "pip install pyyaml"),
    dead_ends=("pip install yaml", "pip list"),
    check="pytest -q",
    because="the image lacks it",
    evidence=(LessonEvidence("s", 3, "it ran"),),
    workaround=True,
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", LESSON),
        ("> the image", "It takes a minute.\n\n> the image", LESSON),
        ("- `pip list`\n", "", replace(LESSON, dead_ends=("pip install yaml",))),
        ("\n\n> the image lacks it", "", replace(LESSON, because=None)),
        (
            "pyyaml`", "pyyaml==6`",
            replace(LESSON, do=Do("command", "pip install pyyaml==6"), evidence=(), workaround=False),
        ),
        (
            "**Run** `", "Never run `",
            replace(LESSON, do=Do("words", "Never run `pip install pyyaml`"), evidence=(), workaround=False),
        ),
    ],
)  # fmt: skip
def test_an_edit_keeps_of_a_lesson_what_it_did_not_change(old: str, new: str, expected: Lesson) -> None:
    assert edited_lesson(LESSON, TEXT, TEXT.replace(old, new) if old else TEXT) == expected


def test_only_the_changed_paragraph_of_an_edited_text_is_what_to_do() -> None:
    before = "**Run** `pip install pyyaml`\n\n**Linked**\n\n- it names the module\n\n**Checked**: `pytest -q` passes."
    after = before.replace("**Run** `", "Ask first. Then run `")
    assert edited_lesson(LESSON, before, after).do == Do("words", "Ask first. Then run `pip install pyyaml`")


def test_what_a_person_wrote_as_what_to_do_follows_each_edit() -> None:
    once = edited_lesson(LESSON, TEXT, "Ask first.")
    twice = edited_lesson(once, "Ask first.", "Open an issue.\n\nAsk first.\n\nThen wait.")
    assert twice.do == Do("words", "Open an issue.\nAsk first.\nThen wait.")


def test_the_same_text_with_another_tag_keeps_a_lesson_that_it_does_not_say() -> None:
    assert edited_lesson(LESSON, "Install it.", "Install it.") == LESSON


def test_a_text_of_ones_own_replaces_what_to_do_alone() -> None:
    session = replace(LESSON, scope="session", dead_ends=("git status",))
    found = edited_lesson(session, "**Run** `pip install pyyaml`", "Add it to the lock file.\n" * 30)
    assert found.do == Do("words", "\n".join(["Add it to the lock file."] * 10))
    assert (found.dead_ends, found.check, found.because, found.scope) == (
        ("git status",), "pytest -q", "the image lacks it", "project",
    )  # fmt: skip
