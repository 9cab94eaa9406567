"""PDF to blocks, one a page (the extra `pdf`). Pages that are pictures have no text; nothing here reads pictures."""

from __future__ import annotations

import io
import logging
from importlib.util import find_spec
from typing import Final

from core.library.documents.rows import PageSpan, Parsed, ParsedBlock
from core.text import redact

PARSER: Final = "pypdf/1"
"""Goes into every id below it: any change of what `parse_pdf` returns changes it."""
_MOST_PAGES: Final = 5_000


def is_installed() -> bool:
    """Whether PDFs can be read here."""
    return find_spec("pypdf") is not None


def parse_pdf(data: bytes) -> Parsed:
    """The pages of a PDF that hold text. Raises ValueError for one that is damaged or needs a password."""
    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").propagate = False  # it would write over the screen
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    try:
        reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise ValueError("it needs a password; take it off with: qpdf --decrypt IN.pdf OUT.pdf")
        title = reader.metadata.title if reader.metadata else None
        blocks: list[ParsedBlock] = []
        pages = len(reader.pages)
        for number in range(min(pages, _MOST_PAGES)):
            text = _clean(reader.pages[number].extract_text())
            if text:
                blocks.append(ParsedBlock("page", (), PageSpan(number + 1), text))
    except (PyPdfError, OSError, NotImplementedError) as error:
        raise ValueError(f"the PDF cannot be read: {error}") from error
    warnings: list[str] = []
    if pages > _MOST_PAGES:
        warnings.append(f"{pages:,} pages; the first {_MOST_PAGES:,} were read")
    if len(blocks) < min(pages, _MOST_PAGES):
        warnings.append(f"{min(pages, _MOST_PAGES) - len(blocks)} pages hold no text (pictures are not read)")
    said = {"title": _clean(title)} if isinstance(title, str) and _clean(title) else {}
    return Parsed(PARSER, tuple(blocks), said, tuple(warnings))


def _clean(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd").replace("\r\n", "\n")
    return redact("\n".join(line.rstrip() for line in whole.replace("\r", "\n").split("\n"))).strip("\n")
