"""Has another process written? One cheap question, asked again and again of an idle connection."""

from __future__ import annotations

from typing import cast

from core.store.store import Store


def data_version(store: Store) -> int:
    """A number that changes when another connection has committed; meaningful only for this one connection."""
    row = store.con.execute("PRAGMA data_version").fetchone()
    return cast("int", row[0]) if row else 0
