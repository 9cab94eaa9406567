"""What every transcript reader yields, whatever the agent: messages, tool calls, tool results, and what was skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool", "system"]
Kind = Literal["text", "thinking", "tool_use", "tool_result", "image", "summary"]
Failure = Literal["none", "error", "denied", "interrupted", "tool_use_error"]


@dataclass(frozen=True, slots=True)
class SessionStart:
    """The session that the following records belong to.

    `session_id` is the agent's own id (a subagent file: `<session>/<agent>`); `parent` the session it is part of or
    None; `chain` is `main` or the agent's id; `project` the working directory as recorded.
    """

    session_id: str
    agent: Literal["claude-code", "codex", "plain"]
    project: str = ""
    started: str = ""
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One content block, as recorded (not yet redacted).

    `uuid` with `block` names it across files (resumed sessions repeat both); `line` is the 1-based line it came from.
    `meta` marks text that nobody wrote in this session (summaries, injected context): kept, never harvested.
    """

    role: Role
    kind: Kind
    text: str
    uuid: str
    block: int
    ts: str
    line: int
    chain: str = "main"
    meta: bool = False
    tool_use_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool, paired with its result by `tool_use_id` alone."""

    tool_use_id: str
    name: str
    input: Mapping[str, Any]
    message: Message


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call.

    `failure` says whose failure it is: `error` is the project's, the others (denied, interrupted, tool_use_error)
    are the agent's own and no project error. `exit_code` is None where none was recorded.
    """

    tool_use_id: str
    failure: Failure
    exit_code: int | None
    message: Message
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be read: why, and where."""

    line: int
    reason: str


Record = SessionStart | Message | ToolCall | ToolResult | Skipped
