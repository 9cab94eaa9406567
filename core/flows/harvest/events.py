"""What a harvest reads and what it yields: one session's events in order, and the errors found in them.

Named tuples, as a transcript's records are: a session has hundreds of thousands, and they come from another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from core.errors.identity.identity import KeyLine
from core.errors.lessons import Lesson
from core.flows.harvest.changes import Hint
from core.flows.harvest.report import Strength, Worth
from core.transcripts.records import Failure

Confidence = Literal["high", "medium", "low"]
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


class Cost(NamedTuple):
    """What an error cost until it was gone: runs that showed it, messages and seconds from the first of them."""

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
    in between can be.
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

    @property
    def span(self) -> tuple[int, int]:
        """The key line's half-open span in the failing message, in code points."""
        return self.key.start, self.key.end

    @property
    def key_line(self) -> str:
        """The line that names the error."""
        return self.key.text
