"""How a later command relates to a failing one: the same, covering it, a near variant, or nothing to do with it."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, Literal

from core.flows.harvest import programs
from core.flows.harvest.command import FILTERS, Command, Part

Relation = Literal["same", "covers", "variant", "narrower", "none"]
"""`same`: the family itself, alone or among others that ran with it; `covers`: a check that checks that too;
`variant`: the same program with slightly other arguments, where the difference itself can be the fix; `narrower`: a
check of the very files that failed, or by the checker behind a script, which is good until a full run says more."""

RELATIONS: Final[tuple[Relation, ...]] = ("same", "covers", "variant", "narrower", "none")
"""The closest first."""

MISSING_PLACE: Final = re.compile(
    r"no such file|not found|cannot find|could not find|can't open|can't find|does not exist|enoent|not a git repo"
    r"|pathspec|unknown command|no rule to make|missing script|no module named|couldn't find|unable to (?:find|locate)"
    r"|찾을 수 없|존재하지 않|그런 파일",
    re.IGNORECASE,
)
"""Key lines that a different directory or file name can be the cure for."""

INLINE: Final = frozenset(("-c", "-e", "-", "-lc", "--eval", "-Command"))
"""Options behind which an interpreter is given its code."""
_KEPT_OF_CODE: Final = 0.6
"""The share of a script's words that another one repeats, if it is the same in a changed form."""
_CODE_WORD: Final = re.compile(r"[\w.\-]{3,}")
_STASH: Final = re.compile(r"git stash(?! (?:pop|apply|list|show|drop|clear|branch)\b)")
_DIRTY: Final = re.compile(r"\b(?:stash|dirty|clean|changes)\b", re.IGNORECASE)
_QUOTES: Final = re.compile(r"['\"\\]")
_QUOTES_AT_MOST: Final = 40
_STATEMENTS: Final = tuple(
    (re.compile(rf"\b{verb}\b", re.IGNORECASE), re.compile(rf"\b{clause}\b", re.IGNORECASE))
    for verb, clause in (("select", "from"), ("update", "set"))
)
"""SQL: the verb of a statement and the clause behind it."""
_QUERY: Final = re.compile(r"\s*select\b", re.IGNORECASE)
_NAMES: Final = re.compile(r"[A-Za-z_]\w*")
_INTERPRETERS = frozenset(("python", "node", "ruby", "perl", "php", "java", "tsx", "ts-node", "deno", "bun"))
_VERBS = frozenset(("run", "test", "check", "build", "exec", "start"))
_SELECTING = frozenset(("-k", "-t", "-m", "-g", "--grep", "--filter", "-run", "--testNamePattern"))
_NAME = re.compile(r"^[\w.@+\-/\\~]*[\w\-]\.\w{1,8}$|[/\\]")
_BUILDS = {
    "cargo": {"check": 1, "clippy": 1, "build": 1, "run": 1, "test": 2, "nextest": 2},
    "go": {"build": 1, "run": 1, "install": 1, "vet": 2, "test": 2},
}
"""Subcommands that compile, by how much: a run that compiles the tests too covers one that does not."""


def relation(failed: Command, later: Command, key_line: str, key_tool: str, mentions: frozenset[str]) -> Relation:
    """How a run of `later` bears on an error that `failed` gave.

    `mentions` are the names of files and tests in the failing output: a narrower check counts only where it names one.
    """
    if not _same_place(failed, later, key_line) or not is_filtered_alike(failed, later, key_line):
        return "none"
    if _sets_work_aside(later) and not (_sets_work_aside(failed) or _DIRTY.search(key_line)):
        return "none"
    if failed.family == later.family:
        return "same"
    part = _failing_part(failed)
    if part is None or failed.reads_only or later.reads_only:
        return "none"
    alone = len(failed.members) == 1
    if any(part.family == other.family for other in later.members):
        return "same" if alone else "narrower"
    for other in later.members:
        found = _part_relation(part, other, key_line, key_tool, mentions)
        if found != "none":
            return found if alone else "narrower"
    return "none"


def _sets_work_aside(command: Command) -> bool:
    """Whether a check runs on the code without the agent's changes: behind `git stash` and another part than git."""
    stashed = [part for part in command.members if _STASH.match(part.family)]
    return bool(stashed) and any(part.program != "git" for part in command.members)


