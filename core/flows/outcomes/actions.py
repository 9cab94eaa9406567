"""What a fix says to do: its commands and its hunks, and whether a step of a session did one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from core.flows.harvest.changes import Change
from core.flows.harvest.command import Command, Part, parse_command

_SPAN: Final = re.compile(r"`([^`\n]{2,300})`")
_EVIDENCE: Final = ("**Checked**", "**instead of**", "**Linked**", "**Why**", "**Done by", "**Change**", ">")
"""Lines of a harvested fix that say where it is from, not what to do."""
_PLACEHOLDER: Final = re.compile(r"<[^<>\s]{1,40}>")
_ANY: Final = "casebook-any-word"
"""Stands for a placeholder in a command, which a shell would read as a redirection."""
_COMMANDS: Final = 20
_SHORT: Final = 3
"""Characters of a changed line, without its indentation, that say too little to be recognized by."""


@dataclass(frozen=True, slots=True)
class Actions:
    """Commands, part by part; hunks, each as the lines it adds and those it removes, without indentation."""

    commands: tuple[Part, ...]
    hunks: tuple[tuple[frozenset[str], frozenset[str]], ...]


def actions_of(text: str, lesson: str | None = None) -> Actions:
    """What a fix says to do: the `do` of its lesson where it has one, else its Markdown or plain text."""
    said = _do(lesson) or text
    fenced = list(_fenced(said))
    hunks = tuple(hunk for kind, body in fenced if kind == "diff" and any(hunk := _hunk(body)))
    lines = [line for kind, body in fenced if kind in ("sh", "bash", "shell", "console") for line in body]
    plain = [line for kind, body in fenced if not kind for line in body if not line.startswith(_EVIDENCE)]
    spans = [span for line in plain for span in _SPAN.findall(line)]
    alone = [line for line in plain if line.strip()]
    if not spans and len(alone) == 1:
        lines += alone
    return Actions(tuple(_parts([*lines, *spans])), hunks)


def is_performed(actions: Actions, command: Command | None, change: Change | None) -> bool:
    """Whether a step did one of the actions: ran the command, placeholders filled in, or made the hunk's change."""
    if command is not None and any(_is_run(one, part) for one in actions.commands for part in command.parts):
        return True
    if change is None or not actions.hunks:
        return False
    added = {line.strip() for hint in change.hints for line in hint.added}
    removed = {line.strip() for hint in change.hints for line in hint.removed}
    return any(_is_made(hunk, added, removed) for hunk in actions.hunks)


def disagree(one: Actions, other: Actions) -> bool:
    """Whether one fix undoes the other: a line that one adds is removed by the other."""
    return any(
        (ours[0] & theirs[1]) or (ours[1] & theirs[0] and not ours[0] & theirs[0])
        for ours in one.hunks
        for theirs in other.hunks
    )


def _do(lesson: str | None) -> str:
    try:
        found: object = json.loads(lesson or "null")
    except ValueError:
        return ""
    do = cast("dict[str, object]", found).get("do") if isinstance(found, dict) else None
    if isinstance(do, dict):
        return "\n".join(str(value) for value in cast("dict[str, object]", do).values() if isinstance(value, str))
    return do if isinstance(do, str) else ""


def _fenced(text: str) -> Iterator[tuple[str, list[str]]]:
    """The text in pieces, each with the language of its fence: "" outside of fences, "text" for an unnamed one."""
    kind, fence, body = "", "", list[str]()
    for line in text.split("\n"):
        mark = re.match(r"(`{3,})(\w*)[ \t]*$", line)
        if mark and (not fence or mark[1] == fence):
            yield kind, body
            kind, fence, body = ("", "", []) if fence else (mark[2] or "text", mark[1], [])
        else:
            body.append(line)
    yield kind, body


def _hunk(body: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    def changed(mark: str) -> frozenset[str]:
        lines = (line[1:].strip() for line in body if line.startswith(mark) and not line.startswith(mark * 3))
        return frozenset(line for line in lines if len(line) > _SHORT)

    return changed("+"), changed("-")


def _parts(texts: list[str]) -> Iterator[Part]:
    for text in texts[:_COMMANDS]:
        for part in parse_command(_PLACEHOLDER.sub(_ANY, text.strip().removeprefix("$ "))).members:
            if len(part.words) > 1 or part.kind == "run":
                yield part


def _is_run(told: Part, ran: Part) -> bool:
    """Whether a command was run: its program, and each of its words, whatever stands for a placeholder."""
    if not told.words or told.program != ran.program:
        return False
    left = list(ran.words[1:])
    for word in told.words[1:]:
        before, any_word, after = word.partition(_ANY)
        if any_word:
            found = next((one for one in left if one.startswith(before) and one.endswith(after)), None)
        else:
            found = word if word in left else None
        if found is None:
            return False
        left.remove(found)
    return True


def _is_made(hunk: tuple[frozenset[str], frozenset[str]], added: set[str], removed: set[str]) -> bool:
    """Whether a change made at least half of a hunk: of what it adds, or where it adds nothing, of what it removes."""
    ours, theirs = (hunk[0], added) if hunk[0] else (hunk[1], removed)
    return bool(ours) and 2 * len(ours & theirs) >= len(ours)
