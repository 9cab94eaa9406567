"""What a program that imports casebook may name."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = (
    "core.align",
    "core.embedding",
    "core.errors",
    "core.evidence",
    "core.rules",
    "core.store",
    "core.text",
    "core.transcripts",
)
_IMPORT = re.compile(r"^from (core[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def exports(package: str) -> list[str]:
    """The exported names of a package, sorted."""
    return sorted(importlib.import_module(package).__all__)


def documented() -> list[str]:
    """The names that the manuals import, each once, sorted."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [one for page in pages for one in _IMPORT.findall(page.read_text(encoding="utf-8"))]
    return sorted({f"{module}.{name.strip()}" for module, names in found for name in names.split(",")})


def exports_text(_folder: Path) -> str:
    """The exports of the public packages, and what the manuals import."""
    lines = [f"{package}.{name}" for package in PUBLIC for name in exports(package)]
    return "\n".join([*lines, "", "# imported in the manuals", *documented(), ""])
