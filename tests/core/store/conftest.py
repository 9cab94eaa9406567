"""Stores to test on, and a way to run a function as a user without rights (root may write anywhere)."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.store import Store, open_store

NOBODY = 65534


@pytest.fixture(autouse=True)
def steps_of_the_schema(new_casebooks_made: None) -> None:
    """Here each new casebook is made by them."""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Where a casebook may be made."""
    return tmp_path / "data" / "casebook.db"


@pytest.fixture
def store(db: Path) -> Iterator[Store]:
    """A new casebook, open for writing."""
    with open_store(db, create=True) as made:
        yield made


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users reach too (pytest's own are private)."""
    folder = Path(tempfile.mkdtemp(prefix="casebook-test-"))
    folder.chmod(0o755)
    yield folder
    for place, _, _ in os.walk(folder):
        Path(place).chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def as_nobody() -> Callable[[Callable[[], Any]], Any]:
    """Runs a function in a child process without root's rights; gives back what it returns or raises."""
    return _as_nobody


def _as_nobody(work: Callable[[], Any]) -> Any:
    # A fork, not a new interpreter: the one in use may lie where an unprivileged user cannot reach it.
    import importlib.resources
    import mmap
    import urllib.parse

    assert importlib.resources and mmap and urllib.parse  # loaded before the rights are gone
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            outcome: tuple[bool, Any] = (True, work())
        except BaseException as error:  # noqa: BLE001
            outcome = (False, f"{type(error).__name__}: {error}")
        os.write(writing, pickle.dumps(outcome))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        body = pipe.read()
    os.waitpid(child, 0)
    fine, value = pickle.loads(body)
    if not fine:
        raise AssertionError(value)
    return value


def add_case(store: Store, key: str, resolution: str | None = "a fix", **columns: Any) -> int:
    """Insert a case with its own key inside a transaction of its own, and return its id."""
    with store.transaction() as con:
        row = {"ts": "2026-02-07T09:00:00.000Z", "error_normalized": key, "resolution": resolution, **columns}
        names = ", ".join(row)
        con.execute(f"INSERT INTO error_kb({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
        case_id = con.last_insert_rowid()
        con.execute("INSERT INTO case_key VALUES (?, ?)", (key, case_id))
        return case_id


@pytest.fixture
def case() -> Callable[..., int]:
    """`add_case`."""
    return add_case
