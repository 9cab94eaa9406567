"""What a harvest records for practice: findings of checkers and how each was handled, what the environment lacked.

Also the commands to warn of: what in a command itself makes it fail (a subcommand, option or word that the error
named). A finding is suppressed, edited, removed, configured, reverted, or rewritten by a command. A warning that was
given before a run is settled by the calls that followed it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, cast

import apsw

from core.errors.identity.codes import Lack, Rule, lack_of, rule_of
from core.errors.practice import VIA, Finding, How, Warned, replace_rows
from core.flows.harvest.changes import Hint, Suppression, suppressions
from core.flows.harvest.command import Command, Part, command_of, parse_command
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.fixes.correction import BY_A_PERSON, OUTSIDE, subcommand
from core.flows.harvest.fixes.linking import is_check
from core.flows.harvest.programs import SCRIPT_RUNNERS

_HOW_KEPT: Final = 160


def silences(one: Suppression, rule: Rule) -> bool:
    """Whether the suppression is for this rule: it names the rule, its linter or its group, or names none."""
    names = {*rule.name.lower().split(), rule.name.lower().rpartition("/")[2], f"{rule.checker}::{rule.name}".lower()}
    return not one.rules or bool(names & one.rules) or bool({name.rpartition("/")[2] for name in one.rules} & names)


_SETTINGS: Final = re.compile(r"\.(?:ya?ml|toml|ini|cfg|jsonc?|properties)\Z|\.config\.\w+\Z|(?:\A|/)\.[\w.-]*rc\Z")
_RESTORES: Final = frozenset(("checkout", "restore", "revert", "stash", "reset"))
_STRING: Final = re.compile(r"\"(?>(?:[^\"\\]|\\.)*)\"?|'(?>(?:[^'\\]|\\.)*)'?|`[^`]*`?")
_COMMENT: Final = re.compile(r"(?:^|\s)(?://|#\s).*")
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_SHORT: Final = 6
INTERPRETERS: Final = frozenset(("python", "node", "perl", "ruby", "sh", "bash", "zsh", "awk", "sed", "cat", "tee"))
"""Programs that change files by a script of the moment."""
_NAMES_KEPT: Final = 40


class Approach(NamedTuple):
    """How a finding went away: `shown` is the comment, line or command, `names` what an edit brought into the code."""

    how: How
    shown: str = ""
    names: tuple[str, ...] = ()


def approach_of(
    rule: Rule, hints: Sequence[Hint], commands: Sequence[str], *, changed: bool = False, by_a_person: bool = False
) -> Approach | None:
    """What the hunks and commands linked to a finding did about its rule; None where nothing was done about it.

    `changed`: files were changed in ways that are not known; `by_a_person`: a person fixed it.
    """
    switched = [one for hint in hints for one in _switched_off(rule, hint)]
    if switched:
        best = next((one for one in switched if one.reasoned), switched[0])
        return Approach("suppressed with a reason" if best.reasoned else "suppressed", best.shown[:_HOW_KEPT])
    if hints and all(_SETTINGS.search(hint.file) for hint in hints):
        return Approach("configured", hints[0].file.rpartition("/")[2][:_HOW_KEPT])
    if hints:
        removed = not any(hint.added for hint in hints)
        return Approach("removed") if removed else Approach("edited", _line(hints), _brought_in(hints))
    parts = [part for command in commands for part in parse_command(command).parts if part.kind == "run"]
    if any(part.program == "git" and set(part.words[1:2]) & _RESTORES for part in parts):
        return Approach("reverted")
    if rewriting := next((part for part in parts if not is_check(part)), None):
        scripted = rewriting.named(SCRIPT_RUNNERS | INTERPRETERS)
        return Approach("edited") if scripted else Approach("rewritten by a command", rewriting.shape[:_HOW_KEPT])
    if by_a_person or changed:
        return Approach("by a person" if by_a_person else "edited")
    return None  # the same check passed in another way


def _switched_off(rule: Rule, hint: Hint) -> list[Suppression]:
    """The suppressions of this rule that the new side has and the old one has not."""
    before = [one for line in hint.removed for one in suppressions(line) if silences(one, rule)]
    after = [one for line in hint.added for one in suppressions(line) if silences(one, rule)]
    return after if len(after) > len(before) else []


def _line(hints: Sequence[Hint]) -> str:
    """The shortest added line that says something, as an example."""
    lines = [line.strip() for hint in hints for line in hint.added if _NAME.search(line)]
    return min(lines, key=len, default="")[:_HOW_KEPT]


def _brought_in(hints: Iterable[Hint]) -> tuple[str, ...]:
    """The names that only the new sides hold, without words of strings and comments."""
    old, new = _sides(hints)
    return tuple(sorted(name for name in new - old if _telling(name))[:_NAMES_KEPT])


def _telling(name: str) -> bool:
    """Whether a name is more than a word that any code has: `err`, `case`, `return`."""
    return len(name) > _SHORT or "." in name or any(one.isupper() or one.isdigit() for one in name)


def _sides(hints: Iterable[Hint]) -> tuple[set[str], set[str]]:
    old, new = set[str](), set[str]()
    for hint in hints:
        old |= _names(hint.removed)
        new |= _names(hint.added)
    return old, new


def _names(lines: Iterable[str]) -> set[str]:
    return {name for line in lines for name in _NAME.findall(_COMMENT.sub("", _STRING.sub("", line)))}


_OPTION: Final = re.compile(r"--?[A-Za-z][\w-]{0,40}\Z")
_WORD: Final = re.compile(r"[A-Za-z_][\w-]{1,40}\Z")
_NAMED: Final = re.compile(r"[\w-]+")
_GLOB: Final = re.compile(r"[*?]")
_VALUES: Final = 40


def keys_of(command: Command) -> Iterator[tuple[str, str]]:
    """Each program of a command with what may be wrong about it: '' for the program itself, subcommand and option,
    subcommand, option and word, and the patterns that zsh would expand."""
    for part in command.parts:
        if part.words:
            yield part.program, ""
            for key in _keys(part):
                yield part.program, key
            for key in _patterns(part, command.text):
                yield part.program, key


def trap_of(failed: Command, passed: Command, error: str, lack: Lack | None) -> Iterator[tuple[str, str]]:
    """The program and the keys by which the failing command is known again: those that the command which passed has
    not, and whose last word the error names."""
    if lack is not None and lack.kind == "glob":
        still = set(keys_of(passed)) if quoted_pattern(error, passed.text) else set(keys_of(failed))
        yield from (one for one in keys_of(failed) if one[1].startswith("unquoted ") and one not in still)
        return
    if lack is not None:
        named = lack.kind == "program" and any(part.program == lack.name for part in failed.parts)
        if named and all(part.program != lack.name for part in passed.parts):
            yield lack.name, ""
        return
    kept = {key for part in passed.parts for key in _keys(part)}
    named_words = {word.strip("-").lower() for word in _NAMED.findall(error)}
    for part in failed.parts:
        again = [other for other in passed.parts if other.program == part.program]
        for key in _keys(part) if again else ():
            if key not in kept and key.split(" ")[-1].strip("-").lower() in named_words:
                yield part.program, key


def quoted_pattern(error: str, passed: str) -> str:
    """The word of the command that passed which holds, in quotes, the pattern that zsh refused; '' where none does."""
    refused = re.search(r"no matches found: (\S{1,200})", error)
    if refused is None:
        return ""
    pattern = re.escape(refused[1].rpartition("=")[2] if refused[1].startswith("--") else refused[1])
    found = re.search(rf"(?<!\S)[\w=-]{{0,40}}(?:'{pattern}'|\"{pattern}\")", passed)
    return "" if found is None else found[0]


def _keys(part: Part) -> Iterator[str]:
    """`pr view --json` and `pr view --json merged` for `gh pr view 1 --json title,merged`."""
    head = " ".join(subcommand(part)[1:])
    option = ""
    for word in part.words[1:]:
        name, equals, value = word.partition("=")
        if _OPTION.match(name):
            option = name
            yield f"{head} {option}".strip()
            if not equals:
                continue
        elif word.startswith("-"):
            option = ""
            continue
        else:
            value = word
        for piece in value.split(",")[:_VALUES] if option else ():
            if _WORD.match(piece):
                yield f"{head} {option} {piece}".strip()
        option = ""


def _patterns(part: Part, text: str) -> Iterator[str]:
    """Words without quotes that zsh takes for a pattern and that name no file: `--include=*.go`, a URL with `?`."""
    for word in part.simple.words[1:]:
        if not _GLOB.search(word) or not re.search(rf"(?<!\S){re.escape(word)}(?!\S)", text):
            continue
        if word.startswith("--") and "=" in word:
            yield f"unquoted {word.partition('=')[0]}="
        elif "?" in word and "/" in word:
            yield "unquoted ?"


_CONTEXT: Final = 2_000
_QUOTE_KEPT: Final = 200


def write_practice(con: apsw.Connection, harvest: str, found: Iterable[HarvestedError]) -> None:
    """Replace what an earlier harvest of this session left by what these errors say. Within the caller's transaction.

    `found` is read twice.
    """
    findings = [one for error in found for one in findings_of(con, error)]
    replace_rows(con, harvest, findings, [one for error in found for one in warned_of(error)])
    settle_shown(con, harvest)


def findings_of(con: apsw.Connection, error: HarvestedError) -> Iterator[Finding]:
    """The finding of a rule or a lack that an error is, if it is one; a rule's only once it was fixed."""
    rule = rule_of(error.key.text, error.key.tool, _context(con, error) if error.key.tool == "rustc" else "")
    if rule is not None and error.resolved and (approach := _approach(rule, error)) is not None:
        yield _finding(error, "rule", rule.checker, rule.name, approach)
    lack = _lack(error)
    if lack is not None:
        yield _finding(error, "lack", lack.kind, lack.name, _instead(error, lack))


