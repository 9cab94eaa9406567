"""The settings file as it is told of: where it is, or would be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """Where the settings file is, or would be (`config_file.v1`)."""

    SCHEMA: ClassVar[str] = "config_file.v1"

    path: str
    exists: bool
