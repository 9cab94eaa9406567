"""The style sheets: those of the first frame, and those that a screen names as its own."""

from __future__ import annotations

from pathlib import Path

STYLES = Path(__file__).resolve().parents[2] / "styles"

_FIRST = ("base", "errors", "incoming", "library_ingest", "narrow")
_LATER = ("session", "curation", "evidence", "rules", "library", "ask", "insights")


def sheet(name: str) -> Path:
    """The file of a sheet."""
    return STYLES / f"{name}.tcss"


FIRST = tuple(map(sheet, _FIRST))
"""What the first frame needs: each rule that is parsed before it makes it later."""
LATER = tuple(map(sheet, _LATER))
"""What other screens need. Each names its own; the app reads all of them once it is warm, so that none waits for it."""
