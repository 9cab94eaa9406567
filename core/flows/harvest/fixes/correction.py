"""Whether another command that passed is the fix of the one that failed, or the same command in a changed form."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from core.flows.harvest import programs
from core.flows.harvest.command import FILTERS, Command, Part
from core.flows.harvest.command_relation import (
    INLINE,
    MISSING_PLACE,
    Relation,
    differs,
    is_filtered_alike,
    is_near,
    is_requoted,
    waits,
)
from core.flows.harvest.fixes.clues import base_name, longest
from core.flows.harvest.fixes.linking import (
    CURES_NOTHING,
    SAVES,
    Failure,
    concerned,
    is_check,
    is_other_code,
    renamed,
    rewrites,
)


class Corrected(NamedTuple):
    """Why a command is itself the fix. `linked` is False where it only passed and nothing ties it to the error.

    `tells`: the reason says what was done otherwise, which the two commands side by side may not show.
    """

    why: str
    linked: bool = True
    tells: bool = False


BY_A_PERSON: Final = "the error was fixed manually, then the command passed"
OUTSIDE: Final = Corrected("the same command passed outside the agent's sandbox")
AFTER_QUESTION: Final = Corrected("the same command passed after the agent asked you about it", linked=False)

_SHOWS: Final = frozenset((
    "cat", "ls", "head", "tail", "which", "type", "stat", "file", "wc", "echo", "pwd", "cd", "dir", "less", "more",
    "command", "open",
))  # fmt: skip
"""They show a file; they do nothing with it that another program could not do."""
_NO_FILE: Final = re.compile(r"no such file|not a directory|is a directory", re.IGNORECASE)
_GLOB: Final = re.compile(r"no matches found: (\S+)")
_PLACE: Final = re.compile(
    rf"{MISSING_PLACE.pattern}|main module|package\.json|go\.mod|cargo\.toml|pyproject"
    r"|makefile|outside repository|workspace",
    re.IGNORECASE,
)
_USAGE: Final = re.compile(
    r"\b(?:unexpected|unrecogni[sz]ed|unknown|invalid|no such|illegal|ambiguous) "
    r"(?:extra |positional |command[- ]line )?"
    r"(?:argument|option|flag|switch|choice|command|subcommand)s?\b|\binvalid value\b|\bcannot be used with\b"
    r"|\bnot allowed with\b|\bno (?:library|bin|test|example) targets?\b|\btoo many (?:positional )?arguments\b",
    re.IGNORECASE,
)
"""A program refused how it was called: a check that did not check is a command like any other."""
_MOVES: Final = frozenset(("cd", "pushd"))
_PROCEEDS: Final = frozenset(("--continue", "--abort", "--help", "-h"))
"""Options that hints name and that cure nothing by themselves."""
_GROUPED: Final = frozenset(("gh", "glab", "aws", "gcloud", "az"))
"""Programs whose commands lie in groups (`gh pr view`): the first word alone is no task."""
_PARTS: Final = 8
_BUSY: Final = re.compile(
    r"rate limit|too many requests|\b429\b|\b50[234]\b|timed? ?out|\block(?:ed)?\b|busy|try again", re.IGNORECASE
)
_LOCKED: Final = re.compile(
    r"\.lock\b.{0,40}\bexists\b|\b(?:already|is) locked\b|\block is held\b"
    r"|\b(?:acquir(?:e|ing)|obtain(?:ing)?|get|for) (?:the |a )?(?:\w{1,20} )?lock\b",
    re.IGNORECASE,
)
"""Another process holds a lock; no lock file of a package manager (`Cargo.lock needs to be updated`)."""
_LIKE: Final = 0.6
_FILE: Final = re.compile(r"\w\.[a-z]{1,5}$")
_PATH: Final = re.compile(r"^[^\s=/]*+/\S*+$")
_PATH_SET: Final = re.compile(r"PATH=|\$env:PATH$", re.IGNORECASE)
_MODULE: Final = re.compile(r"\b(?:module|package|crate)\b|ModuleNotFoundError", re.IGNORECASE)
_PIECE: Final = re.compile(r"[\w.+@\-]+")


def changed_command(
    failure: Failure, later: Command, relation: Relation, project: str, tried: Sequence[Command], *, alone: bool
) -> Corrected | None:
    """Why `later`, which checks the same as the failing command, is the fix or a part of it; None where it is not.

    `tried` are all commands that showed the failure; `alone`: no other step is linked to it.
    """
    failed = failure.command
    if relation == "covers" or not all(differs(one, later, project) for one in (failed, *tried)):
        return None
    if is_other_code(failure, later):
        return None
    why = difference(failure, later)
    if why is not None or not alone:
        return None if why is None else Corrected(why)
    if all(is_check(part) for part in failed.members) and all(is_check(part) for part in later.members):
        return Corrected("the same check passed in another way", linked=False) if _configured(failed, later) else None
    prepared = _prepared(failed, later)
    if prepared is not None:
        again = subcommand(prepared) in map(subcommand, failed.members)
        return Corrected(f"`{prepared.family}` was run first", tells=not again)
    if relation == "variant":
        return Corrected("the same program passed with other arguments", linked=False)
    if relation == "same":
        return Corrected("the same command passed with other settings, or in another folder", linked=False)
    return None


def waited(failure: Failure, later: Command) -> Corrected | None:
    """Whether the command only waited before it ran again, where the error is one that passes with time."""
    slept = waits(later)
    if not slept and _LOCKED.search(failure.key):
        return Corrected("the command ran again after the lock was released", tells=True)
    return Corrected("the command ran again after a wait", tells=True) if slept and _BUSY.search(failure.key) else None


def _prepared(failed: Command, later: Command) -> Part | None:
    """What the later command does first that the failing one did not (`git pull --rebase && git push`)."""
    before = {part.family for part in failed.members}
    saves = SAVES if any(part.program == "git" for part in failed.members) else CURES_NOTHING
    for part in later.members[:-1]:
        if part.named(programs.CHANGERS) and part.family not in before and not saves.match(f"{part.family} "):
            return part
    return None


def _configured(failed: Command, later: Command) -> bool:
    """Whether settings, wrappers or options that select nothing differ."""
    old, new = (
        {
            word.split("=")[0] if word.startswith("-") else word
            for part in command.parts
            for word in (*part.around, *(one for one in part.words[1:] if one.startswith("-") or "=" in one))
        }
        for command in (failed, later)
    )
    return bool((old ^ new) - programs.SELECTING_FLAGS) or failed.directory != later.directory


def correction(failure: Failure, later: Command) -> Corrected | None:
    """Why `later`, another command that worked, does what the failing one was to do; None where nothing says so."""
    if max(len(failure.command.parts), len(later.parts)) > _PARTS or is_other_code(failure, later):
        return None  # a script does many things
    if not is_filtered_alike(failure.command, later, failure.key):
        return None  # what goes through another filter as well is a look
    if failure.command.reads_only and _NO_FILE.search(failure.key):
        return None  # looking for a file elsewhere cures nothing
    why = _same_program(failure, later) or _through(failure, later) or _by_path(failure, later)
    shown = not later.masked or bool(lost_parts(failure))
    if why is None and shown and all(part.simple.after != "||" for part in later.parts):
        why = _other_program(failure, later)
    return None if why is None else Corrected(why)


def same_words(failure: Failure, later: Command) -> Corrected | None:
    """Why `later` is the fix though it has the words of the failing command: a pattern is quoted now, a program that is
    missing is left out, or the program of a failing check (`cargo fmt --check`) rewrites instead of checking."""
    why = _quoted_glob(failure, later) or _without_it(failure, later)
    if why is not None:
        return Corrected(why)
    if is_requoted(failure.command, later):
        return Corrected("the command is quoted in another way")
    if not any(rewrites(failure, part) for part in later.members):
        return None
    return Corrected("the same program fixed the errors that its check reported", linked=False)


def otherwise(failure: Failure, later: Command) -> str:
    """What `later` does otherwise than the failing command, where a rule names it; else empty."""
    why = _quoted_glob(failure, later) or _without_it(failure, later) or _through(failure, later)
    return why or _by_path(failure, later) or _moved(failure, later) or _other_program(failure, later) or ""


def reaches(failure: Failure, later: Command) -> bool:
    """Whether `later` does with what the error names what the failing command was to do with it."""
    paths = {name for name in failure.clue.names | failure.clue.near if "/" in name}
    for failed in failure.command.members:
        if is_check(failed):
            continue
        same = [
            part for part in later.parts if part.program == failed.program and subcommand(part) == subcommand(failed)
        ]
        if any(path in word.lower() for part in same for path in paths for word in part.words[1:]):
            return True
    return False


def _quoted_glob(failure: Failure, later: Command) -> str | None:
    found = _GLOB.search(failure.key)
    if found is None or not _same_programs(failure.command, later):
        return None
    pattern = re.escape(found[1])
    if re.search(rf"['\"][^'\"\n]*{pattern}|noglob", later.text):
        return f"the pattern `{found[1]}` is quoted"
    folder = re.split(r"[*?\[]", found[1])[0].rpartition("/")[0]
    given = {word for part in failure.command.parts for word in part.words[1:] if len(word) > 3} - {found[1]}
    same = folder in later.text if len(folder) > 3 else any(given & set(part.words[1:]) for part in later.parts)
    near = same and found[1] not in later.text
    return f"the command no longer contains the pattern `{found[1]}`" if near else None


def _same_programs(failed: Command, later: Command) -> bool:
    return bool(
        {part.program for part in failed.parts if part.words} & {part.program for part in later.parts if part.words}
    )


@lru_cache(maxsize=256)
def subcommand(part: Part) -> tuple[str, ...]:
    """The program and its subcommands: the words before the first option or argument that is no plain word."""
    head: list[str] = [part.program]
    for word in _without_options(part)[:2]:
        of_runner = head[-1] == "run" or part.named(programs.SCRIPT_RUNNERS)
        if not (_TASK if of_runner else _PLAIN_WORD).fullmatch(word):
            break
        head.append(word)
    return tuple(head)


def does_part_of(failed: Command, later: Command, files: Collection[str] = ()) -> bool:
    """Whether a part of a command does what a part of the failing one does, and the command names one of the `files` if
    there are any. A look proves nothing of an edit."""
    if failed.reads_only or not {*map(subcommand, failed.members)} & {*map(subcommand, later.members)}:
        return False
    return not files or any(base_name(word) in files for part in later.parts for word in part.words)


def _without_options(part: Part) -> list[str]:
    """The words behind the program, without the options that git takes before its subcommand."""
    words = list(part.words[1:])
    while part.program == "git" and words and words[0].startswith("-"):
        del words[: 2 if words[0] in ("-c", "-C") else 1]
    return words


_PLAIN_WORD: Final = re.compile(r"[a-z][a-z\-]{1,20}")
_TASK: Final = re.compile(r"[a-z][a-z:\-]{1,30}")


def lost_parts(failure: Failure) -> list[Part]:
    """The parts of the failing command that call what the error says is missing."""
    missing, parts = failure.clue.missing, failure.command.parts
    return [part for part in parts if missing and missing & {part.program.lower(), *map(str.lower, part.words[:4])}]


def is_refused(failure: Failure) -> bool:
    """Whether a program was called in a wrong way or place, so that it did not do its work."""
    return any(pattern.search(failure.key) for pattern in (_USAGE, _NOT_RUN, TOO_MANY, MISSING_PLACE))


def _same_program(failure: Failure, later: Command) -> str | None:
    """The same program and subcommand, where the words that differ are those that the error names."""
    lost = lost_parts(failure)
    for failed in lost or failure.command.parts:
        if failed.kind == "setup" or not failed.words:
            continue
        checks = is_check(failed) or failed.named(programs.CHECKS)
        if checks and not (MISSING_PLACE.search(failure.key) or _USAGE.search(failure.key)):
            continue
        for part in later.parts:
            if part.program == failed.program and _same_task(failed, part):
                why = _words_differ(failure, failed, part)
                if why is not None:
                    return why
    return None


def _same_task(failed: Part, later: Part) -> bool:
    """Whether two calls of one program do the same: by their subcommand, or by an argument that both have."""
    if not is_near(failed, later):
        return False
    head, other = subcommand(failed), subcommand(later)
    grouped = failed.program in _GROUPED and len(head) == len(other) == 3
    if head[:2] != other[:2] or (grouped and head != other):
        return False
    head = head[:2]
    return len(head) > 1 or bool(set(failed.words[1:]) & set(later.words[1:]))


def difference(failure: Failure, later: Command) -> str | None:
    """Why the words in which `later` differs from the failing command are tied to the error."""
    for failed in failure.command.parts:
        for part in later.parts:
            if failed.words and part.program == failed.program:
                why = _words_differ(failure, failed, part)
                if why is not None:
                    return why
    if why := _moved(failure, later) or _by_path(failure, later):
        return why
    added = {
        word
        for part in later.parts
        for word in (*part.around, *(part.words if part.program in ("export", "unset", "set", "") else ()))
    }
    before = {word for part in failure.command.parts for word in (*part.around, *part.words)}
    pieces = {piece.lower() for word in added - before for piece in _PIECE.findall(word.split("=")[0])}
    named = (failure.clue.names | failure.clue.near) & pieces
    return f"the command sets `{min(named)}`, which the error names" if named else None


def _by_path(failure: Failure, later: Command) -> str | None:
    """Why the way in which a program is called is the cure where it was not found: by a path, through a runner, or with
    another PATH."""
    for part in later.parts:
        for word in part.simple.words[:4] if part.program not in _MOVES else ():
            name = base_name(word)
            called = " ".join((*part.around, word))[:80]
            if name in failure.clue.missing and called.lower() != name:
                return f"the command replaces the missing `{name}` with `{called}`"
    if why := renamed(failure, later):
        return why
    called = {part.program.lower() for part in later.parts} & failure.clue.missing
    if called and _settings(later) - _settings(failure.command):
        return f"the command sets PATH so that it contains `{min(called)}`, which was missing"
    return None


def _settings(command: Command) -> set[str]:
    """The words that set the PATH."""
    words = (word for part in command.parts for word in (*part.around, *part.words))
    return {word for word in words if _PATH_SET.match(word)}


def _through(failure: Failure, later: Command) -> str | None:
    """Why a runner is the cure where a program was not found: it is given that program with the same arguments."""
    for failed in failure.command.parts:
        if failed.program.lower() not in failure.clue.missing or len(failed.words) < 2:
            continue
        for part in later.parts:
            at = len(part.words) - len(failed.words)
            if at > 0 and part.words[at:] == failed.words:
                return f"`{failed.program}`, which was not found, is run through `{' '.join(part.words[:at])[:80]}`"
    return None


def _without_it(failure: Failure, later: Command) -> str | None:
    """Return why a command works without a missing program: everything else of it was done."""
    missing = failure.clue.missing
    if not missing or any(missing & {*map(str.lower, (*part.around, *part.words[:1]))} for part in later.parts):
        return None
    wanted: list[tuple[str, ...]] = []
    gone, piped = "", False
    for part in failure.command.parts:
        filters, piped = piped and part.named(FILTERS), part.simple.after == "|"
        around = next((word for word in part.around if word.lower() in missing), "")
        name = around or (part.program if part.program.lower() in missing else "")
        gone = gone or name
        rest = part.words if around or not name else part.words[1:] if len(part.words) > 2 else ()
        if rest and part.kind != "setup" and not filters:
            wanted.append(rest)
    given = {part.words for part in later.parts}
    return f"the command omits `{gone}`, which is missing" if gone and wanted and given.issuperset(wanted) else None


def _moved(failure: Failure, later: Command) -> str | None:
    """Why the folder in which a command ran is the cure of an error about a place that is not there."""
    if later.directory and later.directory != failure.command.directory and _PLACE.search(failure.key):
        return "the command ran in another folder"
    return None


def _words_differ(failure: Failure, failed: Part, later: Part) -> str | None:
    """Why the difference of two calls of one program is tied to the error."""
    if _blind(failed) == _blind(later):
        return None
    mentioned = failure.clue.names | failure.clue.near | failure.clue.missing
    mentioned -= _PROCEEDS | {name.lower() for name in failure.clue.tests}
    gone, come = _pieces(failed) - _pieces(later), _pieces(later) - _pieces(failed)
    if not MISSING_PLACE.search(failure.key):
        gone = {piece for piece in gone if not _FILE.search(piece)}  # another file is another task
    left_out = longest(gone & mentioned)
    if left_out and not _drops_target(failed, later):
        return f"the command omits or changes `{left_out}`, which the error names"
    hinted = longest(come & mentioned)
    if hinted:
        return f"the command adds `{hinted}`, which the error names"
    old = _blind(failed)
    settings = [word for word in _blind(later) if word not in old and (word.startswith("-") or "=" in word)]
    about = concerned(failure.clue, settings) if not is_check(failed) else None
    return f"the command adds `{about}`, which the error names" if about else None


def _drops_target(failed: Part, later: Part) -> bool:
    """Whether a path that the failing command was to work on is only left out, with none like it given instead."""
    old, new = ([word for word in part.words[1:] if not re.search(r"\s", word)] for part in (failed, later))
    if len(new) >= len(old):
        return False
    gone, come = [word for word in old if word not in new and "/" in word], [word for word in new if word not in old]
    return any(
        not any(SequenceMatcher(None, word, other, autojunk=False).ratio() >= _LIKE for other in come) for word in gone
    )


def _blind(part: Part) -> tuple[str, ...]:
    return (*part.around, *part.words, part.simple.fed)


def _pieces(part: Part) -> set[str]:
    """What the arguments of a call are made of, in lower case; the program and its subcommands left out."""
    words = (*part.around, *part.words[1:], part.simple.fed)
    found = {word.lower() for word in words if not re.search(r"\s", word)}
    found |= {piece.lower().strip("-.") for word in words if not _PATH.match(word) for piece in _PIECE.findall(word)}
    found |= {base_name(word) for word in words if _PATH.match(word)}
    return {piece for piece in found if len(piece) > 2} - {*subcommand(part)}


def _other_program(failure: Failure, later: Command) -> str | None:
    """Another program that does the same to the same target, where the error is that the first one is not there."""
    missing = failure.clue.missing
    parts = failure.command.parts
    lost = lost_parts(failure)
    if missing and not lost and not _MODULE.search(failure.key):
        lost = [part for part in parts if part.kind == "run"]  # what they run lacks it
    if not lost or any(name in part.words for part in later.parts for name in missing):
        return None
    targets = {
        word
        for part in lost
        for word in re.findall(r"[\w./\-]{6,}", " ".join((*part.words[1:], part.simple.fed, *part.simple.targets)))
        if "/" in word or "." in word
    }
    given = {word for part in lost for word in part.words[1:] if not word.startswith("-")}
    for part in later.parts:
        if part.kind == "setup" or part.program in _SHOWS or part.program in missing:
            continue
        if part.kind == "read" and not any(one.kind == "read" for one in lost):
            continue  # a look at a file does not do what a program does with it
        text = " ".join((*part.words[1:], part.simple.fed))
        same = bool(given) and given <= {*part.words[1:]}
        if any(word in text for word in targets) or (same and not targets):
            called = part.simple.words[len(part.around)]  # the program of `python3 -m x` is `x`
            return f"`{called}` replaces `{min(missing)}`, which is missing"
    return None


_SIMILAR_CODE: Final = 0.5
_TEXT: Final = 2_000
_GIVES_UP: Final = frozenset(("--continue", "--abort", "--skip", "--quit", "--help", "-h", "--version", "--dry-run"))
_WORD: Final = re.compile(r"(?<![\w.+\-])[\w.+\-]*\w")
_NOT_RUN: Final = re.compile(r"no tests? (?:were |was )?(?:collected|found|ran|run|matched|executed)|0 tests", re.I)
TOO_MANY: Final = re.compile(
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
_ASKS: Final = frozenset(("curl", "wget", "http"))
_SHORT: Final = 4


def retried(failure: Failure, later: Command) -> Corrected | None:
    """Why `later`, which ran shortly after with no edit before it, is the failing command in a changed form."""
    failed = failure.command
    if max(len(failed.parts), len(later.parts)) > _PARTS or not failed.members or is_other_code(failure, later):
        return None
    if not is_filtered_alike(failed, later, failure.key):
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
        if TOO_MANY.search(failure.key):
            return Corrected("the same program passed shortly after with fewer arguments", tells=True)
        return Corrected("the same program passed shortly after, called in another way", linked=False)
    return None if later.masked else _by_other_means(failed, later)


def moved_to_file(failure: Failure, later: Command, written: Collection[str]) -> Corrected | None:
    """Why a script that ran from a file is the fix: its text, given on the command line, lost its quotes on the way.

    `written` are the names of the files that were written since the failure.
    """
    if not _MANGLED.search(failure.key):
        return None
    inline = {part.program for part in failure.command.parts if part.simple.fed or INLINE & set(part.words[1:3])}
    for part in later.parts:
        script = next((base_name(word) for word in part.words[:3] if base_name(word) in written), None)
        if script is not None and part.program in inline | {script}:
            return Corrected(f"the script ran from the file `{script}` instead of the command line", tells=True)
    return None


def filtered(failure: Failure, later: Command) -> Corrected | None:
    """Why a changed filter is the fix where the error is of that filter: another `jq` behind the same command."""
    name = failure.key.split(":")[0].rstrip().lower()
    old, new = ([part for part in one.parts if part.program.lower() == name] for one in (failure.command, later))
    if not name or not old or not new or [part.words for part in old] == [part.words for part in new]:
        return None
    return Corrected(f"the error is from `{name}`, which then ran with other arguments")


def removed_option(failure: Failure, later: Command) -> Corrected | None:
    """Why the option that `later` does without is the cure: a word of the error begins with its name."""
    kept = {word for part in later.parts for word in part.words}
    for part in failure.command.members:
        for word in part.words[1:]:
            name = word.lstrip("-").split("=")[0].lower()
            named = len(name) > 2 and any(one.startswith(name) for one in failure.clue.words)
            if word.startswith("--") and word not in kept and named:
                return Corrected(f"the command omits `{word}`, which the error names", tells=True)
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
    old, new = _arguments(failed), _arguments(later)
    gone, come = [word for word in old if word not in new], [word for word in new if word not in old]
    if is_check(failed):
        options = [word for word in later.words if word.startswith("-") and word not in failed.words]
        cures = [word for word in options if word.split("=")[0] not in programs.SELECTING_FLAGS]
        return not gone and bool(cures) and _NOT_RUN.search(failure.key) is not None
    if TOO_MANY.search(failure.key) and old and not come and gone and old[0] not in gone:
        return True
    if len(gone) > len(come) or (gone and len(gone) == len(old) and not any(re.search(r"\s", word) for word in gone)):
        return False
    return all(any(_like(word, other) for other in come) for word in gone)


def _arguments(part: Part) -> list[str]:
    words = [word for word in part.words[1:] if not word.startswith("-")]
    return [*words, *([part.simple.fed] if part.simple.fed else [])]


def _like(old: str, new: str) -> bool:
    """Whether one word is the other, corrected; another number is another target."""
    if re.sub(r"\d+", "", old) == re.sub(r"\d+", "", new):
        return False
    return SequenceMatcher(None, old[:_TEXT], new[:_TEXT], autojunk=False).ratio() >= _SIMILAR_CODE


def _by_other_means(failed: Command, later: Command) -> Corrected | None:
    """Another program or subcommand that is given nearly all that the failing one was given."""
    if any(is_check(part) for part in failed.members) or failed.members[-1].named(programs.FILE_READERS):
        return None
    wanted = {piece for part in failed.members for piece in _argument_words(part)}
    specific = {piece for piece in wanted if len(piece) > _SHORT and re.search(r"[\d\-_./]", piece)}
    if len(wanted) < 2 or not specific:
        return None
    before = {subcommand(part) for part in failed.members}
    for_it = [part for part in later.parts if _acts(part) and subcommand(part) not in before]
    given = {piece for part in for_it for piece in _argument_words(part)}
    if specific <= given and 3 * len(wanted & given) >= 2 * len(wanted):
        return Corrected(f"`{for_it[-1].program}` passed with the same arguments", linked=False)
    return None


def _acts(part: Part) -> bool:
    """Whether a part does something or asks a server, rather than look at files or check them."""
    return bool(part.words) and (part.kind == "run" or part.program in _ASKS) and not is_check(part)


def _argument_words(part: Part) -> set[str]:
    """What the arguments of a call name: words without options, versions and messages."""
    words = [word for word in part.words[1:] if not word.startswith("-") and not re.search(r"\n", word)]
    return {piece.lower() for word in words for piece in _WORD.findall(word) if len(piece) > 2}
