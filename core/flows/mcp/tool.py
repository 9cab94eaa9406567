"""One tool: what an agent is told of it, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.flows.mcp.arguments import Shape
from core.flows.mcp.context import Desk

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Tool:
    """`about` names the schema of the answer (`casebook schema NAME`); `run` returns such a value or raises Fault."""

    name: str
    title: str
    about: str
    shape: Shape
    run: Callable[[Desk, dict[str, Any], Cancelled], object]
    asks_network: bool = False
    """Whether it may ask a server that the settings name."""
    writes: bool = False
    """Whether it keeps more in the casebook than what can be computed again; then its read-only hint is false."""
    loose: Shape | None = None
    """What is checked before `run`, in place of `shape`, where that checks the items of a list one by one."""
