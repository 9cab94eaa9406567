"""The Library pane with the real MiniLM: words answer at once, meaning joins, and who reads a hit is not moved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.config import load_config
from core.embedding.catalogue import MINILM
from core.embedding.embedder import Embedder
from core.embedding.models import pulled_folder
from core.flows.library_search_embed import embed_passages
from tests.tui.library_support import at_hit, idle, opened, put_notes, read_notes
from tests.tui.support import NOW, frame, until
from tui.app import CasebookApp
from tui.surroundings import Surroundings


@pytest.fixture
def at_home(tmp_path: Path, minilm_folder: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, with the model that all tests share."""
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in [name for name in os.environ if name.startswith("CASEBOOK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CASEBOOK_EMBEDDING_AUTO", "false")
    monkeypatch.setenv("CASEBOOK_EMBEDDING_SERVICE", "false")
    folder = pulled_folder(MINILM)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(minilm_folder)


async def test_meaning_joins_what_the_words_have_found(tmp_path: Path, at_home: None) -> None:
    casebook = read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))
    embed_passages(casebook, load_config().values.embedding)
    app = CasebookApp(casebook, around=Surroundings(load_config()), clock=lambda: NOW)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        screen.box.ask("bringing saved data back")
        await until(pilot, lambda: screen.hit is not None and screen.hit.retrieval.method == "hybrid" and idle(app))
        hit = screen.hit
        assert hit is not None
        assert hit.retrieval.vector_rank == 1
        assert "Restor" in " > ".join(hit.heading_path) + hit.snippet, "other words, the same meaning"
        await until(pilot, lambda: "of the nearest" in frame(app) and at_hit(screen))
        trace = " ".join(line[157:].strip("│ ") for line in frame(app).split("\n"))
        assert "/ (2/61) =" in trace, "the sum stands in the trace"
        screen.to_list()
        await pilot.press("G")
        last = screen.hit
        assert last is not None
        assert last.retrieval.lexical_rank is None, "its words do not find it"
        await until(pilot, lambda: idle(app))
        await pilot.press("alt+1")
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.hit is not None and screen.hit.chunk_id == last.chunk_id and idle(app))
        assert screen.hits.rows.chosen > 0, "where one was, also where that comes by meaning only"
        screen.to_list()
        await pilot.press("m", "m")
        await until(pilot, lambda: screen.hit is not None and screen.hit.score_kind == "cosine" and idle(app))
        assert "meaning only" in frame(app)
