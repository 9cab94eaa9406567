"""A casebook to embed in, and a place for a model service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import identify, observe
from core.process.endpoint import Endpoint
from core.store import Store, open_store
from tests.core.embedding.service.support import place_in, short_folder


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Store]:
    """A new casebook, open for writing."""
    with open_store(tmp_path / "casebook.db", create=True) as store:
        yield store


@pytest.fixture
def seen(book: Store) -> Callable[..., list[int]]:
    """Records errors as seen, and returns their cases."""

    def add(*errors: str, store: Store = book) -> list[int]:
        with store.transaction() as con:
            ts = "2026-02-07T09:00:00.000Z"
            return [
                observe(con, identify(e), session_id=None, message_idx=None, tool=None, project=None, ts=ts, raw=e)
                for e in errors
            ]

    return add


@pytest.fixture
def place() -> Iterator[Endpoint]:
    """Where a service may run: of its own."""
    with short_folder() as folder:
        yield place_in(folder)
