"""What a successful step changed: files, the command or small edit that did it, and the edit's hunks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, cast

from core.base.lazy import text_tables
from core.flows.harvest import programs
from core.flows.harvest.command import NOWHERE, Command, Part

HUNKS_KEPT: Final = 16
"""Hunks kept of one call."""
HUNK_LINES: Final = 40
"""Lines kept of each side of a hunk."""
_LINE: Final = 400
_SHOWN: Final = 900
_SHOWN_LINES: Final = 24
_COMPARED: Final = 1_500
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t]*$", re.MULTILINE)
_AT: Final = re.compile(r"^@@.*$", re.MULTILINE)

_LIST: Final = r"[@\w:/-]{1,80}(?:[ \t]*,[ \t]*[@\w:/-]{1,80})*"
_DIRECTIVES: Final = (
    re.compile(rf"//[ \t]*nolint(?::[ \t]*(?P<rules>{_LIST}))?(?P<reason>[ \t]*//[ \t]*\w)?"),
    re.compile(rf"#[ \t]*noqa(?::[ \t]*(?P<rules>{_LIST}))?(?P<reason>[ \t]+[#(–—-]+[ \t]*\w)?", re.IGNORECASE),
    re.compile(
        rf"#[ \t]*(?:type|pyright|ty|mypy):[ \t]*ignore(?:\[(?P<rules>{_LIST})\])?(?P<reason>[ \t]+[#(–—-]+[ \t]*\w)?"
    ),
    re.compile(rf"#[ \t]*pylint:[ \t]*disable(?:-next)?=(?P<rules>{_LIST})(?P<reason>[ \t]+#+[ \t]*\w)?"),
    re.compile(
        rf"(?:es|ox)lint-disable(?:-next-line|-line)?(?:[ \t]+(?P<rules>{_LIST}))?(?P<reason>[ \t]+--[ \t]*\w)?"
    ),
    re.compile(rf"biome-ignore[ \t]+(?P<rules>{_LIST}?)(?P<reason>:[ \t]*\w)?(?![\w/])"),
    re.compile(r"@ts-(?:ignore|expect-error|nocheck)(?P<rules>)(?P<reason>[ \t:–—-]+\w)?"),
    re.compile(rf"#!?\[(?:allow|expect)\((?P<rules>{_LIST})(?P<reason>[ \t]*,[ \t]*reason[ \t]*=)?"),
    re.compile(rf"#[ \t]*nosec(?:[ \t]+(?P<rules>{_LIST}))?(?P<reason>[ \t]+[#(–—-]+[ \t]*\w)?"),
    re.compile(rf"@SuppressWarnings\((?:\{{[ \t]*)?\"(?P<rules>{_LIST})(?P<reason>(?!))?"),
    re.compile(rf"rubocop:(?:disable|todo)[ \t]+(?P<rules>{_LIST})(?P<reason>[ \t]+--[ \t]*\w)?"),
    re.compile(rf"shellcheck[ \t]+disable=(?P<rules>{_LIST})(?P<reason>[ \t]+#[ \t]*\w)?"),
)
_DIRECTIVE_WITHIN: Final = 600
"""Characters of a line that are read for a suppression."""


class Hint(NamedTuple):
    """One hunk: what a file said before and after, each with at most one line around the lines that differ."""

    file: str
    old: str
    new: str

    @property
    def removed(self) -> tuple[str, ...]:
        """The lines that only the old side has."""
        return _only_in(self.old, self.new)

    @property
    def added(self) -> tuple[str, ...]:
        """The lines that only the new side has."""
        return _only_in(self.new, self.old)


@lru_cache(maxsize=512)
def _only_in(side: str, other: str) -> tuple[str, ...]:
    """Asked of each hunk for each error that it may belong to."""
    there = set(other.split("\n"))
    return tuple(line for line in side.split("\n") if line.strip() and line not in there)


class Suppression(NamedTuple):
    """A comment that switches rules off: those it names (none: all), whether it says why, and its text."""

    rules: frozenset[str]
    reasoned: bool
    shown: str


def suppressions(line: str) -> Iterator[Suppression]:
    """The suppressions in a line of code."""
    text = line[:_DIRECTIVE_WITHIN]
    for pattern in _DIRECTIVES:
        if found := pattern.search(text):
            named = frozenset(one.strip().lower() for one in (found["rules"] or "").split(",") if one.strip())
            yield Suppression(named, bool(found["reason"]), text[found.start() :].strip())


def switches_off(hint: Hint) -> bool:
    """Whether the new side suppresses a rule, or all rules, more often than the old side did."""
    before, after = (
        Counter(rule for line in side for one in suppressions(line) for rule in one.rules or ("",))
        for side in (hint.removed, hint.added)
    )
    return bool(after - before) and "" not in before


def hunks(file: str, old: str, new: str) -> list[Hint]:
    """The hunks that make `new` of `old`, each cut to the lines that differ and one line around them."""
    before, after = (text.split("\n")[:_COMPARED] if text else [] for text in (old, new))
    if not before or not after or before == after:
        return [] if before == after else [Hint(file, _side(before), _side(after))]
    found: list[Hint] = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(1):
        start, end = group[0], group[-1]
        found.append(Hint(file, _side(before[start[1] : end[2]]), _side(after[start[3] : end[4]])))
    return found[:HUNKS_KEPT]


def patched_files(text: str) -> list[str]:
    """The files that a patch in `*** Begin Patch` form names."""
    return list(dict.fromkeys(_PATCHED.findall(text)))


def patch_hints(patch: str) -> list[Hint]:
    """The hunks of a patch in `*** Begin Patch` form."""
    if "*** " not in patch[:20_000]:
        return []
    pieces = _PATCHED.split(patch[:100_000])
    found: list[Hint] = []
    for path, body in zip(pieces[1::2], pieces[2::2], strict=False):
        for section in _AT.split(body):
            found += _section(path, section)
    return found[:HUNKS_KEPT]


def _section(path: str, section: str) -> Iterator[Hint]:
    lines = [line for line in section.split("\n") if line[:1] in ("+", "-", " ")]
    old, new = ("\n".join(line[1:] for line in lines if line[0] in signs) for signs in ("- ", "+ "))
    if any(line[0] != " " for line in lines):
        yield from hunks(path, old, new)


def diff_lines(hint: Hint) -> list[str]:
    """A hunk as the lines of a diff; those that both sides have begin with two blanks."""
    old, new = (side.split("\n") if side.strip() else [] for side in (hint.old, hint.new))
    lines: list[str] = []
    for mark, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if mark == "equal":
            lines += [f"  {line}" for line in old[start:end]]
        else:
            lines += [f"- {line}" for line in old[start:end]] + [f"+ {line}" for line in new[first:last]]
    return lines


def short_diff_lines(hint: Hint) -> list[str]:
    """Return a hunk as the lines of a diff; none if it is too long to be useful."""
    lines = diff_lines(hint)
    return lines if len(lines) <= _SHOWN_LINES and sum(len(line) + 1 for line in lines) <= _SHOWN else []


def is_reverted(hint: Hint, later: Iterable[Hint]) -> bool:
    """Whether one of the `later` hunks puts back what `hint` changed."""
    same = [one for one in later if one.file == hint.file]
    if not same:
        return False
    changed = (hint.removed, hint.added)
    return any((one.added, one.removed) == changed for one in same) and changed != ((), ())


def _side(lines: list[str]) -> str:
    shown = lines if len(lines) <= HUNK_LINES else [*lines[: HUNK_LINES - 1], "…"]
    return "\n".join(line if len(line) <= _LINE else f"{line[: _LINE - 1]}…" for line in shown)


WRITERS: Final = frozenset(text_tables(__file__)["WRITERS"].split())
"""Tools that write files."""

DELEGATES: Final = frozenset(("Task", "Agent", "spawn_agent", "dispatch_agent", "task", "new_task", "use_subagents"))
"""Tools that let another agent work: what it changed is not in this chain."""

DELEGATED: Final = "delegated"
"""The fact of such a call that holds the `Change` which the other agent made, or None for none."""

_WRITING = re.compile(
    r"(?:^|_)(?:write|edit|create|update|delete|replace|apply|insert|move|rename|set|install|execute|run_migration)(?:_|$)",
    re.I,
)
_PATH_FIELDS = ("file_path", "notebook_path", "path", "filePath", "target_file", "filename")
_CONTENT_FIELDS = ("content", "contents", "file_text", "new_source")
_WRITING_CODE = re.compile(
    r"write_text|write_bytes|\.write\(|open\([^)\n]{0,200},\s*['\"][wa]|writeFile|appendFile|unlink|os\.(?:remove|rename|makedirs|mkdir|chmod)"
    r"|shutil\.|fs\.(?:rm|cp|mkdir|rename)|\.rename\(|\.to_csv\(|json\.dump\(|create_all\(|call_command\("
)
_CHANGING_SQL = re.compile(
    r"\b(?:create|alter|drop|insert|update|delete|grant|revoke|truncate|reindex|vacuum|terminate)\b", re.I
)
_SCRATCH = re.compile(r"^(?:/tmp/|/var/tmp/|\$TMPDIR|.*\.(?:log|out)$)", re.I)
_VERB_PARTS = re.compile(r"[/\\:_.\-]+")


_ASSIGNED = re.compile(r"(\$\w+)\s*=\s*['\"]([^'\"\n]{1,300})['\"]")
"""A variable that a script of PowerShell gives a text to, as it does with the file that it is to write."""
_POWERSHELL_WRITERS = frozenset(("Set-Content", "Add-Content", "Out-File"))
_PATH_OPTIONS = frozenset(("-path", "-literalpath", "-filepath"))


class Change(NamedTuple):
    """What one step changed. `certain` is False for work handed to another agent, whose changes are not seen here."""

    files: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    command: str | None = None
    certain: bool = True


def texts_of(change: Change | None) -> tuple[str, ...]:
    """What a step changes, or runs, as it is written."""
    if change is None:
        return ()
    hunks = (text for hint in change.hints for text in (hint.file, hint.new, hint.old))
    return (*hunks, *change.files, *([change.command] if change.command is not None else []))


def change_of(
    tool: str, tool_input: Mapping[str, object], command: Command | None, facts: Mapping[str, object]
) -> Change | None:
    """What a successful call of `tool` changed, or None where it changed nothing.

    Where another agent did the work, the fact `DELEGATED` is its change (None for no change), if that is known.
    """
    if command is not None:
        return _shell_change(command)
    if tool in DELEGATES:
        known = facts.get(DELEGATED, Change(certain=False))
        return known if isinstance(known, Change) else None
    if tool in WRITERS or (tool.startswith("mcp__") and _WRITING.search(tool.rsplit("__", 1)[-1])):
        if tool_input.get("command") == "view":
            return None
        return Change(_files(tool_input), _hints(tool_input))
    return None


def _files(tool_input: Mapping[str, object]) -> tuple[str, ...]:
    """The files that a writing tool's input names."""
    named = [value for key in _PATH_FIELDS if isinstance(value := tool_input.get(key), str) and value]
    patches = [value for value in tool_input.values() if isinstance(value, str) and "*** " in value[:20_000]]
    named += [path for patch in patches for path in patched_files(patch)]
    return tuple(dict.fromkeys(named))


