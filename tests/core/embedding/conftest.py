"""The real model, converted once a test run whatever the number of test processes; and a casebook to embed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.embedding.catalogue import CATALOGUE, MINILM
from core.embedding.embedder import Embedder
from core.embedding.local import load
from core.embedding.models import Found
from core.errors import identify, observe
from core.store import Store, open_store


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where MiniLM is, or will be made by whoever loads it first; shared by all test processes of the run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    return shared / "models" / MINILM


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> Iterator[Embedder]:
    """The real MiniLM, loaded."""
    embedder = load(Found(CATALOGUE[MINILM], minilm_folder, ready=False))
    yield embedder
    embedder.close()


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
