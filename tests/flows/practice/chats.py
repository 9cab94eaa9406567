"""Sessions in which a linter complains and is answered, and in which the environment lacks something."""

from __future__ import annotations

from pathlib import Path

from tests.flows.harvest.chat import HOME
from tests.flows.harvest.test_session import Transcript

LINT = "golangci-lint run ./..."
NILERR = """\
store/load.go:{line}:3: error is not nil (line {above}) but it returns nil (nilerr)
{source}
^
1 issues:
* nilerr: 1
"""
CLEAN = "0 issues."


def session(folder: Path, number: int) -> Transcript:
    return Transcript(folder, f"{number:08}-0000-4000-8000-000000000001")


def change(chat: Transcript, old: str, new: str, name: str = "store/load.go") -> Transcript:
    """An edit with its two sides."""
    call_id = f"toolu_{chat.session[:8]}_{len(chat.rows)}"
    given: dict[str, object] = {"file_path": f"{HOME}/{name}", "old_string": old, "new_string": new}
    return chat.call(call_id, "Edit", given).result(call_id, "The file has been updated.")


def linted(folder: Path, number: int, old: str, new: str, *, line: int = 12, name: str = "store/load.go") -> Transcript:
    """A session in which `nilerr` complains of the line `old` until it is `new`."""
    said = NILERR.format(line=line, above=line - 2, source=f"\t\t{old}")
    chat = session(folder, number).bash(LINT, said, 1)
    return change(chat, f"\t\t{old}", f"\t\t{new}", name).bash(LINT, CLEAN)


def three_linted(folder: Path) -> list[Path]:
    """`nilerr` is suppressed with a reason, suppressed without one, and dealt with."""
    return [
        linted(folder, 1, "return nil", "return nil //nolint:nilerr // nothing to load").save(),
        linted(folder, 2, "return none, nil", "return none, nil //nolint:nilerr", line=30).save(),
        linted(folder, 3, "return 0, nil", 'return 0, fmt.Errorf("load: %w", err)', line=50).save(),
    ]


def corrected(folder: Path, number: int) -> Transcript:
    """A session in which `gh` does not know a field, and passes without it."""
    said = 'Unknown JSON field: "merged"\nAvailable fields:\n  additions\n  mergedAt\n  state'
    return (
        session(folder, number)
        .bash("gh pr view 12 --json title,merged", said, 1)
        .bash("gh pr view 12 --json title,mergedAt", '{"mergedAt": null, "title": "Faster"}')
    )


def unquoted(folder: Path, number: int, name: str) -> Transcript:
    """A session in which zsh takes an option of `grep` for a pattern."""
    return (
        session(folder, number)
        .bash(f"grep -rn {name} --include=*.go src", "(eval):1: no matches found: --include=*.go", 1)
        .bash(f'grep -rn {name} --include="*.go" src', f"src/a.go:3:func {name}() {{")
    )
