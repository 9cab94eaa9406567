"""Names of a package loaded, and regular expressions compiled, at their first use: a start costs what it uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast


def lazy_names(package: str, later: Mapping[str, str], at_once: str = "") -> tuple[Callable[[str], object], list[str]]:
    """The `__getattr__` and `__all__` of a package whose modules hold the names `later`, blank-separated.

    `at_once`: names that the package has imported itself. `__getattr__` raises AttributeError for any other name.
    """
    modules = {name: module for module, names in later.items() for name in names.split()}

    def load(name: str) -> object:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{package}.{module}"), name)

    return load, sorted((*modules, *at_once.split()))


_TABLE = re.compile(r"^\[(\w+)\]\n((?:[^#\n].*\n)+)", re.MULTILINE)


def text_tables(module: str) -> dict[str, str]:
    """The tables of the text file next to a module (its `__file__`): `[NAME]`, then the lines of the table.

    Six blanks continue the line above; `#` begins a comment between two tables.
    """
    return dict(_TABLE.findall(Path(module).with_suffix(".txt").read_text("utf-8").replace("\n      ", "")))


def by_word(table: str) -> dict[str, str]:
    """The words of a table with rows like `NAME: WORD WORD`, each with the name of its row."""
    rows = (row.partition(": ") for row in table.splitlines())
    return {word: name for name, _, words in rows for word in words.split()}


_MEMBERS = (
    "search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split",
    "pattern", "flags", "groups", "groupindex",
)  # fmt: skip


class _Lazy:
    """Stands for a pattern until it is asked for anything; from then on its methods are the pattern's own."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        if name not in _MEMBERS:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for member in _MEMBERS:
            setattr(self, member, getattr(compiled, member))
        return getattr(compiled, name)


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled at its first use. A wrong `source` is found out then, so every one needs a test."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
