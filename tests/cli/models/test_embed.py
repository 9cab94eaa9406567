"""`casebook embed`: progress and report, what stops it, and what it says without a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.commands.models.embed import report_lines
from cli.output import output_for
from core.embedding.runtime.report import EmbedReport, FailedText
from core.errors import identify, observe
from core.store import jobs, open_store
from tests.cli.conftest import ROOT, valid

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def db(home: Path, minilm_folder: Path) -> Path:
    """A casebook with 26 errors, in a home where the real model is."""
    cache = home / ".cache" / "casebook"
    cache.mkdir(parents=True)
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(minilm_folder.parent)
    path = home / "casebook.db"
    fill(path, [f"Error: the reactor {letter} {letter} did not start" for letter in LETTERS])
    return path


def fill(path: Path, errors: list[str]) -> None:
    with open_store(path, create=True) as store, store.transaction() as con:
        for raw in errors:
            ts = "2026-02-07T09:00:00.000Z"
            observe(con, identify(raw), session_id=None, message_idx=None, tool=None, project=None, ts=ts, raw=raw)


def test_embed_tells_progress_and_reports(run: Callable[..., Any], db: Path) -> None:
    done = run("embed", "--json", "--db", str(db), "--batch", "10")
    assert done.code == 0
    report = done.json()
    assert report["schema_version"] == "embed_report.v1"
    assert (report["embedded"], report["failed"], report["waiting"]) == (26, [], 0)
    steps = [valid(line + b"\n") for line in done.err.splitlines()]
    assert {step["schema_version"] for step in steps} == {"progress.v1"}
    assert (steps[-1]["done"], steps[-1]["total"], steps[-1]["kind"]) == (26, 26, "embed")
    again = run("embed", "--db", str(db))
    assert (again.code, again.text) == (0, "Nothing to embed. Everything is embedded with all-MiniLM-L6-v2.\n")


@pytest.mark.parametrize("ended", [{"canceled": True}, {"failed": (FailedText(1, "too long"),)}])
def test_a_run_that_embedded_nothing_does_not_say_that_everything_is_embedded(ended: dict[str, Any]) -> None:
    report = EmbedReport("all", "all-MiniLM-L6-v2@1", "", waiting=11, **ended)
    text = "\n".join(report_lines(output_for(json=False, verbose=False), report))
    assert "11 remaining" in text or "1 could not be embedded" in text
    assert "Everything" not in text


def test_without_the_model_the_fault_names_the_command(run: Callable[..., Any], db: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "multilingual-e5-large")
    done = run("embed", "--json", "--db", str(db))
    assert done.code == 2
    fault = done.fault()
    assert (fault["code"], fault["hint"]) == ("model_not_pulled", "run: casebook models pull multilingual-e5-large")


@pytest.mark.parametrize("batch", ["0", "51", "-1", "x"])
def test_a_batch_has_its_bounds(run: Callable[..., Any], db: Path, batch: str) -> None:
    done = run("embed", "--json", "--db", str(db), "--batch", batch)
    assert (done.code, done.fault()["code"]) == (2, "invalid_input")


def test_another_run_is_left_alone(run: Callable[..., Any], db: Path) -> None:
    with open_store(db, write=True) as store:
        job = jobs.begin(store, "embed")
        assert job is not None
        done = run("embed", "--db", str(db))
        assert (done.code, done.text) == (1, "Another process is embedding. No change.\n")
        jobs.finish(store, job)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_it_and_the_next_run_goes_on(run: Callable[..., Any], db: Path) -> None:
    fill(db, [f"Error: part {a} {b} of unit {c} is broken" for a in LETTERS for b in LETTERS for c in LETTERS[:4]])
    child = subprocess.Popen(
        [sys.executable, "-m", "cli", "embed", "--json", "--db", str(db), "--batch", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stderr is not None
    first = json.loads(child.stderr.readline())
    assert first["schema_version"] == "progress.v1"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=120)
    assert child.returncode == 130
    report = valid(out)
    assert report["canceled"]
    assert report["embedded"] > 0
    assert report["waiting"] > 0
    with open_store(db) as store:
        assert store.con.execute("SELECT count(*) FROM vector").fetchone() == (report["embedded"],)
        assert jobs.recent(store)[0].status == "canceled"
