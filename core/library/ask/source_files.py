"""What became of the files that an answer cites since they were read: a sentence may stand in no file of today.

`stale` of a citation tells only how long ago its file was read.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.library.ask.answer import Answer, AnswerCitation, SinceRead
from core.library.documents.ids import asset_id, content_hash
from core.library.documents.read import sources
from core.library.ingest.known import SETTLED
from core.library.ingest.paths import file_of

_READ: Final = 1 << 26
"""Bytes of a file that are read to tell it from the one that was read; of a larger one the size tells."""
_ROWS: Final = """
  SELECT d.workspace_path, d.asset_id, d.source_id, d.indexed_at, p.size, p.mtime_ns, p.looked
  FROM json_each(?) JOIN documents d ON d.workspace_path = value
  LEFT JOIN asset_paths p ON p.workspace_path = d.workspace_path
"""


@dataclass(frozen=True, slots=True)
class _Read:
    """A document as it was read; `size`, `mtime_ns` and `looked` are null where that is not known."""

    path: str
    asset_id: str
    source_id: str
    indexed_at: str
    size: int | None
    mtime_ns: int | None
    looked: float | None


def with_files(con: apsw.Connection, answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers, their citations with what became of their files since. A few files are looked at.

    Raises apsw errors; a file that cannot be looked at counts as the same.
    """
    paths = {cited.citation.path for one in answers for cited in one.citations}
    if not paths:
        return tuple(answers)
    roots = {one.source_id: one for one in sources(con)}
    rows = cast("list[tuple[str, str, str, str, int | None, int | None, float | None]]",
                con.execute(_ROWS, (json.dumps(sorted(paths)),)).fetchall())  # fmt: skip
    known = {one.path: one for one in (_Read(*row) for row in rows)}
    became: dict[str, SinceRead | None] = dict.fromkeys(paths, "gone")
    for path, one in known.items():
        root = roots.get(one.source_id)
        try:
            became[path] = None if root is None else _became(one, file_of(root, path))
        except (OSError, ValueError, Fault):
            became[path] = None
    return tuple(
        replace(one, citations=tuple(_told(cited, known, became) for cited in one.citations)) for one in answers
    )


def _told(one: AnswerCitation, known: dict[str, _Read], became: dict[str, SinceRead | None]) -> AnswerCitation:
    """Of one that was answered from an older reading than the last, too."""
    path, when = one.citation.path, one.citation.indexed_at
    since = became[path]
    if since is None and path in known and when and when != known[path].indexed_at:
        since = "changed"
    return one if since == one.since_read else replace(one, since_read=since)


def _became(one: _Read, file: Path) -> SinceRead | None:
    """Size and time tell, as they do when folders are read again; else the content."""
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    if not stat.S_ISREG(found.st_mode):
        return "gone"
    settled = one.looked is not None and one.looked - found.st_mtime > SETTLED
    if (one.size, one.mtime_ns) == (found.st_size, found.st_mtime_ns) and settled:
        return None
    if one.size is not None and one.size != found.st_size:
        return "changed"
    if found.st_size > _READ:
        return None
    return None if asset_id(content_hash(file.read_bytes())) == one.asset_id else "changed"
