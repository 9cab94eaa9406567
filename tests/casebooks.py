"""New casebooks for tests that need hundreds of them, and what a query costs.

A new casebook is a copy of one: to make one takes ten times as long.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from core.store import Store, open_store


@cache
def _made(fill: Callable[[Store], object] | None) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        with open_store(path, create=True) as store:
            if fill is not None:
                fill(store)
        return path.read_bytes()


def new_casebook(path: Path, fill: Callable[[Store], object] | None = None) -> Store:
    """A casebook, open for writing: without a case, or as `fill`, which is called once, has made it."""
    path.write_bytes(_made(fill))
    return open_store(path, write=True)


def sql_steps(store: Store, run: Callable[[], object]) -> int:
    """How many steps of SQLite's machine `run` takes."""
    steps = 0

    def step() -> bool:
        nonlocal steps
        steps += 1
        return False

    store.con.set_progress_handler(step, 1)
    try:
        run()
    finally:
        store.con.set_progress_handler(None)
    return steps
