"""The lesson of a fix (`lesson.v1`): when it applies, what to do, what not, how to check it, and what it rests on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final, Literal, cast, get_args

Scope = Literal["session", "project", "general"]
DoKind = Literal["command", "hunk", "words"]

HUNK_LINES: Final = 10
"""The most lines of a hunk that is the `do` of a lesson."""
WHEN_FIELDS: Final = ("error", "tool", "version", "system", "sandbox")
DO_FIELDS: Final = ("text", "file", "instead_of")
NO_SANDBOX: Final = "off"
_COUNTED: Final = ("told", "helped", "last_helped", "recheck", "offered")


@dataclass(frozen=True, slots=True)
class When:
    """When a lesson applies: the line that names the error, the tool that printed it, that tool's version, the system.

    `sandbox`: the agent's sandbox in which the error was seen (`workspace-write, no network`), `off` outside of one.
    What is not known is empty.
    """

    error: str
    tool: str = ""
    version: str = ""
    system: str = ""
    sandbox: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """What to do: a command with placeholders, a hunk of `file` (lines of a diff), or a sentence.

    `instead_of` is the command that failed, where the fix is another command.
    """

    kind: DoKind
    text: str
    file: str = ""
    instead_of: str = ""


@dataclass(frozen=True, slots=True)
class LessonEvidence:
    """A message that a lesson rests on, and why."""

    session: str
    message: int
    why: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a fix teaches. `not`: what was tried and did not help; `check`: the command that showed the error gone.

    `because` is a sentence of the agent or the person that shares a term with the error. `workaround`: it hides the
    failure. Counted when read: how often it was `told`, how often it `helped`, and when last. `recheck` says why the
    lesson must be checked again, null where nothing moved. `offered`: the scope that a person may confirm.
    """

    SCHEMA: ClassVar[str] = "lesson.v1"

    when: When
    do: Do
    dead_ends: tuple[str, ...] = field(default=(), metadata={"wire": "not"})
    check: str = ""
    because: str | None = None
    scope: Scope = "project"
    evidence: tuple[LessonEvidence, ...] = ()
    workaround: bool = False
    told: int = 0
    helped: int = 0
    last_helped: str | None = None
    recheck: str | None = None
    offered: Scope | None = None


def lesson_json(lesson: Lesson) -> str:
    """A lesson as it is kept in the `lesson` column: without what is counted when it is read."""
    kept = {name: value for name, value in asdict(lesson).items() if name not in _COUNTED}
    kept["not"] = kept.pop("dead_ends")
    if not lesson.when.sandbox:
        del kept["when"]["sandbox"]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def parse_lesson(text: str | None) -> Lesson | None:
    """The lesson in a `lesson` column; None where there is none, or none that can be read."""
    if not text:
        return None
    try:
        found: object = json.loads(text)
        return _lesson(cast("dict[str, Any]", found)) if isinstance(found, dict) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _lesson(found: dict[str, Any]) -> Lesson | None:
    when, do = found["when"], found["do"]
    kind, scope = do["kind"], found.get("scope", "project")
    if kind not in get_args(DoKind) or scope not in get_args(Scope) or not str(do["text"]).strip():
        return None
    return Lesson(
        when=When(*(str(when.get(name) or "") for name in WHEN_FIELDS)),
        do=Do(kind, *(str(do.get(name) or "") for name in DO_FIELDS)),
        dead_ends=tuple(str(one) for one in found.get("not") or ()),
        check=str(found.get("check") or ""),
        because=str(found["because"]) if found.get("because") else None,
        scope=scope,
        evidence=tuple(
            LessonEvidence(str(one["session"]), int(one["message"]), str(one["why"]))
            for one in found.get("evidence") or ()
        ),
        workaround=found.get("workaround") is True,
    )
