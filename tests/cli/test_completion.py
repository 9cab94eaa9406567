"""What is made from the parser: completion scripts that shells accept, and the manual page."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.commands.completion import _walk
from cli.parser import build
from core.errors.cases.completions import completions
from core.store import open_store
from tests.cli.conftest import ROOT

Run = Callable[..., Any]
_REQUESTS = {"TH", "SH", "SS", "TP", "PP", "B", "nf", "fi"}
"""What the lines of a manual page may begin with."""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_accept_the_script(run: Run, tmp_path: Path, shell: str) -> None:
    found = run("completion", shell)
    assert found.code == 0
    for word in ("search", "tool-sequence", "markdown", "salvage", "claude-code"):
        assert word in found.text
    if shell == "fish":
        assert " -f -a errors -d " in found.text, "files are not offered between commands"
        assert " -a claude-code" in found.text
        assert " -f -a claude-code" not in found.text, "a path may follow import"
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


@pytest.fixture
def shop(run: Run, home: Path) -> Run:
    """A casebook with a project, and with one whose folder has a name that a shell would run."""
    for name in ("shop", "$(touch ran)", "two words"):
        session = home / f"{len(name)}.jsonl"
        call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm test"}}
        said = f"Error: Cannot find module 'm{len(name)}'\n    at Module._load (node:internal:1:1)"
        result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": said}
        lines = [
            {"type": kind, "uuid": kind, "sessionId": name, "cwd": f"/home/me/{name}",
             "timestamp": "2026-01-05T10:00:00Z", "message": {"role": kind, "content": [part]}}
            for kind, part in (("assistant", call), ("user", result))
        ]  # fmt: skip
        session.write_text("\n".join(map(json.dumps, lines)) + "\n")
        assert run("import", "claude-code", str(session)).code == 0
    return run


def test_values_of_the_casebook_are_completed_and_never_run(shop: Run, home: Path) -> None:
    def values(*asked: str) -> list[str]:
        return shop("completion", "--values", *asked).text.splitlines()

    assert values("project", "") == ["shop"]
    assert values("project", "x") == []
    assert values("tool", "") == ["node"]
    ids = [str(case["id"]) for case in shop("errors", "list", "--json").json()["cases"]]
    assert [line.split("\t")[0] for line in values("case", "")] == ids
    assert values("case", "1") == ["1\tError: Cannot find module 'm4'"]
    if shutil.which("bash") is not None:
        script = (
            f"{shop('completion', 'bash').text}\n"
            f'casebook() {{ {shlex.quote(sys.executable)} -m cli "$@"; }}\n'
            "COMP_WORDS=(casebook errors list --project ''); COMP_CWORD=4; _casebook; echo \"${COMPREPLY[@]}\"\n"
            'COMP_WORDS=(casebook errors show 1); COMP_CWORD=3; _casebook; echo "${COMPREPLY[@]}"'
        )
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            ["bash", "-c", script], check=False, capture_output=True, env=env, cwd=home, text=True, timeout=120
        )
        assert (done.stdout.split(), done.stderr) == (["shop", "1"], "")
        assert not (home / "ran").exists()


@pytest.mark.parametrize("asked", [("case", "0x"), ("case", "9" * 40), ("nothing", ""), ("project", "\x1b")])
def test_completion_of_values_is_never_an_error(shop: Run, home: Path, asked: tuple[str, str]) -> None:
    (home / "torn.db").write_bytes(b"SQLite format 3\0" + b"x" * 200)
    for place in ((), ("--db", str(home / "none.db")), ("--db", str(home / "torn.db"))):
        found = shop(*place, "completion", "--values", *asked)
        assert (found.code, found.out, found.err) == (0, b"", b"")
    assert not (home / "none.db").exists()


def test_ids_that_begin_alike_are_ranges_of_the_key(tmp_path: Path) -> None:
    ids = (1, 9, 10, 19, 100, 119, 1_234, 2_000, 1_999_999)
    with open_store(tmp_path / "x.db", write=True, create=True) as store:
        for number in ids:
            store.con.execute("INSERT INTO error_kb(id, ts, error_normalized) VALUES (?1, '2026-01-01', ?1)", (number,))
        found = {prefix: completions(store.con, "case", prefix) for prefix in ("1", "12", "2000", "3", "0", "a")}
    assert {prefix: [one.value for one in values] for prefix, values in found.items()} == {
        prefix: sorted((str(n) for n in ids if str(n).startswith(prefix)), key=int) for prefix in found
    }


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
