"""What the workbench is given besides its casebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from core.config import Config
from core.settings import EmbeddingSettings
from tui.crash import Logger, no_log
from tui.keys import Wish
from tui.state import State


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The settings, a log, and what is remembered: where it is kept (None: nowhere), and how it was."""

    config: Config | None = None
    log_line: Logger = no_log
    state_path: Path | None = None
    state: State = field(default_factory=State)

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
    def theme(self) -> str:
        """The theme that the settings name."""
        return self.config.values.ui.theme if self.config else ""
