"""Where casebook keeps its files: the XDG folders, on macOS too, and the user's own folders on Windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Kind = Literal["config", "data", "state", "cache"]

_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "state": ("XDG_STATE_HOME", ".local/state"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}


def user_folder(kind: Kind, environ: Mapping[str, str] | None = None) -> Path:
    """casebook's own folder for settings, data, state or what can be made again. It need not exist.

    A relative XDG variable is ignored, as the XDG specification demands.
    """
    env = os.environ if environ is None else environ
    variable, below_home = _XDG[kind]
    named = env.get(variable, "")
    if named and Path(named).is_absolute():
        return Path(named) / "casebook"
    if sys.platform == "win32":
        import platformdirs  # slow to import, and elsewhere three lines do

        ask = {
            "config": platformdirs.user_config_path,
            "data": platformdirs.user_data_path,
            "state": platformdirs.user_state_path,
            "cache": platformdirs.user_cache_path,
        }[kind]
        return ask("casebook", appauthor=False)
    home = env.get("HOME", "")
    return (Path(home) if home else Path.home()) / below_home / "casebook"


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The user's settings file."""
    return user_folder("config", environ) / "config.toml"


def database_file(environ: Mapping[str, str] | None = None) -> Path:
    """The casebook, unless a setting or a flag names another."""
    return user_folder("data", environ) / "casebook.db"


def log_file(environ: Mapping[str, str] | None = None) -> Path:
    """The log."""
    return user_folder("state", environ) / "casebook.log"
