"""Where the style sheets are."""

from __future__ import annotations

from pathlib import Path

STYLES = Path(__file__).resolve().parent.parent / "styles"
