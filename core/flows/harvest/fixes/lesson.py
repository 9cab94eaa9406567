"""The lesson of a linked fix: what to do, what did not help, how it was checked; its strength and its worth.

Strength: how well the fix is proved, and whether it only hides the failure. Worth: for other projects, for this one,
or for the history alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from core.errors.command_text import telling_part
from core.errors.identity.keylines.tools import compilers, linters, python, runtimes, test_runners
from core.errors.lessons import HUNK_LINES, Do, Lesson, LessonEvidence, Scope, When
from core.flows.harvest import programs
from core.flows.harvest.changes import Change, Hint, diff_lines, is_reverted, short_diff_lines, switches_off
from core.flows.harvest.command import FILTERS, Command, chained, parse_command
from core.flows.harvest.command_relation import Relation, differs
from core.flows.harvest.events import StepLink, Strength, Worth
from core.flows.harvest.fixes.clues import Clue, as_written, base_name, names_in
from core.flows.harvest.fixes.correction import OUTSIDE, Corrected, otherwise, subcommand
from core.flows.harvest.fixes.linking import ELSEWHERE, NAMED, Candidate, Failure, Linked, link_steps
from core.text import clean, redact, words
from core.text.placeholders import with_placeholders, without_home

WORKAROUND: Final = "workaround: "
"""How the reason of a step begins that hides the failure."""

_SKIPPED: Final = re.compile(
    r"\bt\.Skip|\bpytest\.(?:mark\.)?(?:skip|xfail)|@unittest\.skip|\b(?:it|test|describe)\.(?:skip|todo|fixme)\b"
    r"|\bx(?:it|describe|test)\(|#\[ignore|@Disabled|@Ignore|\bskip:"
    r"|#\s*pragma: no cover|\|\| true\b|continue-on-error: true"
)
_ASSERTS: Final = re.compile(r"\bassert|\bexpect\(|\brequire\.|\bt\.(?:Error|Fatal)|\bshould\b|\.to(?:Be|Equal)\b")
_CLOSE: Final = 20
"""Steps after which a name in another file may belong to other work."""
_HIDING: Final = re.compile(
    r"--no-verify|(?:^|\s)rm\s[^\n;&|]*(?:lock|\.lck)\b|\|\|\s*true\b|--force\b|--allow-empty\b|SKIP=|HUSKY=0|--exit-zero"
)


def hides(hints: Iterable[Hint], command: str | None) -> bool:
    """Whether a change makes a failure unseen: suppressed, skipped, its check, lock or hook set aside."""
    return any(map(_hides, hints)) or (command is not None and _HIDING.search(command) is not None)


@lru_cache(maxsize=256)
def _hides(hint: Hint) -> bool:
    """Whether a hunk suppresses or skips a check; asked for each error that the hunk may belong to."""
    added, removed = "\n".join(hint.added), "\n".join(hint.removed)
    if switches_off(hint) or (_SKIPPED.search(added) and not _SKIPPED.search(removed)):
        return True
    return _ASSERTS.search(removed) is not None and not _ASSERTS.search(added)


def marked(link: Linked, command: str | None) -> Linked:
    """The link, its reason marked where the step hides the failure."""
    return link._replace(why=f"{WORKAROUND}{link.why}") if hides(link.hints, command) else link


def marked_command(instead: Corrected, failed: str, passed: str) -> Corrected:
    """The correction, its reason marked where the command that passed hides the failure and the failed one did not."""
    hiding = hides((), passed) and not hides((), failed)
    return instead._replace(why=f"{WORKAROUND}{instead.why}") if hiding else instead


def strength_of(links: Sequence[Linked], instead: Corrected | None, proven: bool, *, steps: int) -> Strength:
    """`strong` is a linked hunk or one plain command whose check is `proven`; whatever hides the failure is weak.

    A hunk that is too long to be shown does not count: the name of its file helps nobody. A name in another file than
    the reported one is no proof after many `steps`: other work names it too.
    """
    reasons = [*(link.why for link in links), *([instead.why] if instead is not None else [])]
    if not proven or any(reason.startswith(WORKAROUND) for reason in reasons):
        return "weak"
    near = ELSEWHERE if steps <= _CLOSE else NAMED
    hunk = any(link.rank <= near and any(map(short_diff_lines, link.hints)) for link in links)
    plain = instead.linked if instead is not None else bool(links) and links[0].rank <= ELSEWHERE and not links[0].hints
    command = len(reasons) == 1 and plain
    return "strong" if hunk or command else "weak"


def is_proven(relation: Relation, command: Command, passed: bool, clue: Clue, *, correction: bool) -> bool:
    """Whether the run that showed the error gone was the whole check, or ran the very test that failed.

    `passed`: its exit code or its summary said so. A view that is cut (`| tail`) may only not show the error.
    """
    if not passed or command.view != "whole" or command.masked:
        return False
    if correction or relation in ("same", "covers", "variant"):
        return True
    named = {word for part in command.members for piece in part.words for word in re.findall(r"[\w\[\]\-]+", piece)}
    return any(set(re.findall(r"[\w\[\]\-]+", test)) & named for test in clue.tests)


COMMAND_LENGTH: Final = 400
"""Bytes of a command in a lesson; of a longer one the parts are shown that tell most."""
DEAD_ENDS: Final = 3
_LONG_COMMAND: Final = 132
"""Code points of a command from which an agent may not be shown all of it."""
_ERROR: Final = 200
_CUTS: Final = FILTERS - {"jq", "yq", "xargs", "perl", "python", "node", "sed", "awk", "gawk", "cut", "tr", "rev"}
"""Filters that only cut what a command prints; the others make something of it."""
_LOOKED_BACK: Final = 40
"""Steps before the last failure in which dead ends are looked for."""
_MOVES: Final = re.compile(r"(?:cd|pushd)[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|'\"]+)[ \t]*(?:&&|;|\n)\s*")
_KEY_WORD: Final = re.compile(r"[\w.*?/=+@-]{3,}")
_LIKE: Final = 0.6
_LIKENED: Final = 2_000
_COMPARED: Final = 12
"""Parts of a chain of commands that are compared with those of another."""
_SYSTEMS: Final = (("/Users/", "macOS"), ("/home/", "Linux"), ("/root/", "Linux"))


class Outline(NamedTuple):
    """What a lesson is made of: the failure and the commands that showed it, the linked steps and the passing check.

    `earlier` are the steps that were done before the failure was seen last, `between` all since it was seen first;
    `instead`: why the passing command is itself the fix; `explanation`: the sentence that says why, `explains_it` if
    its place alone ties it to the error; `described`: what the agent called the passing command; `outside`: it ran
    outside the sandbox that the failing one ran in.
    """

    failure: Failure
    tried: Sequence[Command]
    check: Command
    steps: Sequence[tuple[Change, Linked]]
    earlier: Sequence[Candidate]
    between: Sequence[Change]
    instead: Corrected | None
    explanation: str | None
    links: Sequence[StepLink]
    worth: Worth
    project: str
    explains_it: bool = False
    described: str = ""
    outside: bool = False


def lesson_of(outline: Outline) -> Lesson:
    """The lesson of a fix, redacted and free of control characters."""
    failure, project = outline.failure, outline.project
    tool = failure.tool if failure.tool != "unknown" else _program(failure.command)
    do = _do(outline)
    scope: Scope = "session" if outline.worth in ("slip", "none") else "project"
    return Lesson(
        when=When(_safe(with_placeholders(failure.key, project))[:_ERROR], tool, "", _system(project)),
        do=do,
        dead_ends=tuple(one for one in dict.fromkeys(_dead_ends(outline)) if one not in (do.text, do.instead_of))[
            :DEAD_ENDS
        ],
        check=plain_command(outline.check, project),
        because=_because(outline),
        scope=scope,
        evidence=tuple(LessonEvidence(link.session_id, link.idx, _safe(link.why)) for link in outline.links),
        workaround=any(link.why.startswith(WORKAROUND) for link in outline.links),
    )


def is_bare_script(lesson: Lesson) -> bool:
    """Whether a lesson shows a part of a script, and no reason names what of it made it work."""
    do = lesson.do
    named = lesson.because or any("`" in one.why for one in lesson.evidence)
    return do.kind == "command" and "\n" in do.text and "…" in do.text and not named


def is_where_named(lesson: Lesson, clue: Clue) -> bool:
    """Whether a lesson is an edit of a file that the output of the failure names."""
    return lesson.do.kind == "hunk" and base_name(lesson.do.file) in clue.files | clue.places


def differing_commands(failed: Command, passed: Command, key: str, project: str) -> tuple[str, str]:
    """The failing and the passing command, plain; of long ones only the part that the error (`key`) names; with the
    move to their folders where nothing else differs."""
    parts = _named_parts(failed.text, passed.text, key) or (_unmoved(failed.text), _unmoved(passed.text))
    plain = _plain(parts[0], project), _plain(parts[1], project)
    if plain[0] == plain[1]:
        plain = _plain(failed.text, project), _plain(passed.text, project)
    if plain[0] == plain[1] and differs(failed, passed, project):  # a placeholder stands for what differs
        plain = _own(failed.text), _own(passed.text)
    about = frozenset(words(key))
    first, second = (telling_part(one, other, about, COMMAND_LENGTH) for one, other in (plain, plain[::-1]))
    return first, second


@lru_cache(maxsize=32)
def _named_parts(failed: str, passed: str, key: str) -> tuple[str, str] | None:
    """The part of a chain of commands that the error names, or the only one that was changed, and the one most like it
    that passed."""
    old, new = chained(_unmoved(failed)), chained(_unmoved(passed))
    if len(old) == 1 and len(new) == 1:
        return None
    key_words = _KEY_WORD.findall(key)
    gone, come = [one for one in old if one not in new], [one for one in new if one not in old]
    named = [one for one in gone if any(word in one for word in key_words)]
    heads = {one: _head(one) for one in (*gone, *come)}
    best, alike = None, 0.0
    for one in (named or (gone if len(come) == 1 else ()))[:_COMPARED]:
        for other in come[:_COMPARED]:
            if not heads[one] or heads[one] != heads[other]:
                continue
            pair = SequenceMatcher(None, one[:_LIKENED], other[:_LIKENED], autojunk=False)
            # each bound takes less time than what follows it
            if min(pair.real_quick_ratio(), pair.quick_ratio()) < _LIKE or (ratio := pair.ratio()) < _LIKE:
                continue
            if ratio > alike:
                best, alike = (one, other), ratio
    return best


def _head(command: str) -> tuple[str, ...]:
    """The program of a command, and its subcommand."""
    members = parse_command(command).members
    return subcommand(members[-1])[:2] if members else ()


def plain_command(command: Command, project: str, about: frozenset[str] = frozenset()) -> str:
    """A command with placeholders, without the move to its folder and without what only cuts its output; of a long one
    the parts with a word of `about`."""
    return telling_part(_plain(_unmoved(command.text), project), "", about, COMMAND_LENGTH)


def _unmoved(command: str) -> str:
    """A command without the move to its folder at its beginning."""
    text = command.strip()
    moved = _MOVES.match(text)
    return text[moved.end() :] if moved is not None and text[moved.end() :].strip() else text


@lru_cache(maxsize=128)
def _plain(text: str, project: str) -> str:
    return _safe(with_placeholders(unfiltered(text.strip()), project, programs=True))


def _own(text: str) -> str:
    """A command with its own branches, numbers and scratch files; only what lies below home has a placeholder."""
    return _safe(without_home(unfiltered(_unmoved(text))))


def unfiltered(text: str) -> str:
    """A command without the filters at its end (`2>&1 | tail -5`)."""
    while True:
        head, bar, filtered = text.rpartition("|")
        name = filtered.split(maxsplit=1)[:1]
        cuts = bool(name) and name[0] in _CUTS and not set(filtered) & set(";&\n(")
        if not bar or not cuts or head.endswith("|") or head.count("'") % 2 or head.count('"') % 2:
            return text.rstrip().removesuffix("2>&1").rstrip()
        text = head.rstrip()


def _do(outline: Outline) -> Do:
    """What to do: the closest linked step; else the command that passed instead; else what a person said they did."""
    statement, project = _safe(outline.explanation or ""), outline.project
    if outline.steps:
        change, link = min(outline.steps, key=lambda step: step[1].rank)
        if link.hints:
            return _edit(outline.failure, link.hints, project)
        if change.command is not None:
            ran = [one.command for one, other in outline.steps if one.command and not other.hints]
            return Do("command", _joined(ran, project, frozenset(words(outline.failure.key))))
        files = ", ".join(dict.fromkeys(with_placeholders(file, project) for file in change.files))
        return Do("words", f"Edit {_safe(files)}" if files else statement or "Have another agent do it")
    if outline.instead is not None:
        failed, passed = differing_commands(outline.failure.command, outline.check, outline.failure.key, project)
        if outline.outside:
            return Do("words", f"Run it outside the sandbox: {passed}")
        if passed == failed:  # only how or when it ran differs
            return Do("words", _safe(_spelled(outline, outline.instead.why.removeprefix(WORKAROUND))))
        return Do("command", passed, instead_of=failed)
    return Do("words", statement or "A person fixed it")


def _joined(commands: Sequence[str], project: str, about: frozenset[str] = frozenset()) -> str:
    """The commands of a fix, each once, in the order in which they ran."""
    plain = dict.fromkeys(plain_command(parse_command(one), project, about) for one in commands)
    return "\n".join(list(plain)[:HUNK_LINES])


def _edit(failure: Failure, hints: Sequence[Hint], project: str) -> Do:
    """An edit as at most ten lines of a diff; of a longer one those that tell most."""
    file = _safe(with_placeholders(hints[0].file, project))
    lines = [line for hint in hints if hint.file == hints[0].file for line in diff_lines(hint)]
    if len(lines) > HUNK_LINES:
        lines = [line for line in lines if line[:1] != " "]
    if len(lines) > HUNK_LINES:
        lines = [*_telling(lines, failure), "…"]
    text = "\n".join(clean(redact(line)) for line in lines)
    return Do("hunk", text, file) if text.strip() else Do("words", f"Edit {file}", file)


def _telling(lines: Sequence[str], failure: Failure) -> list[str]:
    """The changed lines of a long edit that fit: first those with a name of the error, then the added ones."""
    names = failure.clue.names

    def order(at: int) -> tuple[bool, bool, int]:
        line = lines[at][1:]
        lowered = line.lower()
        named = any(name in lowered for name in names) and names & names_in(line)
        return not named, lines[at][:1] != "+", at

    filled = {line: at for at, line in reversed(list(enumerate(lines))) if line[1:].strip()}.values()
    return [lines[at] for at in sorted(sorted(filled, key=order)[: HUNK_LINES - 1])]


def _dead_ends(outline: Outline) -> Iterator[str]:
    """What was tried and did not help: other forms of the command that failed too, linked commands after which the
    failure was still there, edits that were taken back."""
    failed = outline.failure
    first = outline.tried[0] if outline.tried else failed.command
    for command in outline.tried[1:]:
        if differs(first, command) and differs(outline.check, command):
            yield plain_command(command, outline.project)
    earlier = [one for one in outline.earlier[-_LOOKED_BACK:] if one.change.command is not None]
    for link in link_steps(failed, earlier, ()) if earlier else ():
        command = earlier[link.place].change.command
        if link.rank <= ELSEWHERE and command is not None:
            yield _joined([command], outline.project)
    hints = [hint for change in outline.between for hint in change.hints]
    for at, hint in enumerate(hints):
        if hint.added and is_reverted(hint, hints[at + 1 :]):
            yield _safe(f"{hint.added[0].strip()} in {base_name(hint.file)}")


def _because(outline: Outline) -> str | None:
    """The sentence, if it shares a term with the error; else what the passing command does otherwise; of a long command
    else what the agent called it."""
    clue, instead, project = outline.failure.clue, outline.instead, outline.project
    terms = clue.words | {word for name in clue.names for word in words(name)}
    if outline.explanation and (outline.explains_it or terms & set(words(outline.explanation))):
        return _safe(outline.explanation)
    if instead is None or instead is OUTSIDE:
        return None
    why = instead.why.removeprefix(WORKAROUND) if instead.tells else otherwise(outline.failure, outline.check)
    why = why or (outline.described if len(outline.check.text) > _LONG_COMMAND else "")
    return _safe(with_placeholders(_spelled(outline, why), project)) or None


def _spelled(outline: Outline, why: str) -> str:
    """A reason with its names as the error and the commands write them."""
    failure = outline.failure
    return as_written(why, failure.key, failure.command.text, outline.check.text)


def _program(command: Command) -> str:
    return command.members[-1].program if command.members else ""


def _system(project: str) -> str:
    if re.match(r"[A-Za-z]:[/\\]", project):
        return "Windows"
    return next((name for start, name in _SYSTEMS if project.startswith(start)), "")


def _safe(text: str) -> str:
    return clean(redact(text))


_TYPECHECK: Final = re.compile(
    r"\bundefined\b|undeclared|not defined|redeclared|declared and not used|imported and not used"
    r"|unused (?:import|variable)|assignment mismatch"
    r"|(?:not enough|too many) (?:arguments|return values|values)|cannot use .* as "
    r"|missing return"
    r"|has no field or method|does not implement|unknown field|not assignable to|cannot find name|cannot find value"
    r"|has no (?:exported )?(?:member|attribute)|expected \d+ arguments?|takes \d+ (?:positional )?arguments?"
    r"|unexpected keyword argument|missing \d+ required|mismatched types|no (?:method|field|function) named|unresolved"
    r"|syntax error|SyntaxError|IndentationError|expected .{1,20}, (?:got|found)|NameError|AttributeError|ImportError"
    r"|property .* does not exist|is not a (?:function|type)|cannot infer|invalid operation|non-name|unexpected token"
    r"|ineffectual assignment|is unused|never (?:used|read)|shadows?\b|undefined name",
    re.IGNORECASE,
)
_TYPECHECK_RULES: Final = frozenset((
    "typecheck", "unused", "ineffassign", "no-unused-vars", "no-undef", "f401", "f811", "f821", "f841",
    "unused-import", "unused-variable", "gofmt", "gofumpt", "goimports", "gci", "whitespace", "unconvert",
))  # fmt: skip
_EXPECTS: Final = re.compile(
    r"\bwant(?:ed)?\b|\bexpected\b|\bgot\b|assert|to (?:be|equal|contain|match)\b|should (?:be|have|contain)",
    re.IGNORECASE,
)
_MERGE: Final = re.compile(
    r"^CONFLICT \(|merge conflict|could not apply [0-9a-f]{6,}|unmerged|automatic merge failed", re.I
)
_TRAILER: Final = re.compile(
    r"^(?:FAIL|PASS|ok|exit status|make|\*\*\*|ELIFECYCLE|npm (?:ERR!|error) code|command failed|task failed)\b"
    r"|^\[?\w*\]? ?ERROR task",
    re.I,
)
_LOOKS: Final = frozenset((
    "cd", "cat", "ls", "head", "tail", "sed", "find", "wc", "stat", "tree", "rg", "grep", "awk", "rm", "mv", "cp",
    "mkdir", "env",
))  # fmt: skip
_NO_FILE: Final = re.compile(r"no such file|not a directory|is a directory|does not exist", re.IGNORECASE)
_BUILDERS: Final = programs.CHECKS | programs.LINKERS
_MISSING_PACKAGE: Final = re.compile(
    r"no required module|cannot find (?:module|package)|no module named|could not resolve|missing go\.sum|ERESOLVE"
    r"|unresolved import|package .* is not in",
    re.IGNORECASE,
)
_ENVIRONMENT: Final = re.compile(
    r"permission denied|not permitted|command not found|no such host|connection refused|econnrefused|rate limit"
    r"|certificate|no space left|index\.lock|unbound variable|gpg|auto-sign|credential|not installed"
    r"|executable file not found|address already in use|out of memory|signal: killed|eacces|enospc|daemon|dial tcp"
    r"|compile schema|go mod tidy|invalid version|unknown revision",
    re.IGNORECASE,
)
LINTERS: Final = frozenset(tool.name for tool in linters.TOOLS)
CHECKERS: Final = frozenset(
    tool.name
    for table in (
        *(test_runners.PYTHON_TESTS, test_runners.GO_TESTS, test_runners.TEST_RUNNERS),
        *(compilers.RUST, compilers.COMPILERS, runtimes.NODE, python.TOOLS, linters.TOOLS),
    )
    for tool in table
)
"""Recognisers of key lines that compilers, linters and test runners print."""


def worth_of(key: str, tool: str, names: frozenset[str], command: Command, attempts: int) -> Worth:
    """The worth of a finding that was fixed after `attempts` failing runs.

    A slip is what a compiler, type checker or test names in the agent's own code and the next edits remove.
    """
    if _TRAILER.search(key):
        return "none"
    if _MERGE.search(key):
        return "slip"
    if _program(command) in _LOOKS and _NO_FILE.search(key):
        return "none"
    if _MISSING_PACKAGE.search(key):
        return "project"
    if names & _TYPECHECK_RULES or _TYPECHECK.search(key):
        return "project" if attempts > _LONG else "slip"
    checks = tool in CHECKERS or any(part.named(_BUILDERS) for part in command.members)
    if _ENVIRONMENT.search(key) or not checks:
        return "general"
    if _EXPECTS.search(key):
        return "slip" if attempts <= _LONG else "project"
    return "project"


_LONG: Final = 6
"""Failing runs after which even a plain message was no slip."""
