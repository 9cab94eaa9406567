"""The library to leaf through: its documents, those read last first, and what there is to filter them by."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import apsw

from core.embedding.index.backlog import waiting
from core.library.documents.read import corpus_revision
from core.library.documents.rows import Document, columns
from core.library.search.filters import EVERYTHING, LANG, SearchFilters, documents_passing
from core.library.search.inspect import DocSummary, summary_of
from core.library.search.vector import KIND
from core.store.sql import number

MOST_VALUES: Final = 200
"""Values of one kind that are told; the most frequent ones."""
_COLUMNS: Final = {
    "code": "code_lang", "media": "media_type", "type": "source_type", "trust": "trust_level",
    "source": "source_id", "repo": "repo",
}  # fmt: skip
"""Kinds of filter, and the column each looks at."""


@dataclass(frozen=True, slots=True)
class LibrarySize:
    """How many documents and passages there are, and how many of the passages wait to be embedded."""

    documents: int
    passages: int
    waiting: int


@dataclass(frozen=True, slots=True)
class FilterValue:
    """A value of one kind, and how many documents have it.

    The kinds: `tag`, `path` (a glob), `lang`, `code`, `media`, `type`, `trust` (at least so trusted), `source`, `repo`.
    """

    kind: str
    value: str
    documents: int


def library_size(con: apsw.Connection) -> LibrarySize:
    """What there is. Raises apsw errors."""
    return LibrarySize(
        number(con, "SELECT count(*) FROM documents"),
        number(con, "SELECT count(*) FROM chunks"),
        waiting(con, KIND),
    )


def library_stamp(con: apsw.Connection) -> tuple[int, int]:
    """Another value than before means that documents, or what is embedded of them, have changed. Raises apsw errors."""
    return corpus_revision(con), waiting(con, KIND)


def document_keys(con: apsw.Connection, filters: SearchFilters = EVERYTHING) -> array[int]:
    """The keys of the documents that pass, read last first, for `documents_by_key`.

    Raises Fault invalid_input for a wrong filter.
    """
    ids = documents_passing(con, filters)
    among = "" if ids is None else " WHERE doc_id IN (SELECT value FROM json_each(?))"
    given: tuple[str, ...] = () if ids is None else (json.dumps(ids),)
    rows = con.execute(f"SELECT rowid FROM documents{among} ORDER BY indexed_at DESC, workspace_path", given)
    return array("q", (cast("int", row[0]) for row in rows))


def key_at(con: apsw.Connection, workspace_path: str) -> int | None:
    """The key of the document at that path; None where there is none."""
    row = con.execute("SELECT rowid FROM documents WHERE workspace_path = ?", (workspace_path,)).fetchone()
    return None if row is None else cast("int", row[0])


def documents_by_key(con: apsw.Connection, keys: Sequence[int]) -> dict[int, DocSummary]:
    """The documents with these keys; those that are gone are left out."""
    rows = con.execute(
        f"SELECT rowid, {columns(Document)} FROM documents WHERE rowid IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    ).fetchall()
    return {cast("int", row[0]): summary_of(con, Document(*cast("Any", row[1:]))) for row in rows}


def filter_values(con: apsw.Connection) -> tuple[FilterValue, ...]:
    """Everything documents can be filtered by, the most frequent value of a kind first."""
    found: list[FilterValue] = []
    tags = con.execute(
        "SELECT tag, count(*) FROM document_tags GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?", (MOST_VALUES,)
    ).fetchall()
    found += [FilterValue("tag", *row) for row in cast("list[tuple[str, int]]", tags)]
    found += _folders(con)
    found += _languages(con)
    for kind, column in _COLUMNS.items():
        rows = con.execute(
            f"SELECT {column}, count(*) FROM documents WHERE {column} IS NOT NULL AND {column} <> ''"
            f" GROUP BY {column} ORDER BY count(*) DESC, {column} LIMIT ?",
            (MOST_VALUES,),
        ).fetchall()
        found += [FilterValue(kind, *row) for row in cast("list[tuple[str, int]]", rows)]
    return tuple(found)


def _languages(con: apsw.Connection) -> list[FilterValue]:
    """The languages by their primary subtag, each with the documents that it lets pass."""
    rows = con.execute(f"SELECT {LANG}, count(*) FROM documents d WHERE d.lang <> '' GROUP BY 1").fetchall()
    many = dict(cast("list[tuple[str, int]]", rows))
    both = many.get("mixed", 0)
    counted = {one: count + (both if one in ("ko", "en") else 0) for one, count in many.items()}
    first = sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:MOST_VALUES]
    return [FilterValue("lang", *one) for one in first]


def _folders(con: apsw.Connection) -> list[FilterValue]:
    """The folders right below the roots, as globs, and the ends of names."""
    rows = con.execute("SELECT workspace_path FROM documents").fetchall()
    counted: Counter[str] = Counter()
    for path in (cast("str", row[0]) for row in rows):
        folders = path.split("/")[:-1]
        counted.update("/".join((*folders[:depth], "**")) for depth in (1, 2) if len(folders) >= depth)
        name, dot, end = path.rpartition("/")[2].rpartition(".")
        if name and dot:
            counted[f"*.{end}"] += 1
    return [FilterValue("path", glob, many) for glob, many in counted.most_common(MOST_VALUES)]
