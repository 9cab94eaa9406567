"""An import that finds nothing says where it looked; one that is stopped says so, and the next one completes it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.evidence.realign import align_session
from core.flows.system import evidence
from core.samples import DEMO_SESSION, sample_paths
from core.store import jobs, open_store

Run = Callable[..., Any]


def test_the_folders_looked_at_are_named_in_short(run: Run, home: Path) -> None:
    nothing = run("import", "auto")
    assert nothing.code == 1
    assert "no transcripts in ~/.claude/projects, ~/.codex/sessions, " in nothing.said
    assert str(home) not in nothing.said
    assert len(nothing.said) < 400


@pytest.fixture
def stops_at_a_quote(home: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A session with quotes in the agent's folder, and Ctrl-C once they are aligned."""
    folder = home / ".claude" / "projects" / "orders"
    folder.mkdir(parents=True)
    sample = f"claude-code/-home-mina-work-orders-api/{DEMO_SESSION}.jsonl"
    shutil.copy(sample_paths()[0].parent / sample, folder)

    def pressed(*args: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return align_session(*args, **named)

    monkeypatch.setattr(evidence, "align_session", pressed)
    return monkeypatch


def test_ctrl_c_while_quotes_are_aligned_is_said(run: Run, home: Path, stops_at_a_quote: pytest.MonkeyPatch) -> None:
    stopped = run("import", "auto")
    assert stopped.code == 130
    assert "Read 1 file" in stopped.text and "Stopped. The next import resumes here." in stopped.text
    assert run("evidence", "list", "--status", "aligned").code == 1
    with open_store(home / ".local" / "share" / "casebook" / "casebook.db") as store:
        assert [job.status for job in jobs.recent(store, kind="align")] == ["canceled"]
    stops_at_a_quote.setattr(evidence, "align_session", align_session)
    assert run("import", "auto").code == 0
    assert run("evidence", "list", "--status", "aligned").code == 0


def test_ctrl_c_ends_an_init_before_it_writes(run: Run, home: Path, stops_at_a_quote: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    stops_at_a_quote.chdir(home)
    stopped = run("init", "--yes")
    assert stopped.code == 130 and "Stopped." in stopped.said
    assert not (home / ".casebook").exists()
