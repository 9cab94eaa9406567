"""Completion scripts: shells accept them, and they complete."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_accept_the_script(run: Run, tmp_path: Path, shell: str) -> None:
    found = run("completion", shell)
    assert found.code == 0
    for word in ("search", "tool-sequence", "markdown", "salvage", "claude-code"):
        assert word in found.text
    binary = shutil.which(shell)
    if binary is not None:
        script = tmp_path / "script"
        script.write_text(found.text)
        subprocess.run([binary, "-n", str(script)], check=True, timeout=120)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("line", "wanted", "unwanted"),
    [
        ("casebook ", "errors", "search"),
        ("casebook err", "errors", "demo"),
        ("casebook errors ", "search", "demo"),
        ("casebook --json errors sea", "search", "list"),
        ("casebook errors export --format ", "markdown", "search"),
        ("casebook errors search --ti", "--tiers", "--db"),
        ("casebook import ", "claude-code", "search"),
        ("casebook completion ", "fish", "errors"),
    ],
)
def test_bash_completes(run: Run, line: str, wanted: str, unwanted: str) -> None:
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        f"{run('completion', 'bash').text}\n"
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _casebook; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True, timeout=120)
    offered = done.stdout.split("\n")
    assert wanted in offered
    assert unwanted not in offered
