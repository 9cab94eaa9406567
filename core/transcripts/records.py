"""What every transcript reader yields, whatever the agent: messages, tool calls, tool results, and what was skipped.

Messages, calls and results are named tuples: a transcript has millions, and a frozen dataclass takes five times as long
to make. They are as immutable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Agent = Literal["claude-code", "codex", "plain"]
Role = Literal["user", "assistant", "tool", "system"]
Kind = Literal["text", "thinking", "tool_use", "tool_result", "image", "summary"]
Failure = Literal["none", "error", "denied", "interrupted", "tool_use_error"]
NO_FACTS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SessionStart:
    """The session that the following records belong to.

    `session_id` is the agent's own id (a subagent file: `<session>/<agent>`); `parent` the session it is part of or
    None; `continues` the session it says it was forked from; `project` the working directory as recorded; `remote` the
    repository that it names, as `repository_of` gives it. It may come again when more is known.
    """

    session_id: str
    agent: Agent
    project: str = ""
    started: str = ""
    parent: str | None = None
    continues: str | None = None
    remote: str = ""


class Message(NamedTuple):
    """One content block, as recorded (not yet redacted).

    `uuid` with `block` names it across files (resumed sessions repeat both); `line` is the 1-based line it came from.
    `chain` is `main` or the agent it belongs to. `meta` marks text that nobody wrote in this session (summaries,
    injected context): kept, never harvested. `display` marks a record of the agent's display log, which tells what
    another record of the same session tells too: two that say the same count once.
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
    display: bool = False


class ToolCall(NamedTuple):
    """A call of a tool, paired with its result by `tool_use_id` alone."""

    tool_use_id: str
    name: str
    input: Mapping[str, Any]
    message: Message


class ToolResult(NamedTuple):
    """The result of a tool call.

    `failure` says whose failure it is: `error` is the project's, the others (denied, interrupted, tool_use_error)
    are the agent's own and no project error. `exit_code` is None where none was recorded. Codex tells a result twice:
    the second one is no new message, but may know the exit code that the first did not.
    """

    tool_use_id: str
    failure: Failure
    exit_code: int | None
    message: Message
    facts: Mapping[str, Any] = NO_FACTS


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be read: why, and where."""

    line: int
    reason: str


Record = SessionStart | Message | ToolCall | ToolResult | Skipped
