"""Whether the extra `[mcp]` is installed: it alone lets `casebook mcp` serve agents."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

PACKAGE: Final = "mcp"


def has_mcp() -> bool:
    """Whether it is there. Imports nothing of it."""
    try:
        return find_spec(PACKAGE) is not None
    except (ImportError, ValueError):
        return False
