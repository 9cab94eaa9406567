"""The key by which a slip is counted: the same wrong name, guessed in one session after the other."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.fingerprint import mask_counts
from core.flows.harvest.command import Command
from core.flows.harvest.events import Ran
from core.flows.harvest.outcome import GUESSED, Outcome
from core.flows.harvest.verdicts.signatures import ABSENT
from core.text import clean

LIMIT: Final = 200
"""Code points of a key."""
NO_FILE: Final = "no such file: "
"""How the key of a file begins that was looked for and is not there, whatever looked for it."""

_READ: Final = 4_000
_TAG: Final = "<tool_use_error>"
_FILES: Final = ("file_path", "notebook_path", "path")
_QUOTES: Final = " :'\"‘’`"
_PLACED: Final = ("is a directory", "not a directory")
FILES: Final = (NO_FILE, *(f"{what}: " for what in _PLACED))
"""How the keys begin that a file follows."""
_WORD: Final = lazy_pattern(r"[\w./\\@-]{2,200}")
_QUOTED: Final = lazy_pattern(r"'([^'\"`\n]{2,100})'|\"([^'\"`\n]{2,100})\"|`([^'\"`\n]{2,100})`")
_MARKED: Final = lazy_pattern(r"\w[/\\_.]\w|[a-z][A-Z]")
"""Signs within a word that make it a path or an identifier, not a word of a sentence."""


def slip_of(ran: Ran, command: Command | None, outcome: Outcome) -> str:
    """The key of a call that the agent's own tool refused, or of a look at a file that is not there; else ''.

    The first line of the message, its counts masked and the wrong name kept. A missing file has one key, whatever
    looked for it.
    """
    if outcome.sign != "agent_tool" and outcome.reason != GUESSED:
        return ""
    lines = [line.strip() for line in ran.text[:_READ].removeprefix(_TAG).split("\n") if line.strip()]
    for line in lines:
        absent = ABSENT.search(line)
        if absent is None:
            continue
        file = _named_by(line[: absent.start()]) if command is not None else _asked_for(ran)
        if file:
            what = absent[0].lower()
            return f"{what if what in _PLACED else NO_FILE.rstrip(': ')}: {file}"[:LIMIT]
    if outcome.sign != "agent_tool" or not lines:
        return ""
    said = clean(lines[0].partition("</")[0])
    return f"{ran.tool}: {mask_counts(said)}"[:LIMIT]


def names_in(said: str) -> tuple[str, ...]:
    """The paths, the identifiers and what is quoted in a message."""
    words = (match[0].strip("./\\@-") for match in _WORD.finditer(said))
    quoted = (next(filter(None, match.groups()), "").strip() for match in _QUOTED.finditer(said))
    found = (*(word for word in words if _MARKED.search(word)), *quoted)
    return tuple(dict.fromkeys(name for name in found if name))


def slip_in(key: str, project: str) -> str:
    """The key as seen from `project`: its files relative to that folder."""
    root = project.rstrip("/\\")
    if root:
        key = key.replace(f"{root}/", "").replace(f"{root}\\", "")
    return key.replace(": ./", ": ")


def _named_by(said: str) -> str:
    """The file that a program names before it says that there is none: `sed: a.go`, `ls: cannot access 'a.go'`."""
    return said.rstrip(_QUOTES).rpartition(": ")[2].rpartition(" ")[2].strip(_QUOTES)


def _asked_for(ran: Ran) -> str:
    """The file that a tool was called with."""
    return next((name for key in _FILES if isinstance(name := ran.tool_input.get(key), str) and name), "")
