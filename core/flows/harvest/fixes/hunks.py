"""Edits cut to what differs: the changed lines and one line of context on each side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final, NamedTuple

HUNKS_KEPT: Final = 16
"""Hunks kept of one call."""
HUNK_LINES: Final = 40
"""Lines kept of each side of a hunk."""
_LINE: Final = 400
_SHOWN: Final = 900
_SHOWN_LINES: Final = 24
_COMPARED: Final = 1_500
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t]*$", re.MULTILINE)
_AT: Final = re.compile(r"^@@.*$", re.MULTILINE)


class Hint(NamedTuple):
    """One hunk: what a file said before and after, each with at most one line around the lines that differ."""

    file: str
    old: str
    new: str

    @property
    def removed(self) -> tuple[str, ...]:
        """The lines that only the old side has."""
        new = set(self.new.split("\n"))
        return tuple(line for line in self.old.split("\n") if line.strip() and line not in new)

    @property
    def added(self) -> tuple[str, ...]:
        """The lines that only the new side has."""
        old = set(self.old.split("\n"))
        return tuple(line for line in self.new.split("\n") if line.strip() and line not in old)


def hunks(file: str, old: str, new: str) -> list[Hint]:
    """The hunks that make `new` of `old`, each cut to the lines that differ and one line around them."""
    before, after = (text.split("\n")[:_COMPARED] if text else [] for text in (old, new))
    found: list[Hint] = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(1):
        start, end = group[0], group[-1]
        found.append(Hint(file, _side(before[start[1] : end[2]]), _side(after[start[3] : end[4]])))
    return found[:HUNKS_KEPT]


def patched_files(text: str) -> list[str]:
    """The files that a patch in `*** Begin Patch` form names."""
    return list(dict.fromkeys(_PATCHED.findall(text)))


def patch_hints(patch: str) -> list[Hint]:
    """The hunks of a patch in `*** Begin Patch` form."""
    if "*** " not in patch[:20_000]:
        return []
    pieces = _PATCHED.split(patch[:100_000])
    found: list[Hint] = []
    for path, body in zip(pieces[1::2], pieces[2::2], strict=False):
        for section in _AT.split(body):
            found += _section(path, section)
    return found[:HUNKS_KEPT]


def _section(path: str, section: str) -> Iterator[Hint]:
    lines = [line for line in section.split("\n") if line[:1] in ("+", "-", " ")]
    old, new = ("\n".join(line[1:] for line in lines if line[0] in signs) for signs in ("- ", "+ "))
    if any(line[0] != " " for line in lines):
        yield from hunks(path, old, new)


def diff_lines(hint: Hint, context: str = "  ") -> list[str]:
    """A hunk as the lines of a diff; those that both sides have begin with `context`."""
    old, new = (side.split("\n") if side.strip() else [] for side in (hint.old, hint.new))
    lines: list[str] = []
    for mark, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if mark == "equal":
            lines += [f"{context}{line}" for line in old[start:end]]
        else:
            lines += [f"- {line}" for line in old[start:end]] + [f"+ {line}" for line in new[first:last]]
    return lines


def shown_lines(hint: Hint) -> list[str]:
    """A hunk as the lines of a diff; none where it is too long to help anybody."""
    lines = diff_lines(hint)
    return lines if len(lines) <= _SHOWN_LINES and sum(len(line) + 1 for line in lines) <= _SHOWN else []


def is_taken_back(hint: Hint, later: Iterable[Hint]) -> bool:
    """Whether one of the `later` hunks puts back what `hint` changed."""
    same = [one for one in later if one.file == hint.file]
    if not same:
        return False
    changed = (hint.removed, hint.added)
    return any((one.added, one.removed) == changed for one in same) and changed != ((), ())


def _side(lines: list[str]) -> str:
    shown = lines if len(lines) <= HUNK_LINES else [*lines[: HUNK_LINES - 1], "…"]
    return "\n".join(line if len(line) <= _LINE else f"{line[: _LINE - 1]}…" for line in shown)
