"""What a harvest reads and what it yields: one session's events in order, the errors found in them, and its report.

The events and errors are named tuples, as a transcript's records are: a session has hundreds of thousands, and they
come from another process. The report says what a harvest of one transcript finds, result by result (`harvest.v1`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple

from core.base.trace import Step
from core.errors.identity.keylines.select import KeyLine
from core.errors.lessons import Lesson
from core.flows.harvest.changes import Hint
from core.transcripts.records import Agent, Failure

Confidence = Literal["high", "medium", "low"]
ResultVerdict = Literal["incident", "answer", "rejected", "agent_tool", "flaky", "noise"]
"""`incident`: a failure of the project or its environment; `answer`: an exit code or the word error as a normal answer;
`rejected`: a person declined or interrupted; `agent_tool`: the agent misused its own tool; `flaky`: the same command
passed with nothing done in between; `noise`: a failure that nothing names."""
Strength = Literal["strong", "weak"]
Worth = Literal["general", "project", "slip", "none"]
"""What a finding helps with again: in any project, in this one, nowhere as it was a slip of the moment, nowhere."""
WORTHS: Final[tuple[Worth, ...]] = ("general", "project", "slip", "none")
"""The one that helps most first."""
NO_FACTS: Mapping[str, object] = MappingProxyType({})


class Statement(NamedTuple):
    """Words of a person or of the agent, at message `idx` of `session_id` (redacted, as kept)."""

    session_id: str
    idx: int
    chain: str
    role: str
    text: str
    ts: str = ""


class Ran(NamedTuple):
    """A tool call with its result, at the message `idx` that holds the result (`text`, redacted, as kept).

    `called` is the message of the call, or where it stood among the messages, None where that is not known: a call
    made before a result was there did not answer it.
    """

    session_id: str
    idx: int
    chain: str
    tool: str
    tool_input: Mapping[str, object]
    text: str
    failure: Failure = "none"
    exit_code: int | None = None
    ts: str = ""
    facts: Mapping[str, object] = NO_FACTS
    called: int | None = None


Event = Statement | Ran


class StepLink(NamedTuple):
    """A step that belongs to a fix (the message `idx` of `session_id` holds its result), and why."""

    session_id: str
    idx: int
    why: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a failure cost: runs that showed it, messages and seconds until it was gone or seen last."""

    attempts: int
    messages: int
    seconds: float


class HarvestedError(NamedTuple):
    """One project error met in a session, and what became of it.

    `key` names it (its span lies in the message `message_idx` of `session_id`, in code points); `tool` is the agent's
    tool and `command` what it ran. `resolved` needs a later run of the same command family in which the key is gone;
    then `tool_sequence` are the successful tools between the failing and that verifying result (`verified_idx`, known
    too where nothing was linked as the fix),
    `resolved_by` the last of them that changed something, the verifying tool where only the command differs, or
    `user`. `hints` are the linked hunks, `instead` the failing and the working command where that is itself the fix.
    `transient`: the identical command passed later, and nothing in between is known to be the fix; `untouched`: nothing
    in between can be. `obvious`: the first attempt fixed it, in a file that the message names.
    """

    key: KeyLine
    normalized: str
    fingerprint: str
    tool: str
    command: str
    session_id: str
    message_idx: int
    ts: str
    resolved: bool = False
    transient: bool = False
    resolved_by: str | None = None
    tool_sequence: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    explanation: tuple[str, int] | None = None
    resolution_text: str | None = None
    verified_session: str | None = None
    verified_idx: int | None = None
    verified_ts: str = ""
    message_ids: tuple[int, ...] = ()
    confidence: Confidence | None = None
    links: tuple[StepLink, ...] = ()
    strength: Strength | None = None
    worth: Worth = "none"
    cost: Cost | None = None
    hints: tuple[Hint, ...] = ()
    instead: tuple[str, str] | None = None
    lesson: Lesson | None = None
    untouched: bool = False
    obvious: bool = False

    @property
    def span(self) -> tuple[int, int]:
        """The key line's half-open span in the failing message, in code points."""
        return self.key.start, self.key.end

    @property
    def key_line(self) -> str:
        """The line that names the error."""
        return self.key.text


@dataclass(frozen=True, slots=True)
class FixLink:
    """Why the call at a `line` of the transcript is part of a fix."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class LinkedFix:
    """What made a failure go away: the `lines` of the transcript with the calls that did it, and their ids.

    `checked_line` holds the result that showed the failure gone; `text` says it in words.
    """

    lines: tuple[int, ...]
    tool_use_ids: tuple[str, ...]
    checked_line: int | None
    strength: Strength
    links: tuple[FixLink, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ResultKey:
    """A line that names a failure. `start` and `end` are code points of the redacted result; `named_by` is the
    recogniser; `fix` is this line's own."""

    text: str
    start: int
    end: int
    named_by: str
    fix: LinkedFix | None


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """A tool result that shows a sign of failure: its verdict, why, and what fixed it (the union of its keys' fixes).

    `line` is the line of the transcript with the result, from 1.
    """

    line: int
    tool_use_id: str
    tool: str
    command: str
    verdict: ResultVerdict
    reason: str
    keys: tuple[ResultKey, ...]
    fix: LinkedFix | None
    worth: Worth
    cost: Cost
    trace: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class TranscriptHarvest:
    """What would be harvested from one transcript. `passed` counts the results without a sign of failure."""

    SCHEMA: ClassVar[str] = "harvest.v1"

    file: str
    session: str
    agent: Agent
    passed: int
    results: tuple[JudgedResult, ...]


def union(fixes: tuple[LinkedFix | None, ...]) -> LinkedFix | None:
    """Several fixes as one: all their calls in order, as strong as the weakest, their texts one after the other."""
    found = tuple(dict.fromkeys(fix for fix in fixes if fix is not None))
    if len(found) <= 1:
        return found[0] if found else None
    checked = [fix.checked_line for fix in found if fix.checked_line is not None]
    return LinkedFix(
        lines=tuple(sorted({line for fix in found for line in fix.lines})),
        tool_use_ids=tuple(dict.fromkeys(name for fix in found for name in fix.tool_use_ids)),
        checked_line=max(checked, default=None),
        strength="strong" if all(fix.strength == "strong" for fix in found) else "weak",
        links=tuple(dict.fromkeys(link for fix in found for link in fix.links)),
        text="\n\n".join(dict.fromkeys(fix.text for fix in found)),
    )
