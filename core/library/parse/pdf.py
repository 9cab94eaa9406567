"""PDF to blocks, one a page (the extra `pdf`). Pages that are pictures have no text; nothing here reads pictures."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from core.library.documents.rows import PageSpan, Parsed, ParsedBlock
from core.text import redact

if TYPE_CHECKING:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

PARSER: Final = "pypdfium2/1"
"""Goes into every id below it: any change of what `parse_pdf` returns changes it."""
OLDER_PARSER: Final = "pypdf/1"
"""What read PDFs before; its passages stay until the file changes or `--rechunk`."""
_MOST_PAGES: Final = 5_000
_LEADER = re.compile(r"\.{4}[\divxlc]{0,8}$")
"""The dots between an entry of a table of contents and its page."""
_LINE_END: Final = 200
_CONTENTS: Final = 0.4
"""The share of lines with such dots from which on a page is a table of contents."""


def is_installed() -> bool:
    """Whether PDFs can be read here."""
    return find_spec("pypdfium2") is not None


def parse_pdf(data: bytes) -> Parsed:
    """The pages of a PDF that hold text, tables of contents left out. Raises ValueError for one that is damaged or
    needs a password."""
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ValueError("it needs a password; take it off with: qpdf --decrypt IN.pdf OUT.pdf") from error
        raise ValueError(f"the PDF cannot be read: {error}") from error
    blocks: list[ParsedBlock] = []
    contents = 0
    try:
        pages, title = len(document), _clean(document.get_metadata_value("Title"))  # pyright: ignore[reportUnknownMemberType]
        for number in range(min(pages, _MOST_PAGES)):
            text = _clean(_page(document, number))
            if text and _is_contents(text):
                contents += 1
            elif text:
                blocks.append(ParsedBlock("page", (), PageSpan(number + 1), text))
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"the PDF cannot be read: {error}") from error
    finally:
        document.close()
    warnings: list[str] = []
    if pages > _MOST_PAGES:
        warnings.append(f"{pages:,} pages; the first {_MOST_PAGES:,} were read")
    if empty := min(pages, _MOST_PAGES) - len(blocks) - contents:
        warnings.append(f"{empty} pages hold no text (pictures are not read)")
    return Parsed(PARSER, tuple(blocks), {"title": title} if title else {}, tuple(warnings))


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
    return sum(map(_is_entry, lines)) > _CONTENTS * len(lines)


def _is_entry(line: str) -> bool:
    return _LEADER.search("".join(line[-_LINE_END:].split())) is not None


def _clean(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd").replace("\r\n", "\n")
    whole = whole.replace("\ufffe", "").replace("\x02", "")  # how PDFium marks a hyphen at the end of a line
    return redact("\n".join(line.rstrip() for line in whole.replace("\r", "\n").split("\n"))).strip("\n")
