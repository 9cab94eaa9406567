"""Outcomes of fixes that agents were given: was the fix performed, and did the failure end?"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Final, NamedTuple, cast

import apsw

from core.errors.fixes import OpenTelling, Outcome, has_open, open_tellings, settle_telling
from core.flows.harvest.changes import Change, change_of
from core.flows.harvest.command import Command, Part, parse_command
from core.flows.harvest.command_relation import relation
from core.flows.harvest.fixes.clues import tested
from core.flows.harvest.session_events import Result
from core.transcripts.claude_code import read_claude_code
from core.transcripts.records import ToolCall, ToolResult

_SPAN: Final = re.compile(r"`([^`\n]{2,300})`")
_EVIDENCE: Final = ("**Checked**", "**instead of**", "**Linked**", "**Why**", "**Done by", "**Change**", ">")
"""Lines of a harvested fix that say where it is from, not what to do."""
_PLACEHOLDER: Final = re.compile(r"<[^<>\s]{1,40}>")
_ANY: Final = "casebook-any-word"
"""Stands for a placeholder in a command, which a shell would read as a redirection."""
_FENCES: Final = {"command": "sh", "hunk": "diff"}
"""The fence for each kind of a lesson's `do` that is no sentence."""
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
    instructions = _do(lesson) or text
    fenced = list(_fenced(instructions))
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
        held = cast("dict[str, object]", do)
        text, kind = held.get("text"), _FENCES.get(str(held.get("kind")))
        if not isinstance(text, str):
            return ""
        return text if kind is None or not text.strip() else f"```{kind}\n{text}\n```"
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


def _is_run(suggested: Part, ran: Part) -> bool:
    """Whether a command was run: its program, and each of its words, whatever stands for a placeholder."""
    if not suggested.words or suggested.program != ran.program:
        return False
    left = list(ran.words[1:])
    for word in suggested.words[1:]:
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


TAIL: Final = 1 << 18
"""Bytes of the transcript that are read."""
CALLS: Final = 10
"""Calls before the failure that count as recent; a refusal counts among the last two results."""
_REFUSALS: Final = 2


@dataclass(frozen=True, slots=True)
class Recent:
    """The names of test files just written, and whether a person just declined or interrupted a call."""

    tests: frozenset[str] = frozenset()
    declined: bool = False


def recent_of(transcript: str) -> Recent:
    """What the end of a Claude Code transcript says; nothing where it is none, or cannot be read."""
    try:
        data = _tail(transcript)
    except OSError:
        return Recent()
    calls: list[ToolCall] = []
    results: list[ToolResult] = []
    for record in read_claude_code(enumerate(data.split(b"\n"), 1)):
        if isinstance(record, ToolCall):
            calls.append(record)
        elif isinstance(record, ToolResult):
            results.append(record)
    done = {one.tool_use_id for one in results if one.failure == "none"}
    written = (change_of(one.name, one.input, None, {}) for one in calls[-CALLS - 1 :] if one.tool_use_id in done)
    names = {PurePath(file.replace("\\", "/")).name for change in written if change for file in change.files}
    refused = [one.failure in ("denied", "interrupted") for one in results[-_REFUSALS:]]
    return Recent(frozenset(name for name in names if tested(name)), any(refused))


def _tail(transcript: str) -> bytes:
    """The last whole lines of a regular file."""
    if not PurePath(transcript).is_absolute():
        return b""
    descriptor = os.open(transcript, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        data = file.read(TAIL)
    return data if size <= TAIL else data.partition(b"\n")[2]


WITHIN: Final = 3
"""Calls after the fix was performed in which the same check must be green."""
NEAR_S: Final = 5.0
"""Seconds by which a transcript may date a result later than its hook did."""


class Settled(NamedTuple):
    """The outcome of a shown fix, and whether it was applied."""

    outcome: Outcome
    performed: bool


def settle(
    fingerprint: str, shown_at: str, actions: Actions, results: Sequence[Result], *, ended: bool
) -> Settled | None:
    """The outcome of a telling among the results of its session, in their order; None while it is open.

    `helped`: the fix was performed, and the same check was green within three calls. `failed_again`: the same failure
    came again. Everything else is `ignored`: another cure, no check in time, or a session that `ended`.
    """
    at = _failing(fingerprint, shown_at, results)
    check = results[at] if at is not None else None
    later = results[at + 1 :] if at is not None else [one for one in results if one.ran.ts > shown_at]
    performed, calls = False, 0
    for result in later:
        calls += performed
        if any(error.fingerprint == fingerprint for error in result.outcome.errors):
            return Settled("failed_again", performed or is_performed(actions, result.command, result.change))
        if not performed and is_performed(actions, result.command, result.change):
            performed, calls = True, 0
        green = result.outcome.verdict == "passed" and _checks(check, result, corrected=performed and calls == 0)
        if green:
            return Settled("helped" if performed else "ignored", performed)
        if performed and calls >= WITHIN:
            return Settled("ignored", performed=True)
    return Settled("ignored", performed) if ended else None


def _failing(fingerprint: str, shown_at: str, results: Sequence[Result]) -> int | None:
    """Return the result with the reported failure: the nearest in time, at most a moment later."""
    shown_s = _seconds(shown_at)
    found = [
        (abs(_seconds(one.ran.ts) - shown_s), at)
        for at, one in enumerate(results)
        if any(error.fingerprint == fingerprint for error in one.outcome.errors)
        and _seconds(one.ran.ts) - shown_s <= NEAR_S
    ]
    return min(found)[1] if found else None


def _checks(check: Result | None, later: Result, *, corrected: bool) -> bool:
    """Return whether a passing run is the failing check; `corrected`: or the suggested command in its place."""
    if check is None or check.command is None or later.command is None:
        return False
    error = check.outcome.errors[0].key
    found = relation(check.command, later.command, error.text, error.tool, check.mentions)
    return found in ("same", "covers") or (corrected and found == "variant")


def _seconds(ts: str) -> float:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError:
        return 0.0


class Due(NamedTuple):
    """A telling with the outcome that it has by now."""

    telling: OpenTelling
    settled: Settled


def due_in(
    con: apsw.Connection, session_id: str, results: Callable[[], Iterable[object]], *, imported: bool = False
) -> list[Due]:
    """The tellings of a session whose outcome is known by now. Reads only.

    `results` is asked for only where something is open; of what it yields the `Result`s count. `imported`: they are
    those of the transcript, which knows better than hooks: what was found ignored is looked at again, as the session
    may have gone on.
    """
    if not has_open(con, session_id, ignored=imported):
        return []
    held = [one for one in results() if isinstance(one, Result)]
    due: list[Due] = []
    for telling in open_tellings(con, session_id, ignored=imported):
        actions = actions_of(telling.text, telling.lesson)
        settled = settle(telling.fingerprint, telling.shown_at, actions, held, ended=imported)
        if settled is not None:
            due.append(Due(telling, settled))
    return due


def write_due(con: apsw.Connection, due: Iterable[Due], ts: str) -> None:
    """Write outcomes, inside the caller's transaction."""
    for telling, settled in due:
        settle_telling(con, telling, settled.outcome, ts, performed=settled.performed)
