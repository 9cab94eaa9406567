"""The errors that an output names, as key lines with the names they are kept under."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from core.errors.identity.api import identify
from core.errors.identity.fingerprint import fingerprint_line
from core.errors.identity.identity import KeyLine
from core.errors.identity.normalize import normalize_line
from core.flows.harvest.verdicts.signatures import COMPLAINT, LAST_COMPLAINT, PLACE, SHELL_PREFIX, is_trailer
from core.text import clean

KEYS_KEPT: Final = 20
"""Errors taken from one output."""

SHORT: Final = 3
"""Lines of an output that is short enough for its first line to name the failure."""
_FALLBACK: Final = 400
"""Lines looked through, at each end, for one that names a failure which no recogniser knows."""
LINE: Final = 1_000
_NAMELESS = re.compile(r"(?:FAIL(?:ED)?|ERROR|Error|exit status \d+|.{0,60}ERROR task failed|Command: .*)\s*")
"""Lines that a recogniser may take for the name of a failure and that name nothing."""


class Named(NamedTuple):
    """One error in an output, with the names it is kept under."""

    key: KeyLine
    normalized: str
    fingerprint: str


def recognised(errors: tuple[Named, ...]) -> tuple[Named, ...]:
    """The errors that a known tool gave, where there are any."""
    return tuple(error for error in errors if error.key.tool != "unknown") or errors


def named_errors(body: str) -> tuple[Named, ...]:
    """The errors an output names, each once, the first first. Causes and echoes (secondary lines) are no errors."""
    if not body.strip():
        return ()
    found = identify(body)
    errors: dict[str, Named] = {}
    texts: list[str] = []
    for at, key in enumerate(key for key in found.key_lines if key.role == "primary"):
        if not key.text.strip() or _NAMELESS.fullmatch(key.text) or any(_echo(key.text, said) for said in texts):
            continue
        texts.append(key.text)
        own = at == 0 and key.text == found.key_line
        print_ = found.fingerprint if own else fingerprint_line(key.text)
        if print_ not in errors:
            errors[print_] = Named(key, found.normalized if own else normalize_line(key.text), print_)
        if len(errors) == KEYS_KEPT:
            break
    return tuple(error for error in errors.values() if not error.key.text.endswith(":")) or tuple(errors.values())


def first_complaint(body: str) -> tuple[Named, ...]:
    """The line that names a failure which no recogniser knows: the first with a word of complaint, or the first of an
    output of a few lines. Empty where nothing does."""
    lines: list[tuple[int, str]] = []
    start = 0
    for line in body.split("\n"):
        if line.strip() and not is_trailer(line):
            lines.append((start, line[:LINE]))
        start += len(line) + 1
    near = lines if len(lines) <= 2 * _FALLBACK else [*lines[:_FALLBACK], *lines[-_FALLBACK:]]
    said = [one for one in near if COMPLAINT.search(clean(one[1]))]
    found = next((one for one in said if LAST_COMPLAINT.match(clean(one[1]).lstrip())), said[0] if said else None)
    found = found or next((one for one in near if PLACE.match(clean(one[1]))), None)
    if found is None and 0 < len(lines) <= SHORT:
        found = lines[0]
    named = None if found is None else named_line(*found)
    return (named,) if named is not None and named.normalized and named.fingerprint else ()


def named_line(start: int, line: str) -> Named:
    """A line at `start` of an output as the name of its failure, without what the shell put before it."""
    shell = SHELL_PREFIX.match(line)
    begin = len(line) - len(line.lstrip()) if shell is None else shell.end()
    raw = line[begin:].rstrip()
    text = clean(raw)
    key = KeyLine(text, start + begin, start + begin + len(raw), "unknown", "primary")
    return Named(key, normalize_line(text), fingerprint_line(text))


def _echo(text: str, said: str) -> bool:
    """Whether one line only says the other again: without its exception's name, or with a note in brackets."""
    shorter, longer = sorted((text, said), key=len)
    return longer == shorter or longer.endswith(f" {shorter}") or longer.startswith(f"{shorter} [")
