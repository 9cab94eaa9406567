"""Lines of a file that may be huge, hostile, or still being written, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from core.transcripts.json_line import is_complete

LINE_CAP = 16 * 1024 * 1024
"""The longest line that is read, in bytes; a longer one is passed over."""

_CHUNK = 1024 * 1024


class RawLine(NamedTuple):
    """One line: its 1-based `number`, its bytes (None: longer than the cap), and where reading goes on after it.

    `end` is the byte offset behind it, `lines` the number of lines read by then. A last line that lacks its newline
    but is complete does not count into `lines`: the newline that may come later still ends it.
    """

    number: int
    data: bytes | None
    end: int
    lines: int


def read_lines(file: BinaryIO, offset: int = 0, lines: int = 0, cap: int = LINE_CAP) -> Iterator[RawLine]:
    """The lines of `file` from byte `offset` on, where `lines` lines lie before it.

    A last line without a newline is given only if it is a complete JSON value; else it is half written, and left for
    the next time. Never holds more than `cap` bytes.
    """
    file.seek(offset)
    while data := file.readline(cap + 1):
        ended = data.endswith(b"\n")
        offset += len(data)
        if not ended and len(data) > cap:
            data = None
            while chunk := file.readline(_CHUNK):
                offset += len(chunk)
                ended = chunk.endswith(b"\n")
                if ended:
                    break
        if not ended and (data is None or not is_complete(data)):
            return
        yield RawLine(lines + 1, data, offset, lines + 1 if ended else lines)
        lines += 1
