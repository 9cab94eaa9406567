"""Whether two fixes of one error say the same: the same command, the same lines, or the same names in the same file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from core.errors.identity.fingerprint import fingerprint

_EVIDENCE: Final = ("**Why**", "**Done by a person**", "**Linked**", "**Checked**", "**instead of**")
"""Sections of a fix that say what it rests on, not what to do."""
_FENCE: Final = re.compile(r"(`{3,})")
_SPAN: Final = re.compile(r"(`{1,9}) ?([^\n]{1,400}?) ?\1(?!`)")
_NAME: Final = re.compile(r"[A-Za-z_]\w{2,80}")
_LIKE: Final = 0.5
"""Share of the lines, or of the names, of the shorter fix that the other one must have."""


@dataclass(frozen=True, slots=True)
class FixSteps:
    """What a fix says to do: commands with what varies masked, files, and the lines it adds and removes."""

    commands: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The identifiers in its lines."""
        return frozenset(name for line in self.lines for name in _NAME.findall(line))


def steps_of(text: str) -> FixSteps:
    """What the Markdown of a fix says to do."""
    commands, files, lines = set[str](), set[str](), set[str]()
    evidence, fence = False, ""
    for line in text.split("\n"):
        if fence:
            if line.startswith(fence):
                fence = ""
            elif line[:1] in ("+", "-") and (changed := " ".join(line[1:].split())):
                lines.add(f"{line[0]} {changed}")
            continue
        if (opened := _FENCE.match(line)) is not None:
            fence = opened[1]
            continue
        if line.startswith("**"):
            evidence = line.startswith(_EVIDENCE)
        if evidence:
            continue
        spans = [span[2] for span in _SPAN.finditer(line)]
        if line.startswith("**Change**"):
            files.update(map(_base, spans))
        else:
            commands.update(filter(None, map(fingerprint, spans)))
    return FixSteps(frozenset(commands), frozenset(files), frozenset(lines))


def agreement(known: str, real: str) -> tuple[bool | None, str]:
    """Whether the fix that was `known` says what the `real` one did, and why; None where they cannot be compared."""
    told, done = steps_of(known), steps_of(real)
    if not (told.commands or told.lines) or not (done.commands or done.lines):
        return None, "One of the two fixes names neither a command nor a changed line."
    if shared := told.commands & done.commands:
        return True, f"Same command: {min(shared)}"
    if _overlap(told.lines, done.lines) >= _LIKE:
        return True, "Same changed lines."
    if shared := told.files & done.files:
        if _overlap(told.names, done.names) >= _LIKE:
            return True, f"Same file and names: {min(shared)}"
        return False, f"Same file, other changes: {min(shared)}"
    if told.commands and done.commands:
        return False, f"Other command: {min(told.commands)} instead of {min(done.commands)}"
    return False, "Other changes."


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def _base(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]
