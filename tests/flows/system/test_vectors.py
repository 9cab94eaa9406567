"""Where a search gets its model from: the settings decide, and nothing is loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.base.config.settings import EmbeddingSettings
from core.embedding.runtime.query_model import NoVectors
from core.errors import record_resolution, search
from core.flows.system.vectors import vector_search


def test_a_model_that_is_not_here_is_named_with_its_remedy(tmp_path: Path) -> None:
    database = tmp_path / "casebook.db"
    record_resolution(database, "the gate of the harbour is shut", "open it")
    with vector_search(EmbeddingSettings(model="all-mpnet-base-v2"), "process") as vectors:
        found = search(database, "nobody may sail in", vectors=vectors)
    (told,) = [step for step in found.trace if step.stage == "vector"]
    assert told.outcome == "skipped"
    assert "all-mpnet-base-v2" in told.reason
    assert told.fact("remedy") == "casebook models pull all-mpnet-base-v2"


def test_the_service_can_be_switched_off() -> None:
    with vector_search(EmbeddingSettings(service=False), "service") as vectors:
        off = vectors.model()
    assert isinstance(off, NoVectors)
    assert "embedding.service" in off.reason


def test_a_casebook_without_vectors_asks_for_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.embedding.runtime.local.load", lambda *_, **__: pytest.fail("a model was loaded"))
    database = tmp_path / "casebook.db"
    record_resolution(database, "the gate of the harbour is shut", "open it")
    with vector_search(EmbeddingSettings(), "process") as vectors:
        found = search(database, "nobody may sail in", vectors=vectors)
    (told,) = [step for step in found.trace if step.stage == "vector"]
    assert told.outcome == "skipped"
    assert told.reason


def test_a_search_that_a_text_tier_answers_loads_nothing_of_models(tmp_path: Path) -> None:
    database = tmp_path / "casebook.db"
    record_resolution(database, "the gate of the harbour is shut", "open it")
    code = (
        "import sys; from pathlib import Path\n"
        "from core.errors import search\n"
        "from core.flows.system.vectors import vector_search\n"
        "from core.base.config.settings import EmbeddingSettings\n"
        "with vector_search(EmbeddingSettings(), 'service') as vectors:\n"
        f"    assert search(Path({str(database)!r}), 'the gate of the harbour is shut', vectors=vectors).match\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('core.embedding', 'numpy', 'socket'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) <= {
        "core.embedding",
        *(
            f"core.embedding.{name}"
            for name in ("index", "index.state", "index.vectors", "runtime", "runtime.embedder", "runtime.query_model")
        ),
    }
