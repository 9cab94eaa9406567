"""The Rules pane with the real MiniLM: words answer at once, the model joins, an edit is followed by both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.config import load_config
from core.embedding.catalogue import MINILM
from core.embedding.embedder import Embedder
from core.embedding.models import pulled_folder
from tests.tui.rules_support import CALLS, PUSH, RULES, answered, idle, opened, put_calls
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
    folder = pulled_folder(MINILM)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(minilm_folder)


async def test_the_model_joins_and_follows_an_edit(tmp_path: Path, at_home: None) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    casebook = put_calls(tmp_path / "calls.db", *CALLS)
    app = CasebookApp(casebook, around=Surroundings(load_config(), rules=(rules,)), clock=lambda: NOW)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)

        def by_meaning() -> bool:
            ranked = screen.rank.ranked
            return ranked is not None and answered(screen, PUSH) and not ranked.match.fallback_used and idle(app)

        await until(pilot, by_meaning)
        ranked = screen.rank.ranked
        assert ranked is not None
        assert not ranked.soon
        assert all(one.similarity is not None for one in (*ranked.match.rules, *ranked.match.below))
        await until(pilot, lambda: "all-MiniLM-L6-v2@" in frame(app) and "the row is what the file says" in frame(app))
        await pilot.press("w")
        await until(pilot, lambda: "Why not" in frame(app))
        await pilot.press(*"retry", "enter")
        await until(pilot, lambda: "similarity 0." in frame(app) and "What it would have needed" in frame(app))
        rules.write_text(RULES.replace("Force push over a shared branch", "Letters fell off the sign"), "utf-8")
        await until(pilot, lambda: "Letters fell off the sign" in frame(app) and by_meaning())
        assert screen.rank.ranked is not None
        assert screen.rank.ranked.moved, "what moved is told by the same tiers as before"
