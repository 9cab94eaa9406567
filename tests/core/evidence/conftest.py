"""A casebook with a session and no entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store import Store, open_store
from tests.core.evidence.evidence_support import MESSAGES, add_messages


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as made:
        add_messages(made, MESSAGES)
        yield made
