"""Row 30: a secret that comes in by any door is in no file of casebook's and in nothing that it prints or writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import pytest

from tests.core.transcripts.builders import Claude

ROOT = Path(__file__).resolve().parents[2]
SECRETS = [json.loads(line) for line in (ROOT / "tests/data/secrets.jsonl").read_text("utf-8").splitlines()]
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "CASEBOOK_HOOK_DEADLINE_MS": "60000", "CASEBOOK_HOOK_HOST": "false"}
NO_MODEL = {"CASEBOOK_EMBEDDING_MODEL": "none", "CASEBOOK_EMBEDDING_SERVICE": "false"}


FORKS = """
import json, os, sys
import cli.commands.errors.search, cli.commands.hook, core.flows.hook.dispatch, core.flows.hook.post_tool_use
from cli.main import main
from core.errors import identify, record_resolution
from core.text import redact
lines = sys.stdin.buffer.read().splitlines()
for line in lines:
    identify(redact(line.decode()))
for line in lines:
    args, given = json.loads(line)
    child = os.fork()
    if child == 0:
        reading, writing = os.pipe()
        os.write(writing, given.encode())
        os.close(writing)
        os.dup2(reading, 0)
        sys.stdin = os.fdopen(0)
        code = main(args)
        sys.stdout.flush()
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, 1), args
"""
"""Runs each line, arguments and input, in a process of its own that is forked: it need not start Python, load modules
and compile patterns."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder whose casebook has taken every secret in as transcript, document, hook event and record."""
    home = tmp_path_factory.mktemp("home")
    source, docs = home / "source", home / "source" / "docs"
    docs.mkdir(parents=True)
    log, notes = Claude(session="secrets"), []
    for number, row in enumerate(SECRETS):
        log.user(f"what is wrong here?\n{row['text']}")
        log.call(f"t{number}", "Bash", {"command": f"cat <<END\n{row['text']}\nEND"})
        log.fails(f"t{number}", f"Exit code 1\nError: step {number} failed\n{row['text']}")
        notes.append(f"# Note {number}\n\n```\n{row['text']}\n```\n")
    (source / "secrets.jsonl").write_bytes(log.bytes())
    (docs / "notes.md").write_text("\n".join(notes), "utf-8")
    casebook(home, "import", "claude-code", str(source / "secrets.jsonl"), "--debug")
    casebook(home, "library", "ingest", str(docs), "--debug")
    lines = list[tuple[list[str], str]]()
    for row in SECRETS[::15]:
        record = ["errors", "record", "--error", f"Error: {row['text']}", "--resolution", f"use {row['text']}"]
        lines += (record, ""), (["hook"], json.dumps(hook_event(row["text"])))
    forked(home, lines)
    heard = apsw.Connection(str(home / ".local/share/casebook/casebook.db"))
    assert heard.execute("SELECT count(*) FROM error_kb WHERE error_raw LIKE '%deploy failed%'").fetchone() > (0,)
    heard.close()
    return home


def hook_event(text: str) -> dict[str, object]:
    return {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "live",
        "cwd": "/home/me/shop",
        "tool_name": "Bash",
        "tool_input": {"command": f"deploy {text}"},
        "error": f"Exit code 1\nError: deploy failed\n{text}",
    }


def casebook(home: Path, *args: str, stdin: bytes = b"") -> str:
    """Run a command, which must not fail; what it wrote to stdout and stderr."""
    return run_python(home, "-m", "cli", *args, stdin=stdin)


def forked(home: Path, lines: Sequence[tuple[list[str], str]]) -> str:
    """Run many commands, each with its input; what they wrote to stdout and stderr."""
    return run_python(home, "-c", FORKS, stdin="\n".join(map(json.dumps, lines)).encode())


def run_python(home: Path, *args: str, stdin: bytes) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_"))}
    env = kept | ENVIRONMENT | NO_MODEL | {"HOME": str(home)}
    command = [sys.executable, *args]
    done = subprocess.run(command, input=stdin, capture_output=True, env=env, cwd=home, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr[-500:]
    return (done.stdout + done.stderr).decode()


def stored(home: Path) -> Iterator[str]:
    """Every file of casebook's as text, and every value of its tables (a long one lies in pieces in the file)."""
    for path in (item for item in home.rglob("*") if item.is_file() and "source" not in item.parts):
        yield path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".db":
            con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            for (table,) in con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                if "fts" not in table:
                    for row in con.execute(f'SELECT * FROM "{table}"'):
                        yield "\n".join(str(value) for value in row if isinstance(value, str))
            con.close()


def leaked(text: str) -> list[str]:
    """The secrets of which a word of twelve signs, or the whole, is in the text.

    Those of less than eight signs are left out: such a one may be a word of another text.
    """
    wanted = [row["secret"] for row in SECRETS if len(row["secret"]) >= 8]
    return [
        one for one in wanted if any(part in text for part in (one, *one.split()) if len(part) >= 12 or part == one)
    ]


def test_row_30_nothing_that_is_stored_holds_a_secret(home: Path) -> None:
    files = list(home.rglob("*.db"))
    assert files
    everything = "\n".join(stored(home))
    assert "step 7 failed" in everything
    assert leaked(everything) == []


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
def test_row_30_no_export_holds_a_secret(home: Path, form: str) -> None:
    text = casebook(home, "errors", "export", "--format", form)
    assert "failed" in text
    assert leaked(text) == []


def test_row_30_nothing_that_is_printed_holds_a_secret(home: Path) -> None:
    lines = [
        ["library", "search", "Note", "-k", "50", "--json"],
        ["errors", "list", "--json"],
        ["errors", "show", "1", "--json"],
        *(["errors", "search", row["text"], "--no-count"] for row in SECRETS[::40]),
    ]
    printed = forked(home, [(line, "") for line in lines])
    assert all(f'"{name}.v1"' in printed for name in ("search_response", "case_list", "case"))
    assert printed.count("No known fix") + printed.count("Known error") == len(SECRETS[::40])
    assert leaked(printed) == []