def warned_of(error: HarvestedError) -> Iterator[Warned]:
    """What to say before the failing command is run again, where another command passed in its place."""
    if not error.resolved or error.instead is None or error.worth not in ("general", "project"):
        return
    failed, passed = (parse_command(text) for text in error.instead)
    lack = _lack(error)
    for program, key in dict.fromkeys(trap_of(failed, passed, error.key.text, lack)):
        yield Warned(
            program=program,
            key=key,
            session_id=error.session_id,
            message_idx=error.message_idx,
            fingerprint=error.fingerprint,
            fix_session=error.verified_session or "",
            message_ids=json.dumps(list(error.message_ids)),
            worth=error.worth,
            lack_tool=lack.kind if lack is not None else "",
            lack_name=lack.name if lack is not None else "",
            failed=_of(failed, program),
            said=error.key.text[:_QUOTE_KEPT],
            passed=quoted_pattern(error.key.text, passed.text) or _same_program(failed.text, passed.text),
        )


def _lack(error: HarvestedError) -> Lack | None:
    """What the environment lacked; no program whose name came out of a quoted text of the command."""
    lack = lack_of(error.key.text)
    if lack is None or lack.kind != "program" or lack.name not in error.command:
        return lack
    return lack if any(part.program == lack.name for part in parse_command(error.command).parts) else None


