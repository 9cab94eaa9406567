"""Names in an error: those in quotes that two errors do not share, and those joined by signs or capitals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from core.base.lazy_pattern import lazy_pattern
from core.errors.retrieval.answer import OtherName

SHOWN: Final = 3
"""Pairs of names that a reason tells."""
_READ: Final = 2_048  # code points of a key line that are looked at

# A fingerprint has its quotes folded to one, and paths, numbers and times masked: what is left are names.
_QUOTED = lazy_pattern(r"(?<![A-Za-z0-9_])'([^'\n]{1,100})'(?![A-Za-z0-9_])")
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
    told = ", ".join(f"{one.known} / {one.searched}" for one in names[:SHOWN])
    return f"names differ: {told}" + (" …" if len(names) > SHOWN else "")


def _quoted(fingerprint: str) -> list[str]:
    return _QUOTED.findall(fingerprint)


def _modules(key_line: str) -> list[str]:
    line = key_line[:_READ]
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

_NAME = lazy_pattern(
    r"(?:@[\w-]+/)?(?<![\w<])[^\W\d]\w+(?:(?:[-.]|::)[^\W\d]\w*)+|@[\w-]+/[\w-]+|(?<![^\W\d])[^\W\d]\w{0,120}_\w+|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"
)


def names(text: str) -> frozenset[str]:
    """The names in `text`, joined by signs or by capitals; words that a sentence is made of are none."""
    return frozenset(match[0] for match in _NAME.finditer(text[:_NAMES_READ]))


def swapped_names(ours: str, theirs: str) -> tuple[str, str] | None:
    """A name that only the first text has and one that only the second has: the same was said of something else.

    None where one of them has no name of its own: it merely says more.
    """
    mine, other = names(ours), names(theirs)
    if not (mine - other and other - mine):
        return None
    return min(mine - other), min(other - mine)
