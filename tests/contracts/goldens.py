"""The frozen contracts: a text for each, kept in `data` and made again by the function that is named here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.contracts import (
    agents,
    casebook,
    command_line,
    formats,
    identity,
    module_names,
    old_casebook,
    python_api,
    workbench,
)

DATA: Final = Path(__file__).parent / "data"

GOLDENS: Final[dict[str, Callable[[Path], str]]] = {
    "actions.jsonl": workbench.actions_text,
    "exports.txt": python_api.exports_text,
    "help.txt": command_line.help_text,
    "hooks.txt": agents.hooks_text,
    "identities.jsonl": identity.identities_text,
    "mcp.json": agents.mcp_text,
    "old_casebook.txt": old_casebook.old_casebook_text,
    "places.txt": module_names.places_text,
    "printed.txt": formats.printed_text,
    "rows.txt": casebook.rows_text,
    "schema.sql": casebook.schema_text,
    "schemas.txt": command_line.schemas_text,
    "state.json": workbench.state_text,
    "written.txt": formats.written_text,
}
"""Each golden's file name, and what makes its text in an empty folder."""

KEPT: Final = ("PATH", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV", "UV_CACHE_DIR")
"""What of the environment a golden is made under: nothing that a person set."""


@contextmanager
def surroundings(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """A home folder, an environment and a width that are the same everywhere. The current folder is `folder`."""
    home = folder / "home"
    home.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in set(os.environ) - set(KEPT):
            patch.delenv(name)
        for name, value in {
            "HOME": str(home), "COLUMNS": "80", "LINES": "24", "TZ": "UTC", "LC_ALL": "C.UTF-8", "LOGNAME": "mina",
            "CASEBOOK_EMBEDDING_MODEL": "all-mpnet-base-v2",  # it is not here: no model is loaded
            "CASEBOOK_HOOK_HOST": "false",
        }.items():  # fmt: skip
            patch.setenv(name, value)
        patch.chdir(folder)
        yield patch


def make(name: str) -> str:
    """The text of a golden as the program of now makes it."""
    with tempfile.TemporaryDirectory() as folder, surroundings(Path(folder).resolve()):
        return GOLDENS[name](Path(folder).resolve())


def kept(name: str) -> str:
    """The text of a golden as it was frozen."""
    return (DATA / name).read_bytes().decode()


def assert_golden(name: str) -> None:
    """Raises AssertionError, with the lines that differ, if the program of now makes another text."""
    made, frozen = make(name), kept(name)
    how = f"{name}: a public contract changed. If it was meant to: python -m tests.contracts --write {name}"
    assert made.split("\n") == frozen.split("\n"), how
    assert made == frozen, how
