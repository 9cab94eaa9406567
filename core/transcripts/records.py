"""Records: what every transcript reader yields, and `Reader`: what the module of an agent offers.

Messages, calls and results are named tuples: a transcript has millions, and a frozen dataclass takes five times as long
to make. They are as immutable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from core.transcripts.commands import call_text, with_known_fields

Agent = Literal[
    "claude-code",
    "codex",
    "gemini",
    "qwen",
    "opencode",
    "copilot",
    "pi",
    "cline",
    "roo",
    "aider",
    "goose",
    "amp",
    "plain",
]
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


class Turn(NamedTuple):
    """A message as its agent names it, with its time and line: makes the records of it."""

    uuid: str
    ts: str
    line: int
    chain: str = "main"
    meta: bool = False

    def message(self, role: Role, kind: Kind, text: str, block: int = 0, tool_use_id: str | None = None) -> Message:
        """One content block of the message."""
        uuid, ts, line, chain, meta = self
        return Message(role, kind, text, uuid, block, ts, line, chain, meta, tool_use_id)

    def call(self, tool_use_id: str, name: str, tool_input: Mapping[str, Any], block: int = 0) -> ToolCall:
        """A tool call; its text is the command, or the input as JSON."""
        tool_input = with_known_fields(tool_input)
        message = self.message("assistant", "tool_use", call_text(name, tool_input), block, tool_use_id)
        return ToolCall(tool_use_id, name, tool_input, message)

    def result(
        self,
        tool_use_id: str,
        text: str,
        failure: Failure = "none",
        exit_code: int | None = None,
        block: int = 0,
        facts: Mapping[str, Any] = NO_FACTS,
    ) -> ToolResult:
        """The result of the call with that id."""
        message = self.message("tool", "tool_result", text, block, tool_use_id)
        return ToolResult(tool_use_id, failure, exit_code, message, facts)


class Reader(Protocol):
    """What the module of an agent offers; `core.transcripts.detection.READERS` lists the modules.

    `NAME` is the agent as people write it, `FILES` are the names of its transcripts as glob patterns, matched from the
    right (`chats/session-*.json`). A value that the agent owns, or the first item of it, has one of `KEYS`; None: any
    may be its own.
    """

    @property
    def NAME(self) -> str: ...
    @property
    def FILES(self) -> tuple[str, ...]: ...
    @property
    def KEYS(self) -> frozenset[str] | None: ...

    def owns(self, value: object) -> bool:
        """Whether the agent wrote this JSON value, one of the first of a file."""
        ...

    def start_of(self, head: bytes, path: Path) -> SessionStart:
        """The session that a file opens, from its first bytes and its path."""
        ...

    def places(self, env: Mapping[str, str], home: Path) -> list[Path]:
        """The folders where the agent keeps its transcripts, on every system; they need not exist."""
        ...

    def read(self, lines: Iterable[tuple[int, bytes]], start: SessionStart) -> Iterator[Record]:
        """The records of numbered lines, in their order. Never raises: what cannot be read is a `Skipped`."""
        ...


class Connection(Protocol):
    """A database that is open for reading."""

    def execute(self, statements: str, bindings: tuple[object, ...] = ...) -> Iterator[Any]:
        """The rows of a query."""
        ...


@runtime_checkable
class DatabaseReader(Reader, Protocol):
    """An agent that keeps its sessions in a SQLite database."""

    @property
    def TABLES(self) -> frozenset[str]: ...

    def stored_lines(self, con: Connection, since: int, now: int) -> Iterator[tuple[int, bytes]]:
        """What changed after `since`, as the lines that `read` takes, each with the `since` to continue from after it.

        Times are in milliseconds. A message that is still written is left for the next time.
        """
        ...
