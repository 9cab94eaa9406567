"""A casebook that the program of 0.1.0 wrote, with something of everything: what the program of now makes of it.

The file is never made again: it is what a user of that version has.
"""

from __future__ import annotations

import gzip
import json
import shlex
import shutil
from pathlib import Path

from tests.contracts.agents import NEW, replies
from tests.contracts.casebook import Casebook, built, number

PACKED = Path(__file__).parent / "data" / "casebook-0.1.0.db.gz"
MADE_IN = Path("/tmp/mina")
"""The folder that the paths in it name: it is the same wherever the file is made, and not there afterwards."""
SHOWN = (
    "errors list --json",
    "errors show 19 --json",
    "errors history 19 --json",
    "evidence list --json --limit 100",
    "evidence show rates-are-decimal --json",
    "library list --json",
    "library search 'how often is a call tried again' --json",
    "undo --list --json",
)
EXPORTS = ("errors export", "errors export --format csv", "errors export --format markdown")


def pack() -> None:
    """Make the file, once. The last two changes in it are a fix that was verified and a merge."""
    MADE_IN.mkdir()
    try:
        book = built(MADE_IN)
        replies(book)
        case = number(book, NEW)
        book.must("errors", "verify", case)
        book.must("errors", "merge", "19", case)
        PACKED.write_bytes(gzip.compress(book.path.read_bytes(), 9, mtime=0))
    finally:
        shutil.rmtree(MADE_IN)


def opened(folder: Path) -> Casebook:
    """The casebook, in a folder."""
    book = Casebook(folder)
    book.path.write_bytes(gzip.decompress(PACKED.read_bytes()))
    return book


def exports(book: Casebook) -> str:
    """All cases and fixes in each format."""
    return "".join(f"$ casebook {line}\n{book.must(*shlex.split(line))}\n" for line in EXPORTS)


def old_casebook_text(folder: Path) -> str:
    """What is in it, what the last changes are when they are taken back, and what is in it then."""
    book = opened(folder)
    shown = [f"$ casebook {line}\n{_pretty(book.must(*shlex.split(line)))}" for line in SHOWN]
    shown.append(exports(book))
    shown += [f"$ casebook undo --json\n{_pretty(book.must('undo', '--json'))}" for _ in range(2)]
    shown.append(exports(book))
    return "\n".join(shown)


def _pretty(line: str) -> str:
    return json.dumps(json.loads(line), ensure_ascii=False, indent=1) + "\n"
