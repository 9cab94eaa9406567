"""What a command's exit code covers, how much of its output was to be seen, and the exit code it prints itself."""

from __future__ import annotations

import re
from typing import Final, Literal

from core.flows.harvest import programs
from core.flows.harvest.simple_command import KEYWORDS, LOOPS, Part

View = Literal["whole", "tail", "part", "hidden"]
_VIEWS: Final[tuple[View, ...]] = ("whole", "tail", "part", "hidden")
"""Each shows no more than the one before."""
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
    known = frozenset(members)
    for at, (part, left) in enumerate(zip(parts, _left(parts), strict=True)):
        if part not in known:
            continue
        after, more = part.simple.after, at + 1 < len(parts)
        masked = masked or (after == "|" and not pipefail) or (after in ("||", ";", "&") and more and not passed_on)
        gone = [target for target in part.simple.targets if target not in NOWHERE and target not in read_later]
        view = _least(view, left, "hidden" if gone or after == "&" else "whole")
    return masked, view


def _left(parts: tuple[Part, ...]) -> list[View]:
    """What is to be seen of each part's output behind its pipe and the looks at the file it wrote.

    From the last to the first: a command of thousands of parts is read once."""
    found: list[View] = []
    looked: dict[str, View] = {}
    piped = behind = _VIEWS[0]
    for part in reversed(parts):
        piped = _least(piped, behind) if part.simple.after == "|" else _VIEWS[0]
        later: list[View] = [looked[target] for target in part.simple.targets if target in looked]
        found.append(_least(piped, *later))
        behind = _shown_by(part)
        for word in part.words[1:]:
            looked[word] = _least(behind, looked.get(word, behind))
    return found[::-1]


def _least(*views: View) -> View:
    return _VIEWS[max(map(_VIEWS.index, views))]


def _shown_by(part: Part) -> View:
    """What a filter lets through."""
    counts = part.named(programs.ANSWERS) and {"-c", "--count", "-q", "-l"} & set(part.words)
    if counts or part.named(programs.FILTERS_COUNT):
        return "hidden"
    if part.named(programs.FILTERS_TAIL) or "-Last" in part.words:
        return "tail"
    return "part" if part.named(programs.FILTERS_PART) else "whole"


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
        # Blanks beside nothing are those of one line: the blank lines of a long output would be read again and again.
        lead, tail = f"{start}\\s*" if start else "", f"\\s*{end}" if end else ""
        return re.compile(rf"^[ \t]*{lead}(\d{{1,3}}){tail}[ \t]*$", re.MULTILINE)
    return None
