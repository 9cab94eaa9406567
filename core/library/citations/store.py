"""Stored citations: their quote, and the place it has after the file has changed.

A citation is kept by its words and heading, because lines and ids change with each edit.

Where on the disk a citation leads: the file and the line to open it at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal, cast

import apsw

from core.align import Aligned, AlignSettings, Session, align_quote
from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.base.trace import Step, facts
from core.library.citations.citation import Citation, LineCitation, first_line, parse, place, to_uri
from core.library.documents.opened import cited_lines, line_count, no_line, nothing_at
from core.library.documents.read import (
    chunk,
    chunks_by_id,
    chunks_of,
    document,
    document_at,
    nothing_called,
    sources,
)
from core.library.documents.rows import Chunk, Document
from core.library.ingest.walk import file_of
from core.library.search.inspect import chunk_at
from core.library.search.lexical import Term, lexical_query, lexical_search
from core.library.search.rows import citation_of, passages
from core.store import Store, change, now
from core.store.sql import storable
from core.text import clean

QUOTE: Final = 400
"""Code points of a quote at most: what the aligner looks for with slips, too."""
AROUND: Final = 60
"""Code points kept before and after it: they tell one of several equal places."""
_COLUMNS = "id, cited_by, item_id, workspace_path, uri, quote, prefix, suffix, heading_path_json, author, ts"

SHOWN_QUOTE: Final = 240
"""Code points of a quote at most: what one reads at a glance."""
MOST_CITED: Final = 50
"""Citations of one text that are looked at."""
_DOT: Final = " · "
_SENTENCES = lazy_pattern(r"(?<=[.!?。])[ \t]+|\n+")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_PLACE = re.compile(r"> — (?P<uri>[^#\n]{1,4096}#[^ \n]{1,300})(?: · (?P<headings>[^\n]{0,2000}))?\s*")

_ELSEWHERE: Final = 20  # passages of other documents that are looked at where its own is gone
_EXACT: Final = AlignSettings(enable_fuzzy=False)
_SLIPS: Final = AlignSettings()


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A passage that `cited_by` (resolution, entry, note) `item_id` cites; `uri` is its place at that time."""

    id: int
    cited_by: str
    item_id: str
    workspace_path: str
    uri: str
    quote: str
    prefix: str
    suffix: str
    heading_path_json: str
    author: str
    ts: str

    @property
    def heading_path(self) -> tuple[str, ...]:
        """Its headings at that time."""
        return tuple(cast("list[str]", json.loads(self.heading_path_json)))


