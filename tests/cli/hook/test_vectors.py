"""Hooks and the model: other words are answered through the service; a hanging one costs a moment at most."""

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

from core.base.config.settings import EmbeddingSettings
from core.errors.cases.record import record_resolution
from core.flows.system.embedding import embed_pending

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the service listens on a Unix socket here")
ROOT = Path(__file__).resolve().parents[3]
KNOWN = "Error: Cannot find module 'react'\nRequire stack:\n- /home/me/shop/index.js"
OTHER_WORDS = "Exit code 1\nModule not found: Error: Can't resolve 'react' in '/home/me/shop/src'"


class Home:
    """A user's home with the real model and a casebook that has vectors."""

    def __init__(self, path: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.database = path, path / "casebook.db"
        cache = path / ".cache" / "casebook"
        cache.mkdir(parents=True)
        models.mkdir(parents=True, exist_ok=True)
        (cache / "models").symlink_to(models)
        self.runtime = path / "r"
        self.runtime.mkdir(mode=0o700)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_"))}
        self.env = kept | {
            "HOME": str(path),
            "PYTHONPATH": str(ROOT),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "CASEBOOK_HOOK_HOST": "false",
            "CASEBOOK_HOOK_DEADLINE_MS": "60000",
        }
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(path))
        record_resolution(self.database, KNOWN, "Install react.")
        assert embed_pending(self.database, settings=EmbeddingSettings()).embedded == 1

    def run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "cli.main", *words]
        return subprocess.run(
            command, input=given, capture_output=True, cwd=self.path, env=self.env, timeout=120, check=False
        )

    def hook(self, error: str) -> dict[str, Any]:
        payload = {
            "hook_event_name": "PostToolUseFailure",
            "session_id": "s1",
            "cwd": "/home/me/shop",
            "tool_name": "Bash",
            "tool_input": {"command": "npm run build"},
            "error": error,
        }
        done = self.run("hook", "--db", str(self.database), given=json.dumps(payload).encode())
        assert done.returncode == 0
        return json.loads(done.stdout) if done.stdout else {}


@pytest.fixture
def home(tmp_path: Path, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return Home(tmp_path, minilm_folder.parent, monkeypatch)


def test_an_error_in_other_words_is_answered_through_the_service(home: Home) -> None:
    assert home.run("serve-model", "--background").returncode == 0
    try:
        for _ in range(300):
            if b'"loading":false' in home.run("serve-model", "--status", "--json").stdout.replace(b" ", b""):
                break
            time.sleep(0.2)
        answer, end = {}, time.monotonic() + 120
        while not answer and time.monotonic() < end:  # a busy machine may take longer than a hook waits for a model
            answer = home.hook(OTHER_WORDS)
        assert "> Install react." in answer["hookSpecificOutput"]["additionalContext"]
        assert "similar meaning" in answer["hookSpecificOutput"]["additionalContext"]
    finally:
        home.run("serve-model", "--stop")


def test_a_hanging_service_costs_the_agent_no_answer_of_the_text_tiers(home: Home) -> None:
    folder = home.runtime / "casebook"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "model.sock"))
        listener.listen()
        assert "> Install react." in home.hook(f"Exit code 1\n{KNOWN}")["hookSpecificOutput"]["additionalContext"]
        start = time.monotonic()
        assert home.hook(OTHER_WORDS) == {}
        assert time.monotonic() - start < 45
