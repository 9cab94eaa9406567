"""Roots of the library and its paths: POSIX, NFC, relative to their root (frozen design 4.2, 6.6; decision 21)."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from core.base.fault import Fault
from core.library.documents.read import sources
from core.library.documents.rows import Source, SourceType, TrustLevel
from core.store import Store, now

EXTERNAL = "_external"
"""The folder of the first root that holds single files and standard input."""

_SIGNS = re.compile(r"[^\w.-]+")


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


def roots_of(
    store: Store, roots: Sequence[Path], source_type: SourceType | None = None, trust_level: TrustLevel | None = None
) -> tuple[Source, ...]:
    """The sources of these folders, registered where they are new; without any, all that are known.

    `source_type` and `trust_level` are what their documents are where they do not say; None leaves them as they are.
    Raises Fault invalid_input for what is no folder, or lies in or around a root that is known; not_indexed where none
    is given and none known.
    """
    known = list(sources(store.con))
    if not roots:
        if not known:
            raise Fault("not_indexed", "The library has no folder yet.", "Name one: casebook library ingest FOLDER")
        return tuple(known)
    found: list[Source] = []
    for root in roots:
        place = _folder(root)
        source = next((one for one in known if one.root == str(place)), None)
        if source is None:
            source = _new(place, known, source_type or "", trust_level or "primary")
            known.append(source)
        else:
            changed = Source(
                source.source_id, source.position, source.root, source_type or source.source_type,
                trust_level or source.trust_level, source.added_at,
            )  # fmt: skip
            known[known.index(source)] = source = changed
        found.append(source)
    with store.transaction() as con:
        for one in found:
            con.execute(
                "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(source_id) DO UPDATE SET"
                " source_type = excluded.source_type, trust_level = excluded.trust_level",
                (one.source_id, one.position, one.root, one.source_type, one.trust_level, one.added_at),
            )
    return tuple(dict.fromkeys(found))


def _folder(root: Path) -> Path:
    try:
        place = root.expanduser().resolve(strict=True)
        if place.is_dir():
            str(place).encode()
            return place
    except (OSError, RuntimeError, ValueError):
        pass
    shown = ascii(str(root))[1:-1] if not str(root).isprintable() else str(root)
    if root == Path():
        shown = "the place you are in: it is gone"
    raise Fault("invalid_input", f"There is no folder at {shown}.", "Name a folder, or a file to add it alone.")


def _new(place: Path, known: Sequence[Source], source_type: SourceType | str, trust_level: TrustLevel) -> Source:
    for one in known:
        root = Path(one.root)
        if root.is_relative_to(place) or place.is_relative_to(root):
            raise Fault(
                "invalid_input",
                f"{place} and {root}, which the library knows, lie one in the other.",
                "Their files would be there twice. Ingest the outer one alone.",
            )
    position = max((one.position for one in known), default=-1) + 1
    base = normal_path(_SIGNS.sub("-", place.name)).strip("-.") or "root"
    taken = {one.source_id for one in known} | _names_of_first(known)
    source_id, number = base, 2
    while source_id in taken:
        source_id, number = f"{base}-{number}", number + 1
    return Source(source_id, position, str(place), source_type, trust_level, now())  # type: ignore[arg-type]


def _names_of_first(known: Sequence[Source]) -> set[str]:
    """What stands in the first root: its paths have no id before them, so no id may look like the first part of one."""
    first = next((one for one in known if not one.position), None)
    try:
        return {normal_path(path.name) for path in Path(first.root).iterdir()} if first else set()
    except OSError:
        return set()
