"""What the workbench is given besides its casebook: settings, state, log, and where the rules come from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.config.settings import ChunkingSettings, EmbeddingSettings, RuleSettings
from core.base.config.settings_sources import Config
from core.base.paths import user_folder
from tui.actions.registry import Wish
from tui.runtime.state import State
from tui.terminal.crash import Logger, no_log

if TYPE_CHECKING:
    from core.flows.rules.ban_match import BanSource
    from core.flows.rules.files import ScopedFiles


Stamp = tuple[tuple[str, int, int], ...]
"""How files look from outside: path, time, size; a file that is not there has size -1."""


@dataclass(frozen=True, slots=True)
class Sources:
    """`named` files hold instead of those of the settings. `embedding` None: keywords alone."""

    settings: RuleSettings = field(default_factory=RuleSettings)
    embedding: EmbeddingSettings | None = None
    folder: Path | None = None
    named: tuple[Path, ...] = ()

    def files(self) -> ScopedFiles:
        """The rule files in force. Raises Fault config_invalid for a wrong setting."""
        from core.flows.rules.files import named_files, rule_files

        if self.named:
            return named_files([str(path) for path in self.named])
        return rule_files(self.settings, self.folder)

    def bans(self) -> BanSource:
        """Where code is looked for that instruction files forbid."""
        from core.flows.rules.ban_match import BanSource

        return BanSource(self.settings, self.folder, self.named)

    def of(self, project: str) -> Sources:
        """The sources for a call of that project (a folder, or empty): its rules hold there, as in the hook."""
        return replace(self, folder=Path(project)) if Path(project).is_absolute() else self

    @property
    def project(self) -> str:
        """The name of the folder whose own rules are in force; empty for none."""
        with_own = not self.named and any(scope == "project" for _, scope in self.files())
        return self.folder.name if with_own and self.folder is not None else ""

    def places(self) -> tuple[Path, ...]:
        """Where files are looked for, those that are not there too."""
        from core.flows.rules.files import own_places, project_places

        if self.named:
            return self.named
        return (*own_places(self.settings), *project_places(self.settings, self.folder))

    def stamp(self) -> Stamp:
        """How the files look now, the user's own words for matching with them. Raises Fault as `files`."""
        own = [user_folder("config") / name for name in ("rules.toml", "glossary.toml")]
        bans = (one.path for one in self.bans().places())
        return tuple(stamp_of(path) for path in (*self.places(), *bans, *own))


def stamp_of(path: Path) -> tuple[str, int, int]:
    """How a file looks now."""
    try:
        info = os.stat(path)  # noqa: PTH116  called several times a second
    except OSError:
        return str(path), 0, -1
    return str(path), info.st_mtime_ns, info.st_size


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The settings, a log, and what is remembered: where it is kept (None: nowhere), and how it was.

    `rules`: rule files that hold instead of those of the settings; `folder`: where a project's are looked for. `cited`:
    a citation, at which the library opens.
    """

    config: Config | None = None
    log_line: Logger = no_log
    state_path: Path | None = None
    state: State = field(default_factory=State)
    rules: tuple[Path, ...] = ()
    folder: Path | None = None
    cited: str = ""

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """The keys that the user wants."""
        return tuple(Wish(one.action, one.keys, one.where) for one in self.config.keys) if self.config else ()

    @property
    def themes(self) -> Path | None:
        """Return the folder of the user's themes, next to the settings file."""
        return Path(self.config.path).parent / "themes" if self.config and self.config.path else None

    @property
    def embedding(self) -> EmbeddingSettings | None:
        """How cases are embedded; without settings none are."""
        return self.config.values.embedding if self.config else None

    @property
    def chunking(self) -> ChunkingSettings:
        """How the library cuts documents."""
        return self.config.values.chunking if self.config else ChunkingSettings()

    @property
    def korean(self) -> str:
        """How the library indexes Korean."""
        return self.config.values.library.korean if self.config else "bigrams"

    @property
    def ocr(self) -> bool:
        """Whether the library reads pictures and scanned pages."""
        return bool(self.config and self.config.values.library.ocr)

    @property
    def sources(self) -> Sources:
        """Where the rules come from. Without settings: from the files named, compared by keywords alone."""
        settings = self.config.values.rules if self.config else RuleSettings(files="", project_files="")
        return Sources(settings, self.embedding, self.folder, self.rules)

    @property
    def notify(self) -> str:
        """How the end of a long run is signaled; without settings it is not."""
        return self.config.values.ui.notify if self.config else "off"

    @property
    def theme(self) -> str:
        """The theme that the settings name."""
        return self.config.values.ui.theme if self.config else ""
