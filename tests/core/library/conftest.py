"""A casebook and a folder of notes for the tests of the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.store import Store, open_store

LONG_AGO = 1_700_000_000


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        yield store


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def put(notes: Path) -> Callable[..., Path]:
    """Write a file that was last changed long ago: its size and time tell whether it changes."""

    def write(name: str, text: str | bytes, at: int = LONG_AGO) -> Path:
        path = notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (at, at))
        return path

    return write
