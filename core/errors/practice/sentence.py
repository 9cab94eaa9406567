"""A practice in one sentence. It counts what was done; it never tells anybody to do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from core.errors.practice.practice import Approach, Kind

_EXAMPLE: Final = 90
_LACKS: Final = {
    "program": "`{}` was not found",
    "module": "the module `{}` was not found",
    "network": "`{}` could not be reached",
    "service": "`{}` was not running",
    "signing": "git could not sign",
    "lock": "`{}` was left behind",
    "write": "`{}` could not be written",
    "glob": "zsh refused an unquoted pattern",
}


def sentence(kind: Kind, tool: str, name: str, approaches: Sequence[Approach], sessions: int) -> str:
    """`nilerr: suppressed with a reason in 5 of 7 (`//nolint:nilerr // …`), edited in 2 of 7`."""
    total = sum(one.count for one in approaches)
    if kind == "rule":
        return f"{name}: " + ", ".join(_done(one, total) for one in approaches)
    said = f"{_LACKS[tool].format(name) if tool in _LACKS else name} in {sessions} sessions"
    worked = next((one for one in approaches if one.how == "worked instead"), None)
    if worked is None:
        return f"{said}; nothing that worked is known"
    example = worked.example if worked.example.startswith("the same command") else f"`{_clip(worked.example)}`"
    how = "quoted" if tool == "glob" else "worked instead"
    return f"{said}; {how} in {worked.count} of {total}: {example}"


def _done(one: Approach, total: int) -> str:
    said = f"{one.how} in {one.count} of {total}"
    if one.how == "edited":
        return f"{said} (with {', '.join(f'`{name}`' for name in one.names)})" if one.names else said
    return f"{said} (`{_clip(one.example)}`)" if one.example else said


def _clip(text: str) -> str:
    return text if len(text) <= _EXAMPLE else f"{text[: _EXAMPLE - 1]}…"
