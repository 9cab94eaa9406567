"""What a program says in an output of its own failure: every other line is blanked, at its place.

Shells, clients of services, PowerShell, git, parsers of options, questions that nobody answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Final

from core.base.lazy import lazy_pattern
from core.flows.harvest.command import Command
from core.flows.harvest.signatures import (
    ABSENT,
    CLIENT_COMPLAINT,
    COMPLAINT,
    COMPLAINT_HINTS,
    FAILED,
    LINE,
    PASSED,
    REFUSED_WORD,
    SHELL_COMPLAINT,
    SHELL_PREFIX,
    shortened,
)
from core.text import clean
from core.text.cleaning import without_spelled_colours

_LAUNCHER: Final = (
    r"bwrap: \S|<\d>WSL \(\d+[^)\n]{0,40}\) ERROR: \S|execution error: \S"
    r"| +\+ FullyQualifiedErrorId : (?:NativeCommandFailed|CommandNotFoundException\s*$)"
    r"| +\+ CategoryInfo +: ParserError\b|(?:\x1b\[[\d;]*m)*ParserError: "
)
NOT_STARTED: Final = re.compile(rf"^(?:{_LAUNCHER})", re.MULTILINE)
"""What says that it could not start a command: Codex and its sandbox on Linux, WSL, and PowerShell in any language,
which runs nothing of a command that it cannot parse."""

_OF_SHELL_OR_CLIENT: Final = lazy_pattern(rf"{SHELL_PREFIX.pattern}\S|{CLIENT_COMPLAINT.pattern.pattern}|{_LAUNCHER}")


def only_lines_of(body: str, programs: Iterable[str], command: str = "") -> str:
    """`body` with every line blanked that none of `programs` wrote as its own complaint (`grep: x: No such file`).

    Programs of Windows write their name in capitals (`FINDSTR: Cannot open x`). That one refuses an option of `command`
    is its own complaint too.
    """
    refused = {body.count("\n", 0, found.start()) for found in _refused_words(body, command)}
    known = {spelled for name in programs if name for spelled in (name, name.upper())}
    names = "|".join(sorted({re.escape(name) for name in known} | {"fatal", "error", "ssh"}))
    own = re.compile(rf"(?:[\w/.\-]+: )?(?:(?:line )?\d+: )?(?:\S*/)?(?:{names}) ?: ?\S")
    shown = [(line, _uncoloured(line)) for line in body.split("\n")]
    return "\n".join(
        line if at in refused or own.match(as_shown) or _OF_SHELL_OR_CLIENT.match(as_shown) else " " * len(line)
        for at, (line, as_shown) in enumerate(shown)
    )


def _uncoloured(line: str) -> str:
    """The line as it was shown: PowerShell colours its complaints, also where no terminal shows them."""
    return clean(without_spelled_colours(line[:LINE])) if "\x1b" in line or "[" in line else line


def complaints(body: str, command: str) -> str:
    """`body` with every line blanked but the complaints of the shell that ran `command` and of clients of services.

    An empty string where there are none. A complaint of a shell must name what the command names: logs and
    documents quote others.
    """
    for hint in COMPLAINT_HINTS:  # a loop is three times as fast as any()
        if hint in body:
            break
    else:
        return ""
    spans = [found.span() for found in SHELL_COMPLAINT.finditer(body) if _is_of(found, command)]
    spans += [found.span() for found in CLIENT_COMPLAINT.finditer(body)]
    spans += [found.span() for found in _refused_words(body, command)]
    if not spans:
        return ""
    kept = {body.count("\n", 0, start) for start, _ in spans}
    lines = body.split("\n")
    return "\n".join(line if at in kept else " " * len(line) for at, line in enumerate(lines))


_RECORD: Final = re.compile(
    r"^[^\n]{1,300}[:：] ?\d+ ?\S{0,16} ?[:：] ?\d+[ \t]*\n"
    r"(?P<code>(?:\+ [^\n]*\n){1,8}) +\+ CategoryInfo +: [^\n]*\n(?: {3,}\S[^\n]*\n)? +\+ FullyQualifiedErrorId : "
    r"(?!NativeCommandError|PathNotFound|ItemNotFound|No\w+FoundFor|WebCmdlet)",
    re.MULTILINE,
)
_BEFORE: Final = 6
"""Lines of a record before the one that says where it happened, at most."""
_CODE_SHOWN: Final = re.compile(r"\+ (?:\.\.\. )?(?P<code>.*?)(?: \.\.\.)?\s*$", re.MULTILINE)


def powershell_records(body: str, command: str) -> str:
    """`body` with every line blanked but what PowerShell says of code of `command` that failed; empty without any.

    It goes on with the next statement and ends with exit code 0. That a file, a process or a page is not there, or
    what another program wrote to its error stream, is no such failure.
    """
    if "+ FullyQualifiedErrorId : " not in body:
        return ""
    shown = body.replace("\r\n", " \n")
    typed = "".join(command.split())
    kept: set[int] = set()
    lines, at, read, done = shown.split("\n"), 0, 0, 0
    for found in _RECORD.finditer(shown):
        at, read = at + shown.count("\n", read, found.start()), found.start()
        first = at
        while first > max(done, at - _BEFORE) and lines[first - 1].strip(" \t"):
            first -= 1
        if first == at:
            continue
        done = at + found[0].count("\n") + 1
        code = _CODE_SHOWN.match(found["code"])
        if code is not None and code["code"].strip() and "".join(code["code"].split()) in typed:
            kept.update(range(first, done))
    if not kept:
        return ""
    lines = body.split("\n")
    return "\n".join(line if at in kept else " " * len(line) for at, line in enumerate(lines))


_SAYS: Final = re.compile(r"(?:\S*/)?(?P<program>[\w.+-]{2,40})(?::|(?= ERROR )) \S")
_SCRIPT_ERROR: Final = re.compile(
    r"(?:\A\s*|^[ \t]*)(?P<line>(?:psql:[^\n]{1,200}: )?(?:ERROR|FATAL|FAIL(?:ED|URE)?): +\S[^\n]*)"
    r"|(?:(?P<top>\A\s*)|^[ \t]*)(?P<plain>[Ee]rror: \S[^\n]*+)(?(top)|(?=\s*\Z))",
    re.MULTILINE,
)
_SCRIPT_WORDS: Final = ("ERROR: ", "FATAL: ", "FAIL: ", "FAILED: ", "FAILURE: ", "rror: ")


def first_error(body: str, command: Command) -> str:
    """`body` with every line blanked but the first in which a script says `FAIL: …` or `ERROR: …` and continues to exit
    code 0; `Error: …` must be the first line or the last.

    An empty string where it does not, where a summary counts no failure, and for a look: what it looked at may say so.
    psql goes on after a statement that failed.
    """
    if command.reads_only or command.view == "hidden" or not any(word in body for word in _SCRIPT_WORDS):
        return ""
    found = _SCRIPT_ERROR.search(body)
    if found is None:
        return ""
    probe = shortened(body)
    if PASSED.search(probe) and not FAILED.search(probe):
        return ""
    start, end = found.span("line") if found["line"] else found.span("plain")
    before = "\n".join(" " * len(line) for line in body[:start].split("\n"))
    return before + body[start:end] + "\n".join(" " * len(line) for line in body[end:].split("\n"))


_BROKEN: Final = re.compile(
    r"^HTTP/[\d.]+ 5\d\d\b[^\n]*\n(?:[\w-]{1,60}:[^\n]*\n)*\r?\n(?P<said>[^\s<{\[][^\n]{3,})?", re.MULTILINE
)
"""The head of an answer with which a server says that it failed itself, and the first line of its text."""
_SHOWS_HEAD: Final = frozenset(("-i", "-I", "-si", "-sSi", "-sI", "-isS", "--include", "--head"))


def broken_answers(body: str, command: Command) -> str:
    """`body` with every line blanked but what a server says that failed (`HTTP/1.1 500`), where `curl -i` asked it.

    The text of the answer, where that is no page and no data, else its status line. An empty string without any.
    """
    if not any(part.program == "curl" and _SHOWS_HEAD & {*part.words} for part in command.parts):
        return ""
    kept = [found.span("said") if found["said"] else found.span() for found in _BROKEN.finditer(body)]
    lines, starts = body.split("\n"), {body.count("\n", 0, start) for start, _ in kept}
    return "\n".join(line if at in starts else " " * len(line) for at, line in enumerate(lines)) if kept else ""


_QUESTION: Final = re.compile(r"(?:[?◆] +)?\S[^\n]{6,300}?\?[ :]*[(\[](?:y|yes)/(?:n|no)\b[^\n]{0,40}", re.IGNORECASE)
_BOXES: Final = "│╭╰├└┌─╮╯|"
_ANSWERERS: Final = frozenset(("yes", "echo", "printf"))


def unanswered(body: str, command: Command) -> str:
    """`body` with every line blanked but a question at its end (`Proceed? (Y/n)`), which nobody was there to answer.

    An empty string where there is none. Boxes below it are advertisements.
    """
    if "?" not in body[-_QUESTION_WITHIN:]:
        return ""
    if any(part.simple.fed or (part.program in _ANSWERERS and part.simple.after == "|") for part in command.parts):
        return ""
    lines = body.split("\n")
    shown = ((at, _uncoloured(lines[at]).strip()) for at in range(len(lines) - 1, -1, -1))
    at, last = next(((at, line) for at, line in shown if line and line[0] not in _BOXES), (0, ""))
    if not _QUESTION.fullmatch(last):
        return ""
    return "\n".join(line if number == at else " " * len(line) for number, line in enumerate(lines))


_QUESTION_WITHIN: Final = 2_000
_NEEDS: Final = frozenset(("touch", "mkdir", "ln", "cp", "mv", "tee"))
"""They change files: that one is missing is no answer to them."""
ON_THIS_MACHINE: Final = re.compile(r"localhost|127\.0\.0\.1|\[?::1\b")


def own_complaints(body: str, programs: Set[str]) -> str:
    """`body` with every line blanked but those in which one of `programs` complains under its name (`ps: sid: …`).

    An empty string where there are none. git's name is `fatal`. That a file is not there, or that nothing listens on
    this machine, is what a look was to find out. In the labelled transcripts 14 results show their failure in such a
    line alone; 13 failed.
    """
    names = {name for name in programs if f"{name}: " in body or f"{name} ERROR " in body}
    if "fatal: " in body and "git" in programs:
        names.add("fatal")
    if not names:
        return ""
    kept = [_says(line[:LINE], names) for line in body.split("\n")]
    if not any(kept):
        return ""
    return "\n".join(line if says else " " * len(line) for line, says in zip(body.split("\n"), kept, strict=True))


def _says(line: str, names: set[str]) -> bool:
    complaint = _SAYS.match(_uncoloured(line))
    return (
        complaint is not None
        and complaint["program"] in names
        and COMPLAINT.search(clean(line), len("fatal: ") if complaint["program"] == "fatal" else 0) is not None
        and (ABSENT.search(line) is None or complaint["program"] in _NEEDS)
        and ON_THIS_MACHINE.search(line) is None
    )


def _refused_words(body: str, command: str) -> Iterator[re.Match[str]]:
    return (found for found in REFUSED_WORD.finditer(body) if _is_typed_word(found, command))


def _is_typed_word(found: re.Match[str], command: str) -> bool:
    """Whether the option or subcommand that a program refused is one that the command gives."""
    word = next(one for one in found.groups() if one is not None)
    name = word.lstrip("-")
    if len(name) == 1:
        return re.search(rf"(?<!\S)-\w*{re.escape(name)}", command) is not None
    before = r"(?<![\w-])" if found["word"] and "command" in found[0].lower() else "(?<!\\S)-{1,2}"
    return re.search(rf"{before}{re.escape(name)}(?![\w-])", command) is not None


def _is_of(found: re.Match[str], command: str) -> bool:
    named = next((one for one in found.groups() if one is not None), "").strip()
    return found["syntax"] is not None or named.split(" ")[0][:60] in command
