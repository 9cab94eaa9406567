"""Reports of a run: its progress, its result, and the path of the settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line of `file` that was not read, and why; `line` 0 means the file itself."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import added (`import_report.v1`, DESIGN 8).

    `files` were read or found unchanged; the other counts are what was not there before. `canceled`: it was stopped
    between two batches; what it had read stays, and the next run goes on from there.
    """

    SCHEMA: ClassVar[str] = "import_report.v1"

    files: int = 0
    sessions: int = 0
    messages: int = 0
    tool_calls: int = 0
    errors: int = 0
    resolutions: int = 0
    skipped: tuple[SkippedLine, ...] = ()
    canceled: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long run is (`progress.v1`, DESIGN 8).

    `done` and `total` are bytes while `kind` is `import`, sessions while it is `harvest` and texts while it is `embed`;
    `rate` is `done` a second; `eta_s` is None where nothing can be said; `file` is the one being read, or empty.
    """

    SCHEMA: ClassVar[str] = "progress.v1"

    kind: str
    done: int
    total: int
    rate: float
    eta_s: float | None
    file: str = ""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """Where the settings file is, or would be (`config_file.v1`)."""

    SCHEMA: ClassVar[str] = "config_file.v1"

    path: str
    exists: bool
