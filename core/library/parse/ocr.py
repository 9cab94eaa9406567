"""Text of pictures and of scanned pages, read by Tesseract (the extra `ocr`), and its language data.

The wheel holds the engine and no language. `core.library.ingest.ocr_data` copies languages into casebook's data folder;
only those there are used.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

from core.base.installation import remedy
from core.base.paths import user_folder
from core.library.documents.rows import Parsed, ParsedBlock, RegionSpan
from core.text import redact

PICTURE: Final = "picture/1"
ENGINE: Final = "tesseract/1"
"""Goes into every id below it: any change of what is read here changes it."""
END: Final = ".traineddata"
_FIRST: Final = ("eng", "kor")
"""The order in which languages are named to the engine: on terminal screenshots the first one wins where it doubts."""
_PATIENCE_MS: Final = 120_000
"""How long one picture may take."""
_LEAST_CONFIDENCE: Final = 50.0
"""Of a paragraph (0 to 100); text on drawings and icons lies below it, screenshots and scans lie at 85 and above."""


@dataclass(frozen=True, slots=True)
class Region:
    """A paragraph of a picture and where it is, in pixels from the upper left corner."""

    text: str
    x: int
    y: int
    w: int
    h: int


def is_installed() -> bool:
    return find_spec("tesserocr") is not None


def data_folder() -> Path:
    """Where casebook keeps language data. It need not exist."""
    return user_folder("data") / "tessdata"


def languages() -> tuple[str, ...]:
    """The languages in casebook's data folder, in the order in which the engine is asked."""
    try:
        found = {path.name.removesuffix(END) for path in data_folder().glob(f"*{END}")}
    except OSError:
        return ()
    return (*(one for one in _FIRST if one in found), *sorted(found.difference(_FIRST)))


def lacking() -> str:
    """What is missing to read pictures, with the command that adds it; empty where nothing is."""
    if not is_installed():
        return f"OCR needs the extra ocr, which is not installed. Run: {remedy('ocr')}"
    return "" if languages() else "OCR has no language data. Run: casebook library ocr-data"


def parser_version(parser: str, langs: str) -> str:
    """The version of a parser whose text is read by the engine in these languages (`eng+kor`)."""
    return f"{parser}+{ENGINE}:{langs}"


@contextmanager
def engine(langs: str) -> Generator[Any]:
    """The engine with these languages (`eng+kor`). Raises ValueError where it cannot begin."""
    tesserocr: Any = import_module("tesserocr")
    tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)
    try:
        api: Any = tesserocr.PyTessBaseAPI(path=f"{data_folder()}/", lang=langs)
    except RuntimeError as error:
        raise ValueError(f"Tesseract cannot start with {langs}: {error}") from error
    try:
        yield api
    finally:
        api.End()


def regions(api: Any) -> Iterator[Region]:
    """The paragraphs of the picture that the engine was given. Raises ValueError where it takes too long."""
    tesserocr: Any = import_module("tesserocr")
    if not api.Recognize(_PATIENCE_MS):
        raise ValueError(f"OCR timeout after {_PATIENCE_MS // 1000} s")
    level: Any = tesserocr.RIL.PARA
    found: Any = api.GetIterator()
    if found is None:
        return
    for paragraph in cast("Iterable[Any]", tesserocr.iterate_level(found, level)):
        box = cast("tuple[int, int, int, int] | None", paragraph.BoundingBox(level))
        if box is None or paragraph.Confidence(level) < _LEAST_CONFIDENCE:
            continue
        text = redact("\n".join(line.rstrip() for line in str(paragraph.GetUTF8Text(level)).strip().split("\n")))
        left, top, right, bottom = box
        if any(sign.isalnum() for sign in text):
            yield Region(text, max(0, left), max(0, top), max(1, right - left), max(1, bottom - top))


@contextmanager
def _silent() -> Generator[None]:
    """Nothing on stderr: the decoders in C write there what is wrong with a picture."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def parse_picture(data: bytes, langs: str) -> Parsed:
    """The paragraphs of a picture, each with its rectangle. Raises ValueError for what is no picture."""
    with tempfile.TemporaryDirectory(prefix="casebook-ocr-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, "picture")
        file.write_bytes(data)
        with engine(langs) as api:
            try:
                with _silent():
                    api.SetImageFile(str(file))
            except Exception as error:  # of any of the decoders, for one file
                raise ValueError("the image cannot be read") from error
            blocks = tuple(
                ParsedBlock("paragraph", (), RegionSpan(one.x, one.y, one.w, one.h), one.text) for one in regions(api)
            )
    warnings = () if blocks else ("no readable text in the image",)
    return Parsed(parser_version(PICTURE, langs), blocks, {}, warnings)
