"""What the evidence commands are given: files of messages and entries, and how strictly to align."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cli.context import Context
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.align import AlignSettings

_Read = TypeVar("_Read")
MAX_FILE = 256 << 20
"""Bytes of one file of messages or entries."""


def align_settings(context: Context, guard: str | None) -> AlignSettings:
    """How strictly to align: the settings, with the guard's level where that was given."""
    from core.align import AlignSettings

    kept = context.settings.evidence
    level = guard or kept.guard
    return AlignSettings(
        kept.fuzzy_threshold / 100,
        kept.max_quote_length,
        kept.enable_fuzzy,
        level,  # pyright: ignore[reportArgumentType]
    )


def read_from(name: str, reader: Callable[[str], _Read]) -> _Read:
    """What `reader` makes of the text of a file; its faults name the file."""
    text = text_of_file(name)
    try:
        return reader(text)
    except Fault as fault:
        where = "standard input" if name == "-" else name
        raise Fault(fault.code, f"{where}: {fault.message}", fault.hint, **fault.details) from None


def text_of_file(name: str) -> str:
    """The text of a file, or of standard input where it is `-`. Raises Fault io_error, invalid_input."""
    try:
        data = sys.stdin.buffer.read(MAX_FILE + 1) if name == "-" else _bytes_of(Path(name))
    except OSError as error:
        raise Fault("io_error", f"{name}: {error.strerror or error}", "check the path") from None
    if len(data) > MAX_FILE:
        raise Fault("invalid_input", f"{name} is larger than {MAX_FILE >> 20} MiB", "give one session at a time")
    return data.decode("utf-8-sig", "replace")


def _bytes_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_FILE + 1)
