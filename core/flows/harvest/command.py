"""What a shell command is: its family, what masks its exit code, how much of its output was to be seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from core.flows.harvest import programs
from core.flows.harvest.exit_status import FILTERS, NOWHERE, View, exit_and_view, printed_status
from core.flows.harvest.shell import LIMIT, split
from core.flows.harvest.simple_command import Part, flat, part_of
from core.transcripts.commands import shell_command


class Command(NamedTuple):
    """A shell command as typed (`text`) and what follows from it.

    `members` are the parts that do something, or the reading ones where nothing else is there; `family` names them.
    `shape` is what a person would call the same command (settings, wrappers and arguments; without what only shows or
    decorates); `directory` where it was sent, or empty. `masked`: the exit code seen is not that of every member.
    """

    text: str
    parts: tuple[Part, ...]
    members: tuple[Part, ...]
    family: str
    shape: str
    directory: str
    masked: bool
    view: View
    reads_only: bool
    status: re.Pattern[str] | None

    @property
    def last(self) -> Part | None:
        """The part whose exit code the shell gave back."""
        return self.parts[-1] if self.parts else None


@lru_cache(maxsize=512)
def parse_command(text: str, directory: str = "") -> Command:
    """Take a shell command apart; `directory` is where the tool was told to run it, if it was."""
    parts = tuple(part_of(simple) for simple in flat(split(text)))
    running = tuple(part for part in _executing(parts) if part.kind == "run")
    members = running or tuple(part for part in _executing(parts) if part.kind == "read")
    moved = [
        part.words[-1] for part in parts if part.program in ("cd", "pushd", "Set-Location", "chdir") and part.words[1:]
    ]
    masked, view = exit_and_view(parts, members, text)
    shape = " && ".join(part.shape for part in _shaping(parts, members))
    return Command(
        text=text,
        parts=parts,
        members=members,
        family=" && ".join(part.family for part in members),
        shape=shape,
        directory=(moved[-1] if moved else directory).rstrip("/\\").removeprefix("./").removesuffix("."),
        masked=masked,
        view=view,
        reads_only=not running,
        status=printed_status(parts),
    )


def command_of(tool: str, tool_input: Mapping[str, object]) -> Command | None:
    """The command that a shell tool ran; None where `tool` is no shell tool or its input holds none."""
    text = shell_command(tool, tool_input)
    if text is None:
        return None
    where = next((tool_input[key] for key in ("workdir", "working_directory", "cwd") if key in tool_input), "")
    return parse_command(text[:LIMIT], where if isinstance(where, str) else "")


def _executing(parts: tuple[Part, ...]) -> list[Part]:
    """The parts that are no filter of another and no look at the file that one just wrote."""
    kept: list[Part] = []
    written: set[str] = set()
    piped = False
    for part in parts:
        looks = written & set(part.words[1:]) and (part.kind == "read" or part.named(FILTERS))
        if not (piped and part.named(FILTERS)) and not looks:
            kept.append(part)
        written |= set(part.simple.targets) - NOWHERE
        if part.program in ("tee", "Tee-Object"):
            written |= {word for word in part.words[1:] if not word.startswith("-")}
        piped = part.simple.after == "|"
    return kept


def _shaping(parts: tuple[Part, ...], members: tuple[Part, ...]) -> list[Part]:
    """The parts that make a command the same one to a person."""
    known = frozenset(members)
    return [
        part
        for part in parts
        if part in known
        or (
            part.kind == "setup"
            and (not part.words or part.named(programs.SHELL_STATE - {"cd", "pushd", "Set-Location", "chdir"}))
        )
    ]