def _hints(tool_input: Mapping[str, object]) -> tuple[Hint, ...]:
    """The edits that a tool's input spells out."""
    path = next((value for key in _PATH_FIELDS if isinstance(value := tool_input.get(key), str)), "")
    listed = tool_input.get("edits")
    edits = [tool_input, *(cast("list[object]", listed) if isinstance(listed, list) else [])]
    found: list[Hint] = []
    for edit in edits:
        if not isinstance(edit, Mapping):
            continue
        given = cast("Mapping[str, object]", edit)
        old, new = (given.get(a, given.get(b)) for a, b in (("old_string", "old_str"), ("new_string", "new_str")))
        if isinstance(old, str) and isinstance(new, str):
            found += hunks(path, old, new)
    written = next((value for key in _CONTENT_FIELDS if isinstance(value := tool_input.get(key), str)), None)
    if not found and written is not None:
        found += hunks(path, "", written)
    if not found:
        found += [hint for value in tool_input.values() if isinstance(value, str) for hint in patch_hints(value)]
    return tuple(found[:HUNKS_KEPT])


def _shell_change(command: Command) -> Change | None:
    """What a command changed, by its programs, the files it writes, or the names of the scripts it runs."""
    changing = [part for part in command.parts if _changes(part, alone=not command.members)]
    if not changing:
        return None
    if any(part.program == "apply_patch" for part in changing):
        return Change(tuple(patched_files(command.text)), tuple(patch_hints(command.text)))
    named = dict(_ASSIGNED.findall(command.text)) if "$" in command.text else {}
    files = [named.get(path, path) for part in changing for path in _written(part)]
    return Change(tuple(dict.fromkeys(files)), (), command.text)


