"""What a repository does about a rule or a lack, as it is told: approaches with counts and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

How = Literal[
    "suppressed with a reason", "suppressed", "edited", "removed", "configured", "reverted", "rewritten by a command",
    "by a person", "worked instead", "open",
]  # fmt: skip
"""What was done about a finding. `worked instead` and `open` are of lacks: with and without something that passed."""
Kind = Literal["rule", "lack"]


@dataclass(frozen=True, slots=True)
class FoundIn:
    """A finding that counts: the message that showed it, and the messages of its fix in their session."""

    session: str
    message: int
    fix_session: str | None
    fix_messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Approach:
    """One thing that was done, how often, in how many sessions.

    `example` is the newest comment, command or line; `names` what most of such edits brought into the code.
    """

    how: How
    count: int
    sessions: int
    example: str
    names: tuple[str, ...]
    found_in: tuple[FoundIn, ...]


@dataclass(frozen=True, slots=True)
class Practice:
    """What a repository does about one rule, or what worked where its environment lacks something.

    `tool` is the checker (`golangci-lint`), or what kind of thing is lacking (`program`); `name` the rule or the thing.
    `line` says it in one sentence, plain text of foreign origin.
    """

    repository: str
    project: str
    kind: Kind
    tool: str
    name: str
    count: int
    sessions: int
    line: str
    approaches: tuple[Approach, ...]


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """A command form that failed (`program`, and `key`: subcommand, option and word; '' for the program itself), what
    that said, and what passed instead. `sessions`: how many met it. `project`: where, by its short name."""

    program: str
    key: str
    failed: str
    said: str
    passed: str
    status: str
    resolution_id: int
    fingerprint: str
    project: str
    repository: str
    sessions: int


@dataclass(frozen=True, slots=True)
class PracticeList:
    """Every practice of one or all projects, the most frequent first, and what is told before a command is run.

    `told`: how often something was told before a run; `avoided`: how often the failure then did not come.
    `withheld`, `avoided_withheld`: the same of what was held back to compare with.
    """

    SCHEMA: ClassVar[str] = "practice.v1"

    practices: tuple[Practice, ...]
    before_run: tuple[KnownFailure, ...] = ()
    told: int = 0
    avoided: int = 0
    withheld: int = 0
    avoided_withheld: int = 0
