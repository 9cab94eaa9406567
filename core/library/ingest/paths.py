"""Paths as the library writes them: POSIX, NFC, relative to their root (frozen design 4.2, 6.6; decision 21)."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from core.base.fault import Fault
from core.library.documents.rows import Source

EXTERNAL = "_external"
"""The folder of the first root that holds single files and standard input."""


def normal_path(path: str) -> str:
    """`path` with slashes, composed, without `./` before it and without doubled slashes."""
    parts = [part for part in path.replace(os.sep, "/").split("/") if part not in ("", ".")]
    joined = "/".join(parts)
    return joined if joined.isascii() else unicodedata.normalize("NFC", joined)


def workspace_path(source: Source, relative: str) -> str:
    """How the library calls the file at `relative` in a root."""
    inside = normal_path(relative)
    return f"{source.source_id}/{inside}" if source.position else inside


def leads_out(root: str | Path, file: Path) -> bool:
    """Whether a file lies outside of a root, its links and those of its folders resolved. Raises OSError."""
    return not file.resolve().is_relative_to(Path(root).resolve())


def refused(path: str) -> str:
    """Why a file cannot be in the library under this path, or the empty string."""
    if "#" in path:
        return "its path holds a #, which separates a path from the line in a citation; rename it"
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8; rename it"
    return ""


def file_of(source: Source, path: str) -> Path:
    """Where the document at a workspace path lies on the disk; it need not be there (any more).

    Raises Fault invalid_input for a path that is not in that root.
    """
    inside = path.removeprefix(f"{source.source_id}/") if source.position else path
    wrong = source.position and inside == path
    if wrong or not inside or inside.startswith("/") or ".." in inside.split("/") or "\0" in inside:
        raise Fault("invalid_input", f"{path!r} is no document of {source.root}.", "Check the path.")
    found = Path(source.root, *inside.split("/"))
    if not inside.isascii() and not found.exists():
        apart = Path(source.root, *unicodedata.normalize("NFD", inside).split("/"))  # as macOS wrote it
        return apart if apart.exists() else found
    return found
