"""What every part's tests share: the real model, converted once a test run whatever the number of test processes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core.embedding.catalogue import CATALOGUE, MINILM
from core.embedding.embedder import LocalEmbedder
from core.embedding.models import Found

# How long an example takes says how busy the machine is; what is fast enough is told by `bench/`.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# What pytest and hypothesis hold is no garbage, and was looked through again and again: a quarter of a pane's test.
gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where MiniLM is, or will be made by whoever loads it first; shared by all test processes of the run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    return shared / "models" / MINILM


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> Iterator[LocalEmbedder]:
    """The real MiniLM, loaded."""
    from core.embedding.local import load

    embedder = load(Found(CATALOGUE[MINILM], minilm_folder, ready=False))
    yield embedder
    embedder.close()
