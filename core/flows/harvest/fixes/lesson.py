"""The lesson of a linked fix: the one thing to do, with placeholders, what did not help, and how it was checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from core.errors.lessons import HUNK_LINES, Do, Lesson, LessonEvidence, Scope, When, with_placeholders
from core.flows.harvest.changes import Change
from core.flows.harvest.command import Command
from core.flows.harvest.command_relation import differs
from core.flows.harvest.events import StepLink, Worth
from core.flows.harvest.exit_status import FILTERS
from core.flows.harvest.explain import says_what_to_do
from core.flows.harvest.fixes.clues import base_name
from core.flows.harvest.fixes.correction import OUTSIDE, Corrected
from core.flows.harvest.fixes.hunks import Hint, diff_lines, is_taken_back
from core.flows.harvest.fixes.linking import ELSEWHERE, Candidate, Failure, Linked, link_steps
from core.flows.harvest.fixes.strength import WORKAROUND
from core.flows.harvest.shell import chained
from core.text import clean, redact, words

COMMAND_LENGTH: Final = 400
"""Code points of a command in a lesson; a longer one is a script and is cut."""
DEAD_ENDS: Final = 3
_ERROR: Final = 200
_CUTS: Final = FILTERS - {"jq", "yq", "xargs", "perl", "python", "node", "sed", "awk", "gawk", "cut", "tr", "rev"}
"""Filters that only cut what a command prints; the others make something of it."""
_LOOKED_BACK: Final = 40
"""Steps before the last failure in which dead ends are looked for."""
_MOVES: Final = re.compile(r"(?:cd|pushd)[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|'\"]+)[ \t]*(?:&&|;|\n)\s*")
_SAID: Final = re.compile(r"[\w.*?/=+@-]{3,}")
_LIKE: Final = 0.6
_LIKENED: Final = 2_000
_SYSTEMS: Final = (("/Users/", "macOS"), ("/home/", "Linux"), ("/root/", "Linux"))


class Outline(NamedTuple):
    """What a lesson is made of: the failure and the commands that showed it, the linked steps and the passing check.

    `earlier` are the steps that were done before the failure was seen last, `between` all since it was seen first;
    `instead`: why the passing command is itself the fix; `said`: the sentence that explains it, `by_a_person` if it is
    what a person did.
    """

    failure: Failure
    tried: Sequence[Command]
    check: Command
    steps: Sequence[tuple[Change, Linked]]
    earlier: Sequence[Candidate]
    between: Sequence[Change]
    instead: Corrected | None
    said: str | None
    by_a_person: bool
    links: Sequence[StepLink]
    worth: Worth
    project: str


def lesson_of(outline: Outline) -> Lesson:
    """The lesson of a fix, redacted and free of control characters."""
    failure, project = outline.failure, outline.project
    tool = failure.tool if failure.tool != "unknown" else _program(failure.command)
    do = _do(outline)
    scope: Scope = "session" if outline.worth in ("slip", "none") else "project"
    return Lesson(
        when=When(_safe(with_placeholders(failure.key, project))[:_ERROR], tool, "", _system(project)),
        do=do,
        dead_ends=tuple(one for one in dict.fromkeys(_dead_ends(outline)) if one not in (do.text, do.instead_of))[
            :DEAD_ENDS
        ],
        check=plain_command(outline.check, project),
        because=_because(outline),
        scope=scope,
        evidence=tuple(LessonEvidence(link.session_id, link.idx, _safe(link.why)) for link in outline.links),
        workaround=any(link.why.startswith(WORKAROUND) for link in outline.links),
    )


def commands_apart(failed: Command, passed: Command, key: str, project: str) -> tuple[str, str]:
    """The failing and the passing command, plain; of long ones only the part that the error (`key`) names; with the
    move to their folders where nothing else differs."""
    if (parts := _named_parts(failed.text, passed.text, key)) is not None:
        return _short(parts[0], project), _short(parts[1], project)
    plain = plain_command(failed, project), plain_command(passed, project)
    return plain if plain[0] != plain[1] else (_short(failed.text, project), _short(passed.text, project))


def _named_parts(failed: str, passed: str, key: str) -> tuple[str, str] | None:
    """The part of a chain of commands that the error names, and the one most like it that passed."""
    old, new = chained(failed), chained(passed)
    if len(old) == 1 and len(new) == 1:
        return None
    said = _SAID.findall(key)
    part = next((one for one in old if one not in new and any(word in one for word in said)), None)
    rest = [one for one in new if one not in old]
    if part is None or not rest:
        return None
    alike = [SequenceMatcher(None, part[:_LIKENED], one[:_LIKENED], autojunk=False).ratio() for one in rest]
    best = max(range(len(rest)), key=alike.__getitem__)
    return (part, rest[best]) if alike[best] >= _LIKE else None


def plain_command(command: Command, project: str) -> str:
    """A command with placeholders, without the move to its folder and without what only cuts its output."""
    text = command.text.strip()
    if (moved := _MOVES.match(text)) is not None and text[moved.end() :].strip():
        text = text[moved.end() :]
    return _short(text, project)


def _short(text: str, project: str) -> str:
    plain = _safe(with_placeholders(unfiltered(text.strip()), project))
    return plain if len(plain) <= COMMAND_LENGTH else f"{plain[: COMMAND_LENGTH - 1]}…"


def unfiltered(text: str) -> str:
    """A command without the filters at its end (`2>&1 | tail -5`)."""
    while True:
        head, bar, filtered = text.rpartition("|")
        name = filtered.split(maxsplit=1)[:1]
        cuts = bool(name) and name[0] in _CUTS and not set(filtered) & set(";&\n(")
        if not bar or not cuts or head.endswith("|") or head.count("'") % 2 or head.count('"') % 2:
            return text.rstrip().removesuffix("2>&1").rstrip()
        text = head.rstrip()


def _do(outline: Outline) -> Do:
    """What to do: the closest linked step; else the command that passed instead; else what a person said they did."""
    said, project = _safe(outline.said or ""), outline.project
    if outline.steps:
        change, link = min(outline.steps, key=lambda step: step[1].rank)
        if link.hints:
            return _edit(link.hints, said, project)
        if change.command is not None:
            ran = [one.command for one, other in outline.steps if one.command and not other.hints]
            return Do("command", _joined(ran, project))
        files = ", ".join(dict.fromkeys(with_placeholders(file, project) for file in change.files))
        return Do("words", said or f"Edit {_safe(files)}" if files else said or "Have another agent do it")
    if outline.instead is not None:
        failed, passed = commands_apart(outline.failure.command, outline.check, outline.failure.key, project)
        if outline.instead is OUTSIDE:
            return Do("words", f"Run it outside the sandbox: {passed}")
        if passed == failed:  # only how or when it ran differs
            return Do("words", _safe(outline.instead.why.removeprefix(WORKAROUND)))
        return Do("command", passed, instead_of=failed)
    return Do("words", said or "A person dealt with it")


def _joined(commands: Sequence[str], project: str) -> str:
    """The commands of a fix, each once, in the order in which they ran."""
    from core.flows.harvest.command import parse_command

    plain = dict.fromkeys(plain_command(parse_command(one), project) for one in commands)
    return "\n".join(list(plain)[:HUNK_LINES])


def _edit(hints: Sequence[Hint], said: str, project: str) -> Do:
    """An edit as at most ten lines of a diff; a longer one in the sentence that explains it, else cut."""
    file = _safe(with_placeholders(hints[0].file, project))
    lines = [line for hint in hints if hint.file == hints[0].file for line in diff_lines(hint)]
    if len(lines) > HUNK_LINES:
        lines = [line for line in lines if line[:1] != " "]
    if len(lines) > HUNK_LINES and says_what_to_do(said):
        return Do("words", said, file)
    if len(lines) > HUNK_LINES:
        lines = [*lines[: HUNK_LINES - 1], "…"]
    text = "\n".join(clean(redact(line)) for line in lines)
    return Do("hunk", text, file) if text.strip() else Do("words", said or f"Edit {file}", file)


def _dead_ends(outline: Outline) -> Iterator[str]:
    """What was tried and did not help: other forms of the command that failed too, linked commands after which the
    failure was still there, edits that were taken back."""
    failed = outline.failure
    first = outline.tried[0] if outline.tried else failed.command
    for command in outline.tried[1:]:
        if differs(first, command) and differs(outline.check, command):
            yield plain_command(command, outline.project)
    earlier = [one for one in outline.earlier[-_LOOKED_BACK:] if one.change.command is not None]
    for link in link_steps(failed, earlier, ()) if earlier else ():
        command = earlier[link.place].change.command
        if link.rank <= ELSEWHERE and command is not None:
            yield _joined([command], outline.project)
    hints = [hint for change in outline.between for hint in change.hints]
    for at, hint in enumerate(hints):
        if hint.added and is_taken_back(hint, hints[at + 1 :]):
            yield _safe(f"{hint.added[0].strip()} in {base_name(hint.file)}")


def _because(outline: Outline) -> str | None:
    """The sentence, if it shares a term with the error."""
    said, clue = outline.said, outline.failure.clue
    if not said:
        return None
    terms = clue.words | {word for name in clue.names for word in words(name)}
    return _safe(said) if terms & set(words(said)) else None


def _program(command: Command) -> str:
    return command.members[-1].program if command.members else ""


def _system(project: str) -> str:
    if re.match(r"[A-Za-z]:[/\\]", project):
        return "Windows"
    return next((name for start, name in _SYSTEMS if project.startswith(start)), "")


def _safe(text: str) -> str:
    return clean(redact(text))
