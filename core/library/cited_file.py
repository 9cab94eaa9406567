"""Where on the disk a citation points: for an editor."""

from __future__ import annotations

from pathlib import Path

import apsw

from core.fault import Fault
from core.library.citation import first_line, parse
from core.library.places import file_of
from core.library.read import document_at, sources


def cited_file(con: apsw.Connection, uri: str) -> tuple[Path, int]:
    """The file that a citation names, and the line to open it at.

    Raises Fault invalid_input for what is no citation, a document that the library does not know, or a file that is
    not there any more.
    """
    citation = parse(uri)
    doc = document_at(con, citation.path)
    source = next((one for one in sources(con) if doc is not None and one.source_id == doc.source_id), None)
    if doc is None or source is None:
        raise Fault("invalid_input", f"the library has no document {citation.path[:200]}", "ingest its folder again")
    file = file_of(source, doc.workspace_path)
    if not file.is_file():
        raise Fault("invalid_input", f"{file} is not there any more", "casebook library inspect shows what was kept")
    return file, first_line(citation)
