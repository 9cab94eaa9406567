"""What a person or a script reads of the command line: help, answers, files, exit codes, JSON Schemas."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.contracts.agents import PATIENCE_S, command, environment
from tests.contracts.goldens import assert_golden, surroundings


def test_the_help_of_every_command() -> None:
    assert_golden("help.txt")


def test_the_schemas_of_what_is_written_as_json() -> None:
    assert_golden("schemas.txt")


def test_what_the_commands_print() -> None:
    assert_golden("printed.txt")


def test_the_files_that_commands_write() -> None:
    assert_golden("written.txt")


EXIT_CODES = (
    (0, "--version"),
    (0, "errors normalize 'Error: x'"),
    (0, "--db new.db errors record --error 'Error: x' --resolution y"),
    (1, "--db new.db errors search 'Error: nothing of the kind'"),
    (2, "--db none.db errors show 1"),
    (1, "import auto"),
    (2, "errors lst"),
    (2, "errors show x"),
    (2, "--config missing.toml errors list"),
    (3, "--db damaged.db doctor"),
)
"""What a script may rely on. 130, after Ctrl-C, is frozen in `tests/cli/test_faults.py`."""


@pytest.mark.parametrize(("code", "line"), EXIT_CODES, ids=[line for _, line in EXIT_CODES])
def test_the_exit_codes(code: int, line: str, tmp_path: Path) -> None:
    with surroundings(tmp_path):
        (tmp_path / "damaged.db").write_bytes(b"not a database" * 1000)
        done = subprocess.run(
            command(*shlex.split(line)), cwd=tmp_path, env=environment(), capture_output=True, check=False,
            timeout=PATIENCE_S, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    assert done.returncode == code, done.stderr.decode()
    assert code != 2 or (done.stdout, done.stderr[:10]) == (b"", b"casebook: ")
