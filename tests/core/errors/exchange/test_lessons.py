"""Lessons between casebooks: an exported fix brings its lesson, whatever the form; a hostile one is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.wire import dumps
from core.errors import record_resolution, show_case
from core.errors.cases.resolutions import stored_lesson
from core.errors.exchange.case_export import export_file
from core.errors.exchange.case_import import LONGEST, BadLesson, import_cases, lesson_from
from core.errors.lessons import Do, Lesson, LessonEvidence, When
from core.store import open_store

LESSON = Lesson(
    When("unknown flag: --stat", "gh", "2.40.1", "Linux"),
    Do("command", "gh pr diff --name-only", instead_of="gh pr diff --stat"),
    ("gh pr diff --summary",),
    "gh pr diff --name-only",
    "gh has no --stat.",
    "general",
    (LessonEvidence("s", 3, "left out"),),
    workaround=True,
)
FORMS = [("a.jsonl", False), ("a.jsonl", True), ("a.csv", True), ("a.md", True)]


def taught(path: Path, lesson: Lesson) -> None:
    with open_store(path, write=True, create=True) as store:
        record_resolution(store, "unknown flag: --stat", "leave it out", status="verified")
        store.con.execute("UPDATE resolution SET lesson = ?", (stored_lesson(lesson),))


def carried(folder: Path, lesson: Lesson, name: str, *, fixes: bool) -> Lesson | None:
    """The lesson in a second casebook, which took it from an export of the first."""
    taught(folder / "one.db", lesson)
    form = {"jsonl": "jsonl", "csv": "csv", "md": "markdown"}[name.partition(".")[2]]
    with open_store(folder / "one.db") as store:
        export_file(store, folder / name, form, fixes=fixes)  # pyright: ignore[reportArgumentType]
    with open_store(folder / "two.db", write=True, create=True) as store:
        assert import_cases(store, folder / name).skipped == ()
        case = show_case(store, 1)
    assert case is not None
    return case.resolutions[0].lesson


@pytest.mark.parametrize(("name", "fixes"), FORMS)
def test_an_exported_lesson_comes_back(tmp_path: Path, name: str, fixes: bool) -> None:
    assert carried(tmp_path, LESSON, name, fixes=fixes) == LESSON


def test_a_text_changed_by_hand_loses_the_lesson_of_the_old_one(tmp_path: Path) -> None:
    taught(tmp_path / "one.db", LESSON)
    with open_store(tmp_path / "one.db") as store:
        export_file(store, tmp_path / "a.md", "markdown", fixes=True)
    (tmp_path / "a.md").write_text((tmp_path / "a.md").read_text().replace("leave it out", "use --name-only"))
    with open_store(tmp_path / "two.db", write=True, create=True) as store:
        import_cases(store, tmp_path / "a.md")
        case = show_case(store, 1)
    assert case is not None and case.resolutions[0].text == "use --name-only"
    assert case.resolutions[0].lesson is None


_TEXT = st.text(max_size=60)
_SAID = _TEXT.map(lambda text: f"x{text}")
_LESSONS = st.builds(
    Lesson,
    st.builds(When, _SAID, _TEXT, _TEXT, _TEXT),
    st.builds(Do, st.sampled_from(("command", "words")), _SAID, _TEXT, _TEXT),
    st.lists(_TEXT, max_size=3).map(tuple),
    _TEXT,
    st.none() | _SAID,
    st.sampled_from(("session", "project", "general")),
    st.lists(st.builds(LessonEvidence, _TEXT, st.integers(0, 1 << 40), _TEXT), max_size=3).map(tuple),
    st.booleans(),
)


@given(_LESSONS)
def test_what_was_checked_is_the_same_when_it_is_checked_again(lesson: Lesson) -> None:
    once = lesson_from(json.loads(dumps(lesson)))
    assert once is not None and lesson_from(json.loads(dumps(once))) == once


@settings(max_examples=25, deadline=None)
@given(_LESSONS, st.sampled_from(FORMS))
def test_any_lesson_comes_back_as_it_was_checked(lesson: Lesson, form: tuple[str, bool]) -> None:
    checked = lesson_from(json.loads(dumps(lesson)))
    assert checked is not None
    with TemporaryDirectory() as folder:
        assert carried(Path(folder), checked, form[0], fixes=form[1]) == checked


WIRE = json.loads(dumps(LESSON))


@pytest.mark.parametrize(
    "bad",
    [
        7, "x", [], {}, WIRE | {"when": 3}, WIRE | {"do": {"kind": "shell", "text": "x"}}, WIRE | {"scope": "world"},
        WIRE | {"not": "x"}, WIRE | {"not": [3]}, WIRE | {"not": ["x"] * 1_000}, WIRE | {"check": "x" * (LONGEST + 1)},
        WIRE | {"evidence": [{"session": "s", "message": -1, "why": ""}]},
        WIRE | {"evidence": [{"session": "s", "message": 1 << 80, "why": ""}]},
        WIRE | {"do": {"kind": "hunk", "text": "+ x\n" * 11}}, WIRE | {"do": {"kind": "command", "text": " "}},
    ],
)  # fmt: skip
def test_a_hostile_lesson_is_refused_in_one_line(tmp_path: Path, bad: object) -> None:
    with pytest.raises(BadLesson):
        lesson_from(bad)
    line = {"error": "boom", "resolutions": [{"text": "t", "status": "draft", "lesson": bad}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({"error": "crash", "resolution": "r"}))
    with open_store(tmp_path / "a.db", write=True, create=True) as store:
        report = import_cases(store, tmp_path / "a.jsonl")
        rows = store.con.execute("SELECT text FROM resolution").fetchall()
    assert rows == [("r",)] and len(report.skipped) == 1
    assert report.skipped[0].reason.startswith("invalid lesson.v1: ") and "\n" not in report.skipped[0].reason


def test_a_lesson_brings_no_secret_and_no_control_characters() -> None:
    secret = "ghp_" + "Zk3vQ9xW2m" * 3 + "AbCdEf"
    told = replace(LESSON, check=f"curl {secret}\x1b]52;c;aGk=\x07", dead_ends=(secret,))
    found = lesson_from(json.loads(dumps(told)))
    assert found is not None and secret not in repr(found) and "\x1b" not in repr(found)
