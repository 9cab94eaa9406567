"""Which steps between a failure and the run that passed belong to its fix, and why each does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Final, NamedTuple

from core.errors.identity.keylines.tools import test_runners
from core.flows.harvest import programs
from core.flows.harvest.changes import Change, Hint
from core.flows.harvest.command import SHELLS, Command, Part, parse_command
from core.flows.harvest.command_relation import is_other_script
from core.flows.harvest.events import Statement
from core.flows.harvest.explanation import sentences, without_itself
from core.flows.harvest.fixes.clues import NO_COMMAND, Clue, base_name, longest, names_in, phrases, squeezed, tested
from core.text import words

_TEXT: Final = 4_000
"""Code points of a change whose words are read."""


class Spoken(NamedTuple):
    """A sentence of a message, and its words that carry meaning."""

    sentence: str
    words: frozenset[str]


@lru_cache(maxsize=128)
def spoken_in(text: str) -> tuple[Spoken, ...]:
    """The sentences of a message."""
    return tuple(Spoken(one, frozenset(words(one))) for one in sentences(text))


@lru_cache(maxsize=32)
def words_of_names(names: frozenset[str]) -> frozenset[str]:
    """The words that names are made of."""
    return frozenset(word for name in names for word in words(name))


@lru_cache(maxsize=64)
def words_of_change(change: Change) -> frozenset[str]:
    """The words of a change: its files, its lines, its command."""
    parts: list[str] = [base_name(file) for file in change.files]
    parts += ["\n".join((*hint.removed, *hint.added)) for hint in change.hints]
    return frozenset(words("\n".join((*parts, change.command or ""))[:_TEXT]))


LINE, NAMED, ELSEWHERE, EXPLAINED, FILE, ONLY = range(1, 7)
"""How closely a step is linked, the closest first: by the reported source line; by a name in the reported file, or a
command; by a name in another file; by the agent's sentence; by the reported file alone; as the only change."""

_FILES_AT_MOST: Final = 3
"""More steps that are linked by the file alone do not tell which of them helped."""
_MANY: Final = 8
"""Of more steps, those that are linked by a sentence alone are left out."""
_STATEMENT_REACH: Final = 8
"""Events between a sentence and the step that it announces."""

