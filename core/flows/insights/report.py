"""Failures, their cost, recurrences, and fixes that were shown and helped (`insights.v1`); effects of decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.errors.cases.case import CaseStatus

PAUSES = "A pause counts as at most 5 minutes."


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the whole report.

    `failures`: results that show a failure; `incidents`: failures counted once however often they were tried again,
    with the `attempts` and the `minutes` worked until they were gone (a pause counts as five at most). `answered`:
    fixes told; `helped`: those after which the failure was gone.
    """

    failures: int = 0
    incidents: int = 0
    attempts: int = 0
    minutes: float = 0.0
    answered: int = 0
    helped: int = 0


@dataclass(frozen=True, slots=True)
class Week:
    """The sums of one week. `week` is its Monday (UTC); '' holds what has no time."""

    week: str
    failures: int = 0
    incidents: int = 0
    attempts: int = 0
    minutes: float = 0.0
    answered: int = 0
    helped: int = 0


@dataclass(frozen=True, slots=True)
class ToolCost:
    """What the failures of one program or tool cost; `messages` are those spent on them."""

    tool: str
    failures: int
    incidents: int
    attempts: int
    messages: int
    minutes: float


@dataclass(frozen=True, slots=True)
class ProjectCost:
    """What the failures in one project cost. `project` is its repository, or its folder; `name` is how it is shown."""

    project: str
    name: str
    failures: int
    incidents: int
    attempts: int
    minutes: float
    answered: int = 0
    helped: int = 0


@dataclass(frozen=True, slots=True)
class WorstCase:
    """A case by what its incidents cost. `times` counts incidents, `sessions` those that met it."""

    case_id: int
    key_line: str
    times: int
    sessions: int
    attempts: int
    minutes: float
    fix_status: CaseStatus
    project: str


@dataclass(frozen=True, slots=True)
class RecurredCase:
    """A case that was met again after a fix was known: how often, and what that cost.

    `known_since`: the time of its first fix. `told`, `helped`: answers since the report begins. `reason` says why it
    was not told, or what came of it.
    """

    case_id: int
    key_line: str
    times: int
    attempts: int
    minutes: float
    fix_status: CaseStatus
    known_since: str
    told: int
    helped: int
    reason: str


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A case with a shown fix: how often, and the outcomes. `withheld`: held back, for comparison."""

    case_id: int
    key_line: str
    fix_status: CaseStatus
    told: int
    helped: int
    failed_again: int
    ignored: int
    withheld: int


@dataclass(frozen=True, slots=True)
class AnswersByChannel:
    """Answers by channel: `hook`, `before_run`, `search`, `mcp`, `workbench`."""

    via: str
    told: int
    helped: int
    failed_again: int
    ignored: int
    withheld: int


@dataclass(frozen=True, slots=True)
class Insights:
    """What a casebook knows of failures and answers, newest week first, what cost most first.

    `since`: the Monday of the week it begins with, null for all; `project`: the one it was asked for, null for all.
    """

    SCHEMA: ClassVar[str] = "insights.v1"

    since: str | None
    project: str | None
    totals: Totals
    by_week: tuple[Week, ...]
    by_tool: tuple[ToolCost, ...]
    by_project: tuple[ProjectCost, ...]
    worst: tuple[WorstCase, ...]
    came_back: tuple[RecurredCase, ...]
    told: tuple[AnsweredCase, ...]
    by_way: tuple[AnswersByChannel, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a decision. `times`: incidents of the error, or corrections that say the same; `sessions`: those with
    at least one; `of_sessions`: all sessions of these projects that began in that time."""

    times: int
    sessions: int
    of_sessions: int


@dataclass(frozen=True, slots=True)
class WorkedWeek:
    """One week (its Monday, UTC): incidents or corrections on either side of a decision, and the sessions of these
    projects that began then."""

    week: str
    before: int
    after: int
    sessions: int


@dataclass(frozen=True, slots=True)
class Lead:
    """A place where it happened after the decision."""

    session: str
    message: int
    ts: str
    project: str


@dataclass(frozen=True, slots=True)
class WorkedItem:
    """A decision with a date, and what came before and after it.

    A `lesson` is a verified fix (`id`) of a case; `name` is the error, `do` the fix. A `rule` is an accepted draft or a
    rule of a rule file; `name` is the rule. `before` and `after` are null where only totals are stored. `told`: how
    often a fix was told since, or a rule shown; `helped`, `dismissed`: what came of it. `by_week` is oldest first;
    `still` has the latest places first.
    """

    kind: Literal["lesson", "rule"]
    id: int
    case_id: int | None
    name: str
    do: str
    decided: str
    told: int = 0
    helped: int = 0
    dismissed: int = 0
    before: Side | None = None
    after: Side | None = None
    by_week: tuple[WorkedWeek, ...] = ()
    still: tuple[Lead, ...] = ()


NO_PROOF = "A change after a decision may have other causes."


@dataclass(frozen=True, slots=True)
class Worked:
    """Decisions and what came before and after them, those first that are broken most. `note` says what it is worth."""

    SCHEMA: ClassVar[str] = "insights_worked.v1"

    project: str | None
    items: tuple[WorkedItem, ...]
    note: str = NO_PROOF


StripMark = Literal["failed", "passed", "other"]


@dataclass(frozen=True, slots=True)
class StripCell:
    """One result of a session: what it was of, and whether it `failed` (an incident) or is a check that `passed`.

    `message` is its place in the session; `program` the program or tool, `what` its command or file. With a sign of
    failure it has a `verdict`, and the line that names it with its case, where there is one.
    """

    message: int
    ts: str
    mark: StripMark
    program: str
    what: str
    verdict: str = ""
    key_line: str = ""
    case_id: int | None = None


@dataclass(frozen=True, slots=True)
class RedTime:
    """The minutes until the incidents of a program were gone, and its failed runs. Programs may overlap in time."""

    program: str
    minutes: float
    incidents: int
    runs: int


@dataclass(frozen=True, slots=True)
class SessionStrip:
    """The results of a session in order. `minutes` are worked, `minutes_red` of them with an incident open."""

    SCHEMA: ClassVar[str] = "session_strip.v1"

    session: str
    agent: str
    project: str
    started: str
    failed: int
    passed: int
    minutes: float
    minutes_red: float
    cells: tuple[StripCell, ...]
    red: tuple[RedTime, ...]