def of_filter(command: Command, key_line: str) -> list[str]:
    """The programs that what a command prints goes through, where the error is of one of them (`jq: error`)."""
    name = key_line.split(":", maxsplit=1)[0].rstrip()  # Windows PowerShell writes a blank before the colon
    if all(part.program != name for part in command.parts):
        return []
    behind = [part.program for part in command.parts if part not in command.members and part.named(FILTERS)]
    return [program for program in behind if program not in ("head", "tail")] if name in behind else []


def is_filtered_alike(failed: Command, later: Command, key_line: str) -> bool:
    """Whether two commands go through the same filters, where the error is of one. A filter that failed by itself may
    run behind another program later."""
    before, after = of_filter(failed, key_line), of_filter(later, key_line)
    return before == after or (not before and after == [part.program for part in failed.members])


def _failing_part(failed: Command) -> Part | None:
    """The part that an error is of: the only one, or the last after nothing but preparation (`git add && git push`)."""
    prepared = all(part.named(programs.CHANGERS) or _is_preparation(part) for part in failed.members[:-1])
    return failed.members[-1] if failed.members and prepared else None


def _is_preparation(part: Part) -> bool:
    """Whether a part runs a task that formats, installs or generates (`make fmt && make lint`)."""
    tasks = {piece for word in part.words[1:3] for piece in re.split(r"[:\-_]", word)}
    return bool(tasks & (programs.CHANGING_VERBS | {"fmt", "tidy", "deps"}))


def differs(failed: Command, later: Command, project: str = "") -> bool:
    """Whether a person would say that another command was run (or the same one elsewhere than in `project`)."""
    moved = later.directory not in ("", failed.directory, project.rstrip("/\\"))
    return failed.shape != later.shape or moved


def is_requoted(failed: Command, later: Command) -> bool:
    """Whether two commands differ in quotes and backslashes alone."""
    if failed.text == later.text or abs(len(failed.text) - len(later.text)) > _QUOTES_AT_MOST:
        return False
    first, second = (_QUOTES.sub("", one.text).split() for one in (failed, later))
    return first == second


def is_near(failed: Part, later: Part) -> bool:
    """Whether a statement among the arguments is put in another way; no query where there was no statement: a look."""
    old, new = (next((word for word in part.words[1:] if _is_statement(word)), "") for part in (failed, later))
    if not old:
        return not _QUERY.match(new) or bool(failed.simple.fed)
    return len(_NAMES.findall(new)) * 2 >= len(_NAMES.findall(old))


def _is_statement(word: str) -> bool:
    """True for SQL that selects or updates. Two searches, because `select.+from` takes square time."""
    begins = ((verb.search(word), clause) for verb, clause in _STATEMENTS)
    return any(found is not None and clause.search(word, found.end()) is not None for found, clause in begins)


def waits(command: Command) -> bool:
    """Whether a command sleeps, or loops until a condition holds."""
    return any(
        part.program in ("sleep", "Start-Sleep") or part.simple.words[:1] == ("until",) for part in command.parts
    )


def is_other_script(failed: Command, later: Command) -> bool:
    """Whether both only give code to an interpreter, and the later code is little of the first: a look at something, or
    other work."""
    first, second = _code_words(failed), _code_words(later)
    return bool(first and second) and len(first & second) <= _KEPT_OF_CODE * len(first)


@lru_cache(maxsize=256)
def _code_words(command: Command) -> frozenset[str]:
    """The words of the code that a command line gives to interpreters; none where anything else runs too."""
    found: set[str] = set()
    for part in command.members:
        if part.program not in _INTERPRETERS:
            return frozenset()
        at = next((at for at, word in enumerate(part.words[:4]) if word in INLINE), len(part.words))
        code = part.simple.fed or " ".join(part.words[at + 1 : at + 2])
        if not code:
            return frozenset()
        found.update(word.lower() for word in _CODE_WORD.findall(code))
    return frozenset(found)


def _same_place(failed: Command, later: Command, key_line: str) -> bool:
    """Return whether both ran in the same directory as far as known, or another one could be the cure."""
    if not failed.directory or not later.directory or MISSING_PLACE.search(key_line):
        return True
    first, second = (re.split(r"[/\\]+", place.strip("./\\")) for place in (failed.directory, later.directory))
    shorter, longer = sorted((first, second), key=len)
    return longer[-len(shorter) :] == shorter


