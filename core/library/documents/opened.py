"""Documents to read: one opened at a citation, the list of all, and text by name in bounded parts.

A citation names lines of the file as it was read. The file itself is shown, with a note where it changed since. Of a
file that is gone, of a PDF and of a picture, the stored passages are shown.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.embedding.index.backlog import waiting
from core.library.citations.citation import Citation, CodeCitation, LineCitation, PageCitation, parse
from core.library.documents.read import (
    blocks_of,
    chunk,
    chunks_of,
    corpus_revision,
    document,
    document_at,
    nothing_called,
    sources,
)
from core.library.documents.rows import (
    BlockKind,
    Chunk,
    Document,
    PageSpan,
    asset_id,
    columns,
    content_hash,
    lines_of,
    span_of,
)
from core.library.ingest.readers import KUBERNETES
from core.library.ingest.walk import file_of, is_outside
from core.library.parse.text import decode
from core.library.search.fts import EVERYTHING, LANG, SearchFilters, documents_passing
from core.library.search.hybrid import KIND
from core.library.search.inspect import DocSummary, chunk_at, summary_of
from core.library.search.rows import citation_of, is_stale, passages
from core.store import now
from core.store.sql import number, storable

_NO_LINES: Final = ("pdf", "picture")
"""Media whose files are not shown as lines."""
WHOLE: Final = 4_000_000
"""Bytes of a file that is opened whole; of a larger one the lines around the place."""
MOST_LINES: Final = 20_000
"""Lines opened at once."""
_STEP: Final = 1 << 20
_PARSE_AGAIN: Final = 400_000  # code points
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins

State = Literal["same", "changed", "passages"]


@dataclass(frozen=True, slots=True)
class OpenBlock:
    """What the lines `start` to `end` are."""

    kind: BlockKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """Lines of a document, from number `first` (from 1) of `total` on. `cited`: the first and the last cited one.

    What stands behind the last end of a line is the last of `total`; `length` counts it only if it is not empty.

    `state`: `same`, the file as it was read into the library; `changed`, the file, which is another now; `passages`,
    what the library keeps, line numbers being those of no file. `notice` says why, where it is not the file as it was
    read. `blocks` of Markdown only; `pages`: the line at which each page begins. `file`: where it lies on the disk.
    """

    document: DocSummary
    state: State
    notice: str
    first: int
    lines: tuple[str, ...]
    total: int
    length: int
    cited: tuple[int, int] | None
    blocks: tuple[OpenBlock, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()
    file: Path | None = None

    @property
    def last(self) -> int:
        """The number of the last of the lines."""
        return self.first + len(self.lines) - 1


def open_document(
    con: apsw.Connection, path: str, citation: Citation | None = None, around: int | None = None
) -> OpenDocument:
    """The document at `path`, around what is cited, or around line `around`.

    Raises Fault invalid_input where the library has no such document.
    """
    doc = document_at(con, path)
    if doc is None:
        raise Fault("invalid_input", f"the library has no document {path[:200]}", "ingest its folder again")
    cited = cited_lines(citation)
    file, data, why = _read(con, doc)
    if data is None or doc.media_type in _NO_LINES:
        return _from_library(con, doc, citation, why, file)
    same = asset_id(content_hash(data)) == doc.asset_id
    if not same and file is not None and _is_link_outside(con, doc, file):
        return _from_library(con, doc, citation, _missing_reason("now a link that points outside its folder"), None)
    lost = nothing_at(con, doc, citation) if citation is not None and cited is None else ""
    message = "; ".join(filter(None, (lost, "" if same else "changed since it was indexed, lines may have moved")))
    middle = around or (cited[0] if cited else 1)
    first, lines, total = _lines(data, middle)
    length = line_count(data)
    blocks: tuple[OpenBlock, ...] = ()
    if doc.media_type == "markdown" and doc.block_count <= MOST_LINES:
        blocks = _blocks(con, doc) if same else _blocks_now(lines, total)
    state: State = "same" if same else "changed"
    return OpenDocument(summary_of(con, doc), state, message, first, lines, total, length, cited, blocks, file=file)


def within(opened: OpenDocument) -> OpenDocument:
    """Return the same; if cited lines do not exist, the last ones instead, with a note."""
    if opened.cited is None or opened.cited[1] <= opened.length:
        return opened
    start, end = opened.cited
    message = "; ".join(filter(None, (no_line(end, opened.length), opened.notice)))
    return replace(opened, cited=(min(start, opened.length), opened.length), notice=message)


def no_line(line: int, length: int) -> str:
    """Says that a file of so many lines has not that one."""
    return f"line {line:,} not found: the file has {length:,} line{'' if length == 1 else 's'}"


def line_count(data: bytes) -> int:
    """How many lines a file has, as an editor counts them: at least one."""
    if data[:2] in _WIDE:
        data = _text(data).encode(errors="replace")
    end = b"\n" if b"\n" in data or b"\r" not in data else b"\r"
    return max(1, data.count(end) + (not data.endswith(end)))


def nothing_at(con: apsw.Connection, doc: Document, citation: Citation) -> str:
    """Says so where the library has nothing of a document at the place that is cited; else empty."""
    if chunk_at(con, citation) is not None:
        return ""
    if not isinstance(citation, PageCitation):
        return f"no text at {citation.uri.rpartition('#')[2]}"
    last = max((_page_of(one)[0] or 0 for one in chunks_of(con, doc.doc_id)), default=0)
    return f"no text found on page {citation.page:,}" + (f": the last page with text is {last:,}" if last else "")


def cited_lines(citation: Citation | None) -> tuple[int, int] | None:
    """The first and the last line it names, if it names lines."""
    if isinstance(citation, LineCitation):
        return citation.start, citation.end
    return (citation.line_start, citation.line_end) if isinstance(citation, CodeCitation) else None


def _read(con: apsw.Connection, doc: Document) -> tuple[Path | None, bytes | None, str]:
    """Where the file lies, its bytes, and why there are none."""
    source = next((one for one in sources(con) if one.source_id == doc.source_id), None)
    if source is None:
        return None, None, "the folder of the document is no longer known: casebook shows the stored passages"
    try:
        file = file_of(source, doc.workspace_path)
    except Fault as fault:
        return None, None, fault.message
    if doc.media_type in _NO_LINES:
        return (file if file.exists() else None), None, "" if file.exists() else _missing_reason("missing")
    try:
        return file, file.read_bytes(), ""
    except FileNotFoundError:
        return None, None, _missing_reason("missing")
    except OSError as error:
        return None, None, _missing_reason(f"unreadable ({error.strerror or error})")


def _is_link_outside(con: apsw.Connection, doc: Document, file: Path) -> bool:
    """Whether it is a link out of its folder."""
    source = next((one for one in sources(con) if one.source_id == doc.source_id), None)
    try:
        return source is not None and is_outside(source.root, file)
    except OSError:
        return True


def _missing_reason(why: str) -> str:
    return f"the file is {why}: casebook shows the stored passages"


def _lines(data: bytes, line: int) -> tuple[int, tuple[str, ...], int]:
    """The number of the first line, the lines, and how many the file has."""
    if len(data) <= WHOLE or data[:2] in _WIDE:
        lines = _text(data).split("\n")
        start = _start(line, len(lines))
        return start + 1, tuple(lines[start : start + MOST_LINES]), len(lines)
    total = data.count(b"\n") + 1
    start = _start(line, total)
    begin = _offset(data, start)
    end = min(len(data), begin + WHOLE)
    if end < len(data):
        end = max(data.rfind(b"\n", begin, end), min(end, begin + WHOLE))
    lines = _text(data[begin:end]).split("\n")
    return start + 1, tuple(lines[:MOST_LINES]), total


def _start(line: int, total: int) -> int:
    """Where to begin, counted from 0, so that the line has lines before and behind it."""
    if total <= MOST_LINES:
        return 0
    return max(0, min(line - 1 - MOST_LINES // 4, total - MOST_LINES // 2))


def _offset(data: bytes, line: int) -> int:
    """Where line `line` (from 0) begins."""
    at = seen = 0
    while at < len(data):
        here = data.count(b"\n", at, at + _STEP)
        if seen + here >= line:
            break
        seen += here
        at += _STEP
    while seen < line:
        found = data.find(b"\n", at)
        if found < 0:
            return len(data)
        at, seen = found + 1, seen + 1
    return at


def _text(data: bytes) -> str:
    found = decode(data)
    return "" if found is None else found.text


def _blocks(con: apsw.Connection, doc: Document) -> tuple[OpenBlock, ...]:
    import orjson

    found: list[OpenBlock] = []
    for block in blocks_of(con, doc.doc_id):
        lines = lines_of((span_of(orjson.loads(block.source_span_json)),))
        if lines is not None:
            kind: BlockKind = block.kind
            found.append(OpenBlock(kind, *lines))
    return tuple(found)


def _blocks_now(lines: Sequence[str], total: int) -> tuple[OpenBlock, ...]:
    """Return the blocks of a changed file, read again if that is fast."""
    if len(lines) != total or sum(map(len, lines)) > _PARSE_AGAIN:
        return ()
    from core.library.parse.markdown import parse_markdown

    found: list[OpenBlock] = []
    for block in parse_markdown("\n".join(lines)).blocks:
        if (place := lines_of((block.span,))) is not None:
            found.append(OpenBlock(block.kind, *place))
    return tuple(found)


def _from_library(
    con: apsw.Connection, doc: Document, citation: Citation | None, why: str, file: Path | None
) -> OpenDocument:
    """What the library keeps of it: its passages in their order, a page under its number."""
    rows = chunks_of(con, doc.doc_id)
    passage = chunk_at(con, citation) if citation is not None else None
    lines: list[str] = []
    pages: list[tuple[int, int]] = []
    cited: tuple[int, int] | None = None
    end = 0
    for one in rows:
        page, start, stop = _page_of(one)
        begin = len(lines) + 1
        if page is not None and (not pages or pages[-1][0] != page):
            pages.append((page, begin))
            end = 0
        text = one.text[max(0, end - start) :] if start else one.text
        end = max(end, stop)
        lines += text.split("\n")
        if _is_cited(one, page, passage, citation):
            cited = (cited[0] if cited else begin), len(lines)
        if page is None:
            lines.append("")
    total = len(lines)
    kept = tuple(lines[:MOST_LINES])
    lost = nothing_at(con, doc, citation) if citation is not None and cited is None else ""
    message = "; ".join(
        filter(None, (lost, why or ("" if doc.media_type in _NO_LINES else _missing_reason("no text"))))
    )
    return OpenDocument(
        summary_of(con, doc), "passages", message, 1, kept, total, total, cited, pages=tuple(pages), file=file
    )


def _page_of(one: Chunk) -> tuple[int | None, int, int]:
    span = next((span for span in one.spans if isinstance(span, PageSpan)), None)
    if span is None:
        return None, 0, 0
    return span.page, span.char_start or 0, span.char_end or 0


def _is_cited(one: Chunk, page: int | None, passage: Chunk | None, citation: Citation | None) -> bool:
    if isinstance(citation, PageCitation):
        return page == citation.page
    return passage is not None and one.id == passage.id


MOST_VALUES: Final = 200
"""Maximum number of values of one kind in a message; the most frequent ones."""
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
        counted = dict(cast("list[tuple[str, int]]", rows))
        if kind == "code" and KUBERNETES in counted:
            counted["yaml"] = counted.get("yaml", 0) + counted[KUBERNETES]
        found += [FilterValue(kind, *one) for one in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]
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


CHARS: Final = 20_000
MOST_CHARS: Final = 200_000
MOST_AROUND: Final = 500
_FETCH_WHOLE: Final = "fetch the document to get its lines"
_PARTLY: Final = "one line exceeds the limit and is truncated"


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
        message = f"max_chars is not between 1 and {MOST_CHARS}, or around not between 0 and {MOST_AROUND}"
        raise Fault("invalid_input", message, "fetch the rest with `next`")
    name = storable(name)
    passage = chunk(con, name)
    if passage is not None:
        return _passage(con, passage, max_chars)
    doc = document(con, name) or document_at(con, name)
    if doc is not None:
        opened = open_document(con, doc.workspace_path)
        return _line_range(opened, "doc", None, (1, opened.total), max_chars)
    if "#" in name:
        citation = parse(name)
        if document_at(con, citation.path) is not None:
            return _cited(open_document(con, citation.path, citation), citation, max_chars, around)
    raise Fault("invalid_input", nothing_called(name), "search gives citations to fetch")


def _passage(con: apsw.Connection, one: Chunk, max_chars: int) -> Fetched:
    found = passages(con, [one.id])[one.id]
    stale = is_stale(found.indexed_at, now())
    text = one.text[:max_chars]
    cut = len(text) < len(one.text)
    message = "stored passage" + (", longer than max_chars" if cut else "")
    return Fetched(
        "chunk", one.doc_id, found.path, found.title or "", one.heading_path, citation_of(found, stale=stale), text,
        one.line_start, one.line_end, None, "passages", message, found.indexed_at, stale, cut, None,
    )  # fmt: skip


def _cited(opened: OpenDocument, citation: Citation, max_chars: int, around: int) -> Fetched:
    if opened.cited is None:
        raise Fault("invalid_input", f"{citation.path[:200]}: {opened.notice}", _FETCH_WHOLE)
    start, end = opened.cited
    if start > opened.total:
        raise Fault("invalid_input", f"{citation.path[:200]}: {no_line(start, opened.length)}", _FETCH_WHOLE)
    return _line_range(opened, "span", citation, (max(1, start - around), min(opened.total, end + around)), max_chars)


def _line_range(
    opened: OpenDocument, kind: Literal["doc", "span"], citation: Citation | None, lines: tuple[int, int], most: int
) -> Fetched:
    """As many whole lines of the range as fit into `most` characters."""
    doc, (start, end) = opened.document, lines
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
    message = opened.notice if whole or not kept else "; ".join(filter(None, (opened.notice, _PARTLY)))
    return Fetched(
        kind, doc.doc_id, doc.doc_path, doc.title, (), citation, "\n".join(kept), start if numbered else None,
        last if numbered else None, opened.total if numbered else None, opened.state, message, doc.indexed_at,
        is_stale(doc.indexed_at, now()), more or not whole, following,
    )  # fmt: skip
