"""The text behind a name: a passage, a document or cited lines, a bounded part at a time, with what to ask for next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import apsw

from core.base.fault import Fault
from core.library.citations.citation import Citation, LineCitation, parse
from core.library.documents.opened import OpenDocument, State, open_document
from core.library.documents.read import chunk, document, document_at
from core.library.documents.rows import Chunk
from core.library.search.rows import citation_of, is_stale, passages
from core.store import now
from core.store.sql import storable

CHARS: Final = 20_000
MOST_CHARS: Final = 200_000
MOST_AROUND: Final = 500
_PARTLY: Final = "one line is longer than that: only its beginning is here"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A piece of the library's text (`fetch_result.v1`).

    `kind`: a whole passage, a document from its first line, or the lines (or page) that were cited. `line_start` and
    `line_end` number the lines of the file that are in `text`; null where they are those of no file. `state`: `same`,
    the file as it was read; `changed`, the file, another by now; `passages`, what the library keeps of it; `told` says
    why. `truncated`: `max_chars` cut it short, and `next` is the citation of what follows.
    """

    SCHEMA: ClassVar[str] = "fetch_result.v1"

    kind: Literal["chunk", "doc", "span"]
    doc_id: str
    doc_path: str
    title: str
    heading_path: tuple[str, ...]
    citation: Citation | None
    text: str
    line_start: int | None
    line_end: int | None
    total_lines: int | None
    state: State
    told: str
    indexed_at: str
    stale: bool
    truncated: bool
    next: str | None


def fetch(con: apsw.Connection, name: str, *, max_chars: int = CHARS, around: int = 0) -> Fetched:
    """The text of what `name` names: the id of a passage, a document's path or id, or a citation (`path#L12-L34`).

    `around`: lines before and behind the cited ones. Raises Fault invalid_input where the library has no such thing.
    """
    if not 1 <= max_chars <= MOST_CHARS or not 0 <= around <= MOST_AROUND:
        told = f"max_chars is not between 1 and {MOST_CHARS}, or around not between 0 and {MOST_AROUND}"
        raise Fault("invalid_input", told, "fetch what follows by `next`")
    name = storable(name)
    passage = chunk(con, name)
    if passage is not None:
        return _passage(con, passage, max_chars)
    doc = document(con, name) or document_at(con, name)
    if doc is not None:
        opened = open_document(con, doc.workspace_path)
        return _lines(opened, "doc", None, (1, opened.total), max_chars)
    if "#" in name:
        citation = parse(name)
        if document_at(con, citation.path) is not None:
            return _cited(open_document(con, citation.path, citation), citation, max_chars, around)
    raise Fault("invalid_input", f"the library has nothing called {name[:200]}", "search gives citations to fetch")


def _passage(con: apsw.Connection, one: Chunk, max_chars: int) -> Fetched:
    found = passages(con, [one.id])[one.id]
    stale = is_stale(found.indexed_at, now())
    text = one.text[:max_chars]
    cut = len(text) < len(one.text)
    told = "the passage as the library keeps it" + ("; it is longer than max_chars" if cut else "")
    return Fetched(
        "chunk", one.doc_id, found.path, found.title or "", one.heading_path, citation_of(found, stale=stale), text,
        one.line_start, one.line_end, None, "passages", told, found.indexed_at, stale, cut, None,
    )  # fmt: skip


def _cited(opened: OpenDocument, citation: Citation, max_chars: int, around: int) -> Fetched:
    if opened.cited is None:
        where = citation.uri.partition("#")[2]
        raise Fault(
            "invalid_input", f"{citation.path[:200]} has nothing at {where}", "fetch the document itself for its lines"
        )
    start, end = opened.cited
    if start > opened.total:
        told = f"{citation.path[:200]} has {opened.length} lines, and no line {start}"
        raise Fault("invalid_input", told, "fetch the document itself for its lines")
    return _lines(opened, "span", citation, (max(1, start - around), min(opened.total, end + around)), max_chars)


def _lines(
    opened: OpenDocument, kind: Literal["doc", "span"], citation: Citation | None, wanted: tuple[int, int], most: int
) -> Fetched:
    """As many whole lines of those wanted as there is room for."""
    doc, (start, end) = opened.document, wanted
    kept: list[str] = []
    room = most
    for line in opened.lines[start - opened.first : end - opened.first + 1]:
        if len(line) > room and kept:
            break
        kept.append(line[:room])
        room -= len(line) + 1
        if room <= 0:
            break
    last = start + len(kept) - 1
    whole = bool(kept) and len(kept[-1]) == len(opened.lines[last - opened.first])
    more = last < end
    numbered = opened.state != "passages"
    following = LineCitation(doc.doc_path, last + 1, end).uri if more and numbered else None
    told = opened.told if whole or not kept else "; ".join(filter(None, (opened.told, _PARTLY)))
    return Fetched(
        kind, doc.doc_id, doc.doc_path, doc.title, (), citation, "\n".join(kept), start if numbered else None,
        last if numbered else None, opened.total if numbered else None, opened.state, told, doc.indexed_at,
        is_stale(doc.indexed_at, now()), more or not whole, following,
    )  # fmt: skip
