"""A process that ends while a model loads keeps its exit code, and Ctrl-C during a load ends it.

The load is the real one of onnxruntime; only that it takes longer, and tells when it is inside native code, is added.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import identify, observe
from core.store import jobs, open_store
from tests.cli.conftest import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

SLOW = """
import sys, threading
import onnxruntime.capi.onnxruntime_inference_collection as native
inside, opened = threading.Event(), native.InferenceSession._create_inference_session

def slowly(self, *given, **named):
    print("INSIDE", file=sys.stderr, flush=True)
    inside.set()
    for _ in range({times}):
        opened(self, *given, **named)

native.InferenceSession._create_inference_session = slowly
"""
LIBRARY = """
import core.rules.matching.seed_api as api
api.DEADLINE_S = 0.5
rules = [{"id": "ERR-001", "title": "Force push", "problem": "git push --force over a shared branch",
          "solution": "use --force-with-lease"}]
found = api.find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force origin main"})
print([one["id"] for one in found])
inside.wait(120)
"""
COMMAND = """
import cli.main, cli.program, core.flows.rules.matcher
whole = cli.program.run

def run(given):
    code = whole(given)
    if {wait}:
        inside.wait(120)
    return code

cli.program.run = run
def made(self, *given, _made=core.flows.rules.matcher.RuleMatcher.__init__, **named):
    _made(self, *given, **named)
    self.deadline_s = {deadline}
core.flows.rules.matcher.RuleMatcher.__init__ = made
sys.exit(cli.main.main())
"""
RULES = "### ERR-001: Force push\n**Problem**: `git push --force` over a shared branch\n**Solution**: ask\n"
PUSH = '{"command": "git push --force origin main"}'


@pytest.fixture
def db(home: Path, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A casebook with one error, one rule file beside it, in a home where the real model is and no service runs."""
    from core.embedding.models.catalogue import CATALOGUE, MINILM
    from core.embedding.models.models import LocalModel
    from core.embedding.models.prepare import prepare

    cache = home / ".cache" / "casebook"
    cache.mkdir(parents=True)
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    prepare(LocalModel(CATALOGUE[MINILM], minilm_folder, ready=False))
    (cache / "models").symlink_to(minilm_folder.parent)
    (home / "memory.md").write_text(RULES, "utf-8")
    monkeypatch.setenv("CASEBOOK_EMBEDDING_SERVICE", "false")
    path = home / "casebook.db"
    with open_store(path, create=True) as store, store.transaction() as con:
        raw = "Error: the reactor did not start"
        ts = "2026-02-07T09:00:00.000Z"
        observe(con, identify(raw), session_id=None, message_idx=None, tool=None, project=None, ts=ts, raw=raw)
    return path


def start(code: str, *argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=os.environ["HOME"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_a_program_that_asked_for_rules_ends_well_while_the_model_loads(db: Path) -> None:
    with start(SLOW.format(times=2) + LIBRARY) as child:
        out, err = child.communicate(timeout=120)
    assert (child.returncode, out) == (0, "['ERR-001']\n"), err


@pytest.mark.parametrize(("command", "code"), [(PUSH, 0), ('{"command": "ls -la"}', 1)], ids=["found", "silence"])
def test_rules_match_keeps_its_exit_code_while_the_model_loads(db: Path, command: str, code: int) -> None:
    program = SLOW.format(times=40) + COMMAND.format(deadline=0.5, wait=True)
    argv = ["rules", "match", "--db", str(db), "--rules", "memory.md", "--tool", "Bash", "--input", command]
    with start(program, *argv) as child:
        out, err = child.communicate(timeout=120)
    assert child.returncode == code, err
    assert ("ERR-001" in out) == (code == 0)


@pytest.mark.parametrize(
    "argv",
    [
        ["embed"],
        ["rules", "match", "--rules", "memory.md", "--tool", "Bash", "--input", PUSH],
        ["rules", "refresh", "--rules", "memory.md"],
        ["errors", "search", "--tiers", "all", "the reactor would not come up"],
        ["library", "search", "--mode", "vector", "reactor"],
    ],
    ids=lambda argv: "-".join(argv[:2]),
)
def test_ctrl_c_while_the_model_loads_ends_at_once(run: Callable[..., Any], db: Path, argv: list[str]) -> None:
    if argv[1:2] == ["search"]:
        embed(run, db)
    with start(SLOW.format(times=1_000_000) + COMMAND.format(deadline=60, wait=False), *argv, "--db", str(db)) as child:
        interrupted(child)
    assert child.returncode == 130
    if argv == ["embed"]:
        with open_store(db) as store:
            assert jobs.recent(store)[0].status == "canceled"


def interrupted(child: subprocess.Popen[str]) -> None:
    """Send Ctrl-C inside the load, which goes on for hours: who waits for it does not end."""
    assert child.stderr is not None
    assert "INSIDE" in iter(child.stderr.readline, "").__next__()
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    try:
        child.communicate(timeout=120)
    finally:
        child.kill()


@pytest.mark.parametrize("ends", ["stdin", "ctrl-c"])
def test_the_mcp_server_ends_well_while_the_model_loads(run: Callable[..., Any], db: Path, ends: str) -> None:
    embed(run, db)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = {"name": "search", "arguments": {"query": "reactor", "mode": "vector"}}
    lines = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    )
    with start(SLOW.format(times=1_000_000) + COMMAND.format(deadline=60, wait=False), "mcp", "--db", str(db)) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for line in lines:
            child.stdin.write(json.dumps(line) + "\n")
            child.stdin.flush()
        assert json.loads(child.stdout.readline())["id"] == 1
        if ends == "ctrl-c":
            interrupted(child)
        else:
            assert child.stderr is not None
            assert "INSIDE" in child.stderr.readline()
            child.communicate(timeout=120)
    assert child.returncode == (0 if ends == "stdin" else -signal.SIGINT)


def embed(run: Callable[..., Any], db: Path) -> None:
    """A library with one note, everything embedded: only then is the model asked for the vector of a question."""
    notes = db.with_name("notes")
    notes.mkdir()
    (notes / "a.md").write_text("# Reactor\n\nThe reactor did not start.\n", "utf-8")
    assert run("library", "ingest", "--db", str(db), str(notes)).code == 0
    assert run("embed", "--db", str(db)).code == 0
