"""A second process that reads ahead gives the same rows as reading here, and its death costs nothing."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from core.flows import import_ahead, import_source
from core.flows.import_report import ImportReport
from core.flows.importing import import_transcripts
from core.samples import sample_paths
from core.store import open_store


def imported(db: Path, files: list[Path]) -> tuple[ImportReport, list[object]]:
    with open_store(db, write=True, create=True) as store:
        report = import_transcripts(store, "auto", files)
        sql = "SELECT session_id, idx, role, kind, text, uuid, sha256, chain FROM message ORDER BY session_id, idx"
        rows: list[object] = list(store.con.execute(sql))
        rows += store.con.execute("SELECT fingerprint, session_id, message_idx FROM occurrence ORDER BY 1, 2, 3")
    return report, rows


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_ahead, "WORTH_IT", 0)
    monkeypatch.setattr(import_source, "BATCH_LINES", 7)


def test_reading_ahead_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = imported(tmp_path / "here.db", sample_paths())
    monkeypatch.setattr(import_ahead, "WORTH_IT", 0)
    monkeypatch.setattr(import_source, "BATCH_LINES", 7)
    assert imported(tmp_path / "ahead.db", sample_paths()) == here


@pytest.mark.usefixtures("ahead")
def test_a_process_that_dies_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = imported(tmp_path / "whole.db", sample_paths())
    begin, killed = import_ahead.Ahead._begin, list[int]()

    def kill_it(self: import_ahead.Ahead, *how: Any) -> object:
        begun = begin(self, *how)
        if self._pool is not None and not killed and self._pool._processes:
            killed.extend(self._pool._processes)
            os.kill(killed[0], signal.SIGKILL)
        return begun

    monkeypatch.setattr(import_ahead.Ahead, "_begin", kill_it)
    assert imported(tmp_path / "killed.db", sample_paths()) == whole
    assert killed


def test_a_process_that_cannot_be_started_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a full-screen application standard error has no descriptor, and `multiprocessing` raises ValueError."""
    whole = imported(tmp_path / "whole.db", sample_paths())

    def refuse(*_: Any) -> None:
        raise ValueError("bad value(s) in fds_to_keep")

    monkeypatch.setattr(import_ahead, "WORTH_IT", 0)
    monkeypatch.setattr(import_ahead.ProcessPoolExecutor, "submit", refuse)
    assert imported(tmp_path / "alone.db", sample_paths()) == whole
