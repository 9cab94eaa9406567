"""What the library has of each path, read once before an ingest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import apsw

from core.library.documents.rows import Source

SETTLED: Final = 2.0
"""Seconds between the last change of a file and its reading after which size and time tell whether it changed."""


@dataclass(frozen=True, slots=True)
class Known:
    """A document as it was last read; `looked` is the Unix time of that reading, 0.0 where it is not known."""

    doc_id: str
    workspace_path: str
    asset_id: str
    signature: str
    size: int
    mtime_ns: int
    looked: float

    def is_fresh(self, size: int, mtime_ns: int, signature: str) -> bool:
        """Whether a file of this size and time is the one that was read, and would be read the same way."""
        same = (self.size, self.mtime_ns, self.signature) == (size, mtime_ns, signature)
        return same and self.looked - mtime_ns / 1e9 > SETTLED


def known_of(con: apsw.Connection, source: Source) -> dict[str, Known]:
    """What the library has of a source, by workspace path."""
    rows = con.execute(
        "SELECT d.doc_id, d.workspace_path, d.asset_id, d.signature, coalesce(p.size, -1), coalesce(p.mtime_ns, 0),"
        " coalesce(p.looked, 0.0) FROM documents d LEFT JOIN asset_paths p ON p.workspace_path = d.workspace_path"
        " WHERE d.source_id = ?",
        (source.source_id,),
    )
    return {one.workspace_path: one for one in (Known(*row) for row in rows)}


class Vanished:
    """Documents whose files were not found, by their content: a file with that content elsewhere is the same, moved."""

    def __init__(self, known: Iterable[Known]) -> None:
        self._left = {one.workspace_path: one for one in known}
        self._by_asset: dict[str, list[Known]] = {}
        for one in sorted(self._left.values(), key=lambda one: one.workspace_path, reverse=True):
            self._by_asset.setdefault(one.asset_id, []).append(one)

    def take(self, asset_id: str) -> Known | None:
        """One that held this content; it is not taken again."""
        rest = self._by_asset.get(asset_id)
        if not rest:
            return None
        found = rest.pop()
        del self._left[found.workspace_path]
        return found

    def __iter__(self) -> Iterator[Known]:
        """Those that nobody took, by path."""
        return iter(sorted(self._left.values(), key=lambda one: one.workspace_path))
