"""`casebook rules match` and its model: the service is asked first, and where the model is late the answer says so."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from core.base.fault import Fault
from core.embedding.models.catalogue import MINILM
from core.embedding.runtime.embedder import Embedder
from core.flows.rules import matcher as flow
from core.flows.system import vectors
from tests.cli.conftest import ROOT

MEMORY = str(Path(__file__).parents[2] / "data" / "rules" / "memory.md")
PUSH = ["--rules", MEMORY, "--tool", "Bash", "--input", '{"command": "git push -f origin main"}']


@pytest.fixture
def late(home: Path, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine with the model, on which it does not come in time."""
    cache = home / ".cache" / "casebook"
    cache.mkdir(parents=True)
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("CASEBOOK_EMBEDDING_SERVICE", "false")

    def slowly(_found: object) -> Embedder:
        time.sleep(3)
        raise Fault("model_unreachable", "nobody waits for it")

    monkeypatch.setattr(vectors, "_loaded", slowly)
    made = flow.RuleMatcher.__init__

    def hurried(self: Any, *given: Any, **named: Any) -> None:
        made(self, *given, **named)
        self.deadline_s = 0.2

    monkeypatch.setattr(flow.RuleMatcher, "__init__", hurried)
    return ["rules", "match", *PUSH, "--db", str(home / "casebook.db")]


def test_a_late_model_is_named_as_the_reason(
    late: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(late) == 0
    lines = capsys.readouterr().out.split("\n")
    assert "Keywords only: the model is still loading. Results may differ with the model." in " ".join(lines)
    assert max(map(len, lines)) <= 60
    assert main([*late, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fallback_used"] is True
    (step,) = [step for step in told["trace"] if step["stage"] == "semantic"]
    assert (step["outcome"], step["reason"]) == ("timeout", "the model is still loading")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the service listens on a Unix socket here")
def test_a_service_that_runs_is_asked_and_no_model_is_loaded(home: Path, minilm_folder: Path) -> None:
    cache, runtime = home / ".cache" / "casebook", home / "r"
    cache.mkdir(parents=True)
    runtime.mkdir(mode=0o700)
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(minilm_folder.parent)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(runtime)}
    env.pop("CASEBOOK_EMBEDDING_SERVICE", None)

    def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", f"{code}; import cli.main; sys.exit(cli.main.main())", *words]
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)

    service = subprocess.Popen([sys.executable, "-m", "cli", "serve-model", "--model", MINILM], env=env)
    try:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            status = run("import sys", "serve-model", "--status", "--json")
            if status.returncode == 0 and not json.loads(status.stdout)["loading"]:
                break
            time.sleep(0.1)
        no_model_here = "import sys; sys.modules['onnxruntime'] = None"
        while True:  # a busy machine may take longer than a match waits for a model
            done = run(no_model_here, "rules", "match", *PUSH, "--db", str(home / "casebook.db"), "--json")
            if time.monotonic() > end or (done.stdout and not json.loads(done.stdout)["fallback_used"]):
                break
    finally:
        run("import sys", "serve-model", "--stop")
        service.wait(120)
    told = json.loads(done.stdout)
    assert (done.returncode, told["fallback_used"]) == (0, False), [one["reason"] for one in told["trace"]]
