"""Code in a rule whose author set no backticks: `never git push --force` shows its mistake as plainly as one that did.

Only what can hardly be prose is taken: options, made-up names, calls, operators, paths, and the program before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"[A-Za-z_$][\w$.:]*\([^()`\n]{0,60}(?:\([^()`\n]{0,40}\)[^()`\n]{0,40})?\)[^\s`]*|[^\s`]+")
"""A word, or a call with all that is in its brackets."""
_CODE = re.compile(
    r"--?[A-Za-z][\w-]*(?:=\S*)?"  # an option
    r"|\$?[A-Za-z_][\w$]*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(.*\)[\w.()]*"  # a call
    r"|[A-Za-z_]\w*(?:(?:::|->)\w+)+"
    r"|[A-Za-z_][\w-]{1,40}(?:\.[A-Za-z_]\w+)+"  # yaml.load, package.json
    r"|\w*[A-Za-z]_\w+|_\w+"  # snake_case
    r"|[A-Za-z]*[a-z][A-Z]\w*"  # camelCase
    r"|[.~]{0,2}/(?:[\w.*@-]+/)*[\w.*@-]+|(?:[\w.*@-]+/){2,}[\w.*@-]*|[\w@-]+/[\w*-]*\.[\w.*]+"  # a path
    r"|\.[A-Za-z]\w{2,}|[$@]\{?[A-Za-z_]\w*\}?|\w+=\S+"
)
_SIGN = re.compile(r"\w\(|(?<!\w)-|\w[_/=]|_\w|/\w|[a-z][A-Z]|::|->|\.[A-Za-z_]|[$@]")
"""Without any of these a line holds no code, and most lines hold none."""
_JOINTS = frozenset(("&&", "||", "|", "=", "==", "===", "!=", "<=", ">=", "=>", "->", ":=", "|=", "+=", ">", ">>"))
"""Between words of code; by itself such a sign says nothing."""
_KNOWN = """
    adb alembic ansible apt apt-get aws az bash brew bundle cargo chmod chown cmake composer conda cp curl cut dd
    deno docker docker-compose dotnet find gcloud gem gh git go gradle grep helm jest kill kubectl ln make mv mvn
    mypy mysql npm npx node pip pip3 pipx pnpm poetry psql pytest python python3 redis-cli rm rsync ruff rustup scp
    sed sh ssh sudo systemctl tar terraform tox uv vitest wget xargs xcodebuild yarn
"""
_PROGRAMS = frozenset(_KNOWN.split())
_NAMES = frozenset(
    ("JavaScript", "TypeScript", "GitHub", "GitLab", "PostgreSQL", "MySQL", "SystemVerilog", "macOS", "iOS", "OpenAPI")
)
"""Names that prose writes as code is written."""
_EDGES = ".,:;!?\"'…。、，"
_CLOSED_BY = {")": "(", "]": "[", "}": "{"}
_REACH = 3
"""Words between a program and the option that belongs to it."""
_MOST = 20_000
"""Letters that are looked at."""


def ticked(text: str) -> str:
    """The text with backticks around what is code in it, line by line; as it is where it has some already."""
    if "`" in text:
        return text
    return "\n".join(map(_line, text[:_MOST].split("\n"))) + text[_MOST:]


def _line(line: str) -> str:
    if not _SIGN.search(line):
        return line
    parts, end = list[str](), 0
    for start, stop in _runs(line):
        parts += line[end:start], f"`{line[start:stop]}`"
        end = stop
    return "".join((*parts, line[end:]))


def _runs(line: str) -> Iterator[tuple[int, int]]:
    """Where code begins and ends in a line, in order."""
    words = [_bare(line, *one.span()) for one in _TOKEN.finditer(line)]
    said = [line[start:end] for start, end in words]
    code = [len(word) > 1 and word not in _NAMES and _CODE.fullmatch(word) is not None for word in said]
    at = 0
    while at < len(words):
        last = _command(said, code, at)
        if last is not None:
            while (more := _goes_on(line, words, code, last)) is not None:
                last = more
            yield words[at][0], words[last][1]
            at = last
        at += 1


def _command(said: Sequence[str], code: Sequence[bool], at: int) -> int | None:
    """The last word of what begins as code at this word: it alone, or a program's command up to its last option."""
    if said[at] in _PROGRAMS:
        return max((near for near in range(at + 1, min(at + 1 + _REACH, len(said))) if code[near]), default=None)
    return at if code[at] else None


def _goes_on(line: str, words: Sequence[tuple[int, int]], code: Sequence[bool], last: int) -> int | None:
    """The next word of the same piece of code, right behind or behind a joint; no comma or particle is between."""
    for step in (last + 1, last + 2):
        if step >= len(words) or not line[words[step - 1][1] : words[step][0]].isspace():
            return None
        if code[step] or step > last + 1:
            return step
        if line[slice(*words[step])] not in _JOINTS:
            return None
    return None


def _bare(line: str, start: int, end: int) -> tuple[int, int]:
    """A word without the marks of a sentence around it, and without the particle that is glued to its code."""
    while start < end - 1 and line[start] in "([{\"'":
        start += 1
    while end > start + 1 and (line[end - 1] in _EDGES or _opened_outside(line[start:end])):
        end -= 1
    if any(char.isascii() and char.isalnum() for char in line[start:end]):
        while "가" <= line[end - 1] <= "힣":
            end -= 1
    return start, end


def _opened_outside(word: str) -> bool:
    opens = _CLOSED_BY.get(word[-1])
    return opens is not None and word.count(opens) < word.count(word[-1])
