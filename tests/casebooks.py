"""New casebooks for tests that need hundreds of them: copies of one, for to make one takes ten times as long."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from core.store import Store, open_store


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        open_store(path, create=True).close()
        return path.read_bytes()


def new_casebook(path: Path) -> Store:
    """A casebook without a case, open for writing."""
    path.write_bytes(_empty())
    return open_store(path, write=True)
