"""On which line of a TOML text each key stands, which the standard reader does not tell."""

from __future__ import annotations


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Where each key of a TOML text stands: its path (table and key) to its 1-based line.

    tomllib tells no lines, so this reads what settings files are made of: tables, keys, dotted keys. Lines inside a
    triple-quoted string are passed over.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        bare = line.strip()
        if bare.startswith("["):
            table = _path(bare.strip("[").partition("]")[0])
            _mark(lines, table, number)
        elif "=" in bare and not bare.startswith("#"):
            _mark(lines, table + _path(bare.partition("=")[0]), number)
            quote = next((q for q in ('"""', "'''") if bare.count(q) == 1), "")
    return lines


def _mark(lines: dict[tuple[str, ...], int], path: tuple[str, ...], number: int) -> None:
    for size in range(1, len(path) + 1):
        lines.setdefault(path[:size], number)


def _path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
