"""Language data of OCR: found on this machine and copied into casebook's data folder. Nothing is downloaded."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from core.base.fault import Fault
from core.library.parse.ocr import END, data_folder, languages

USUAL: Final = ("eng", "kor")
WHERE: Final = (
    "Debian, Ubuntu: apt install tesseract-ocr-eng tesseract-ocr-kor. macOS: brew install tesseract-lang. "
    "Otherwise save LANG.traineddata from https://github.com/tesseract-ocr/tessdata_fast and name its folder."
)
"""Where language data is to be had."""
_SYSTEM: Final = (
    ("/usr/share/tesseract-ocr", "*/tessdata"),
    ("/usr/share", "tessdata"),
    ("/usr/local/share", "tessdata"),
    ("/opt/homebrew/share", "tessdata"),
    ("C:/Program Files/Tesseract-OCR", "tessdata"),
)
_LEAST: Final = 10_000
"""Bytes of language data: a page of the web that was saved in its place is smaller."""


@dataclass(frozen=True, slots=True)
class OcrLanguage:
    """A language that was asked for: `copied` from `source`, `present` before, or `missing`."""

    language: str
    status: Literal["copied", "present", "missing"]
    source: str | None = None


@dataclass(frozen=True, slots=True)
class OcrData:
    """What became of each language, and all that `folder` holds now. `hint` says where missing ones are to be had."""

    SCHEMA: ClassVar[str] = "ocr_data.v1"

    folder: str
    languages: tuple[OcrLanguage, ...]
    ready: tuple[str, ...]
    hint: str | None


def take_ocr_data(folder: Path | None, codes: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> OcrData:
    """Copy the languages wanted (default: English and Korean) into casebook's data folder, from `folder` if one is
    given, else from where Tesseract keeps them. One that is there is replaced only from a folder that is named.

    Raises Fault invalid_input for a name that is none or a folder that is not there, io_error where it cannot be
    written.
    """
    chosen = tuple(dict.fromkeys(codes)) or USUAL
    for one in chosen:
        if not one.replace("_", "").isalnum() or not one.isascii():
            raise Fault("invalid_input", f"{one[:40]} is not a Tesseract language", "pass a name such as eng or kor")
    if folder is not None and not folder.is_dir():
        raise Fault("invalid_input", f"folder {folder} not found", "pass the folder of the .traineddata files")
    places = [folder] if folder is not None else list(_places(os.environ if environ is None else environ))
    there = set(languages())
    done: list[OcrLanguage] = []
    for one in chosen:
        source = next((file for place in places if _is_data(file := place / f"{one}{END}")), None)
        if one in there and (folder is None or source is None):
            done.append(OcrLanguage(one, "present"))
        elif source is None:
            done.append(OcrLanguage(one, "missing"))
        else:
            _copy(source, data_folder() / source.name)
            done.append(OcrLanguage(one, "copied", str(source)))
    missing = any(one.status == "missing" for one in done)
    return OcrData(str(data_folder()), tuple(done), languages(), WHERE if missing else None)


def _places(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where Tesseract keeps its language data."""
    if named := environ.get("TESSDATA_PREFIX"):
        yield from (Path(named), Path(named, "tessdata"))
    for folder, pattern in _SYSTEM:
        yield from sorted(Path(folder).glob(pattern), reverse=True)


def _is_data(file: Path) -> bool:
    try:
        return file.is_file() and file.stat().st_size >= _LEAST
    except OSError:
        return False


def _copy(source: Path, target: Path) -> None:
    """Copy a file, whole or not at all."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, part = tempfile.mkstemp(dir=target.parent, suffix=".part")
        os.close(handle)
        try:
            shutil.copyfile(source, part)
            Path(part).replace(target)
        finally:
            Path(part).unlink(missing_ok=True)
    except OSError as error:
        raise Fault("io_error", f"{source} cannot be copied: {error.strerror or error}", "check the folders") from error
