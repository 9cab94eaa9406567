"""Every module, name and file of the project that a text names exists: strings, docstrings, comments, manuals."""

from __future__ import annotations

from inspect import getclosurevars

import pytest

from tests.contracts.command_line import leaves
from tests.contracts.goldens import assert_golden
from tests.contracts.module_names import (
    Place,
    exists,
    missing_file_names,
    missing_files,
    missing_modules,
    places,
    texts,
)

GONE = "no_such_part"


def test_every_module_that_a_text_names_exists() -> None:
    assert list(missing_modules(texts())) == []


def test_every_file_that_a_text_names_exists() -> None:
    assert list(missing_files(texts())) == []
    assert list(missing_file_names(texts())) == []


def test_the_code_looks_for_its_files_where_they_are() -> None:
    """A module that moves into a folder of its own finds another place beside it."""
    assert_golden("places.txt")
    assert [place for place in places() if place.startswith(("missing", "outside"))] == []


def test_every_command_that_is_loaded_late_exists() -> None:
    """A target of `run_later`: nothing looks for `run_list` until a person types the command."""
    runs = [parser.get_default("run") for _words, parser in leaves()]
    assert all(map(callable, runs))
    late = [found for run in runs if {"name", "module"} <= (found := getclosurevars(run).nonlocals).keys()]
    assert len(late) > 20
    assert [one for one in late if not exists(f"{one['module']}.{one['name']}")] == []


@pytest.mark.parametrize(
    "text",
    [
        f"core.{GONE}",
        f"see `tui.{GONE}.thing`, which is gone",
        f"core.errors.{GONE}",
        f"import sys; from core.errors import search, {GONE}; search()",
        f"from cli.{GONE} import main",
    ],
)
def test_a_module_that_is_gone_is_found(text: str) -> None:
    assert list(missing_modules([Place("x.py", 1, text)]))


@pytest.mark.parametrize("text", ["core.errors.search", "from core.errors import search as find", "srv/core.dump.gz"])
def test_what_exists_and_what_is_not_ours_is_passed_over(text: str) -> None:
    assert list(missing_modules([Place("x.py", 1, text)])) == []


def test_a_file_that_is_gone_is_found() -> None:
    assert list(missing_files([Place("x.py", 1, f"see core/{GONE}/data")]))
    assert list(missing_files([Place("pyproject.toml", 1, f'"{{core/errors,core/{GONE}}}" = ["PTH"]')]))
    assert list(missing_file_names([Place("x.py", 1, f"see `{GONE}.py`")]))


def test_the_texts_that_start_processes_are_among_those_read() -> None:
    """Child processes, the tables of commands, the contracts of the imports, the manuals: each is read."""
    read = {place.path for place in texts() if "core." in place.text or "cli." in place.text or "tui." in place.text}
    assert {"cli/parser.py", "pyproject.toml", "docs/guide/library.md", "core/process/child.py"} <= read
