"""A lesson from another casebook: checked, redacted, and without what is counted where it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast, get_args

from core.errors.lessons.lesson import (
    DO_FIELDS,
    HUNK_LINES,
    WHEN_FIELDS,
    Do,
    DoKind,
    Lesson,
    LessonEvidence,
    Scope,
    When,
)  # fmt: skip
from core.text import clean, redact

LONGEST: Final = 4_000
"""Code points of one text of a lesson."""
MOST: Final = 50
"""Entries of `not` and of `evidence`."""


class BadLesson(ValueError):
    """Why a value is no lesson; the text is for people."""


def lesson_from(value: object) -> Lesson | None:
    """The lesson that a decoded `lesson.v1` says; None for null. Raises BadLesson. Unknown fields are left out."""
    if value is None:
        return None
    found = _object(value, "lesson")
    when, do = _object(found.get("when"), "when"), _object(found.get("do"), "do")
    kind, scope = do.get("kind"), found.get("scope", "project")
    if kind not in get_args(DoKind):
        raise BadLesson("do.kind is none of command, hunk, words")
    if scope not in get_args(Scope):
        raise BadLesson("scope is none of session, project, general")
    lesson = Lesson(
        When(*(_text(when, name, "when.") for name in WHEN_FIELDS)),
        Do(cast("DoKind", kind), *(_text(do, name, "do.") for name in DO_FIELDS)),
        tuple(_plain(one, "not") for one in _list(found, "not")),
        _text(found, "check"),
        _text(found, "because") or None,
        cast("Scope", scope),
        tuple(_evidence(one) for one in _list(found, "evidence")),
        found.get("workaround") is True,
    )
    if not lesson.when.error.strip() or not lesson.do.text.strip():
        raise BadLesson("when.error or do.text is missing")
    if lesson.do.kind == "hunk" and lesson.do.text.count("\n") >= HUNK_LINES:
        raise BadLesson(f"do.text has more than {HUNK_LINES} lines")
    return lesson


def _evidence(value: object) -> LessonEvidence:
    found = _object(value, "evidence")
    message = found.get("message")
    if not isinstance(message, int) or isinstance(message, bool) or not 0 <= message < 1 << 53:
        raise BadLesson("evidence.message is not the number of a message")
    return LessonEvidence(_text(found, "session", "evidence."), message, _text(found, "why", "evidence."))


def _object(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise BadLesson(f"{name} is not an object")
    return cast("Mapping[str, object]", value)


def _list(found: Mapping[str, object], name: str) -> Sequence[object]:
    value = found.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or len(cast("list[object]", value)) > MOST:
        raise BadLesson(f"{name} is not a list of at most {MOST}")
    return cast("list[object]", value)


def _text(found: Mapping[str, object], name: str, of: str = "") -> str:
    value = found.get(name)
    return "" if value is None else _plain(value, of + name)


def _plain(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise BadLesson(f"{name} is not a text")
    if len(value) > LONGEST:
        raise BadLesson(f"{name} is longer than {LONGEST:,} characters")
    return clean(redact(value))
