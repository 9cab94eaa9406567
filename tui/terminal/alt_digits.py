"""Alt and a digit as a terminal sends them: ESC and the digit.

Textual reads that as what Option and the digit write on a Mac (`™`, `£`, `¢`), and the box would hold a sign where a
pane was asked for. A Mac's terminal that sends the sign itself still types it.
"""

from __future__ import annotations

from typing import cast

from textual import _ansi_sequences  # no public door leads to the table; a test on a real terminal holds it


def read_alt_digits() -> None:
    """From now on ESC and a digit is `alt+digit`."""
    table = cast("dict[str, object]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    for digit in "0123456789":
        table.pop(f"\x1b{digit}", None)
