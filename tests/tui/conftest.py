"""Fixtures for the workbench's tests; what they are made of is in `support`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.support import make_casebook


@pytest.fixture
def casebook(tmp_path: Path) -> Path:
    """A casebook of five cases, English and Korean."""
    return make_casebook(tmp_path / "sample.db")
