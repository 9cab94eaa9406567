"""What harvesting again changes (`import_again.v1`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

LISTED = 100
"""Cases named of those that disappear."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a casebook holds: `errors` are finer cases (fingerprints), the fixes are counted by status."""

    cases: int
    errors: int
    occurrences: int
    drafts: int
    verified: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Drafts:
    """What becomes of the harvested drafts that nobody touched."""

    replaced: int
    removed: int
    added: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class GoneCase:
    """A case that disappears, by the line it was first seen with."""

    id: int
    key_line: str


@dataclass(frozen=True, slots=True)
class ImportAgain:
    """What harvesting again changes, or would change while `applied` is false.

    `kept` fixes were decided on and stay. `no_longer_harvested` counts the cases that stay only because of a decision.
    `gone` names at most `LISTED` of the `cases_removed`. `change` is the change in the history and `backup` the copy
    of the casebook as it was before; both are None where nothing was changed.
    """

    SCHEMA: ClassVar[str] = "import_again.v1"

    sessions: int
    before: Counts
    after: Counts
    drafts: Drafts
    kept: int
    cases_added: int
    cases_removed: int
    no_longer_harvested: int
    gone: tuple[GoneCase, ...] = ()
    applied: bool = False
    change: int | None = None
    backup: str | None = None
    canceled: bool = False

    @property
    def changes_nothing(self) -> bool:
        """Whether no case and no fix would change."""
        moved = (self.drafts.replaced, self.drafts.removed, self.drafts.added, self.cases_added, self.cases_removed)
        return not any(moved) and self.before == self.after