def _approach(rule: Rule, error: HarvestedError) -> Approach | None:
    commands = error.commands if error.instead is None else (*error.commands, error.instead[1])
    by_a_person = any(link.why == BY_A_PERSON for link in error.links)
    return approach_of(rule, error.hints, commands, changed=bool(error.files_changed), by_a_person=by_a_person)


def _instead(error: HarvestedError, lack: Lack) -> Approach:
    """What passed where something was lacking: the command linked to it."""
    if not error.resolved:
        return Approach("open")
    if any(link.why == OUTSIDE.why for link in error.links):
        return Approach("worked instead", "the same command outside the sandbox")
    command = error.instead[1] if error.instead is not None else next(iter(error.commands), "")
    if lack.kind == "glob":
        shown = quoted_pattern(error.key.text, command)
    elif lack.kind == "program":
        shown = _instead_of(lack.name, error.command, command)
    else:
        shown = _same_program(error.command, command)
    return Approach("worked instead", shown) if shown else Approach("open")


def _instead_of(program: str, failed: str, passed: str) -> str:
    """The part of the command that passed which took the place of a missing program: one that the failed command did
    not have, if there is one with the program's name."""
    before = {part.family for part in parse_command(failed).parts}
    new = [part.shape for part in parse_command(passed).parts if part.kind != "setup" and part.family not in before]
    return _flat(next((one for one in new if program in one), new[0] if new else passed))


