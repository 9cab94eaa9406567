"""PDF to blocks, one a page (the extra `pdf`). The text of scanned pages is read by OCR, where that is asked for."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from core.library.documents.rows import PageSpan, Parsed, ParsedBlock
from core.library.parse.ocr import engine, parser_version, regions
from core.text import redact

if TYPE_CHECKING:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

PARSER: Final = "pypdfium2/2"
"""Goes into every id below it: any change of what `parse_pdf` returns changes it."""
OLDER_PARSER: Final = "pypdf/1"
"""What read PDFs before; its passages stay until the file changes or `--rechunk`."""
_MOST_PAGES: Final = 5_000
_LEADER = re.compile(r"\.{4}[\divxlc]{0,8}$")
"""The dots between an entry of a table of contents and its page."""
_SCALE: Final = 300 / 72
"""Pixels a point at which a scanned page is drawn: 300 to the inch, what Tesseract was trained on."""
_MOST_PIXELS: Final = 6_000
"""Along the longer side of a page."""
_MOST_RUNS: Final = 12
"""Runs of pages that a warning names."""
_LINE_END: Final = 200
_CONTENTS: Final = 0.4
"""The share of lines with such dots from which on a page is a table of contents."""
_FEW: Final = 3
"""Lines with such dots of a table of contents whose upper levels have none."""
_NUMBERED: Final = 0.7
"""The share of lines that end in a number from which on a page with a few such dots is one too."""


def is_installed() -> bool:
    """Whether PDFs can be read here."""
    return find_spec("pypdfium2") is not None


def parse_pdf(data: bytes, ocr: str = "") -> Parsed:
    """The pages of a PDF that hold text, tables of contents left out. `ocr`: the languages (`eng+kor`) in which pages
    without text are read as pictures. Raises ValueError for a file that is damaged or needs a password."""
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ValueError("the PDF is encrypted. To decrypt it, run: qpdf --decrypt IN.pdf OUT.pdf") from error
        raise ValueError(f"the PDF cannot be read: {error}") from error
    blocks: list[ParsedBlock] = []
    empty: list[int] = []
    damaged: list[int] = []
    try:
        pages, title = len(document), _clean(document.get_metadata_value("Title"))  # pyright: ignore[reportUnknownMemberType]
        for number in range(min(pages, _MOST_PAGES)):
            try:
                text = _clean(_page(document, number))
            except pypdfium2.PdfiumError:  # the other pages are read all the same
                damaged.append(number + 1)
                continue
            if not text:
                empty.append(number + 1)
            elif not _is_contents(text):
                blocks.append(ParsedBlock("page", (), PageSpan(number + 1), text))
        read = _scanned(document, empty, ocr) if ocr and empty else []
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"the PDF cannot be read: {error}") from error
    finally:
        document.close()
    if damaged and not blocks and not empty:
        raise ValueError("the PDF cannot be read: all its pages are damaged")
    warnings: list[str] = []
    if damaged:
        warnings.append(f"{_numbered(damaged)} damaged and could not be read")
    if pages > _MOST_PAGES:
        warnings.append(f"{pages:,} pages: only the first {_MOST_PAGES:,} were read")
    scanned = {one.span.page for one in read if isinstance(one.span, PageSpan)}
    if left := [number for number in empty if number not in scanned]:
        advice = "OCR found none" if ocr else "run: casebook library ingest --ocr"
        warnings.append(f"{_numbered(left, 'has', 'have')} no text; {advice}")
    blocks = sorted((*blocks, *read), key=lambda block: block.span.page if isinstance(block.span, PageSpan) else 0)
    version = parser_version(PARSER, ocr) if ocr else PARSER
    return Parsed(version, tuple(blocks), {"title": title} if title else {}, tuple(warnings))


def _numbered(pages: list[int], one: str = "is", many: str = "are") -> str:
    """`page 3 is`, `pages 2, 4-9 are`: the numbers, those in a row as a range."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], page)
        else:
            runs.append((page, page))
    ranges = [f"{first}" if first == last else f"{first}-{last}" for first, last in runs[:_MOST_RUNS]]
    more = ", …" if len(runs) > _MOST_RUNS else ""
    return f"page {ranges[0]} {one}" if len(pages) == 1 else f"pages {', '.join(ranges)}{more} {many}"


def _scanned(document: pypdfium2.PdfDocument, pages: list[int], langs: str) -> list[ParsedBlock]:
    """What OCR reads of these pages; one that it makes nothing of is left out."""
    found: list[ParsedBlock] = []
    with engine(langs) as api:
        for number in pages:
            page: Any = document[number - 1]
            try:
                size = max(*page.get_size(), 1.0)
                picture = page.render(scale=min(_SCALE, _MOST_PIXELS / size), grayscale=True)
                api.SetImageBytes(bytes(picture.buffer), picture.width, picture.height, 1, picture.stride)
                text = "\n\n".join(one.text for one in regions(api))
            except ValueError:  # it takes too long: the other pages are read all the same
                text = ""
            finally:
                page.close()
            if text:
                found.append(ParsedBlock("page", (), PageSpan(number), text))
    return found


def _page(document: pypdfium2.PdfDocument, number: int) -> str:
    page = document[number]
    try:
        text = page.get_textpage()
        try:
            return text.get_text_range()
        finally:
            text.close()
    finally:
        page.close()


def _is_contents(text: str) -> bool:
    """Whether a page is part of a table of contents: dots and page numbers behind its lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    dotted = sum(map(_is_entry, lines))
    if dotted > _CONTENTS * len(lines):
        return True
    numbered = sum(_is_entry(line) or _ends_in_number(line) for line in lines)
    return dotted >= _FEW and numbered > _NUMBERED * len(lines)


def _ends_in_number(line: str) -> bool:
    """Whether a line is words and, last, a number as of a page."""
    first, _, last = line.strip().rpartition(" ")
    return last.isdecimal() and len(last) <= 4 and any(sign.isalpha() for sign in first[:_LINE_END])


def _is_entry(line: str) -> bool:
    return _LEADER.search("".join(line[-_LINE_END:].split())) is not None


def _clean(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd").replace("\r\n", "\n")
    whole = whole.replace("\ufffe", "").replace("\x02", "")  # how PDFium marks a hyphen at the end of a line
    return redact("\n".join(line.rstrip() for line in whole.replace("\r", "\n").split("\n"))).strip("\n")
