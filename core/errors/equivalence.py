"""Whether two messages report the same error: their codes, what fails, their names, and the words in which they differ.

Two messages built alike of which one word or the end differs are two errors: `no route to host` and `connection
refused`, `too many` and `too few`. A name may differ, because every machine has its own. Only rules and plain antonyms
decide, no list of errors. A word counts by its inverse document frequency among the errors.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple, cast

import apsw

from core.base.lazy import by_word, lazy_pattern, text_tables
from core.errors.identity.codes import differing_codes
from core.errors.identity.envelope import without_wrappers
from core.errors.retrieval.answer import OtherName

_TABLES: Final = text_tables(__file__)
SMALL_BASE: Final = 50
"""Cases below which the base itself cannot say which words are common: the shipped table alone does."""
_CONTENT = 25  # of a thousand errors that may have a word which still says what an error is about


_SHARES: Final = {word: int(count) for word, count in re.findall(r"(\w+) (\d+)", _TABLES["WORDS"])}


def weights(con: apsw.Connection, terms: Iterable[str], cases: int) -> dict[str, float]:
    """The idf of each word in a base of so many `cases`: ln(1 + N/df), N at least `SMALL_BASE`.

    How many cases have a word is what the index counts, and at least what the shipped table of a thousand errors lets
    expect: the index knows `TypeError` as one word, and a small base knows nothing.
    """
    if cases < SMALL_BASE:
        return expected(terms, cases)
    several = list(terms)
    rows = con.execute(
        "SELECT term, doc FROM json_each(?) CROSS JOIN case_term ON term = value", (json.dumps(several),)
    ).fetchall()
    counted = dict(cast("list[tuple[str, int]]", rows))
    return {word: _idf(word, cases, counted.get(word, 0)) for word in several}


def expected(terms: Iterable[str], cases: int) -> dict[str, float]:
    """The same by the shipped table alone."""
    return {word: _idf(word, cases, 0) for word in terms}


def _idf(word: str, cases: int, counted: int) -> float:
    size = max(cases, SMALL_BASE)
    return math.log(1 + size / max(1.0, counted, _SHARES.get(word, 0) * size / 1000))


def heaviest(cases: int) -> float:
    """The idf of a word that one case alone has."""
    return math.log(1 + max(cases, SMALL_BASE))


def is_content(word: str) -> bool:
    """Whether the word says what an error is about: `module` does, `failed` does not."""
    return _SHARES.get(word, 0) <= _CONTENT


def is_of_errors(word: str) -> bool:
    """Return whether the word describes errors, whatever they are about: a word of the shipped table."""
    return word in _SHARES


_TEMPLATE_IN: Final = 400  # code points of a key line that are looked at
_QUOTED = lazy_pattern(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`'\n]{1,120}[`']|‘[^’\n]{1,120}’|“[^”\n]{1,120}”")
_NAME_SIGN = lazy_pattern(r"[_/\\@#<>=\d]|(?<=\w)[.:](?=\w)|(?<=[a-z])[A-Z]")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’]t)?")
_SILENT: Final = frozenset(_TABLES["SILENT"].split())
_SAME: Final = by_word(_TABLES["SAME"])
_ENDINGS: Final = ("ing", "ed", "es", "s")
# Beginnings that turn a word into its opposite, the rest being the same: decode and encode, underflow and overflow.
_TURNS: Final = (
    ("en", "de"), ("en", "dis"), ("im", "ex"), ("in", "ex"), ("up", "down"), ("over", "under"), ("in", "out"),
    ("pre", "post"),
)  # fmt: skip


def _pairs() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _TABLES["ANTONYMS"].split():
        one, other = pair.split("-")
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(several) for word, several in found.items()}


_OPPOSITE: Final = _pairs()


def plain_words(key_line: str) -> tuple[str, ...]:
    """The plain words of a message in order, without its wrappers and without names, quotes, paths and numbers."""
    text = _QUOTED.sub(" ", without_wrappers(key_line[:_TEMPLATE_IN]))
    plain = (part for part in text.split() if not _NAME_SIGN.search(part.strip(".,:;!?()[]{}")))
    return tuple(word.casefold().replace("’", "'") for part in plain for word in _WORD.findall(part))


def difference(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """What one says and what the other says instead, both `plain_words`; None where that is no reason to part them."""
    return _antonyms(ours, theirs) or _one_place(ours, theirs) or _another_end(ours, theirs)


def _antonyms(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Opposite words, one in each, where something else is said by both."""
    mine, other = frozenset(ours), frozenset(theirs)
    if not frozenset(_content(ours)) & frozenset(_content(theirs)):
        return None
    for word in sorted(mine - other):
        for opposite in sorted(_opposites(word)):
            if opposite in other and opposite not in mine:
                return word, opposite
    return None


def _opposites(word: str) -> Iterable[str]:
    yield from _OPPOSITE.get(word, ())
    for pair in _TURNS:
        for start, turned in (pair, pair[::-1]):
            if word.startswith(start) and len(word) >= len(start) + 3:
                yield turned + word[len(start) :]


