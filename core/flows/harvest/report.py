"""What a harvest of one transcript finds, result by result (`harvest.v1`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from core.base.trace import Step
from core.transcripts.records import Agent

ResultVerdict = Literal["incident", "answer", "rejected", "agent_tool", "flaky", "noise"]
"""`incident`: a failure of the project or its environment; `answer`: an exit code or the word error as a normal answer;
`rejected`: a person declined or interrupted; `agent_tool`: the agent misused its own tool; `flaky`: the same command
passed with nothing done in between; `noise`: a failure that nothing names."""
Strength = Literal["strong", "weak"]
Worth = Literal["general", "project", "slip", "none"]
"""What a finding helps with again: in any project, in this one, nowhere as it was a slip of the moment, nowhere."""
WORTHS: Final[tuple[Worth, ...]] = ("general", "project", "slip", "none")
"""The one that helps most first."""


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
class Cost:
    """What a failure cost: runs that showed it, messages and seconds until it was gone or seen last."""

    attempts: int
    messages: int
    seconds: float


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
