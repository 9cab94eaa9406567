"""Whether a command that worked is the failing one tried again in a changed form, though the error names no change."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import SequenceMatcher
from typing import Final

from core.flows.harvest import programs
from core.flows.harvest.command import Command
from core.flows.harvest.command_relation import of_filter
from core.flows.harvest.fixes.clues import base_name
from core.flows.harvest.fixes.correction import Corrected, subcommand
from core.flows.harvest.fixes.linking import Failure, is_check
from core.flows.harvest.simple_command import Part

_PARTS: Final = 8
_LIKE: Final = 0.5
_TEXT: Final = 2_000
_GIVES_UP: Final = frozenset(("--continue", "--abort", "--skip", "--quit", "--help", "-h", "--version", "--dry-run"))
_NO_FILE: Final = re.compile(r"no such file|not a directory|is a directory", re.IGNORECASE)
_PIECE: Final = re.compile(r"(?<![\w.+\-])[\w.+\-]*\w")
_NOT_RUN: Final = re.compile(r"no tests? (?:were |was )?(?:collected|found|ran|run|matched|executed)|0 tests", re.I)
_TOO_MANY: Final = re.compile(
    r"\baccepts (?:at most )?\d+ arg|too many (?:positional )?arguments"
    r"|(?:unexpected|unrecogni[sz]ed) (?:extra )?argument|extra operand|takes no arg",
    re.IGNORECASE,
)
"""What argument parsers (cobra, click, argparse, clap, GNU getopt) say of an argument that they do not take."""
_MANGLED: Final = re.compile(
    r"syntax ?error|unterminated|unexpected (?:eof|end of file|token|character)|unmatched|unbalanced"
    r"|missing (?:closing|\))|(?:bad|invalid) escape|parse error|eol while|string literal",
    re.IGNORECASE,
)
"""What interpreters say of a text whose quotes or backslashes were lost."""
_INLINE: Final = frozenset(("-c", "-e", "-", "-lc", "--eval", "-Command"))
_ASKS: Final = frozenset(("curl", "wget", "http"))
_SHORT: Final = 4


def retried(failure: Failure, later: Command) -> Corrected | None:
    """Why `later`, which ran shortly after with no edit before it, is the failing command in a changed form."""
    failed = failure.command
    if max(len(failed.parts), len(later.parts)) > _PARTS or not failed.members:
        return None
    if of_filter(failed, failure.key) != of_filter(later, failure.key):
        return None
    if failed.reads_only and _NO_FILE.search(failure.key):
        return None  # looking for a file elsewhere cures nothing
    pairs = [(part, _again(failure, part, later)) for part in failed.members]
    exit_is_known = not later.masked or all(other is later.last for _, other in pairs)
    if (
        exit_is_known
        and all(other is not None for _, other in pairs)
        and any(part.shape != other.shape for part, other in pairs if other)
    ):
        if _TOO_MANY.search(failure.key):
            return Corrected("the same program passed shortly after with fewer arguments")
        return Corrected("the same program passed shortly after, called in another way", linked=False)
    return None if later.masked else _by_other_means(failed, later)


def moved_to_file(failure: Failure, later: Command, written: Collection[str]) -> Corrected | None:
    """Why a script that ran from a file is the fix: its text, given on the command line, lost its quotes on the way.

    `written` are the names of the files that were written since the failure.
    """
    if not _MANGLED.search(failure.key):
        return None
    inline = {part.program for part in failure.command.parts if part.simple.fed or _INLINE & set(part.words[1:3])}
    for part in later.parts:
        script = next((base_name(word) for word in part.words[:3] if base_name(word) in written), None)
        if script is not None and part.program in inline | {script}:
            return Corrected(f"the script ran from the file `{script}` instead of the command line")
    return None


def filtered(failure: Failure, later: Command) -> Corrected | None:
    """Why a changed filter is the fix where the error is of that filter: another `jq` behind the same command."""
    name = failure.key.split(":")[0].lower()
    old, new = ([part for part in one.parts if part.program.lower() == name] for one in (failure.command, later))
    if not name or not old or not new or [part.words for part in old] == [part.words for part in new]:
        return None
    return Corrected(f"the error is of `{name}`, which is given something else")


def left_out(failure: Failure, later: Command) -> Corrected | None:
    """Why the option that `later` does without is the cure: a word of the error begins with its name."""
    kept = {word for part in later.parts for word in part.words}
    for part in failure.command.members:
        for word in part.words[1:]:
            name = word.lstrip("-").split("=")[0].lower()
            named = len(name) > 2 and any(one.startswith(name) for one in failure.clue.words)
            if word.startswith("--") and word not in kept and named:
                return Corrected(f"`{word}`, which the error is about, is left out")
    return None


def _again(failure: Failure, failed: Part, later: Command) -> Part | None:
    """The part of `later` that does what `failed` was to do."""
    for part in later.parts:
        if part.program != failed.program or subcommand(part)[:3] != subcommand(failed)[:3]:
            continue
        if _GIVES_UP & set(part.words) - set(failed.words):
            continue
        if part.shape == failed.shape or _keeps_targets(failure, failed, part):
            return part
    return None


def _keeps_targets(failure: Failure, failed: Part, later: Part) -> bool:
    """Whether what a call is to work on is the same, but for words that were corrected."""
    old, new = _given(failed), _given(later)
    gone, come = [word for word in old if word not in new], [word for word in new if word not in old]
    if is_check(failed):
        options = [word for word in later.words if word.startswith("-") and word not in failed.words]
        cures = [word for word in options if word.split("=")[0] not in programs.SELECTING_FLAGS]
        return not gone and bool(cures) and _NOT_RUN.search(failure.key) is not None
    if _TOO_MANY.search(failure.key) and old and not come and gone and old[0] not in gone:
        return True
    if len(gone) > len(come) or (gone and len(gone) == len(old) and not any(re.search(r"\s", word) for word in gone)):
        return False
    return all(any(_like(word, other) for other in come) for word in gone)


def _given(part: Part) -> list[str]:
    words = [word for word in part.words[1:] if not word.startswith("-")]
    return [*words, *([part.simple.fed] if part.simple.fed else [])]


def _like(old: str, new: str) -> bool:
    """Whether one word is the other, corrected; another number is another target."""
    if re.sub(r"\d+", "", old) == re.sub(r"\d+", "", new):
        return False
    return SequenceMatcher(None, old[:_TEXT], new[:_TEXT], autojunk=False).ratio() >= _LIKE


def _by_other_means(failed: Command, later: Command) -> Corrected | None:
    """Another program or subcommand that is given nearly all that the failing one was given."""
    if any(is_check(part) for part in failed.members) or failed.members[-1].named(programs.FILE_READERS):
        return None
    wanted = {piece for part in failed.members for piece in _pieces(part)}
    specific = {piece for piece in wanted if len(piece) > _SHORT and re.search(r"[\d\-_./]", piece)}
    if len(wanted) < 2 or not specific:
        return None
    before = {subcommand(part) for part in failed.members}
    for_it = [part for part in later.parts if _acts(part) and subcommand(part) not in before]
    given = {piece for part in for_it for piece in _pieces(part)}
    if specific <= given and 3 * len(wanted & given) >= 2 * len(wanted):
        return Corrected(f"`{for_it[-1].program}` was given the same and passed", linked=False)
    return None


def _acts(part: Part) -> bool:
    """Whether a part does something or asks a server, rather than look at files or check them."""
    return bool(part.words) and (part.kind == "run" or part.program in _ASKS) and not is_check(part)


def _pieces(part: Part) -> set[str]:
    """What the arguments of a call name: words without options, versions and messages."""
    words = [word for word in part.words[1:] if not word.startswith("-") and not re.search(r"\n", word)]
    return {piece.lower() for word in words for piece in _PIECE.findall(word) if len(piece) > 2}
