"""Failed runs that answer a question: what was asked for is absent, or a check failed as the agent had announced.

Each rule holds in at least two of the repositories in `tests/data/real`.
"""

from __future__ import annotations

import re
from typing import Final

from core.flows.harvest import programs
from core.flows.harvest.command import Command
from core.flows.harvest.events import Ran
from core.flows.harvest.signatures import ABSENT, COMPLAINT, NONE_FOUND, SHELL_COMPLAINT
from core.text import clean

NOT_THERE: Final = "The requested item does not exist."
NOT_INSTALLED: Final = "The command only asked which programs are installed."
EXPECTED: Final = "The agent had announced that this check would fail."

_EXPECTS: Final = re.compile(
    r"\b(?:verify|confirm|ensure|prove)\b(?![^.\n]{0,80}\b(?:if|whether|why|what|which|no)\b)[^.\n]{0,60}\bfails?\b"
    r"|\b(?:should|must|expected to) fail\b|\bred phase\b",
    re.IGNORECASE,
)
_COUNTED_RED: Final = re.compile(
    r"^ *--- FAIL: |(?<![\d.])[1-9]\d{0,5} (?:tests? )?(?:failed|failing|failures?)\b|^not ok \d", re.MULTILINE
)
"""The tests ran, and some failed: a run that could not begin has none of these."""
_KEYS: Final = re.compile(r"(?:^|\n)[ \t]*\^C\s*\Z")
_VERSION: Final = frozenset(("--version", "version", "-V"))
_FINDERS: Final = frozenset(("which", "where", "type", "command", "hash", "Get-Command"))
_SHOWS: Final = frozenset(("ls", "ll", "dir", "stat", "cat", "head", "tail", "wc", "file", "du"))
"""They show files. A search (`rg X *.toml a.json`) that zsh refuses to run was to look through other files too."""
_SENDS: Final = frozenset(("-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"))
_EXTRA_LINES: Final = re.compile(r"^(?:hint: |\{\"message\":)[^\n]*$", re.MULTILINE)
"""Text below the line that says so: a hint, or the body of the service's answer."""
_TAIL: Final = 400
_GIT_FATAL: Final = 128
"""git's exit code where it gives up."""
_STARTUP: Final = re.compile(
    r"\A\s*(?:(?:failed in sandbox: )?[/~][^\s:]*/(?:\.(?:bash_profile|bash_login|bashrc|profile|zprofile|zshrc|zshenv)"
    r"|shellenv\.sh)(?:: line \d+|(?::[\w-]+)?:\d+): [^\n]*(?:\n|\Z))+"
)
"""What a login shell says of its own start-up files, before the command begins."""


_DENIED: Final = (": Permission denied", ": Operation not permitted")
_UNENTERED: Final = re.compile(
    r"^(?:find|fd|[ef]?grep|rg|du|tree): (?:cannot (?:open|read)(?: directory)? )?"
    r"['‘]?(?P<path>[^'’:\n]{1,400}?)/?['’]?: (?:Permission denied|Operation not permitted)(?: \(os error \d+\))?$",
    re.MULTILINE,
)


def is_expected_failure(ran: Ran, body: str) -> bool:
    """Whether the agent described the call as one that has to fail, and tests ran and failed (a test-first red)."""
    described = ran.tool_input.get("description")
    return (
        isinstance(described, str) and _EXPECTS.search(described) is not None and _COUNTED_RED.search(body) is not None
    )


def is_interrupted(body: str) -> bool:
    """Whether the output ends with the echo of Ctrl-C."""
    return _KEYS.search(body[-_TAIL:]) is not None


def asks_presence(command: Command) -> bool:
    """Whether a command of several parts only asks which programs are installed, and in which version."""
    parts = [part for part in command.parts if part.kind != "setup" and part.program not in ("echo", "printf")]
    asking = [part for part in parts if _VERSION & set(part.simple.words[-1:]) or part.program in _FINDERS]
    return len(asking) > 1 and all(part in asking or part.named(programs.FILE_READERS) for part in parts)


