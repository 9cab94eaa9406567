"""What kind of project a folder holds, by the files that mark it."""

from __future__ import annotations

import os
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
    """The languages of a project by its marker files (by ending too: a solution has any name), in the folder and one
    level below; empty where nothing marks it or it cannot be read."""
    found: dict[str, None] = {}
    for place in (folder, *_below(folder)):
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
