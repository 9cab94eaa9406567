"""What shows in a command itself and makes it fail: a subcommand, option and word that the error named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from core.errors.identity.lack import Lack
from core.flows.harvest.command import Command, Part
from core.flows.harvest.fixes.correction import subcommand

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


def trap_of(failed: Command, passed: Command, said: str, lack: Lack | None) -> Iterator[tuple[str, str]]:
    """The program and the keys by which the failing command is known again: those that the command which passed has
    not, and whose last word the error names."""
    if lack is not None and lack.kind == "glob":
        still = set(keys_of(passed)) if quoted_pattern(said, passed.text) else set(keys_of(failed))
        yield from (one for one in keys_of(failed) if one[1].startswith("unquoted ") and one not in still)
        return
    if lack is not None:
        named = lack.kind == "program" and any(part.program == lack.name for part in failed.parts)
        if named and all(part.program != lack.name for part in passed.parts):
            yield lack.name, ""
        return
    kept = {key for part in passed.parts for key in _keys(part)}
    named_words = {word.strip("-").lower() for word in _NAMED.findall(said)}
    for part in failed.parts:
        again = [other for other in passed.parts if other.program == part.program]
        for key in _keys(part) if again else ():
            if key not in kept and key.split(" ")[-1].strip("-").lower() in named_words:
                yield part.program, key


def quoted_pattern(said: str, passed: str) -> str:
    """The word of the command that passed which holds, in quotes, the pattern that zsh refused; '' where none does."""
    refused = re.search(r"no matches found: (\S{1,200})", said)
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
