"""What a command's exit code covers, how much of its output was to be seen, and the exit code it prints itself."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from core.flows.harvest import programs
from core.flows.harvest.part import KEYWORDS, LOOPS, Part

View = Literal["whole", "tail", "part", "hidden"]
FILTERS = programs.FILTERS_WHOLE | programs.FILTERS_TAIL | programs.FILTERS_PART | programs.FILTERS_COUNT

_VARIABLE = re.compile(r"\$\?|\$\{PIPESTATUS[^}]*\}|\$PIPESTATUS\b|\$\{?LASTEXITCODE\}?|%ERRORLEVEL%", re.IGNORECASE)
NOWHERE = frozenset(("/dev/null", "nul", "NUL", "$null", "/dev/stderr", "/dev/stdout", "/dev/tty"))


def exit_and_view(parts: tuple[Part, ...], members: tuple[Part, ...], text: str) -> tuple[bool, View]:
    """Whether a member's failure can be missing from the exit code, and how much of its output was shown."""
    passed_on = any(part.program == "exit" and part.words[-1].startswith("$") for part in parts)
    pipefail = passed_on or "pipefail" in text
    masked = any(KEYWORDS & set(part.around) or part.program in LOOPS for part in parts)
    view: View = "whole"
    read_later = {word for part in parts for word in part.words[1:] if part.kind == "read" or part.named(FILTERS)}
    for at, part in enumerate(parts):
        if part not in members:
            continue
        after, more = part.simple.after, at + 1 < len(parts)
        masked = masked or (after == "|" and not pipefail) or (after in ("||", ";", "&") and more and not passed_on)
        gone = [target for target in part.simple.targets if target not in NOWHERE and target not in read_later]
        if gone or after == "&":
            view = "hidden"
        for later in _showing(parts[at:]):
            view = _narrower(view, later)
    return masked, view


def _showing(parts: tuple[Part, ...]) -> list[Part]:
    """What the output of the first part goes through: its pipe, and the looks at the file it wrote."""
    piped, shown = True, list[Part]()
    for before, part in pairwise(parts):
        piped = piped and before.simple.after == "|"
        if piped or set(part.words[1:]) & set(parts[0].simple.targets):
            shown.append(part)
    return shown


def _narrower(view: View, part: Part) -> View:
    """What is left to see of an output after one more filter."""
    if (
        view == "hidden"
        or part.named(programs.FILTERS_COUNT)
        or (part.named(programs.ANSWERS) and {"-c", "--count", "-q", "-l"} & set(part.words))
    ):
        return "hidden"
    last = part.named(programs.FILTERS_TAIL) or "-Last" in part.words
    if view == "part" or (part.named(programs.FILTERS_PART) and not last):
        return "part"
    return "tail" if last else view


def printed_status(parts: tuple[Part, ...]) -> re.Pattern[str] | None:
    """A pattern for the exit code that the command itself prints (`; echo "exit: $?"`), where that is a member's."""
    for at, part in enumerate(parts):
        template = " ".join(word for word in part.words[1:] if not word.startswith("-"))
        found = _VARIABLE.search(template) if part.program in ("echo", "printf", "Write-Host", "Write-Output") else None
        if found is None or at == 0:
            continue
        before = parts[at - 1]
        filtered = at > 1 and parts[at - 2].simple.after == "|" and before.named(FILTERS)
        if (filtered and "PIPESTATUS" not in found[0]) or before.simple.after == "||" or before.kind == "setup":
            continue
        start, end = (
            re.escape(side.strip().replace("\\n", "")) for side in (template[: found.start()], template[found.end() :])
        )
        return re.compile(rf"^[ \t]*{start}\s*(\d{{1,3}})\s*{end}[ \t]*$", re.MULTILINE)
    return None