def cite(store: Store, cited_by: str, item_id: str, name: str, author: str, quote: str | None = None) -> StoredCitation:
    """Let an item cite a passage, named by its chunk id or its URI; can be undone. The same words twice are one.

    `quote`: the words of the passage that matter; without it, its beginning. Raises Fault not_indexed where there is no
    such passage, invalid_input where the quote does not stand in it, and what `Store.transaction` raises.
    """
    con = store.con
    found, doc = passage_named(con, name)
    words = _beginning(found.text, found.section_label) if quote is None else quote.strip()
    at = found.text.find(words)
    if not words or at < 0:
        raise Fault("invalid_input", "the passage does not contain the quote", "copy it from the passage")
    uri = citation_of(passages(con, [found.id])[found.id]).uri
    around = found.text[max(0, at - AROUND) : at], found.text[at + len(words) : at + len(words) + AROUND]
    row = (cited_by, item_id, doc.workspace_path, uri, words, *around, found.heading_path_json, author, now())
    for one in citations_of(store, cited_by, item_id):
        if (one.workspace_path, one.quote) == (doc.workspace_path, words):
            return one
    with change(store, author, f"cite {uri}"):
        con.execute(f"INSERT INTO citation({_COLUMNS[4:]}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        made = con.last_insert_rowid()
    return StoredCitation(made, *row)


def passage_named(con: apsw.Connection, name: str) -> tuple[Chunk, Document]:
    """The passage with this chunk id, or that this URI points into, and its document. Raises Fault not_indexed."""
    found = chunk(con, name) or (chunk_at(con, parse(name)) if "#" in name else None)
    doc = document(con, found.doc_id) if found else None
    if found is None or doc is None:
        raise Fault(
            "not_indexed", f"the library has no passage {name[:200]}", "cite a result of casebook library search"
        )
    return found, doc


def citations_of(store: Store, cited_by: str, item_id: str) -> tuple[StoredCitation, ...]:
    """What an item cites, in the order it was cited."""
    rows = store.con.execute(
        f"SELECT {_COLUMNS} FROM citation WHERE cited_by = ? AND item_id = ? ORDER BY id", (cited_by, item_id)
    ).fetchall()
    return tuple(StoredCitation(*row) for row in rows)  # pyright: ignore[reportArgumentType]


def _beginning(text: str, label: str | None) -> str:
    """The first words of a passage that are not its heading."""
    body = text.removeprefix(label or "").strip() or text.strip()
    if len(body) <= QUOTE:
        return body
    cut = body[:QUOTE]
    end = max(cut.rfind(sign) for sign in (" ", "\n"))
    return cut[: end if end > QUOTE // 2 else QUOTE].strip()


def citation_block(con: apsw.Connection, name: str, query: str = "") -> str:
    """A citation of the passage with this chunk id or URI, to put into a text; of its words those that answer `query`.

    Raises Fault not_indexed where there is no such passage, invalid_input where its path cannot stand on a line.
    """
    found, _document = passage_named(con, name)
    uri = citation_of(passages(con, [found.id])[found.id]).uri
    if clean(uri) != uri or "\n" in uri:
        raise Fault(
            "invalid_input", "the path of this passage cannot be cited", "rename the file and ingest its folder again"
        )
    passage = _plain(telling(found.text, found.section_label or "", lexical_query(query).terms))
    headings = _DOT + clean(" > ".join(found.heading_path)).replace("\n", " ") if found.heading_path else ""
    quoted = "\n".join(f"> {line}" for line in passage.split("\n"))
    return f"{quoted}\n> — {uri}{headings}\n"


def _plain(text: str) -> str:
    """Return the longest part without control characters: verbatim and inert."""
    return max((clean(part) for part in _CONTROLS.split(text)), key=len).strip()


def quote_of(con: apsw.Connection, name: str, query: str = "") -> str:
    """Of the passage with this chunk id or URI the words that answer `query`. Raises Fault not_indexed."""
    found, _document = passage_named(con, name)
    return telling(found.text, found.section_label or "", lexical_query(query).terms)


def telling(text: str, label: str, terms: Sequence[Term]) -> str:
    """The sentence or line of a passage with most of the words asked for, its heading aside; the first of equals."""
    body = text.removeprefix(label).strip() or text.strip()
    parts = [part for part in (one.strip() for one in _SENTENCES.split(body)) if part]
    best = max(range(len(parts)), key=lambda at: (_count_terms(parts[at], terms), -at), default=0)
    found = parts[best] if parts else body
    if len(found) <= SHOWN_QUOTE:
        return found
    end = found.rfind(" ", SHOWN_QUOTE // 2, SHOWN_QUOTE)
    return found[: end if end > 0 else SHOWN_QUOTE]


def _count_terms(part: str, terms: Sequence[Term]) -> int:
    folded = part.casefold()
    return sum(any(form in folded for form in term.forms) for term in terms)


def cited_in(text: str, item_id: str = "") -> tuple[StoredCitation, ...]:
    """Yield the citations in a text, in order, each once; invalid ones are skipped."""
    found: dict[tuple[str, str], StoredCitation] = {}
    for uri, quote, headings in _blocks(text):
        try:
            path = parse(uri).path
        except Fault:
            continue
        kept = StoredCitation(0, "resolution", item_id, path, uri, quote, "", "", json.dumps(headings), "", "")
        found.setdefault((uri, quote), kept)
        if len(found) == MOST_CITED:
            break
    return tuple(found.values())


def _blocks(text: str) -> Iterator[tuple[str, str, list[str]]]:
    quote: list[str] = []
    for line in text.split("\n"):
        if quote and (place := _PLACE.fullmatch(line)):
            headings = place["headings"]
            yield place["uri"], "\n".join(quote).strip(), headings.split(" > ") if headings else []
            quote = []
        elif line.startswith(">"):
            quote.append(line[1:].removeprefix(" ").rstrip())
        else:
            quote = []


@dataclass(frozen=True, slots=True)
class Anchored:
    """The state of a citation. `citation`: its current place; for a detached one the most similar place, or null.

    `changed`: what is said otherwise there; `similarity` of the words, 0 to 1.
    """

    status: Literal["attached", "moved", "detached"]
    reason: str
    citation: Citation | None
    similarity: float
    changed: tuple[str, ...] = ()
    trace: tuple[Step, ...] = ()


def anchored(con: apsw.Connection, kept: StoredCitation) -> Anchored:
    """Look for the words in their document; where that is gone, word for word in the others. Raises apsw errors."""
    doc = document_at(con, kept.workspace_path)
    if doc is not None:
        return _within(con, kept, chunks_of(con, doc.doc_id))
    ranked = lexical_search(con, lexical_query(kept.quote), None, _ELSEWHERE)
    rows = chunks_by_id(con, ranked.ids)
    found = _within(con, kept, [rows[item] for item in ranked.ids if item in rows], _EXACT)
    gone = f"{kept.workspace_path} is no longer in the library"
    if found.status == "detached":
        return Anchored("detached", gone, None, 0.0, trace=(Step("document", "miss", gone), *found.trace))
    trace = (Step("document", "miss", gone), *found.trace)
    return Anchored(
        "moved", f"{gone}, but another document contains the same words", found.citation, found.similarity, trace=trace
    )


def _within(
    con: apsw.Connection, kept: StoredCitation, rows: Sequence[Chunk], settings: AlignSettings = _SLIPS
) -> Anchored:
    if not rows:
        return Anchored("detached", "the document no longer has text", None, 0.0)
    expected = _expected(kept, rows)
    found = align_quote(Session([one.text for one in rows]), expected, kept.quote, settings)
    at = _place(kept, rows, expected, found)
    where = None if at is None else citation_of(passages(con, [rows[at].id])[rows[at].id])
    step = Step(
        "align",
        "hit" if found.status in ("aligned", "ambiguous") else "rejected" if found.status == "flagged" else "miss",
        found.status if found.failure is None else found.failure,
        facts(method=found.method, similarity=round(found.similarity, 4), passages=len(rows)),
        found.trace,
    )
    if found.status == "flagged":
        why = tuple(str(one) for one in found.concerns)
        return Anchored("detached", "the cited text changed", where, found.similarity, why, (step,))
    if found.status == "failed" or where is None:
        return Anchored(
            "detached", "the cited words are no longer in the document", where, found.similarity, trace=(step,)
        )
    same = _same(place(where), parse(kept.uri))
    words = "verbatim" if found.method == "exact" else "with small differences" if found.method == "fuzzy" else ""
    message = f"found at {'the same location' if same else 'a different location'}" + (f", {words}" if words else "")
    return Anchored("attached" if same else "moved", message, where, found.similarity, trace=(step,))


def _same(now: Citation, before: Citation) -> bool:
    """Whether it begins where it began: how long a passage is changes with what is written below it."""
    if isinstance(now, LineCitation) and isinstance(before, LineCitation):
        return (now.path, now.start) == (before.path, before.start)
    return now == before


def _expected(kept: StoredCitation, rows: Sequence[Chunk]) -> int:
    """The passage to look in first: under the same headings, the nearest to its old line."""
    line = first_line(parse(kept.uri))
    return min(
        range(len(rows)),
        key=lambda at: (rows[at].heading_path != kept.heading_path, abs((rows[at].line_start or 1) - line), at),
    )


def _place(kept: StoredCitation, rows: Sequence[Chunk], expected: int, found: Aligned) -> int | None:
    """Return its passage; of several the one with the same headings and context."""
    if found.status == "failed":
        return found.near_misses[0].span.message_index if found.near_misses else None
    places = [(span.message_index, span.start, span.end) for span in found.spans]
    if found.status != "ambiguous":
        return places[0][0]

    def fits(one: tuple[int, int, int]) -> tuple[bool, bool, int]:
        at, start, end = one
        text = rows[at].text
        around = text[:start].endswith(kept.prefix) and text[end:].startswith(kept.suffix)
        return rows[at].heading_path == kept.heading_path, around, -abs(at - expected)

    return max(places, key=fits)[0]


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
        raise Fault("db_damaged", f"{doc.workspace_path} has no folder", "run: casebook library ingest FOLDER")
    file = file_of(source, doc.workspace_path)
    if not file.is_file():
        raise Fault(
            "invalid_input", f"{file} no longer exists", "to remove it from the library, run: casebook library ingest"
        )
    if cited is None:
        return FilePlace(doc.workspace_path, doc.workspace_path, str(file), 1)
    line, message = _line_of(con, doc, cited, file)
    return FilePlace(to_uri(cited), doc.workspace_path, str(file), line, message)


def _line_of(con: apsw.Connection, doc: Document, cited: Citation, file: Path) -> tuple[int, str]:
    """The line to open it at, and what of the place is not there."""
    lines = cited_lines(cited)
    if lines is None or doc.media_type == "pdf":
        return 1, nothing_at(con, doc, cited)
    start, end = lines
    many = _lines_of(file, end)
    if start > many:
        return many, f"{no_line(start, many)}. This is the last line"
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
        raise Fault("not_indexed", nothing_called(name), "to list paths, run: casebook library list")
    return doc, cited
