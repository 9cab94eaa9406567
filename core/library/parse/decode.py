"""The bytes of a file as text whose lines are those an editor counts; or that it is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.text import redact

LOOKED: Final = 8192
"""Bytes at the beginning of a file that tell whether it is a text."""
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text with its secrets masked, sign by sign, so that lines stay those of the file. `warning`: what was amiss."""

    text: str
    encoding: str
    warning: str = ""


def decode(data: bytes) -> Decoded | None:
    """The text of a file, or None where it is binary.

    UTF-8, with or without its mark, or UTF-16 with one; else what Korean Windows writes (cp949), else Latin-1, with a
    warning. `\\r\\n` counts as one end of line, a lone `\\r` only where there is no `\\n` at all.
    """
    if is_binary(data[:LOOKED]):
        return None
    marked = _marked(data)
    for encoding in (marked or "utf-8", "cp949"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        warning = "" if encoding != "cp949" else "not UTF-8: read as cp949"
        return Decoded(_lines(redact(text)), encoding, warning)
    return Decoded(_lines(redact(data.decode("latin-1"))), "latin-1", "not UTF-8: read as Latin-1")


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is no text."""
    return b"\0" in head and not _marked(head)


def _marked(data: bytes) -> str:
    return next((name for mark, name in _MARKS if data.startswith(mark)), "")


def _lines(text: str) -> str:
    text = text.replace("\0", "\ufffd")
    if "\r" not in text:
        return text
    text = text.replace("\r\n", "\n")
    return text.replace("\r", " " if "\n" in text else "\n")