def _one_place(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Return the words of errors that fill one place in otherwise equal sentences."""
    begin = _equal(ours, theirs)
    end = _equal(ours[begin:][::-1], theirs[begin:][::-1])
    mine, other = _content(ours[begin : len(ours) - end]), _content(theirs[begin : len(theirs) - end])
    frame = _content((*ours[:begin], *ours[len(ours) - end :]))
    if len(frame) < 2 or not _differ(mine, other, 3):
        return None
    both_errors = any(map(is_of_errors, mine)) and any(map(is_of_errors, other))
    return (" ".join(mine), " ".join(other)) if both_errors else None


def _another_end(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Return two sentences with the same beginning and nothing in common after it."""
    begin = _equal(ours, theirs)
    mine, other = _content(ours[begin:]), _content(theirs[begin:])
    if len(_content(ours[:begin])) < 3 or not _differ(mine, other, 7):
        return None
    return " ".join(mine), " ".join(other)


def _equal(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """How many words at the beginning are the same in both."""
    count = 0
    for one, other in zip(ours, theirs, strict=False):
        if _stem(one) != _stem(other):
            break
        count += 1
    return count


def _differ(mine: Sequence[str], other: Sequence[str], most: int) -> bool:
    """Whether both say something, not too much, and nothing that the other says."""
    if not (0 < len(mine) <= most and 0 < len(other) <= most):
        return False
    return not any(_akin(one, two) for one in mine for two in other)


def _akin(one: str, two: str) -> bool:
    if _stem(one) == _stem(two):
        return True
    return min(len(one), len(two)) >= 3 and (one.startswith(two) or two.startswith(one))


def _content(several: Iterable[str]) -> list[str]:
    return [_SAME.get(word, word) for word in several if word not in _SILENT]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + 4:
            return word[: -len(ending)]
    return word


_KIND_ROWS: Final = re.findall(r"(\d+) (.+?): (.+)", _TABLES["KINDS"])
_KINDS: Final = {kind: lazy_pattern(pattern) for _, kind, pattern in _KIND_ROWS}
_PER_THOUSAND: Final = {kind: int(count) for count, kind, _ in _KIND_ROWS}


def weight_of_kinds(several: Iterable[str]) -> float:
    """What it says that two errors are of these kinds: little where many are (idf over a thousand shipped errors)."""
    return math.fsum(math.log(1 + 1000 / _PER_THOUSAND[kind]) for kind in several)


def failure_kinds(text: str) -> frozenset[str]:
    """The kinds of failure that a text from `embed_text` names, in plain words; often none, sometimes several."""
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def kinds_differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether both name kinds and share none."""
    return bool(ours) and bool(theirs) and not ours & theirs


_NOUNS: Final = by_word(_TABLES["NOUNS"])
_NOUN: Final = "|".join(_NOUNS)
# `no such NOUN`, `NOUN … does not exist`; in `column seed of relation beds does not exist` it is the column.
_LACKING: Final = lazy_pattern(
    rf"\b(?:no such|no|unknown|undefined|undeclared|unresolved|missing) (?P<one>{_NOUN})\b"
    rf"|\b(?P<other>{_NOUN})\b(?: (?!of |in |on |for |from )[^\s]+){{0,2}}"
    r"(?: (?:of|in|on|for|from)(?: [^\s]+){1,3})?"
    r" (?:do(?:es)? not exist|doesn['’]?t exist|(?:was |is |could )?not (?:be )?found|already exists|unknown)"
)

_GROUPS: Final = tuple(
    {name: lazy_pattern(pattern) for _, name, pattern in rows}
    for _, rows in groupby(re.findall(r"(\d+) (.+?): (.+)", _TABLES["GROUPS"]), itemgetter(0))
)


def opposites(text: str) -> tuple[frozenset[str], ...]:
    """What a text from `embed_text` names in each group, the last of which is what it lacks; mostly nothing."""
    return (*(_named(group, text) for group in _GROUPS), _lacking(text))


def opposed(ours: tuple[frozenset[str], ...], theirs: str) -> tuple[str, str] | None:
    """What either is about where they exclude each other; None if nothing does.

    `ours` is what `opposites` says of the one, `theirs` the text of the other, of which only that much is looked at.
    """
    for at, mine in enumerate(ours):
        if mine:
            other = _named(_GROUPS[at], theirs) if at < len(_GROUPS) else _lacking(theirs)
            if other and not mine & other:
                return min(mine), min(other)
    return None


def agreed(ours: tuple[frozenset[str], ...], theirs: str) -> int:
    """In how many groups both are about the same; `ours` and `theirs` as `opposed` takes them."""
    count = 0
    for at, mine in enumerate(ours):
        if mine:
            count += bool(mine & (_named(_GROUPS[at], theirs) if at < len(_GROUPS) else _lacking(theirs)))
    return count


def _named(group: dict[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(name for name, found in group.items() if found.search(text))


def _lacking(text: str) -> frozenset[str]:
    return frozenset(_NOUNS[match["one"] or match["other"]] for match in _LACKING.finditer(text))


def other_code(ours: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> str:
    """That they have other codes, and which, both as `codes` reads them; empty if not."""
    differing = differing_codes(ours, theirs)
    named = (
        f"{kind} {min(value for at, value in side if at == kind)}" for kind in differing for side in (ours, theirs)
    )
    return f"the codes differ ({', '.join(named)})" if differing else ""


def other_failure(ours: frozenset[str], theirs: frozenset[str]) -> str:
    """That they fail in other ways, both as `failure_kinds` reads them; empty if not."""
    return f"one says that {min(ours)}, the other that {min(theirs)}" if kinds_differ(ours, theirs) else ""


def other_subject(ours: tuple[frozenset[str], ...], theirs: str) -> str:
    """That they are about what excludes each other, both as `opposed` takes them; empty if not."""
    differing = opposed(ours, theirs)
    return f"one is about {differing[0]}, the other about {differing[1]}" if differing else ""


def other_word(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """That one word or the end of an equal sentence differs, both as `plain_words` reads them; empty if not."""
    differing = difference(ours, theirs)
    return f"the same sentence, but one says “{differing[0]}”, the other “{differing[1]}”" if differing else ""


SHOWN: Final = 3
"""Maximum number of name pairs in a reason."""
_NAMES_IN: Final = 2_048  # code points of a key line that are looked at

# A fingerprint has its quotes folded to one, and paths, numbers and times masked: what is left are names.
_MASKED_QUOTE = lazy_pattern(r"(?<![A-Za-z0-9_])'([^'\n]{1,100})'(?![A-Za-z0-9_])")
_NUMBER = lazy_pattern(
    r"(?<![A-Za-z0-9_.])v?[0-9]+(?:[._+-](?:[0-9]+|(?:alpha|beta|rc|dev|pre|post)[.-]?[0-9]*)(?![A-Za-z]))*(?![A-Za-z0-9_])"
)
# A fingerprint masks paths, yet a module is named by its relative path.
_OF_MODULES = lazy_pattern(r"(?i)\b(?:modules?|imports?|resolve|packages?|require)\b|모듈|패키지")
_MODULE = lazy_pattern(r"['\"`‘“](\.{1,2}/[^'\"`’”\n]{1,100})['\"`’”]")


class Named(NamedTuple):
    """One error, by its fingerprint and its key line."""

    fingerprint: str
    key_line: str


def other_names(known: Named, searched: Named) -> tuple[OtherName, ...]:
    """The names in quotes in which two errors differ, in order; nothing where one of them has none of its own.

    Paths, numbers and versions are no names, save the relative path of a module that is not found.
    """
    found = _differing(_quoted(known.fingerprint), _quoted(searched.fingerprint))
    return found or _differing(_modules(known.key_line), _modules(searched.key_line))


def fewest_other_names(known: Iterable[Named], searched: Named) -> tuple[OtherName, ...]:
    """Of several errors of one case, the differences to the one that shares most names."""
    return min((other_names(one, searched) for one in known), key=len, default=())


def in_words(names: tuple[OtherName, ...]) -> str:
    """The names that differ, as a reason: `names differ: vat_id / iban`."""
    pairs = ", ".join(f"{one.known} / {one.searched}" for one in names[:SHOWN])
    return f"names differ: {pairs}" + (" …" if len(names) > SHOWN else "")


def _quoted(fingerprint: str) -> list[str]:
    return _MASKED_QUOTE.findall(fingerprint)


def _modules(key_line: str) -> list[str]:
    line = key_line[:_NAMES_IN]
    return _MODULE.findall(line) if _OF_MODULES.search(line) else []


def _differing(theirs: list[str], ours: list[str]) -> tuple[OtherName, ...]:
    if len(theirs) == len(ours):
        return tuple(OtherName(one, two) for one, two in zip(theirs, ours, strict=True) if _bare(one) != _bare(two))
    here, there = set(map(_bare, ours)), set(map(_bare, theirs))
    lack, more = [one for one in theirs if _bare(one) not in here], [two for two in ours if _bare(two) not in there]
    return tuple(OtherName(one, two) for one, two in zip(lack, more, strict=False))


def _bare(name: str) -> str:
    return _NUMBER.sub("<N>", name)


_NAMES_READ = 2048  # code points of a text that are looked at

_JOINED_NAME = lazy_pattern(
    r"(?:@[\w-]+/)?(?<![\w<])[^\W\d]\w+(?:(?:[-.]|::)[^\W\d]\w*)+|@[\w-]+/[\w-]+|(?<![^\W\d])[^\W\d]\w{0,120}_\w+|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"
)


def names(text: str) -> frozenset[str]:
    """The names in `text`, joined by signs or by capitals; words that a sentence is made of are none."""
    return frozenset(match[0] for match in _JOINED_NAME.finditer(text[:_NAMES_READ]))


def swapped_names(ours: str, theirs: str) -> tuple[str, str] | None:
    """A name that only the first text has and one that only the second has: the same was said of something else.

    None where one of them has no name of its own: it merely says more.
    """
    mine, other = names(ours), names(theirs)
    if not (mine - other and other - mine):
        return None
    return min(mine - other), min(other - mine)