def _same_program(failed: str, passed: str) -> str:
    """The part of the command that passed which runs a program of the one that failed, else all of it."""
    programs = {part.program for part in parse_command(failed).members}
    again = next((part for part in parse_command(passed).members if part.program in programs), None)
    return _flat(passed if again is None else again.shape)


def _finding(error: HarvestedError, kind: str, tool: str, name: str, approach: Approach) -> Finding:
    return Finding(
        session_id=error.session_id,
        message_idx=error.message_idx,
        fingerprint=error.fingerprint,
        kind=kind,
        tool=tool,
        name=name,
        how=approach.how,
        shown=approach.shown,
        names=json.dumps(list(approach.names), ensure_ascii=False),
        fix_session=error.verified_session if error.resolved else None,
        message_ids=json.dumps(list(error.message_ids)),
        ts=error.ts,
    )


def _of(command: Command, program: str) -> str:
    """The part of a command that runs a program."""
    return _flat(next((part.shape for part in command.parts if part.program == program), command.text))


def _context(con: apsw.Connection, error: HarvestedError) -> str:
    row = con.execute(
        "SELECT substr(text, ?, ?) FROM message WHERE session_id = ? AND idx = ?",
        (error.key.end + 1, _CONTEXT, error.session_id, error.message_idx),
    ).fetchone()
    return "" if row is None else cast("str", row[0])


def _flat(command: str) -> str:
    flat = " ".join(command.split())
    return flat if len(flat) <= _QUOTE_KEPT else f"{flat[: _QUOTE_KEPT - 1]}…"


_CALLS = """SELECT t.name, t.input_json, t.failed, m.ts FROM tool_call AS t
 JOIN message AS m ON m.session_id = t.session_id AND m.idx = t.call_idx
 WHERE t.session_id = ? AND m.ts > ? ORDER BY t.call_idx"""


def settle_shown(con: apsw.Connection, session: str) -> None:
    """Settle the warnings before runs in this session by the calls that followed them.

    `failed_again`: the same form of command failed once more; `helped`: it was not run again, and the program was run
    in another form and passed; else `ignored`. Within the caller's transaction.
    """
    rows = con.execute(
        "SELECT id, resolution_id, told_at FROM answer_outcome WHERE session_id = ? AND via = ?", (session, VIA)
    ).fetchall()
    for row, resolution, shown_at in cast("list[tuple[int, int, str]]", rows):
        keys = con.execute(
            "SELECT b.program, b.key, b.passed FROM before_run AS b"
            " JOIN resolution AS r ON r.session_id = b.fix_session"
            " AND r.fingerprint = b.fingerprint AND r.message_ids = b.message_ids WHERE r.id = ?",
            (resolution,),
        ).fetchall()
        calls = con.execute(_CALLS, (session, shown_at)).fetchall()
        outcome, performed = _outcome(
            cast("list[tuple[str, str, str]]", keys), cast("list[tuple[str, str, int, str]]", calls)
        )
        con.execute(
            "UPDATE answer_outcome SET outcome = ?1, performed = ?2, settled_at = ?3"
            " WHERE id = ?4 AND (outcome, performed, settled_at) IS NOT (?1, ?2, ?3)",
            (outcome, performed, calls[-1][3] if calls else shown_at, row),
        )


def _outcome(keys: list[tuple[str, str, str]], calls: list[tuple[str, str, int, str]]) -> tuple[str, bool]:
    forms = {(program, key) for program, key, _ in keys}
    others = {program for program, key, _ in keys if key}
    others |= {part.program for _, key, passed in keys if not key for part in parse_command(passed).members}
    again, performed = False, False
    for tool, tool_input, failed, _ in calls:
        command = command_of(tool, json.loads(tool_input))
        made = frozenset[tuple[str, str]]() if command is None else frozenset(keys_of(command))
        if forms & made:
            if failed:
                return "failed_again", performed
            again = True
        elif not failed and {program for program, _ in made} & others:
            performed = True
    return ("helped" if performed and not again else "ignored"), performed
