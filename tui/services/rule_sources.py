"""Where the rules come from: files named for this workbench, else those that the settings and the folder name."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.config.settings import EmbeddingSettings, RuleSettings

if TYPE_CHECKING:
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
        from core.base.paths import user_folder

        own = [user_folder("config") / name for name in ("rules.toml", "glossary.toml")]
        return tuple(stamp_of(path) for path in (*self.places(), *own))


def stamp_of(path: Path) -> tuple[str, int, int]:
    """How a file looks now."""
    try:
        info = os.stat(path)  # noqa: PTH116  asked several times a second
    except OSError:
        return str(path), 0, -1
    return str(path), info.st_mtime_ns, info.st_size