def is_none_found(command: Command, body: str, code: int) -> bool:
    """Whether all that a look-up says is that there is no such thing."""
    last = command.last
    ends = (_GIT_FATAL, 1) if body.lstrip().startswith("fatal: ") else (1,)  # PowerShell makes 1 of every exit code
    if last is None or code not in ends or _SENDS & set(last.words):
        return False
    looks = command.reads_only or (len(command.members) == 1 and bool(programs.LOOKING_VERBS & set(last.words[1:4])))
    return looks and NONE_FOUND.fullmatch(_EXTRA_LINES.sub("", body)) is not None


def without_startup(body: str) -> str:
    """`body` without what the shell says of its start-up files, at the same places: it is not of the command."""
    found = _STARTUP.match(body)
    return body if found is None else " " * found.end() + body[found.end() :]


def without_unentered(command: Command, body: str) -> str:
    """`body` without what a search says of folders that it met on its way and must not enter, at the same places.

    A folder that the command names is one that it was to look through.
    """
    if not any(denied in body for denied in _DENIED):
        return body

    def blank(found: re.Match[str]) -> str:
        named = found["path"] in command.text or found["path"].rpartition("/")[2] in command.text
        return found[0] if named else " " * len(found[0])

    return _UNENTERED.sub(blank, body)


def without_named_patterns(command: Command, body: str) -> str:
    """`body` without what zsh says of a file pattern that matches nothing, where its command hides such complaints.

    `ls *.yaml 2>/dev/null` asks whether there are such files. The pattern of an option (`--include=*.py`) is no file.
    """
    if "no matches found: " not in body:
        return body
    hidden = [part for part in command.parts if part.program in _SHOWS and "/dev/null" in part.simple.targets]
    operands = [word for part in hidden for word in part.words[1:] if not word.startswith("-")]
    lines = body.split("\n")
    for at, line in enumerate(lines):
        found = SHELL_COMPLAINT.search(line)
        pattern = found["glob"] if found is not None else None
        if pattern and any(pattern.endswith(word.lstrip("~")) for word in operands):
            lines[at] = " " * len(line)
    return "\n".join(lines)


def is_silent(body: str) -> bool:
    """Whether an output has no word of complaint."""
    return COMPLAINT.search(clean(body)) is None


def ends_in_look(command: Command, body: str) -> bool:
    """Whether the part of a chain (`a && b && ls X`) that failed is a look at files at its end that found none.

    Either the last line is its complaint, or the output ends with a heading that was printed right before it.
    """
    parts = command.parts
    if len(parts) < 2 or any(part.simple.after != "&&" for part in parts[:-1]):
        return False
    first = next((at for at in range(len(parts), 0, -1) if not parts[at - 1].named(programs.FILE_READERS)), 0)
    tail, last = parts[first:], body.rstrip().rpartition("\n")[2].strip()
    if not tail or not last:
        return False
    if ABSENT.search(last):
        return any(last.startswith(f"{part.program}: ") for part in tail)
    printed = (" ".join(part.words[1:]).strip() for part in tail[:-1] if part.program in ("echo", "printf"))
    return any(last == heading for heading in printed)


def is_cut_short(command: Command, body: str) -> bool:
    """Whether something before the search at the end of a command failed, so that its exit code is no answer.

    A search without a match prints nothing: all that a single pipe shows then was written past it. And where a heading
    of a chain (`a && echo HEADING && b | grep x`) is missing, the chain ended before it.
    """
    parts = tuple(part for part in command.parts if part.kind != "setup" or part.program == "echo")
    if len(parts) < 2 or not body.strip():
        return False
    if all(part.simple.after == "|" for part in parts[:-1]) and parts[-1].named(programs.SEARCHES):
        lines = [line for line in clean(body).split("\n") if COMPLAINT.search(line)]
        return any(ABSENT.search(line) is None for line in lines)
    if any(part.simple.after not in ("&&", "|") for part in parts[:-1]):
        return False
    headings = (" ".join(part.words[1:]) for part in parts[:-1] if part.program == "echo" and part.simple.after == "&&")
    return any(plain not in body for plain in headings if plain and "$" not in plain and "\\" not in plain)
