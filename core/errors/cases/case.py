"""A case as it is shown, listed and exported (`case.v1`, `case_list.v1`), with what its fix cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.errors.cases.resolutions import Resolution
from core.errors.incidents import SLIP
from core.errors.retrieval.answer import Worth


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage that the fix `resolution_id` cites: its place (`uri`), its words, and its current state.

    `status`: attached where it stood, moved to `place`, or detached: its words are gone or say something else (`place`
    is then the likest one, or None). `reason` says it in words. `kept`: the row it is kept in; None: in the fix's text.
    """

    resolution_id: int
    uri: str
    quote: str
    headings: tuple[str, ...]
    status: Literal["attached", "moved", "detached"]
    reason: str
    place: str | None
    kept: int | None = None


CaseStatus = Literal["unresolved", "draft", "verified", "rejected", "noise"]
"""`rejected`: every fix of it was turned down; `noise`: no error worth a fix."""
Sort = Literal["last_seen", "seen", "first_seen"]


@dataclass(frozen=True, slots=True)
class Filters:
    """Which cases to list; None lets all pass. `since` is an ISO 8601 time compared with `last_seen`.

    `worth`: the best of what a harvest said of the case's incidents.
    """

    status: CaseStatus | None = None
    tool: str | None = None
    project: str | None = None
    since: str | None = None
    tag: str | None = None
    worth: Worth | None = None


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One line of a list of cases: the folder it was seen in last (`project`), and its repository's short name.

    `sessions`, `seconds`, `worth`: of the incidents that a harvest judged; '' where it judged none. `queue_case`: the
    case whose queue item it is part of. `harvested` is false for a case that stays only because of a decision: `import
    --again` found none of its errors. `origin`: team where a fix came from the lessons file of a repository.
    """

    id: int
    key_line: str
    status: CaseStatus
    tool: str
    project: str
    seen: int
    use_count: int
    first_seen: str
    last_seen: str
    project_name: str = ""
    sessions: int = 0
    seconds: float = 0.0
    worth: str = ""
    queue_case: int | None = None
    harvested: bool = True
    origin: Literal["here", "team"] = "here"


@dataclass(frozen=True, slots=True)
class CaseList:
    """One page of cases; `next` asks for the page after it, None at the end."""

    SCHEMA: ClassVar[str] = "case_list.v1"

    cases: tuple[CaseRow, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class CaseKeyLine:
    """One finer case within a case: its fingerprint, the line it was first seen with, and how often."""

    fingerprint: str
    key_line: str
    tool: str
    seen: int


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time an error was seen: where, when, and its raw text (redacted) with the key line's span in it."""

    fingerprint: str
    session: str | None
    message: int | None
    tool: str | None
    project: str | None
    ts: str
    raw: str
    start: int | None
    end: int | None
    id: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """Everything known about one error. The first fields are the seed's row, unchanged.

    `citations`: what the fix that answers cites, where somebody who knows the library looked. `project` is the folder
    it was seen in last, `repository` that folder's (`host/owner/name`, else a folder or a name), `project_name` its
    short name; the last two are empty until an import has worked them out. `harvested` as in `CaseRow`.
    """

    SCHEMA: ClassVar[str] = "case.v1"

    id: int
    ts: str
    error_normalized: str
    error_raw: str | None
    resolution: str | None
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    use_count: int
    last_used: str | None
    resolved: bool
    status: CaseStatus
    tool: str
    project: str
    first_seen: str
    last_seen: str
    occurrences: int
    keys: tuple[str, ...]
    key_lines: tuple[str, ...]
    fingerprints: tuple[CaseKeyLine, ...]
    resolutions: tuple[Resolution, ...]
    citations: tuple[Cited, ...] = ()
    project_name: str = ""
    repository: str = ""
    harvested: bool = True

    @property
    def is_repeated_mistake(self) -> bool:
        """Whether it is a mistake that agents made in several sessions, drafted as one line."""
        return any(one.tool == SLIP for one in self.fingerprints)
