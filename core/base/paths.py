"""Where casebook keeps its files: the XDG folders, on macOS too, and the user's own folders on Windows.

Loads nothing: hooks ask each time.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Literal

    Kind = Literal["config", "data", "state", "cache"]

HOMES = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", os.path.join(".local", "share")),
    "state": ("XDG_STATE_HOME", os.path.join(".local", "state")),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}


def folder_name(kind: str, environ: Mapping[str, str] | None = None) -> str:
    """casebook's own folder of a kind (`config`, `data`, `state`, `cache`). It need not exist.

    A relative XDG variable is ignored, as the specification demands. Raises RuntimeError, as `Path.home` does,
    without a home folder: `~` would be a folder of the current one.
    """
    env = os.environ if environ is None else environ
    variable, below_home = HOMES[kind]
    named = env.get(variable, "")
    if named and os.path.isabs(named):
        return os.path.join(named, "casebook")
    home = env.get("HOME", "") or os.path.expanduser("~")
    if not os.path.isabs(home):
        raise RuntimeError(f"unknown home folder: {home}")
    return os.path.join(home, below_home, "casebook")


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder of casebook's own and what lacks above it, each for its owner alone. Raises OSError.

    `os.makedirs` and `Path.mkdir(parents=True)` give the mode to the last folder only.
    """
    if os.path.isdir(folder):
        return
    if (above := os.path.dirname(folder)) and above != folder:
        make_folder(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def user_folder(kind: Kind, environ: Mapping[str, str] | None = None) -> Path:
    """casebook's own folder for settings, data, state or what can be made again. It need not exist.

    A relative XDG variable is ignored, as the XDG specification demands.
    """
    from pathlib import Path

    env = os.environ if environ is None else environ
    if sys.platform == "win32" and not Path(env.get(HOMES[kind][0], "")).is_absolute():
        import platformdirs  # slow to import, and elsewhere three lines do

        ask = {
            "config": platformdirs.user_config_path,
            "data": platformdirs.user_data_path,
            "state": platformdirs.user_state_path,
            "cache": platformdirs.user_cache_path,
        }[kind]
        return ask("casebook", appauthor=False)
    return Path(folder_name(kind, env))


def casebook_state(kind: str, database: Path | str, environ: Mapping[str, str] | None = None) -> Path:
    """Return the state folder of one casebook, by the path of its file. It need not exist."""
    import hashlib  # who only looks for a folder needs none
    from pathlib import Path

    name = hashlib.sha256(os.fsencode(Path(database).absolute())).hexdigest()[:20]
    return user_folder("state", environ) / kind / name


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The user's settings file."""
    return user_folder("config", environ) / "config.toml"


def database_file(environ: Mapping[str, str] | None = None) -> Path:
    """The casebook, unless a setting or a flag names another."""
    return user_folder("data", environ) / "casebook.db"


def log_file(environ: Mapping[str, str] | None = None) -> Path:
    return user_folder("state", environ) / "casebook.log"


def file_size(path: Path) -> int:
    """The bytes of a file; 0 for one that cannot be asked."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def home_name(path: Path) -> str:
    """The path with `~` for the home folder."""
    from pathlib import Path

    home, text = str(Path.home()), str(path)
    return f"~{text[len(home) :]}" if text.startswith(home + os.sep) else text