_INSTALLS: Final = re.compile(
    r"^(?:(?:uv )?pip3? install|uv (?:sync|add|tool install)|poetry (?:install|add)|pipx? install|npm (?:ci|install)"
    r"|yarn(?: install| add)?$|pnpm (?:install|add)|bun (?:install|add)|bundle install|gem install|go mod|go get"
    r"|go install|cargo (?:add|fetch|install|update)|brew install|apt(?:-get)? install|apk add|dnf install|yum install"
    r"|composer install|mix deps\.get|mise (?:install|use)|asdf install|rustup (?:component|target|toolchain)"
    r"|playwright install|corepack enable|dotnet restore|conda install|pod install|nvm (?:install|use))"
)
_LACKS: Final = re.compile(
    r"not found|no module|cannot find|can't find|could not (?:find|resolve|import)|not installed|no required module"
    r"|missing|enoent|unresolved|lock ?file|go\.(?:sum|mod)|does not (?:provide|exist)|not recognized|no such file"
    r"|out of (?:date|sync)|updates to go\.mod",
    re.IGNORECASE,
)
_SUGGESTED: Final = re.compile(r"[`'\"]([a-z][\w.-]*(?: [\w./:=@-]+){1,5})[`'\"]")
"""A command that an error names in quotes, mostly as what to run."""
_STARTS: Final = re.compile(r"\b(?:start|up|run|restart|serve|dockerd|daemon|open|initdb|init|login|boot)\b")
_DOWN: Final = re.compile(
    r"refused|not running|could ?n.t connect|could not connect|cannot connect|unreachable|is the .* running"
    r"|no such host|econn|exited|timed? ?out|unavailable|not logged in|unauthorized|authentication|no active",
    re.IGNORECASE,
)
_STOPS: Final = frozenset(("kill", "pkill", "killall", "fuser", "taskkill", "lsof", "rm", "unlink", "Stop-Process"))
_HELD: Final = re.compile(
    r"in use|\block(?:ed|\b)|already (?:running|exists|allocated)|file exists|busy", re.IGNORECASE
)
_CHECK_ONLY: Final = frozenset(("--check", "-l", "-d", "--diff", "--list-different", "--dry-run", "--verify"))
_TOOLCHAINS: Final = frozenset(
    ("cargo", "go", "dart", "flutter", "deno", "dotnet", "swift", "mix", "npm", "pnpm", "yarn")
)
_FORMATS: Final = re.compile(r"\bfix|--fix|fmt|format|-w\b|--write|goimports|tidy|generate|--update")
_FORMATTED: Final = re.compile(
    r"format|gofmt|goimports|gofumpt|prettier|would reformat|not properly|unformatted|style|gci|whitespace",
    re.IGNORECASE,
)
_REJECTED: Final = re.compile(
    r"non-fast-forward|fetch first|failed to push|\[rejected\]|diverge|tip of your current branch", re.IGNORECASE
)
_SYNCS: Final = re.compile(r"git (?:fetch|pull|rebase|merge)\b")
_TASKS: Final = frozenset((
    "test", "tests", "lint", "check", "build", "typecheck", "e2e", "spec", "ci", "coverage",
))  # fmt: skip
_SEPARATOR: Final = re.compile(r"[:\-_]")
_IDENTIFIER: Final = re.compile(r"[\w$]+")
_TEST_RUNNERS: Final = frozenset(
    tool.name
    for table in (test_runners.PYTHON_TESTS, test_runners.GO_TESTS, test_runners.TEST_RUNNERS)
    for tool in table
)
"""Recognisers of key lines that test runners print: the layout of code fails no test."""
SAVES: Final = re.compile(r"git (?:add|commit|push|status|log|diff)\b")
_UNSAVED: Final = re.compile(r"local changes|unstaged|uncommitted|commit your|not staged|untracked", re.IGNORECASE)
PROSE: Final = re.compile(r"\.(?:md|mdx|txt|rst)$")
"""Files of prose: what is written there about an error cures nothing, unless the error is of that file."""
NOT_BEGUN: Final = re.compile(
    r"command not found|: not found$|no matches found|is not recognized|" + "|".join(NO_COMMAND), re.IGNORECASE
)
"""What a shell says of a command that it did not begin."""
_NOT_ALLOWED: Final = re.compile(
    r"^(?:\S*sh:(?: ?(?:line )?\d+:)? |\(eval\):\d+: )(?:permission denied: \S|\S+: Permission denied$)"
)
"""What a shell says of a file that it may not run: no edit of the file changes that."""
CURES_NOTHING: Final = re.compile(
    r"^(?:git (?:commit|push|fetch|add|stash|checkout|switch|log|tag|restore|worktree|branch|reset|merge|rebase|pull"
    r"|cherry-pick|init|clone)|gh |glab |open |jj )"
)
"""They move or publish work. They fix nothing, unless the error is of the same program."""


class Candidate(NamedTuple):
    """A step that may belong to a fix: its place in the events and what it changed."""

    at: int
    change: Change


class Linked(NamedTuple):
    """A step (`place` among the candidates) that belongs to the fix: how closely, why, and the hunks that do."""

    place: int
    rank: int
    why: str
    hints: tuple[Hint, ...]


class Failure(NamedTuple):
    """What a step is compared with: the key line, its tool, what the output says, and the command that failed."""

    key: str
    tool: str
    clue: Clue
    command: Command


