"""Embedding with the real model, from a casebook to its neighbours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding import Embedder, similarity_of
from core.embedding.index.index import open_index
from core.embedding.index.state import why_off
from core.embedding.runtime.embedder import Source
from core.embedding.runtime.report import EmbedReport
from core.embedding.runtime.worker import place_of
from core.errors import identify, observe
from core.errors.retrieval.embed_text import ErrorSource, embed_text
from core.flows.ingest.api import IngestOptions, ingest
from core.flows.system import embedding
from core.flows.system.embedding import embed_pending, vector_facts
from core.rules.format.parse import parse
from core.rules.format.store import sync
from core.store import Store, jobs, load_vec, open_store

MINILM = EmbeddingSettings(model="all-MiniLM-L6-v2")
SEEN = (
    "Error: Cannot find module 'react'",
    "fatal: unable to access 'https://example.org/a.git/': Could not resolve host: example.org",
    "PermissionError: [Errno 13] Permission denied: '/var/lib/app/state.json'",
    "sqlite3.OperationalError: database is locked",
    "모듈을 찾을 수 없습니다: 'react'",
)


@pytest.fixture
def db(tmp_path: Path, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A casebook with five errors, and a home in which the real model is."""
    cache = tmp_path / "cache" / "casebook"
    cache.mkdir(parents=True)
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "casebook.db"
    with open_store(path, create=True) as store:
        add(store, *SEEN)
    yield path


def add(store: Store, *errors: str) -> None:
    with store.transaction() as con:
        for raw in errors:
            ts = "2026-02-07T09:00:00.000Z"
            observe(con, identify(raw), session_id=None, message_idx=None, tool=None, project=None, ts=ts, raw=raw)


def test_ra_005_with_the_real_model(db: Path, minilm: Embedder) -> None:
    report = embed_pending(db, settings=MINILM)
    assert (report.embedded, report.failed, report.waiting) == (5, (), 0)
    with open_store(db) as store:
        load_vec(store.con)
        assert store.con.execute("SELECT count(*) FROM vec_error_kb").fetchone() == (5,)
        place = place_of(ErrorSource(), minilm)
        assert why_off(store.con, place.kind, place.model, place.recipe) is None
        index = open_index(store.con, place.kind, place.model, place.recipe, place.dim)
        ((query,),) = minilm.embed([embed_text("Module not found: Error: Can't resolve 'react' in 'src'")], "query")
        (first, distance), *_ = index.nearest(query, 3)
        (line,) = store.con.execute("SELECT key_line FROM fingerprint WHERE case_id = ?", (first,)).fetchone()
        assert "react" in line
        assert similarity_of(distance) > 0.7


def test_ra_005_3_with_the_real_model_loads_nothing(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embed_pending(db, settings=MINILM)
    monkeypatch.setitem(sys.modules, "core.embedding.runtime.local", None)  # to load it now would be an ImportError
    assert embed_pending(db, settings=MINILM).embedded == 0
    with open_store(db, write=True) as store, store.transaction() as con:
        con.execute("PRAGMA defer_foreign_keys = ON")
        con.execute("DELETE FROM fingerprint WHERE case_id = 1")
        con.execute("DELETE FROM occurrence WHERE fingerprint NOT IN (SELECT fingerprint FROM fingerprint)")
        con.execute("DELETE FROM case_key WHERE case_id = 1")
        con.execute("DELETE FROM error_kb WHERE id = 1")
    report = embed_pending(db, settings=MINILM)
    assert (report.removed, report.embedded) == (1, 0)


def test_only_what_is_new_is_embedded(db: Path) -> None:
    embed_pending(db, settings=MINILM)
    with open_store(db, write=True) as store:
        add(store, "OSError: [Errno 28] No space left on device")
    assert embed_pending(db, settings=MINILM, threads=2).embedded == 1


def library_and_rules(db: Path, folder: Path) -> None:
    """Three passages and a rule beside the five errors."""
    folder.mkdir(exist_ok=True)
    (folder / "notes.md").write_text("".join(f"# Part {n}\n\nThe valve {n} opens at noon.\n\n" for n in "123"))
    rules = folder / "rules.txt"
    rules.write_text("### ERR-001: Close the valve\n**Problem**: it leaks\n**Solution**: close it\n")
    with open_store(db, write=True) as store:
        ingest(store, [folder], IngestOptions(include=("*.md",)))
        sync(store, [parse(rules)])


def test_one_run_embeds_cases_rules_and_passages(db: Path) -> None:
    library_and_rules(db, db.with_name("docs"))
    told: list[Progress] = []
    report = embed_pending(db, settings=MINILM, progress=told.append)
    assert {part.kind: part.embedded for part in report.parts} == {"error": 5, "rule": 1, "chunk": 3}
    assert (report.kind, report.embedded, report.waiting) == ("all", 9, 0)
    assert told[0].total == told[-1].total == told[-1].done == 9, "it counts all of it from the first"
    again = embed_pending(db, settings=MINILM)
    assert (again.embedded, again.waiting) == (0, 0)
    with open_store(db) as store:
        facts = vector_facts(store, MINILM, count=True)
        assert [job.status for job in jobs.recent(store, kind="embed")] == ["succeeded"] * 3
    assert (facts.due, facts.passages, facts.passage_vectors) == (0, 3, 3)


def test_what_is_not_there_makes_no_run(db: Path) -> None:
    embed_pending(db, settings=MINILM)
    with open_store(db) as store:
        assert len(jobs.recent(store, kind="embed")) == 1, "neither rules nor passages"


def test_a_case_that_comes_while_passages_are_embedded_goes_first(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "LOOKS_S", 0.0)
    library_and_rules(db, db.with_name("docs"))
    kinds: list[str] = []
    real = embedding.run

    def noted(store: Store, source: Source, *given: Any, progress: Any, **more: Any) -> EmbedReport:
        def told(step: Progress) -> None:
            if source.kind == "chunk" and kinds.count("chunk") == 1:
                add(store, "OSError: [Errno 28] No space left on device")
            progress(step)

        kinds.append(source.kind)
        return real(store, source, *given, progress=told, **more)

    monkeypatch.setattr(embedding, "run", noted)
    report = embed_pending(db, settings=MINILM, batch=1, progress=lambda _step: None)
    assert kinds == ["error", "rule", "chunk", "error", "chunk"]
    assert {part.kind: part.embedded for part in report.parts} == {"error": 6, "rule": 1, "chunk": 3}
    assert not report.canceled


def test_a_run_that_is_stopped_says_what_still_waits(db: Path) -> None:
    library_and_rules(db, db.with_name("docs"))
    report = embed_pending(db, settings=MINILM, stop=lambda: True)
    assert (report.canceled, report.embedded, report.waiting) == (True, 0, 9)


def test_a_model_that_is_not_here_is_a_fault_that_names_the_command(db: Path) -> None:
    with pytest.raises(Fault) as caught:
        embed_pending(db, settings=EmbeddingSettings(model="multilingual-e5-large"))
    assert (caught.value.code, caught.value.hint) == (
        "model_not_pulled",
        "run: casebook models pull multilingual-e5-large",
    )


def test_no_casebook_is_a_fault(db: Path) -> None:
    with pytest.raises(Fault) as caught:
        embed_pending(db.with_name("none.db"), settings=MINILM)
    assert caught.value.code == "not_indexed"
