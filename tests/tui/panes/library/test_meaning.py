"""The Library pane with the real MiniLM: words answer at once, meaning joins, and who reads a hit is not moved."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.config.settings_sources import load_config
from core.embedding.models.catalogue import MINILM
from core.embedding.models.models import pulled_folder
from core.embedding.runtime.embedder import Embedder
from core.flows.ingest.search import embed_passages
from core.library.search.rows import SearchHit
from tests.tui.panes.library.support import at_hit, idle, opened, put_notes, read_notes
from tests.tui.support import NOW, frame, until
from tui.panes.library.hits import listed
from tui.panes.library.screen import LibraryScreen
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp
from tui.widgets.scroll_text import StepLine


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
        said = " > ".join(hit.heading_path) + hit.snippet
        assert "Restor" in said or "복원" in said, "other words, the same meaning"
        await until(pilot, lambda: "in the semantic list" in frame(app) and at_hit(screen))
        trace = " ".join(" ".join(str(line.render()) for line in screen.why.query(StepLine)).split())
        assert "/ (2/61) =" in trace, "the sum stands in the trace"
        await until(pilot, lambda: screen.hit is not None and screen.hit.score_kind == "rerank" and idle(app))
        await until(pilot, lambda: "0.8*0." in frame(app) and at_hit(screen))
        screen.to_list()
        await pilot.press("G")
        last = screen.hit
        assert last is not None
        assert last.retrieval.lexical_rank is None, "its words do not find it"
        await until(pilot, lambda: idle(app))
        await pilot.press("alt+1")
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.hit is not None and screen.hit.chunk_id == last.chunk_id and idle(app))
        assert screen.hits.rows.chosen > 0, "where one was, also where that comes by semantic only"
        screen.to_list()
        await pilot.press("m", "m")
        await until(pilot, lambda: screen.hit is not None and screen.hit.score_kind == "cosine" and idle(app))
        assert "semantic only" in frame(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 34), (200, 50)], ids=str)
async def test_a_korean_query_names_the_command_that_installs_a_model_for_it(
    tmp_path: Path, at_home: None, size: tuple[int, int]
) -> None:
    casebook = read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))
    embed_passages(casebook, load_config().values.embedding)
    app = CasebookApp(casebook, around=Surroundings(load_config()), clock=lambda: NOW)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        screen.box.ask("야간 백업")
        command = "casebook models pull " if size != (120, 34) else ""
        await until(pilot, lambda: f"Korean: {command}multilingual-e5-small-q4" in frame(app))
        assert "keywords only" in frame(app)
        screen.box.ask("night copy")
        await until(pilot, lambda: screen.hit is not None and screen.hit.retrieval.method == "hybrid" and idle(app))
        assert "Korean: " not in frame(app)


class Held:
    """Keeps back what meaning says, as a slow machine does."""

    def __init__(self, screen: LibraryScreen, monkeypatch: pytest.MonkeyPatch) -> None:
        self._waiting: list[Callable[[], object]] = []
        ask = screen.searching.meaning.ask

        def later(query: Any, came: Any, failed: Any, *, delay: float = 0.0) -> None:
            ask(query, lambda found: self._waiting.append(lambda: came(found)), failed, delay=delay)

        monkeypatch.setattr(screen.searching.meaning, "ask", later)

    @property
    def ready(self) -> bool:
        """Whether it has been said."""
        return bool(self._waiting)

    def tell(self) -> None:
        """Let it come."""
        self._waiting.pop()()


QUERY = "bringing saved ledger data back"


async def by_words(pilot: Pilot[None], app: CasebookApp, monkeypatch: pytest.MonkeyPatch) -> tuple[LibraryScreen, Held]:
    """The pane with what the words have found, while meaning is kept back."""
    screen = await opened(pilot, app)
    held = Held(screen, monkeypatch)
    screen.box.ask(QUERY)
    await until(pilot, lambda: held.ready and screen.hit is not None and idle(app))
    assert screen.hit is not None
    assert screen.hit.retrieval.method == "lexical"
    return screen, held


async def test_a_rank_that_comes_late_keeps_the_place_of_whoever_has_not_moved(
    tmp_path: Path, at_home: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    casebook = read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))
    embed_passages(casebook, load_config().values.embedding)
    app = CasebookApp(casebook, around=Surroundings(load_config()), clock=lambda: NOW)
    async with app.run_test(size=(200, 50)) as pilot:
        screen, held = await by_words(pilot, app, monkeypatch)
        await pilot.press("down")
        assert screen.hits.rows.has_focus
        first = screen.hit
        held.tell()
        await until(
            pilot, lambda: screen.hit is not None and screen.hit.retrieval.method == "hybrid" and at_hit(screen)
        )
        assert first is not None
        assert screen.hit is not None
        assert screen.hit.chunk_id != first.chunk_id, "the words' first is another one: else this shows nothing"
        assert (screen.hits.rows.chosen, round(screen.hits.rows.scroll_y)) == (0, 0)
        rows = screen.hits.rows.rows
        assert all(row.score >= 0.005 for at in range(rows.total) if isinstance(row := rows.get(at), SearchHit))
        assert screen.searching.found is not None
        assert rows.total <= len(screen.searching.found.response.hits)


@pytest.mark.parametrize("keys", [("down", "down"), ("down", "enter")])
async def test_a_rank_that_comes_late_keeps_the_passage_that_was_gone_to_or_is_read(
    tmp_path: Path, at_home: None, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    casebook = read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))
    embed_passages(casebook, load_config().values.embedding)
    app = CasebookApp(casebook, around=Surroundings(load_config()), clock=lambda: NOW)
    async with app.run_test(size=(200, 50)) as pilot:
        screen, held = await by_words(pilot, app, monkeypatch)
        await pilot.press(*keys)
        before, shown = screen.hit, screen.document.wanted
        assert before is not None
        held.tell()
        await until(pilot, lambda: screen.hit is not None and screen.hit.retrieval.method == "hybrid" and idle(app))
        if screen.hits.rows.has_focus:
            assert screen.hit is not None
            assert screen.hit.chunk_id == before.chunk_id
        else:
            assert screen.document.wanted == shown, "what is read stays"


def test_the_tail_of_a_fusion_is_not_listed_unless_it_is_all_there_is() -> None:
    def hit(score: float, kind: str) -> SearchHit:
        return SimpleNamespace(score=score, score_kind=kind)  # type: ignore[return-value]

    good, tail, words = hit(0.3, "rrf"), hit(0.003, "rrf"), hit(0.001, "bm25")
    assert listed((good, tail, words)) == (good, words)
    assert listed((tail,)) == (tail,)