def _changes(part: Part, *, alone: bool) -> bool:
    if _redirected(part):
        return True
    if part.kind == "setup":
        return alone and (part.named(programs.SHELL_STATE) or any("=" in word for word in part.around))
    if part.kind == "read" or not part.words:
        return False
    if part.named(programs.CHANGERS) or (part.program in ("sed", "perl") and _in_place(part)):
        return True
    source = part.simple.fed + "\n" + " ".join(part.words[1:])
    if part.program in programs.DATABASES:
        return _CHANGING_SQL.search(source) is not None
    if part.program in ("python", "node", "ruby", "perl", "php", "deno") and _WRITING_CODE.search(source):
        return True
    if part.named(programs.CHECKS) and not part.named(programs.SCRIPT_RUNNERS):
        return False
    says = [part.program, *(word for word in part.words[1:5] if not word.startswith("-"))]
    return any(
        token.lower() in programs.CHANGING_VERBS for word in says if len(word) < 80 for token in _VERB_PARTS.split(word)
    )


def _in_place(part: Part) -> bool:
    return any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in part.words[1:])


def _redirected(part: Part) -> tuple[str, ...]:
    """The files that a part writes by redirection, where it is what it prints that matters (not a log of a run)."""
    if part.kind == "run" and part.program not in ("cat", "tee"):
        return ()
    return tuple(target for target in part.simple.targets if target not in NOWHERE and not _SCRATCH.match(target))


def _written(part: Part) -> tuple[str, ...]:
    if part.program in ("sed", "perl") or (part.program in ("mv", "cp", "install") and len(part.words) > 2):
        return part.words[-1:]
    if part.program in _POWERSHELL_WRITERS:
        words = part.words[1:]
        behind = (other for word, other in pairwise(words) if word.lower() in _PATH_OPTIONS)
        return tuple(path for path in (next(behind, words[0] if words else ""),) if path and path[0] != "-")
    if part.program in ("tee", "touch", "rm", "dos2unix"):
        return tuple(word for word in part.words[1:] if not word.startswith("-") and not _SCRATCH.match(word))[:5]
    return _redirected(part)
