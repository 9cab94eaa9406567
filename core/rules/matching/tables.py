"""The words and patterns that calls are read with: shipped as data, extended by the user's own files.

A pattern of the user may backtrack without end, and no thread can stop it. One that is plainly quick is tried here, any
other in a process, which is killed when its time is up."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from core.base.config.settings_sources import key_lines
from core.base.fault import Fault, why_unread
from core.base.lazy import lazy_pattern
from core.base.paths import user_folder
from core.rules.format.rule import Flaw, Rule

PATIENCE = 1.0
"""Seconds for all the patterns of a match together."""

_ATOM = lazy_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_REPEAT = lazy_pattern(r"[*+{]")
_HARD = lazy_pattern(r"\(\?|\)[*+?{]")
"""A group that is no plain one, or one that is repeated."""
_AGAIN = lazy_pattern(r"\\[0-9]")
"""What a group matched, once more."""


def is_quick(source: str) -> bool:
    """Return whether a pattern takes at most the square of a text's length, by its form: no repeat next to or within
    another one, no choice next to another. The check is cheap; a `no` may be wrong, a `yes` may not."""
    bare = _ATOM.sub("x", source).replace("(?:", "(")
    if _HARD.search(bare) or _AGAIN.search(source) or bare.count("?") > 4:
        return False
    return len(_REPEAT.findall(bare)) <= 1 and ("|" not in bare or bare.count("(") <= 1)


@lru_cache(maxsize=64)
def search_each(sources: tuple[str, ...], text: str) -> Sequence[tuple[int, int] | None]:
    """Where each of the patterns is in the text (None: nowhere); of the one at which the time was up, and of those
    behind it, nothing is said."""
    from core.process.child import find_within  # what only a few need is no part of anybody's start

    return find_within(PATIENCE, sources, text)


MAX_BYTES = 1 << 20
_FILES = ("rules.toml", "glossary.toml")
_PATTERN_KEYS = ("match", "terms", "rules", "tools", "languages", "needs")
_BARE, _QUOTED = re.compile(r"[A-Za-z0-9_-]+"), re.compile(r"\"[^\"]*\"|'[^']*'")
_SHOWN = 40
_LINE = re.compile(r",? (?:\(at )?line (\d+)")
READ = 8_192
"""Code points of a call that patterns look at."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """A mistake that shows in a call: a pattern, and the words (or, in a user's file, the ids) of rules about it.

    `needs`: literals, casefolded, without any of which it cannot match; to look for them costs a tenth of its time.
    `quick`: it cannot take long, whatever the text (see `own_patterns`).
    """

    name: str
    match: re.Pattern[str]
    terms: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    quick: bool = True

    def may_match(self, folded: str) -> bool:
        """Whether a text, which is given casefolded, has what it cannot match without."""
        return not self.needs or any(word in folded for word in self.needs)


@dataclass(frozen=True, eq=False)
class Tables:
    """ERROR_PATTERNS and the glossary, as data. The same files give the same object."""

    error_patterns: tuple[ErrorPattern, ...] = ()
    glossary: Mapping[str, str] = field(default_factory=dict[str, str])
    unknown: tuple[Flaw, ...] = ()
    """Unknown entries of the user's files: reported and ignored, because a newer casebook may know them."""
    named: tuple[Flaw, ...] = ()
    """Where a pattern of the user's own names a rule, each with the id."""

    @cached_property
    def glossary_hash(self) -> str:
        """Eight hexadecimal digits that change with any word: kept, since every match asks for it."""
        return hashlib.sha256(json.dumps(sorted(self.glossary.items())).encode()).hexdigest()[:8]


def load_tables(folder: Path | None = None) -> Tables:
    """The shipped tables with the user's own (`rules.toml`, `glossary.toml` in the settings folder) laid over them.

    Raises Fault config_invalid with file and line where a user's file is wrong.
    """
    own = user_folder("config") if folder is None else folder
    return _loaded(*(_stamp(own / name) for name in _FILES))


def own_tables() -> tuple[Path, ...]:
    """The user's own files that are there."""
    own = user_folder("config")
    return tuple(own / name for name in _FILES if (own / name).exists())


def table_flaws(folder: Path | None = None) -> tuple[Flaw, ...]:
    """What is wrong with the user's own tables, each with its file and line."""
    try:
        return load_tables(folder).unknown
    except Fault as fault:
        path, _, message = fault.message.partition(": ")
        found = _LINE.search(fault.message)
        place = path.removesuffix(found.group()) if found else path
        return (Flaw(place, int(found.group(1)) if found else 0, message or fault.message),)


def strangers(rules: Iterable[Rule], folder: Path | None = None) -> tuple[Flaw, ...]:
    """Where the user's own patterns name rules that are not among these: they may be another project's."""
    try:
        named = load_tables(folder).named
    except Fault:
        return ()
    known = {rule.id for rule in rules}
    return tuple(
        replace(one, message=f"no rule {one.rule} in these files (it may belong to another project)")
        for one in named
        if one.rule not in known
    )


def shipped_tables() -> Tables:
    """The tables without the user's own: what answers where these are wrong."""
    nowhere = (os.devnull, 0, -1)
    return _loaded(nowhere, nowhere)


_Stamp = tuple[str, int, int]


def _stamp(path: Path) -> _Stamp:
    try:
        info = path.stat()
    except OSError:
        return str(path), 0, -1
    return str(path), info.st_mtime_ns, info.st_size


@lru_cache(maxsize=4)
def _loaded(keywords: _Stamp, glossary: _Stamp) -> Tables:
    shipped = files("core.rules") / "data"
    raw = tomllib.loads(shipped.joinpath("keywords.toml").read_text("utf-8"))
    words: dict[str, Any] = dict(tomllib.loads(shipped.joinpath("glossary.toml").read_text("utf-8"))["words"])
    patterns = {name: _pattern(name, given) for name, given in raw["error_patterns"].items()}
    own, where = _own(keywords)
    unknown = [*_unknown(own, (), ("error_patterns",), where)]
    named: list[Flaw] = []
    for name, given in _table(own, "error_patterns", where):
        patterns[name] = _checked(name, given, where)
        unknown += _unknown(given, ("error_patterns", name), _PATTERN_KEYS, where)
        line = where.line(("error_patterns", name, "rules"))
        named += [Flaw(where.path, line, "names this rule", rule) for rule in patterns[name].rules]
    more, place = _own(glossary)
    unknown += _unknown(more, (), ("words",), place)
    for name, given in _table(more, "words", place):
        if not isinstance(given, str):
            raise place.fault(("words", name), "is not text")
        words[name] = f"{words.get(name, '')} {given}"
    by_word: dict[str, list[str]] = {}
    for english, given in words.items():
        for word in dict.fromkeys(str(given).split()):
            by_word.setdefault(word, []).append(english)
    meanings = {word: " ".join(known) for word, known in by_word.items()}
    return Tables(tuple(patterns.values()), meanings, tuple(unknown), tuple(named))


@dataclass(frozen=True, slots=True)
class _Where:
    path: str
    text: str

    def line(self, key: tuple[str, ...]) -> int:
        """Return the line of a key, 0 if it is unknown."""
        return key_lines(self.text).get(key, 0)

    def fault(self, key: tuple[str, ...], what: str) -> Fault:
        line = self.line(key)
        at = f"{self.path}, line {line}" if line else self.path
        return Fault("config_invalid", f"{at}: {'.'.join(key)} {what}", "fix or delete the line")


def _unknown(given: Mapping[str, Any], at: tuple[str, ...], known: tuple[str, ...], where: _Where) -> Iterator[Flaw]:
    """Yield the unknown keys of a table, each with the probable one."""
    for name in given:
        if name in known:
            continue
        import difflib

        near = difflib.get_close_matches(name, known, 1, 0.7)
        message = f"unknown {'key' if at else 'table'} {'.'.join((*at, name))}"
        guess = f", did you mean {near[0]}?" if near else " (ignored)"
        yield Flaw(where.path, where.line((*at, name)), message + guess)


def _own(stamp: _Stamp) -> tuple[dict[str, Any], _Where]:
    path, _, size = stamp
    if size < 0:
        return {}, _Where(path, "")
    text = ""
    try:
        data = Path(path).read_bytes() if size <= MAX_BYTES else b""
        text = data.decode("utf-8-sig")
        if size > MAX_BYTES:
            raise ValueError(f"is larger than {MAX_BYTES >> 20} MiB")
        return tomllib.loads(text), _Where(path, text)
    except (OSError, ValueError, RecursionError) as error:
        message = why_unread(error)
        if isinstance(error, tomllib.TOMLDecodeError) and (found := _LINE.search(message)):
            message += _bare(text.split("\n")[int(found.group(1)) - 1])
        raise Fault("config_invalid", f"{path}: {message}", "fix the file, or move it to another folder") from error


def _bare(line: str) -> str:
    """What is wrong with a line of TOML whose key has letters that need quotes; empty where it has none."""
    key, ends, _ = line.partition("]" if line.lstrip().startswith("[") else "=")
    parts = [part.strip() for part in _QUOTED.sub("x", key.strip(" \t[")).split(".")]
    bad = next((part for part in parts if ends and part and not part.startswith("#") and not _BARE.fullmatch(part)), "")
    return f', quote the key: "{bad[:_SHOWN]}"' if bad else ""


def _table(raw: dict[str, Any], name: str, where: _Where) -> Iterator[tuple[str, Any]]:
    found: object = raw.get(name, {})
    if not isinstance(found, dict):
        raise where.fault((name,), "is not a table")
    yield from cast("dict[str, Any]", found).items()


def _pattern(name: str, given: Mapping[str, Any]) -> ErrorPattern:
    lists = {key: given.get(key, ()) for key in _PATTERN_KEYS[1:]}
    return ErrorPattern(
        name,
        lazy_pattern(given["match"], re.MULTILINE),
        tuple(lists["terms"]),
        tuple(lists["rules"]),
        frozenset(lists["tools"]),
        frozenset(lists["languages"]),
        tuple(word.casefold() for word in lists["needs"]),
    )


def _checked(name: str, given: object, where: _Where) -> ErrorPattern:
    key = ("error_patterns", name)
    if not isinstance(given, dict):
        raise where.fault(key, "is not a table")
    table = cast("dict[str, Any]", given)
    source: object = table.get("match")
    if source is None:
        raise where.fault(key, "has no match")
    if not isinstance(source, str):
        raise where.fault((*key, "match"), 'is not quoted text (for several, write "a|b")')
    if not source:
        raise where.fault((*key, "match"), "is empty: it would match every call")
    try:
        re.compile(source, re.MULTILINE)
    except (re.error, RecursionError, OverflowError) as error:
        raise where.fault((*key, "match"), f"is not a regular expression: {error}") from error
    for part in _PATTERN_KEYS[1:]:
        _strings(table.get(part, []), where, (*key, part))
    from core.rules.format.headings import rule_id

    found = _pattern(name, table)
    return replace(found, quick=is_quick(source), rules=tuple(map(rule_id, found.rules)))


def _strings(given: object, where: _Where, key: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in cast("list[object]", given)):
        raise where.fault(key, "is not a list of strings")
    return tuple(cast("list[str]", given))
