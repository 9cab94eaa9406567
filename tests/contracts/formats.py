"""What the commands print and write about the casebook: lists, exports, blocks in agents' files, hooks in settings."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from core.samples import sample_rules
from tests.contracts.casebook import Casebook, built

COMMANDS = (
    "errors search 'Error: listen EADDRINUSE: address already in use :::8080'",
    "errors search 'Error: listen EADDRINUSE: address already in use :::8080' --json",
    "errors search 'no such error was ever seen 4711' --json",
    "errors normalize 'src/a.ts(1,2): error TS2307: Cannot find module \"./x\"' --json",
    "errors list --limit 4",
    "errors list --limit 4 --json",
    "errors show 19",
    "errors show 19 --json",
    "errors show 1 --json",
    "errors triage --limit 2 --json",
    "errors history 19",
    "errors history 19 --json",
    "errors export --tool pytest",
    "errors export --status verified",
    "errors export --tool psql --format csv",
    "errors export --tool psql --format markdown",
    "errors export --fixes",
    "errors export --fixes --format markdown",
    "evidence list",
    "evidence list --json --limit 3",
    "evidence list --entries --json --limit 3",
    "evidence show 1 --json",
    "evidence show rates-are-decimal",
    "evidence show rates-are-decimal --json",
    "library list",
    "library list --json --limit 2",
    "library search 'how often is a call tried again' -k 2",
    "library search 'how often is a call tried again' -k 2 --json --explain",
    "library inspect retry.py",
    "library inspect retry.py#L8 --json",
    "rules list --rules rules.md",
    "rules list --rules rules.md --json",
    "rules check --rules rules.md",
    'rules match --rules rules.md --no-model --tool Bash --input \'{"command": "git push --force"}\'',
    'rules match --rules rules.md --no-model --tool Bash --input \'{"command": "git push --force"}\' --json',
    "rules compare --rules rules.md --no-model --calls rule-calls.jsonl",
    "undo --list",
    "undo --list --json --limit 3",
    "config show",
    "errors show 4711",
    "errors show 4711 --json",
)
"""Each is run on the same casebook, none changes it."""


def printed_text(folder: Path) -> str:
    """What each command prints, with its exit code."""
    book = built(folder)
    (folder / "rule-calls.jsonl").write_bytes(sample_rules()[1].read_bytes())
    return "".join(_block(book, shlex.split(line), line) for line in COMMANDS)


def _block(book: Casebook, words: list[str], line: str) -> str:
    ran = book(*words)
    out = ran.out
    if "--json" in words and ran.code in (0, 1):
        out = json.dumps(json.loads(out), ensure_ascii=False, indent=1) + "\n" if out else out
    said = f"# stderr\n{ran.err}" if ran.err else ""
    return f"$ casebook {line}\n# exit {ran.code}\n{out}{said}\n"


def written_text(folder: Path) -> str:
    """The files that commands write: exports, blocks in agents' files, hooks in settings, the settings file."""
    book = built(folder)
    agents = folder / "AGENTS.md"
    agents.write_text("# The shop\n\nPrices are Decimals.\n", encoding="utf-8")
    settings = folder / "settings.json"
    settings.write_text('{\n  "model": "opus",\n  "hooks": {}\n}\n', encoding="utf-8")
    names = ("cases.jsonl", "cases.csv", "cases.md", "AGENTS.md", "settings.json", "config.toml")
    book.must("errors", "export", "--fixes", "-o", folder / "cases.jsonl")
    book.must("errors", "export", "--fixes", "--format", "csv", "-o", folder / "cases.csv")
    book.must("errors", "export", "--fixes", "--format", "markdown", "-o", folder / "cases.md")
    book.must("errors", "export", "--fixes", "--format", "markdown", "-o", agents, "--force")
    book.must("hooks", "install", "--settings", settings)
    book.must("--config", folder / "config.toml", "config", "init")
    first = "".join(f"## {name}\n{book.plain((folder / name).read_bytes().decode())}\n" for name in names)
    book.must("errors", "verify", "1", "--resolution", "RATES are Decimals made from strings.")
    book.must("errors", "export", "--fixes", "--format", "markdown", "-o", agents, "--force")
    again = f"## AGENTS.md after one more fix\n{agents.read_text('utf-8')}\n"
    book.must("hooks", "uninstall", "--settings", settings)
    gone = f"## settings.json without hooks\n{settings.read_text('utf-8')}\n"
    return first + again + gone
