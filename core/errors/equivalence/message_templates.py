"""Two messages built alike of which one word or the end differs: another error, whatever names they share.

`no route to host` and `connection refused` end one sentence in two ways, `too many` and `too few` are one word apart. A
name may differ, for that is what the next machine calls its own; what is said about it may not. Only rules and plain
antonyms, no list of errors: that is `opposites`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.errors.equivalence.idf import is_of_errors
from core.errors.identity.wrappers import without_wrappers

_READ: Final = 400  # code points of a key line that are looked at
_QUOTED = lazy_pattern(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`'\n]{1,120}[`']|‘[^’\n]{1,120}’|“[^”\n]{1,120}”")
_NAME = lazy_pattern(r"[_/\\@#<>=\d]|(?<=\w)[.:](?=\w)|(?<=[a-z])[A-Z]")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’]t)?")
_JOINING: Final = (
    "a an the is are was were be been of to in on at by for from with and or as it its this that your you has have had"
)
_SILENT: Final = frozenset(_JOINING.split())
_SAME: Final = {
    "illegal": "invalid", "bad": "invalid", "malformed": "invalid", "wrong": "invalid", "incorrect": "invalid",
    "unable": "cannot", "couldn't": "cannot", "can't": "cannot", "locate": "find", "found": "find", "resolve": "find",
}  # fmt: skip
_ENDINGS: Final = ("ing", "ed", "es", "s")
# Beginnings that turn a word into its opposite, the rest being the same: decode and encode, underflow and overflow.
_TURNS: Final = (
    ("en", "de"), ("en", "dis"), ("im", "ex"), ("in", "ex"), ("up", "down"), ("over", "under"), ("in", "out"),
    ("pre", "post"),
)  # fmt: skip
_ANTONYMS: Final = (
    "few many,fewer more,less more,first last,before after,min max,minimum maximum,start shutdown,starting shutting,"
    "starting stopping,start stop,started stopped,open closed,opening closing,lock unlock,locked unlocked,read write,"
    "reading writing,readable writable,add remove,added removed,mutable immutable,left right,top bottom,upper lower,"
    "public private,static dynamic,client server,request response,parent child,row column,rows columns,send receive,"
    "sending receiving,sent received,push pull,up down,old new,older newer,short long,shorter longer,small large,"
    "smaller larger,always never,required optional,missing unexpected,missing extra,source target,success failure,"
    "positive negative,empty full,begin end,local remote,connect disconnect,install uninstall,create delete,"
    "created deleted,attach detach"
)


def _pairs() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _ANTONYMS.split(","):
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(several) for word, several in found.items()}


_OPPOSITE: Final = _pairs()


def said(key_line: str) -> tuple[str, ...]:
    """The plain words of a message in order, without its wrappers and without names, quotes, paths and numbers."""
    text = _QUOTED.sub(" ", without_wrappers(key_line[:_READ]))
    plain = (part for part in text.split() if not _NAME.search(part.strip(".,:;!?()[]{}")))
    return tuple(word.casefold().replace("’", "'") for part in plain for word in _WORD.findall(part))


def told_apart(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """What one says and what the other says instead, both from `said`; None where that is no reason to part them."""
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
    """One place in an otherwise equal sentence, filled with words that errors are told in."""
    begin = _equal(ours, theirs)
    end = _equal(ours[begin:][::-1], theirs[begin:][::-1])
    mine, other = _content(ours[begin : len(ours) - end]), _content(theirs[begin : len(theirs) - end])
    frame = _content((*ours[:begin], *ours[len(ours) - end :]))
    if len(frame) < 2 or not _differ(mine, other, 3):
        return None
    told = any(map(is_of_errors, mine)) and any(map(is_of_errors, other))
    return (" ".join(mine), " ".join(other)) if told else None


def _another_end(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """A sentence that begins alike and goes on with nothing in common."""
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
