"""Which lines of a Markdown file are text: those inside a fence or a comment show something and are no structure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?(`{3,}|~{3,})([^`]*)$")


def fenced(lines: Sequence[str]) -> tuple[list[bool], list[int]]:
    """For each line whether a fence or an HTML comment holds it (fence lines too), and the lines (from 0) that open
    one which nothing closes: those count as text, or everything behind them would be lost."""
    inside = [False] * len(lines)
    unclosed: list[int] = []
    closers = _last_closers(lines)
    at = 0
    while at < len(lines):
        line = lines[at]
        end = None
        found = _FENCE.match(line)
        if found:
            end = _closed_at(lines, at, found.group(1), closers)
        elif line.lstrip().startswith("<!--"):
            end = at if "-->" in line else next((i for i in range(at + 1, len(lines)) if "-->" in lines[i]), None)
        else:
            at += 1
            continue
        if end is None:
            unclosed.append(at)
            at += 1
            continue
        inside[at : end + 1] = [True] * (end + 1 - at)
        at = end + 1
    return inside, unclosed


def _last_closers(lines: Sequence[str]) -> dict[str, int]:
    """The last line that could close a fence of each sign: a file of a million openers is still read once."""
    found: dict[str, int] = {}
    for at, line in enumerate(lines):
        bare = line.strip()
        if bare[:3] in ("```", "~~~") and not bare.strip(bare[0]):
            found[bare[0]] = at
    return found


def _closed_at(lines: Sequence[str], start: int, mark: str, closers: dict[str, int]) -> int | None:
    for at in range(start + 1, closers.get(mark[0], -1) + 1):
        bare = lines[at].strip()
        if len(bare) >= len(mark) and bare[0] == mark[0] and not bare.strip(mark[0]):
            return at
    return None
