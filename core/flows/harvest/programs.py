"""What programs are to a harvest: those that only read, those that answer, those that check, those that change things.

`programs.txt` says what each table means. Entries of two words are a program and its subcommand.
"""

from __future__ import annotations

from typing import Final

from core.base.lazy import text_tables

_TABLES: Final = text_tables(__file__)


def _set(text: str) -> frozenset[str]:
    return frozenset(" ".join(entry.split()) for entry in text.split(",") if entry.strip())


def _options(table: str) -> dict[str, frozenset[str]]:
    """Programs, each with the options of its that take a value."""
    rows = (line.partition(":") for line in _TABLES[table].splitlines())
    return {program: _set(options) for program, _, options in rows}


SETUP: Final = _set(_TABLES["SETUP"])
SHELL_STATE: Final = _set(_TABLES["SHELL_STATE"])
FILTERS_WHOLE: Final = _set(_TABLES["FILTERS_WHOLE"])
FILTERS_TAIL: Final = _set(_TABLES["FILTERS_TAIL"])
FILTERS_PART: Final = _set(_TABLES["FILTERS_PART"])
FILTERS_COUNT: Final = _set(_TABLES["FILTERS_COUNT"])
READERS: Final = _set(_TABLES["READERS"])
ANSWERS: Final = _set(_TABLES["ANSWERS"])
SEARCHES: Final = _set(_TABLES["SEARCHES"])
ANY_CODE: Final = _set(_TABLES["ANY_CODE"])
PRINTERS: Final = _set(_TABLES["PRINTERS"])
FILE_READERS: Final = _set(_TABLES["FILE_READERS"])
INTERPRETERS: Final = _set(_TABLES["INTERPRETERS"])
SPEAKERS: Final = _set(_TABLES["SPEAKERS"])
CHECKS: Final = _set(_TABLES["CHECKS"])
LINKERS: Final = _set(_TABLES["LINKERS"])
FORMATTERS: Final = _set(_TABLES["FORMATTERS"])
CHANGERS: Final = _set(_TABLES["CHANGERS"]) | FORMATTERS
CHANGING_VERBS: Final = _set(_TABLES["CHANGING_VERBS"])
WRAPPERS: Final = _options("WRAPPERS")
RUNNERS: Final = _options("RUNNERS")
GLOBAL_OPTIONS: Final = _options("GLOBAL_OPTIONS")
LOOKING_VERBS: Final = _set(_TABLES["LOOKING_VERBS"])
SCRIPT_RUNNERS: Final = _set(_TABLES["SCRIPT_RUNNERS"])
DATABASES: Final = _set(_TABLES["DATABASES"])
TOOLCHAINS: Final = _set(_TABLES["TOOLCHAINS"])
DECORATION: Final = _set(_TABLES["DECORATION"])
SELECTING_FLAGS: Final = _set(_TABLES["SELECTING_FLAGS"])
