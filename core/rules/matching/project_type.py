"""What kind of project a folder holds, by the files that mark it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

_NAMES: Final = {
    "pyproject.toml": "python", "setup.py": "python", "requirements.txt": "python", "Pipfile": "python",
    "package.json": "javascript", "tsconfig.json": "typescript", "Cargo.toml": "rust", "go.mod": "go",
    "pom.xml": "java", "build.gradle": "java", "build.gradle.kts": "kotlin", "Gemfile": "ruby", "composer.json": "php",
    "Package.swift": "swift", "CMakeLists.txt": "cpp", "Dockerfile": "docker",
}  # fmt: skip
_ENDINGS: Final = {
    ".sln": "csharp", ".csproj": "csharp", ".vcxproj": "cpp", ".rc": "cpp", ".qpf": "verilog", ".xpr": "verilog",
    ".sv": "verilog", ".v": "verilog", ".vhd": "vhdl", ".tf": "terraform",
}  # fmt: skip
_MOST = 2_000


def project_type(folder: Path) -> tuple[str, ...]:
    """The languages of the project around a folder by its marker files (by ending too: a solution has any name).

    They are looked for in the folder and one level below, else in the nearest folder above that has one, up to the one
    that holds `.git`, and below the home folder. Empty where nothing marks a project or it cannot be read.
    """
    if not folder.is_dir():
        return ()
    found = _marked((folder, *_below(folder)))
    home = Path.home()
    places = (folder.absolute(), *folder.absolute().parents)
    for place, above in pairwise(places):
        if found or place == home or (place / ".git").exists() or above in (home, above.parent):
            break
        root = (above / ".git").exists()
        found = _marked((above, *_below(above)) if root else (above,))
    return found


def _marked(places: Iterable[Path]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for place in places:
        for name in _files(place):
            kind = _NAMES.get(name) or _ENDINGS.get(Path(name).suffix.lower())
            if kind:
                found.setdefault(kind)
    return tuple(found)


def _files(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(one.name for one, _ in zip(entries, range(_MOST), strict=False) if one.is_file())
    except OSError:
        return []


def _below(folder: Path) -> list[Path]:
    skip = ("node_modules", "vendor", "dist", "build", "target")
    try:
        with os.scandir(folder) as entries:
            kept = [
                Path(one.path)
                for one, _ in zip(entries, range(_MOST), strict=False)
                if one.is_dir(follow_symlinks=False) and not one.name.startswith(".") and one.name not in skip
            ]
    except OSError:
        return []
    return sorted(kept)[:50]
