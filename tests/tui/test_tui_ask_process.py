"""The model in a process of its own: the same vectors, a fault for what cannot be read, and nobody left behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.embedding import Embedder, cosine
from core.fault import Fault
from core.settings import EmbeddingSettings
from tui.panes.errors import ask_process
from tui.panes.errors.ask_process import AskProcess

SETTINGS = EmbeddingSettings(model="all-MiniLM-L6-v2")


@pytest.fixture
def at_home(tmp_path: Path, minilm: Embedder, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "casebook").mkdir()
    (tmp_path / "casebook" / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def asked(at_home: None) -> Iterator[AskProcess]:
    process = AskProcess(SETTINGS)
    process.begin()
    yield process
    process.end()
    assert process.ended(60) is not None


def test_it_embeds_as_the_model_here_does_and_outlives_what_cannot_be_read(asked: AskProcess, minilm: Embedder) -> None:
    assert (asked.id, asked.version, asked.recipe, asked.dim) == (
        minilm.id,
        minilm.version,
        minilm.recipe,
        minilm.dim,
    )
    texts = ["cannot find module react", "두 줄\nof text \x1b[31m", "x" * 3000]
    for text in ("half \udc80", " "):
        with pytest.raises(Fault) as refused:
            asked.embed([text], "query")
        assert refused.value.code == "invalid_input"
    for ours, theirs in zip(asked.embed(texts, "query"), minilm.embed(texts, "query"), strict=True):
        assert len(ours) == len(theirs)
        assert all(cosine(one, other) > 1 - 1e-6 for one, other in zip(ours, theirs, strict=True))


def test_it_ends_once_nobody_asks_any_more(asked: AskProcess) -> None:
    asked.close()
    assert asked.ended(60) == 0
    with pytest.raises(Fault, match="has ended"):
        asked.embed(["too late"], "query")


def test_several_threads_each_get_their_own_answer(asked: AskProcess) -> None:
    texts = [f"error number {n} of {n * n}" for n in range(6)]
    alone = [asked.embed([text], "query")[0] for text in texts]
    found: dict[str, object] = {}
    threads = [
        threading.Thread(target=lambda text=text: found.update({text: asked.embed([text], "query")[0]}))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [found[text] for text in texts] == alone


def test_no_model_is_told_in_its_own_words(at_home: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process = AskProcess(EmbeddingSettings(model="all-mpnet-base-v2"))
    with pytest.raises(Fault) as told:
        process.begin()
    assert (told.value.code, process.ended(60)) == ("model_not_pulled", 0)


def test_one_that_is_ended_while_it_loads_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_process, "CHILD", "import time; main = lambda _settings: time.sleep(600)")
    process = AskProcess(SETTINGS)
    failed: list[Fault] = []

    def begin() -> None:
        try:
            process.begin()
        except Fault as fault:
            failed.append(fault)

    waiting = threading.Thread(target=begin, daemon=True)
    waiting.start()
    process.end()
    waiting.join(60)
    assert [fault.code for fault in failed] == ["model_unreachable"]
