"""Where on the disk a citation leads: the file and the line to open it at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import apsw

from core.base.fault import Fault
from core.library.citations.citation import Citation, parse, to_uri
from core.library.documents.opened import cited_lines, line_count, no_line, nothing_at
from core.library.documents.read import chunk, document, document_at, sources
from core.library.documents.rows import Document
from core.library.ingest.sources import file_of
from core.library.search.rows import citation_of, passages
from core.store.sql import storable


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file (`file_place.v1`): `file` as it lies on the disk, `line` from 1; `uri` is what names it.

    `told`: what of the named place is not there; empty where all of it is.
    """

    SCHEMA: ClassVar[str] = "file_place.v1"

    uri: str
    doc_path: str
    file: str
    line: int
    told: str = ""


def file_place(con: apsw.Connection, name: str) -> FilePlace:
    """Where the file of a citation, a path or an id lies, and its line.

    Raises Fault not_indexed where the library knows no such document, invalid_input where its file is gone.
    """
    name = storable(name)
    doc, cited = _named(con, name)
    source = next((one for one in sources(con) if one.source_id == doc.source_id), None)
    if source is None:
        raise Fault("db_damaged", f"{doc.workspace_path} belongs to no folder.", "casebook library ingest FOLDER")
    file = file_of(source, doc.workspace_path)
    if not file.is_file():
        raise Fault("invalid_input", f"{file} is not there any more", "casebook library ingest takes it out")
    if cited is None:
        return FilePlace(doc.workspace_path, doc.workspace_path, str(file), 1)
    line, told = _line_of(con, doc, cited, file)
    return FilePlace(to_uri(cited), doc.workspace_path, str(file), line, told)


def _line_of(con: apsw.Connection, doc: Document, cited: Citation, file: Path) -> tuple[int, str]:
    """The line to open it at, and what of the place is not there."""
    lines = cited_lines(cited)
    if lines is None or doc.media_type == "pdf":
        return 1, nothing_at(con, doc, cited)
    start, end = lines
    many = _lines_of(file, end)
    if start > many:
        return many, f"{no_line(start, many)}, of which this is the last"
    return start, no_line(end, many) if end > many else ""


def _lines_of(file: Path, line: int) -> int:
    """How many lines it has; where it cannot be read, that is for the editor to tell."""
    try:
        return line if line == 1 else line_count(file.read_bytes())
    except OSError:
        return line


def _named(con: apsw.Connection, name: str) -> tuple[Document, Citation | None]:
    doc = document(con, name) or document_at(con, name)
    if doc is not None:
        return doc, None
    passage = chunk(con, name)
    if passage is not None:
        row = passages(con, [passage.id])[passage.id]
        cited: Citation | None = citation_of(row)
    else:
        cited = parse(name) if "#" in name else None
    doc = document_at(con, cited.path) if cited is not None else None
    if doc is None:
        raise Fault(
            "not_indexed", f"the library has nothing called {name[:200]}", "casebook library list shows the paths"
        )
    return doc, cited
