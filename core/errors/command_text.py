"""Long commands in few words: the words, parts or lines that differ from another command, or name what matters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from core.base.lazy import lazy_pattern
from core.text import clean, words

SHORT: Final = 160
"""Bytes of a failed command that are shown whole: two lines of a card in 80 columns."""
_LINES: Final = 3
_WORDS_COMPARED: Final = 400
_NOT_WORTH_A_MARK: Final = 2
"""Words between two others that are shown instead of a mark."""
_MOSTLY: Final = 0.5
"""The share of a command's words up to which they are what it differs in."""
_QUOTED = lazy_pattern(r"(?P<begin>(?P<quote>[\"'])[^\"']{24})[^\"']{8,}+(?P=quote)")
"""A long text in quotes, of which the beginning is shown."""
_PART = lazy_pattern(r"""(?:'[^']*'?|"(?:\\.|[^"\\])*"?|\\.|[^;&|]|&(?!&))+(?:&&|\|\|?|;)?|.""", re.DOTALL)
"""A part of a command line and the operator behind it."""
_ENDS_PART = lazy_pattern(r"(?:&&|\|\|?|;|.*;)")
_SUBCOMMAND = lazy_pattern(r"[a-z][a-z-]*")
_SETUP = lazy_pattern(
    r"(?:import|from|using|use|require|include)\b|(?:const|let|var) .{1,80}\brequire\(|#|//|set -|cd |echo |printf "
    r"|\W*$"
)
"""A line or part that prepares, prints a text, or says something about the script."""
_SETTING = lazy_pattern(r"[A-Z_]+=(?:\"[^\"]*\"|\S*)$")
SCRIPT: Final = 10
"""Lines from which a command is a script that is not shown whole."""
_LEAST: Final = 16
"""Bytes from which the beginning of a line is worth showing."""
_MARK: Final = "…"
_FED = lazy_pattern(r"(?P<begin><<-?[ \t]*['\"]?(?P<mark>\w+)\b[^\n]{0,200})\n.*?(?:\n[ \t]*(?P=mark)\b|\Z)", re.DOTALL)
"""A here-document, of which nothing is shown."""


def short_command(text: str, other: str, size: int = SHORT) -> str:
    """Return a command in few bytes; one longer than `size`, or of many lines, without what matters least.

    Shown are the words that differ from the `other` command, else the command with its here-documents and quoted
    texts cut, else its beginning.
    """
    if utf8_size(text) <= size and text.count("\n") < _LINES:
        return text
    differing = differing_words(text, other)
    if 0 < utf8_size(differing) <= size:
        return differing
    plain = " ".join(_FED.sub(r"\g<begin> …", clean(differing or text)).split())
    short = _QUOTED.sub(r"\g<begin>…\g<quote>", plain)
    return _cut(short, size)


def differing_words(text: str, other: str) -> str:
    """Return the words of a command that differ from the `other` one, with its first word and their neighbours.

    What is left out is marked. Empty where hardly anything is the same: then no words tell what was done otherwise.
    """
    from difflib import SequenceMatcher  # a search loads this module and compares nothing

    given, others = (clean(one).split()[:_WORDS_COMPARED] for one in (text, other))
    matcher = SequenceMatcher(None, others, given, autojunk=False)
    changed = [(start, end) for mark, _, _, start, end in matcher.get_opcodes() if mark != "equal"]
    if not others or not changed or sum(end - start for start, end in changed) > len(given) * _MOSTLY:
        return ""
    kept = {0, *(at for start, end in changed for at in range(max(0, start - 1), min(end + 1, len(given))))}
    for start, _ in changed:
        head = next((at for at in range(start, 0, -1) if _ENDS_PART.fullmatch(given[at - 1])), 0)
        kept |= {head, head + 1} if _SUBCOMMAND.fullmatch(" ".join(given[head + 1 : head + 2])) else {head}
    shown = given[:1]
    for last, at in pairwise([*sorted(kept), len(given)]):
        between = given[last + 1 : at]
        shown += between if len(between) <= _NOT_WORTH_A_MARK else [_MARK]
        shown += given[at : at + 1]
    return " ".join(shown)


def telling_part(text: str, other: str, about: frozenset[str], size: int) -> str:
    """Return what tells most of a command in at most `size` bytes and ten lines. What is left out is marked.

    Of a command line: the words that differ from the `other` command, else its parts. Of a script: its first command
    and other lines. Parts and lines with a word of `about` come first, those that the other command has are left out.
    """
    if utf8_size(text) <= size and text.count("\n") < SCRIPT:
        return text
    others = [*other.split("\n"), *_parts(other)]
    if "\n" in text:
        return _fitting(text.split("\n"), others, about, size, "\n")
    differing = differing_words(text, other)
    return differing if 0 < utf8_size(differing) <= size else _fitting(_parts(text), others, about, size, " ")


def _fitting(units: Sequence[str], others: Sequence[str], about: frozenset[str], size: int, between: str) -> str:
    """The lines or parts that fit, in their order. The first command of a script is always shown."""
    known = {flat(one) for one in (*others, _MARK, "")}
    telling = [at for at, unit in enumerate(units) if not _SETUP.match(unit.lstrip())] or [*range(len(units))]
    commands = (at for at in telling if not _SETTING.match(units[at]))
    first = [next(commands, telling[0])] if between == "\n" else []
    new = [at for at in telling if at not in first and flat(units[at]) not in known]
    kept: dict[int, str] = {}
    for at in (*first, *sorted(new, key=lambda at: about.isdisjoint(words(units[at])))):
        room = size - utf8_size(_marked({**kept, at: ""}, len(units), between))
        if room < min(_LEAST, utf8_size(units[at])) or len(kept) == SCRIPT - 2:
            break
        kept[at] = _short(units[at], others, room)
    return _cut(_marked(kept, len(units), between), size)


def _marked(kept: Mapping[int, str], count: int, between: str) -> str:
    """The parts that are kept, with a mark where others of the `count` are left out."""
    shown: list[str] = []
    for last, at in pairwise([-1, *sorted(kept), count]):
        if at > last + 1 and not (shown and shown[-1].endswith(_MARK)):
            shown.append(_MARK)
        shown += [kept[at]] if at in kept else []
    return between.join(shown)


def _short(unit: str, others: Sequence[str], size: int) -> str:
    """A line or part in at most `size` bytes: the words that differ from the one most like it, else its beginning."""
    if utf8_size(unit) <= size:
        return unit
    given = set(unit.split())
    alike = max(others, key=lambda one: len(given & set(one.split())), default="")
    differing = differing_words(unit, alike)
    return differing if differing.count(" ") > 1 and utf8_size(differing) <= size else _cut(unit, size)


def _parts(text: str) -> list[str]:
    """The parts of a command line, each with the operator behind it."""
    return [part.strip() for part in _PART.findall(text) if part.strip()]


def flat(text: str) -> str:
    """The words of a text, one blank between two."""
    return " ".join(text.split())


def utf8_size(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode("utf-8", "replace"))


def _cut(text: str, size: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else f"{data[: max(size - 3, 0)].decode('utf-8', 'ignore')}{_MARK}"
