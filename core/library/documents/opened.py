"""A document opened to be read: its lines as the file has them, at the place that is cited.

A citation names lines of the file as it was read. So the file itself is shown; where it changed since, or is gone, that
is told, and of one that is gone (or has no lines, as a PDF) the passages that were kept are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import apsw

from core.base.fault import Fault
from core.library.citations.citation import Citation, CodeCitation, LineCitation, PageCitation
from core.library.documents.ids import asset_id, content_hash
from core.library.documents.read import blocks_of, chunks_of, document_at, sources
from core.library.documents.rows import BlockKind, Chunk, Document
from core.library.documents.spans import PageSpan, lines_of, span_of
from core.library.ingest.sources import file_of, leads_out
from core.library.parse.text import decode
from core.library.search.inspect import DocSummary, chunk_at, summary_of

WHOLE: Final = 4_000_000
"""Bytes of a file that is opened whole; of a larger one the lines around the place."""
MOST_LINES: Final = 20_000
"""Lines opened at once."""
_STEP: Final = 1 << 20
_READ_ANEW: Final = 400_000  # code points
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
    what the library keeps, line numbers being those of no file. `told` says why, where it is not the file as it was
    read. `blocks` of Markdown only; `pages`: the line at which each page begins. `file`: where it lies on the disk.
    """

    document: DocSummary
    state: State
    told: str
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
    if data is None or doc.media_type == "pdf":
        return _kept(con, doc, citation, why, file)
    same = asset_id(content_hash(data)) == doc.asset_id
    if not same and file is not None and _leads_out(con, doc, file):
        return _kept(con, doc, citation, _gone("a link out of its folder now"), None)
    lost = nothing_at(con, doc, citation) if citation is not None and cited is None else ""
    told = "; ".join(filter(None, (lost, "" if same else "changed since it was read: lines may have moved")))
    wanted = around or (cited[0] if cited else 1)
    first, lines, total = _lines(data, wanted)
    length = line_count(data)
    blocks: tuple[OpenBlock, ...] = ()
    if doc.media_type == "markdown" and doc.block_count <= MOST_LINES:
        blocks = _blocks(con, doc) if same else _blocks_now(lines, total)
    state: State = "same" if same else "changed"
    return OpenDocument(summary_of(con, doc), state, told, first, lines, total, length, cited, blocks, file=file)


def within(opened: OpenDocument) -> OpenDocument:
    """The same; where lines are cited that it has not, the last one in their place, which is told."""
    if opened.cited is None or opened.cited[1] <= opened.length:
        return opened
    start, end = opened.cited
    told = "; ".join(filter(None, (no_line(end, opened.length), opened.told)))
    return replace(opened, cited=(min(start, opened.length), opened.length), told=told)


def no_line(line: int, length: int) -> str:
    """Says that a file of so many lines has not that one."""
    return f"there is no line {line:,}: the file has {length:,} line{'' if length == 1 else 's'}"


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
        return f"there is nothing at {citation.uri.rpartition('#')[2]}"
    last = max((_page_of(one)[0] or 0 for one in chunks_of(con, doc.doc_id)), default=0)
    return f"there is no page {citation.page:,} with text" + (f": the last one is {last:,}" if last else " in it")


def cited_lines(citation: Citation | None) -> tuple[int, int] | None:
    """The first and the last line it names, if it names lines."""
    if isinstance(citation, LineCitation):
        return citation.start, citation.end
    return (citation.line_start, citation.line_end) if isinstance(citation, CodeCitation) else None


def _read(con: apsw.Connection, doc: Document) -> tuple[Path | None, bytes | None, str]:
    """Where the file lies, its bytes, and why there are none."""
    source = next((one for one in sources(con) if one.source_id == doc.source_id), None)
    if source is None:
        return None, None, "its folder is not known any more: passages as kept"
    try:
        file = file_of(source, doc.workspace_path)
    except Fault as fault:
        return None, None, fault.message
    if doc.media_type == "pdf":
        return (file if file.exists() else None), None, "" if file.exists() else _gone("not there any more")
    try:
        return file, file.read_bytes(), ""
    except FileNotFoundError:
        return None, None, _gone("not there any more")
    except OSError as error:
        return None, None, _gone(f"cannot be read ({error.strerror or error})")


def _leads_out(con: apsw.Connection, doc: Document, file: Path) -> bool:
    """Whether it is a link out of its folder."""
    source = next((one for one in sources(con) if one.source_id == doc.source_id), None)
    try:
        return source is not None and leads_out(source.root, file)
    except OSError:
        return True


def _gone(why: str) -> str:
    return f"the file is {why}: passages as kept"


def _lines(data: bytes, wanted: int) -> tuple[int, tuple[str, ...], int]:
    """The number of the first line, the lines, and how many the file has."""
    if len(data) <= WHOLE or data[:2] in _WIDE:
        lines = _text(data).split("\n")
        start = _start(wanted, len(lines))
        return start + 1, tuple(lines[start : start + MOST_LINES]), len(lines)
    total = data.count(b"\n") + 1
    start = _start(wanted, total)
    begin = _offset(data, start)
    end = min(len(data), begin + WHOLE)
    if end < len(data):
        end = max(data.rfind(b"\n", begin, end), min(end, begin + WHOLE))
    lines = _text(data[begin:end]).split("\n")
    return start + 1, tuple(lines[:MOST_LINES]), total


def _start(wanted: int, total: int) -> int:
    """Where to begin, counted from 0, so that the line wanted has lines before and behind it."""
    if total <= MOST_LINES:
        return 0
    return max(0, min(wanted - 1 - MOST_LINES // 4, total - MOST_LINES // 2))


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
    """Of a file that is another one now: read anew, if that takes no time."""
    if len(lines) != total or sum(map(len, lines)) > _READ_ANEW:
        return ()
    from core.library.parse.markdown import parse_markdown

    found: list[OpenBlock] = []
    for block in parse_markdown("\n".join(lines)).blocks:
        if (place := lines_of((block.span,))) is not None:
            found.append(OpenBlock(block.kind, *place))
    return tuple(found)


def _kept(con: apsw.Connection, doc: Document, citation: Citation | None, why: str, file: Path | None) -> OpenDocument:
    """What the library keeps of it: its passages in their order, a page under its number."""
    rows = chunks_of(con, doc.doc_id)
    wanted = chunk_at(con, citation) if citation is not None else None
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
        if _is_cited(one, page, wanted, citation):
            cited = (cited[0] if cited else begin), len(lines)
        if page is None:
            lines.append("")
    total = len(lines)
    kept = tuple(lines[:MOST_LINES])
    lost = nothing_at(con, doc, citation) if citation is not None and cited is None else ""
    told = "; ".join(filter(None, (lost, why or ("" if doc.media_type == "pdf" else _gone("no text")))))
    return OpenDocument(
        summary_of(con, doc), "passages", told, 1, kept, total, total, cited, pages=tuple(pages), file=file
    )


def _page_of(one: Chunk) -> tuple[int | None, int, int]:
    span = next((span for span in one.spans if isinstance(span, PageSpan)), None)
    if span is None:
        return None, 0, 0
    return span.page, span.char_start or 0, span.char_end or 0


def _is_cited(one: Chunk, page: int | None, wanted: Chunk | None, citation: Citation | None) -> bool:
    if isinstance(citation, PageCitation):
        return page == citation.page
    return wanted is not None and one.id == wanted.id
