"""What the workbench is given besides its casebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.config.settings import ChunkingSettings, EmbeddingSettings
from core.base.config.settings_sources import Config
from tui.actions.keys import Wish
from tui.runtime.state import State
from tui.terminal.crash import Logger, no_log

if TYPE_CHECKING:
    from tui.services.rule_sources import Sources


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
        """The folder of the user's own themes: beside the settings file."""
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
        from core.base.config.settings import RuleSettings
        from tui.services.rule_sources import Sources

        settings = self.config.values.rules if self.config else RuleSettings(files="", project_files="")
        return Sources(settings, self.embedding, self.folder, self.rules)

    @property
    def theme(self) -> str:
        """The theme that the settings name."""
        return self.config.values.ui.theme if self.config else ""
