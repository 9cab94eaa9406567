"""Another program that embeds the same rules just now is waited for, where there is time."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from core.embedding.asking import ModelAtHand, VectorSearch
from core.embedding.catalogue import CATALOGUE, MINILM
from core.embedding.embedder import Embedder
from core.flows.rules import RuleMatcher
from core.rules.call import ToolCall
from core.store import jobs, open_store
from tests.flows.counting_embedder import RULES, Counting

PUSH = ToolCall("Bash", {"command": "git push --force origin main"})


def _hold(database: Path, taken: Event, let_go: Event) -> None:
    """Another program, which has the one place to embed."""
    with open_store(database, write=True) as store:
        job = jobs.begin(store, "embed")
        assert job is not None
        taken.set()
        let_go.wait(60.0)
        jobs.finish(store, job)


@pytest.mark.parametrize("patient", [True, False])
def test_a_match_waits_for_another_run_where_it_may(
    tmp_path: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch, patient: bool
) -> None:
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    open_store(tmp_path / "casebook.db", write=True, create=True).close()
    taken, let_go = Event(), Event()
    other = Thread(target=_hold, args=(tmp_path / "casebook.db", taken, let_go))
    other.start()
    assert taken.wait(60.0)
    monkeypatch.setattr("core.flows.rules.time.sleep", lambda _: let_go.set())  # it ends while it is waited for
    vectors = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: Counting(minilm)))
    file = (tmp_path / "memory.md", "project")
    patience = 3.0 if patient else 0.0
    try:
        with RuleMatcher([file], tmp_path / "casebook.db", vectors, deadline_s=30.0, patience_s=patience) as matcher:
            found = matcher.match(PUSH)
    finally:
        let_go.set()
        other.join()
    assert found.fallback_used != patient
    assert ("another run is embedding just now" in str(found.trace)) != patient
