"""What is made from the parser: completion scripts that shells accept, and the manual page."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.commands.completion import _walk
from cli.parser import build

Run = Callable[..., Any]
_REQUESTS = {"TH", "SH", "SS", "TP", "PP", "B", "nf", "fi"}
"""What the lines of a manual page may begin with."""


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
        ("casebook models pull ", "multilingual-e5-small-q4", "auto"),
        ("casebook models use ", "auto", "search"),
        ("casebook schema error", "error_search.v1", "insights.v1"),
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


def test_every_command_and_option_is_described(run: Run) -> None:
    page = run("man").text
    assert page.isascii()
    told = page.replace("\\-", "-")
    parts = {part.split('"')[0]: part for part in told.split('\n.SS "')[1:]}
    for place in _walk(build(), ""):
        names = [word.name for word in place.words if word.name.startswith("--") and word.name != "--help"]
        shared = {"--db", "--config", "--json", "--verbose", "--debug"}
        part = parts[f"casebook{place.path.replace('/', ' ')}"] if place.path else told
        assert [name for name in names if name not in shared and f"\\fB{name}\\fR" not in part] == []
    assert "\n.TP\n\\fB--json\\fR\nprint JSON instead of text" in told


def test_no_line_of_text_is_a_request(run: Run) -> None:
    lines = run("man").text.split("\n")
    assert {found[1] for line in lines if (found := re.match(r"[.'](\w*)", line))} == _REQUESTS
    assert not any(re.search(r"(?<!\\)-", line) for line in lines if not line.startswith("."))


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff here")
def test_groff_takes_the_page_without_a_warning(run: Run) -> None:
    page = run("man").out
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