def _part_relation(failed: Part, later: Part, key_line: str, key_tool: str, mentions: frozenset[str]) -> Relation:
    if failed.program != later.program:
        runs_it = later.program == key_tool and later.named(programs.CHECKS) and failed.named(programs.CHECKS)
        return "narrower" if runs_it and _selects(later, mentions) else "none"
    levels = [_BUILDS.get(part.program, {}).get(part.words[1] if part.words[1:] else "") for part in (failed, later)]
    if failed.words[1:2] != later.words[1:2] and None not in levels:
        compiled = key_tool in ("rustc", "cargo", "go", "rust") and not key_line.startswith("panic")
        if not compiled or not _selects(later, mentions):
            return "none"
        return "covers" if (levels[1] or 0) >= (levels[0] or 0) else "narrower"
    named = max(1, failed.width(programs.SCRIPT_RUNNERS))
    if failed.words[named : named + 1] != later.words[named : named + 1] and _has_subcommand(failed, later):
        return "none"
    old, new = (_arguments(part) for part in (failed, later))
    if failed.named(programs.CHECKS):
        return _check_relation(failed, later, old, new, mentions)
    return "variant" if _near(old, new, key_line) or (failed.program == "git" and new[: len(old)] == old) else "none"


def _has_subcommand(failed: Part, later: Part) -> bool:
    """Whether the second words name what the program is to do, rather than what to do it to."""
    second = [*failed.words[1:2], *later.words[1:2]]
    if failed.named(programs.CHECKS) and not failed.named(programs.SCRIPT_RUNNERS):
        return failed.width(programs.CHECKS) > 1 or later.width(programs.CHECKS) > 1
    return any(re.fullmatch(r"[A-Za-z][\w:.\-]*", word) for word in second)


def _check_relation(failed: Part, later: Part, old: list[str], new: list[str], mentions: frozenset[str]) -> Relation:
    """Two runs of one checker: a wider one covers, an option added to the same selection may be the cure."""
    old_targets, new_targets = ([word for word in words if not word.startswith("-")] for words in (old, new))
    added = [word for word in new if word not in old]
    if failed.program in programs.LINKERS:
        return "variant" if set(old) <= set(new) else "none"
    if set(old_targets) == set(new_targets):
        options = [word for word in (*added, *(word for word in old if word not in new)) if word.startswith("-")]
        cures = [word for word in options if word != "--" and word.split("=")[0] not in programs.SELECTING_FLAGS]
        return "variant" if cures else "covers"
    if failed.program in _INTERPRETERS:
        return "none"
    covered = all(any(target.startswith(wider) for wider in new_targets) for target in old_targets)
    if not new_targets or (old_targets and covered):
        return "none" if _SELECTING & {word.split("=")[0] for word in added} else "covers"
    return "narrower" if _selects(later, mentions) else "none"


def _selects(part: Part, mentions: frozenset[str]) -> bool:
    """Whether every file a check is pointed at was named in the failing output (or it is pointed at everything)."""
    targets = [word for word in _arguments(part) if not word.startswith("-") and word not in _VERBS]
    names = [re.split(r"[/\\]", target.split("::")[0])[-1] for target in targets]
    pieces = [piece.strip("^$") for name in names for piece in name.split("|")]
    return all(piece in mentions or piece in ("", ".", "...") for piece in pieces)


def _arguments(part: Part) -> list[str]:
    return [*part.words[1:], *([part.simple.fed] if part.simple.fed else [])]


def _near(old: list[str], new: list[str], key_line: str) -> bool:
    """Whether two argument lists are one but for an option, or for one word that was misspelt or adjusted."""
    if {"--no-verify"} & set(new):
        return False
    gone, come = ([word for word in words if word not in other] for words, other in ((old, new), (new, old)))
    if not gone and not come:
        return False
    if all(word.startswith("-") for word in (*gone, *come)):
        return True
    if not gone and len(come) <= 3 and any(word.startswith("-") for word in come):
        return True
    if len(gone) != 1 or len(come) != 1 or gone[0].startswith("-") != come[0].startswith("-"):
        return False
    return _adjusted(gone[0], come[0], key_line)


def _adjusted(old: str, new: str, key_line: str) -> bool:
    """Whether one word is the other, corrected: a version, a port, a misspelt name, a statement changed in one word."""
    if (
        _NAME.search(old)
        and _NAME.search(new)
        and not re.search(r"\s", old + new)
        and not MISSING_PLACE.search(key_line)
    ):
        return False
    if new.startswith(old) and not new[len(old) : len(old) + 1].isalnum():
        return True
    long = len(old) > 25 and len(new) > 25
    return SequenceMatcher(None, old[:2000], new[:2000], autojunk=False).ratio() >= (0.6 if long else 0.75)