def link_steps(
    failure: Failure, steps: Sequence[Candidate], statements: Sequence[tuple[int, Statement]], *, whole: bool = True
) -> tuple[Linked, ...]:
    """The steps linked to `failure`, in their order; none where nothing ties one to it.

    `statements`: the words since the failure, each with its place in the events. `whole`: the passing run covers the
    failing one. A run that covers a part of it proves nothing about prose that was written in between.
    """
    kept = _without_reverted(steps)
    usable = [(index, one) for index, one in kept if _can_cure(failure, one.change)]
    found = [link for index, one in usable if (link := _link(failure, index, one, statements)) is not None]
    best = min((link.rank for link in found), default=ONLY)
    requests = [at for at, one in statements if one.role == "user"]
    if best < FILE and requests:
        # What a person asked for next is other work, once something before it is linked.
        first = [link for link in found if link.rank < FILE and steps[link.place].at < requests[0]]
        found = first or found
    if best < FILE:
        linked = tuple(link for link in found if link.rank <= EXPLAINED)
        close = tuple(link for link in linked if link.rank <= ELSEWHERE)
        return close if close and len(linked) > _MANY else linked
    if found:
        return tuple(found) if len(found) <= _FILES_AT_MOST else ()
    if len(usable) == 1 and not _only_moves(failure, usable[0][1].change):
        index, only = usable[0]
        if not whole and is_prose(only.change):
            return ()
        return (Linked(index, ONLY, "the only change between the failure and the passing run", only.change.hints),)
    return ()


def can_cure(failure: Failure, steps: Sequence[Candidate]) -> list[int]:
    """The places of the steps that are not taken back later and can cure something."""
    return [index for index, one in _without_reverted(steps) if _can_cure(failure, one.change)]


