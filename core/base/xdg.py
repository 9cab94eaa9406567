"""The names of casebook's own folders, as the XDG specification has them. Loads nothing: hooks ask each time."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOMES = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", os.path.join(".local", "share")),
    "state": ("XDG_STATE_HOME", os.path.join(".local", "state")),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}


def folder_name(kind: str, environ: Mapping[str, str] | None = None) -> str:
    """casebook's own folder of a kind (`config`, `data`, `state`, `cache`). It need not exist.

    A relative XDG variable is ignored, as the specification demands.
    """
    env = os.environ if environ is None else environ
    variable, below_home = HOMES[kind]
    named = env.get(variable, "")
    if named and os.path.isabs(named):
        return os.path.join(named, "casebook")
    home = env.get("HOME", "") or os.path.expanduser("~")
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