def _without_reverted(steps: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """The steps without the hunks that a later step puts back, and without files that git puts back."""
    if len(steps) == 1:
        return [(0, steps[0])]
    kept: list[tuple[int, Candidate]] = []
    made: dict[_Edit, set[int]] = {}
    for index, step in enumerate(steps):
        for hint in step.change.hints:
            made.setdefault((hint.file, hint.removed, hint.added), set()).add(index)
    restored: set[str] = set()  # by a later step
    for index in range(len(steps) - 1, -1, -1):
        step, change = steps[index], steps[index].change
        hints = tuple(hint for hint in change.hints if not _is_undone(hint, index, made))
        files = {base_name(file) for file in change.files} if restored else set[str]()
        if not (change.hints and not hints) and not (files and files <= restored):
            kept.append((index, step._replace(change=change._replace(hints=hints))))
        restored |= _restored(change)
    return kept[::-1]


_Edit = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A file, and the lines that a hunk takes out of it and puts in."""


def _is_undone(hint: Hint, index: int, made: Mapping[_Edit, set[int]]) -> bool:
    """Whether another step puts back what a hunk of step `index` changes."""
    undoing = made.get((hint.file, hint.added, hint.removed))
    return undoing is not None and undoing != {index} and bool(hint.added or hint.removed)


def _restored(change: Change) -> set[str]:
    """The base names of files that a command puts back from git."""
    found: set[str] = set()
    for part in parse_command(change.command).parts if change.command else ():
        if part.words[:2] in (("git", "checkout"), ("git", "restore")):
            found |= {base_name(word) for word in part.words[2:] if "." in word}
    return found


def _can_cure(failure: Failure, change: Change) -> bool:
    """Whether a step is one that can cure anything: an edit, or a command with such a part."""
    if change.hints or change.command is None:
        edits = bool(change.hints or change.files) or not change.certain
        if _NOT_ALLOWED.search(failure.key):
            return False
        return edits and (NOT_BEGUN.search(failure.key) is None or _is_about_call(failure, change))
    return bool(_curing(failure, parse_command(change.command)))


def _is_about_call(failure: Failure, change: Change) -> bool:
    """Whether an edit names the program that the shell did not find, or is of a file that the output or the command
    names."""
    clue = failure.clue
    if {base_name(file) for file in change.files} & (clue.files | clue.places):
        return True
    if any(_is_of_command(failure.command, file) for file in change.files):
        return True
    hunks = [_read_hunk(hint.old, hint.new) for hint in change.hints]
    return any(_has(name, tokens, text) for text, tokens, _ in hunks for name in clue.missing | clue.names)


@lru_cache(maxsize=256)
def is_check(part: Part) -> bool:
    """Whether a command only checks or builds: by its program, or by the name of the task that it runs."""
    if part.named(programs.CHECKS) and not part.named(programs.SCRIPT_RUNNERS):
        return not _FORMATS.search(part.shape[:200])
    if part.words[1:2] != ("run",) and not part.named(programs.SCRIPT_RUNNERS):
        return False
    return any(piece in _TASKS for word in part.words[1:3] for piece in _SEPARATOR.split(word))


def _only_moves(failure: Failure, change: Change) -> bool:
    """Whether a change is a command that moves or publishes work and nothing else; for an error of git, saves it."""
    if change.hints or change.command is None:
        return False
    parts = [part for part in parse_command(change.command).parts if part.kind == "run"]
    if _UNSAVED.search(failure.key):
        return False
    of_git = any(part.program == "git" for part in failure.command.members)
    return all((SAVES if of_git else CURES_NOTHING).match(f"{part.family} ") for part in parts)


def _curing(failure: Failure, command: Command) -> list[Part]:
    own = {part.program for part in failure.command.members} | {failure.tool}
    return [
        part
        for part in command.parts
        if part.kind != "read"
        and part.words
        and (part.program in own or not CURES_NOTHING.match(f"{part.family} "))
        and not is_check(part)
        and not (failure.tool in _TEST_RUNNERS and part.named(programs.FORMATTERS))
        and not (part.kind == "setup" and part.program in ("cd", "echo", "sleep", "true", "printf", "pushd", "popd"))
    ]


def _link(failure: Failure, index: int, step: Candidate, statements: Sequence[tuple[int, Statement]]) -> Linked | None:
    change = step.change
    found = _edit_link(failure, index, change) if change.hints else _command_link(failure, index, change)
    if found is not None and found.rank < EXPLAINED:
        return found
    spoken = _statement_link(failure, index, step, statements)
    return spoken or found


def _edit_link(failure: Failure, index: int, change: Change) -> Linked | None:
    """The closest link of an edit; its hunks are those that have it."""
    best: dict[int, tuple[str, list[Hint]]] = {}
    for hint in change.hints:
        found = _hint_link(failure, hint)
        if found is not None:
            best.setdefault(found[0], (found[1], []))[1].append(hint)
    if not best:
        return None
    rank = min(best)
    why = best[rank][0]
    together = [
        hint
        for hint in change.hints
        if any(hint in kept for other, (_, kept) in best.items() if other <= max(rank, ELSEWHERE))
    ]
    return Linked(index, rank, why, tuple(together or best[rank][1]))


_squeezed = lru_cache(maxsize=256)(squeezed)


@lru_cache(maxsize=256)
def _read_hunk(old: str, new: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """Return the changed lines of a hunk in lower case, their words, and their phrases; recomputed for each error."""
    hint = Hint("", old, new)
    lowered = "\n".join((*hint.removed, *hint.added))[:_TEXT].lower()
    return lowered, frozenset(_IDENTIFIER.findall(lowered)), frozenset(phrases(lowered))


def _hint_link(failure: Failure, hint: Hint) -> tuple[int, str] | None:
    clue, name = failure.clue, base_name(hint.file)
    here = name in clue.files or name in clue.places
    if not here and PROSE.search(name):
        return None
    if clue.source and here:
        sides = _squeezed(hint.old), _squeezed(hint.new)
        shown = next((line for line in clue.source if any(line in side for side in sides)), None)
        if shown is not None:
            return LINE, f"the change is at the reported line of {name}"
    lowered, tokens, phrases = _read_hunk(hint.old, hint.new)
    named = longest(one for one in clue.names if _has(one, tokens, lowered))
    if named:
        return (NAMED if here else ELSEWHERE), f"the change contains `{named}`, which the error names"
    spoken = clue.phrases & phrases
    if spoken:
        return (NAMED if here else ELSEWHERE), f"the change contains the error's words “{min(spoken)}”"
    if _is_of_command(failure.command, hint.file):
        return ELSEWHERE, f"the change is in {name}, which the failing command runs"
    stem = name.partition(".")[0]
    if stem in {tested(one) for one in clue.places | clue.files}:
        return FILE, f"the change is in {name}, which the failing test covers"
    if name in clue.places:
        return FILE, f"the change is in {name}, which the error names"
    if here:
        return FILE, f"the change is in {name}, which the output names"
    return None


def _has(name: str, tokens: Set[str], text: str) -> bool:
    return name in tokens if _IDENTIFIER.fullmatch(name) else len(name) > 3 and name in text


def _is_of_command(command: Command, file: str) -> bool:
    """Whether the failing command runs `file`: a script, by its path."""
    path = file.replace("\\", "/").lower()
    for part in command.parts:
        runs = (
            part.named(programs.SCRIPT_RUNNERS) or part.program in SHELLS or "/" in part.simple.words[0]
            if part.simple.words
            else False
        )
        for word in part.simple.words[:3] if runs else ():
            plain = word.replace("\\", "/").lower().removeprefix("~").removeprefix(".").strip("/")
            if len(plain) > 3 and "/" in plain and (path.endswith(f"/{plain}") or plain.endswith(path.lstrip("./"))):
                return True
    return False


def _command_link(failure: Failure, index: int, change: Change) -> Linked | None:
    if change.command is None:
        clue = failure.clue
        named = next((base_name(file) for file in change.files if base_name(file) in clue.files | clue.places), None)
        return None if named is None else Linked(index, FILE, f"the change is in {named}, which the error names", ())
    command = parse_command(change.command)
    if _is_only_prose(failure, change):
        return None
    for part in _curing(failure, command):
        why = _part_link(failure, part)
        if why is not None:
            return Linked(index, NAMED, why, ())
    written = {base_name(file) for file in change.files}
    clue = failure.clue
    if written & (clue.files | clue.places):
        return Linked(
            index, FILE, f"the command changes {min(written & (clue.files | clue.places))}, which the error names", ()
        )
    if any(_is_of_command(failure.command, file) for file in change.files):
        return Linked(index, ELSEWHERE, "the command changes what the failing command runs", ())
    return None


def _is_only_prose(failure: Failure, change: Change) -> bool:
    """Whether a command writes nothing but prose that the error does not name."""
    named = failure.clue.files | failure.clue.places
    return is_prose(change) and not named & {base_name(file) for file in change.files}


def is_prose(change: Change) -> bool:
    """Whether a change writes files of prose alone."""
    return bool(change.files) and all(PROSE.search(base_name(file)) for file in change.files)


def is_other_code(failure: Failure, later: Command) -> bool:
    """Whether `later` gives an interpreter other code than the failing command did. Where the interpreter was not
    there, any code shows that another one runs."""
    return is_other_script(failure.command, later) and renamed(failure, later) is None


def renamed(failure: Failure, later: Command) -> str | None:
    """Why another name of a program is the cure where it was not found (`python3` for `python`)."""
    for part in later.parts:
        called = part.simple.words[len(part.around)] if len(part.simple.words) > len(part.around) else ""
        if called and part.program in failure.clue.missing and base_name(called) not in failure.clue.missing:
            return f"the command replaces the missing `{part.program}` with `{called}`"
    return None


def _part_link(failure: Failure, part: Part) -> str | None:
    """Why a command is tied to an error: what it names, or what it does about what the error lacks."""
    clue, key = failure.clue, failure.key
    complaint = f"{key}\n{' '.join(clue.near)}"
    text = f"{part.shape}".lower()[:_TEXT]
    pieces = set(re.findall(r"[\w.+@\-]+", text)) | set(re.findall(r"[\w]+", text))
    missing = longest(name for name in clue.missing if name in pieces or name in text.split())
    if missing is not None:
        return f"the command is about `{missing}`, which the error reports as missing"
    program = part.program
    suggested = next(
        (one for one in _SUGGESTED.findall(key) if part.words[: one.count(" ") + 1] == tuple(one.split(" "))), None
    )
    if suggested is not None:
        return f"the command is `{suggested}`, which the error suggests"
    if _INSTALLS.match(part.family) and _LACKS.search(key):
        return "the command installs the missing dependency"
    named = longest(one for one in clue.names if _has(one, pieces, text) and one != program)
    if named:
        return f"the command contains `{named}`, which the error names"
    if (program in _STOPS or _STOPS & set(map(base_name, part.around))) and _HELD.search(complaint):
        return "the command frees the resource that was in use"
    if part.words[:2] == ("git", "config") or program in ("export", "unset", "set", "setx"):
        about = concerned(clue, part.words[1:])
        if about is not None:
            return f"the setting `{about}` is related to the error"
    if _SYNCS.match(part.family) and _REJECTED.search(complaint):
        return "the command fetches the remote changes that caused the rejection"
    if rewrites(failure, part):
        return "the same program fixes what its check reported"
    if _STARTS.search(" ".join(part.words[:4])) and _DOWN.search(key):
        return "the command starts the service that could not be reached"
    if _FORMATS.search(text[:200]) and (
        _FORMATTED.search(complaint)
        or (program == failure.tool and part.named(programs.CHECKS) and _same_task(failure, part))
    ):
        return "the command fixes what the check reported"
    return None


def concerned(clue: Clue, given: Iterable[str]) -> str | None:
    """The first of the options or settings given that holds a word of the error."""
    error_words = {word for word in clue.words if len(word) > 2} - {
        "error",
        "fatal",
        "failed",
        "git",
        "command",
        "option",
    }
    for word in given:
        name = word.split("=")[0].lower()
        if not re.search(r"\s", word) and any(one in name for one in error_words):
            return word.split("=")[0]
    return None


def _same_task(failure: Failure, part: Part) -> bool:
    """Whether a part of a toolchain does what failed: `cargo fmt` is nothing that `cargo test` complains of."""
    members = failure.command.members
    return part.program not in _TOOLCHAINS or any(member.words[:2] == part.words[:2] for member in members)


def rewrites(failure: Failure, part: Part) -> bool:
    """Whether a part is a failing check (`cargo fmt --check`) without the option that makes it only a check.

    Where a chain runs other programs too and the error is known to be of one of them, no check of format failed.
    """
    members = failure.command.members
    if not any(
        part.program == other.program and _only_checks(other) and not _CHECK_ONLY & set(part.words) for other in members
    ):
        return False
    of_another = failure.tool not in ("unknown", part.program) and any(one.program != part.program for one in members)
    return not of_another or _FORMATTED.search(failure.key) is not None


def _only_checks(part: Part) -> bool:
    """Whether an option makes a program only look (`docker compose up -d` has the letter for something else)."""
    options = _CHECK_ONLY & set(part.words)
    return any(word.startswith("--") for word in options) or (
        bool(options) and _FORMATS.search(part.program) is not None
    )


def _statement_link(
    failure: Failure, index: int, step: Candidate, statements: Sequence[tuple[int, Statement]]
) -> Linked | None:
    """A link by a sentence right before the step that shares terms with the error and with the step."""
    near = [one for at, one in statements if step.at - _STATEMENT_REACH <= at < step.at]
    if not near:
        return None
    of_error = failure.clue.words | words_of_names(failure.clue.names)
    of_step = words_of_change(step.change)
    for one in reversed(near):
        for sentence, spoken in spoken_in(one.text):
            shared = (spoken & of_error, spoken & of_step)
            if not shared[1] - shared[0] and len(shared[1]) < 2:
                continue
            named = names_in(sentence) & failure.clue.names
            if len(shared[0]) >= 2 or named:
                term = longest(named or shared[0])
                claim = without_itself(sentence)
                why = f"explained before it: “{claim[:120]}”" if claim else f"the message before it mentions `{term}`"
                return Linked(index, EXPLAINED, why, step.change.hints)
    return None
