"""A quote against the words it was found at: what differs, and which of that may change the sense."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rapidfuzz.distance import Indel

from core.align.guard.lexicon.names import people
from core.align.guard.lexicon.ordinals import other_ordinal
from core.align.guard.lexicon.particles import heavy_tail
from core.align.guard.lexicon.small_words import turned
from core.align.guard.lexicon.typos import Known, is_far_slip, is_near, is_real
from core.align.guard.lexicon.word_classes import (
    HARMLESS,
    KIND_OF,
    NEGATIVE_PREFIXES,
    PHRASE_STARTS,
    negations,
    opposed,
    qualifies,
)
from core.align.guard.signs import changed_signs
from core.align.guard.tokens import Token, tokens_of
from core.align.guard.word_alignment import pairs, unlike
from core.align.normalization.normalized_view import View
from core.align.result import Concern, Difference
from core.align.settings import Level
from core.text.tokenizing import without_particle

_DROPPED = 0.34
"""The share of the source's words that a quote may leave out, if none of them carries its sense."""
_RUN = 2
"""Words that carry meaning which may be missing side by side."""
_UNIT = 4
"""Letters that a unit in letters of both sizes has at most, and one more."""
_PIECE = 2000
"""Tokens that are compared at once."""
_OPTION = re.compile(r"(?<![\w-])-[A-Za-z](?!\w)")
_LONG_OPTION = re.compile(r"(?<![\w-])-{1,2}[A-Za-z][\w-]{2,40}")
_SWITCHED_OFF = re.compile(r"-{1,2}[A-Za-z]?no-")
_DASHES = frozenset(("-", "||"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard found: the concerns (none: it says the same), and the diff by words, for a person."""

    concerns: tuple[Concern, ...]
    diff: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """Tokens that stand on one side only, or differ; either side may be empty."""

    quote: tuple[Token, ...]
    source: tuple[Token, ...]


def compare(quote: str, source: str, known: Known, level: Level = "normal", *, in_diff: bool = False) -> Verdict:
    """Compare a quote with the source's words. `known` says whether a word stands elsewhere in the session, `in_diff`
    whether the source is part of a diff."""
    mine, yours = View(quote).lines, View(source).lines
    ours, theirs = tokens_of(mine), tokens_of(yours)
    parts = list(runs([token.canon for token in ours], [token.canon for token in theirs]))
    diff = tuple(
        Difference(same, _words(mine, ours[slice(*here)]), _words(yours, theirs[slice(*there)]))
        for same, here, there in parts
    )
    changes = [
        _Change(tuple(ours[slice(*here)]), tuple(theirs[slice(*there)])) for same, here, there in parts if not same
    ]
    if level == "off":
        return Verdict((), diff)
    same = {
        here[0] + step: there[0] + step
        for _, here, there in parts
        if here[1] - here[0] == there[1] - there[0]
        for step in range(here[1] - here[0])
    }
    parted = [change for change in changes if _same_letters(change)]
    changes = [change for change in changes if change not in parted]
    concerns = [
        *_negated(_repaired(mine, changes, known), yours, changes),
        *_moved(changes),
        *_units(ours, theirs),
        *_options(mine, yours),
        *turned(ours, theirs, same),
        *changed_signs((mine, yours), (ours, theirs), same, in_diff=in_diff),
    ]
    if level == "strict":
        concerns += [_concern("wording", change.quote, change.source) for change in changes]
    else:
        misplaced = sum(len(one.quote) == len(one.source) for one in parted)
        concerns += _of_changes(changes, known, people(theirs), misplaced)
        concerns += _too_much_left_out(changes, theirs)
    return Verdict(tuple(dict.fromkeys(concerns)), diff)


def _same_letters(change: _Change) -> bool:
    """Whether both sides say the same, only parted otherwise (`key line`, `keyline`)."""
    sides = ["".join(token.canon for token in side) for side in (change.quote, change.source)]
    both = (*change.quote, *change.source)
    if not all(token.kind == "word" for token in both):
        return False
    split = len(both) == 3 and not any(is_real(token.canon) for token in change.quote)
    if sides[0] != sides[1] and not (split and is_near(sides[0], sides[1])):
        return False
    return not any(KIND_OF.get(token.canon) == "negation" or token.canon in NEGATIVE_PREFIXES for token in both)


def _of_changes(changes: Sequence[_Change], known: Known, named: frozenset[int], misplaced: int) -> Iterator[Concern]:
    """The concerns of the runs that differ; `misplaced`: blanks in the quote that stand a letter off."""
    found = [pairs(change.quote, change.source) for change in changes]
    everyone = [pair for paired, _, _ in found for pair in paired if _renamed(*pair, named)]
    yield from (_concern("name", (mine,), (yours,)) for mine, yours in everyone)
    doubtful = [(mine, yours) for paired, _, _ in found for mine, yours in unlike(paired, known)]
    slips = sum(len(paired) for paired, _, _ in found) - len(doubtful) + misplaced
    for mine, yours in doubtful:
        # Where a quote is full of slips, one more that went further is one of them.
        if not is_far_slip(mine, yours, known, slips):
            yield _of_pair(mine, yours)
    for _, added, missing in found:
        for token in added:
            if not token.around and token.canon not in HARMLESS and token.canon not in _DASHES:
                yield _concern(_kind_of(token) or "added", (token,), ())
        if missing:
            yield from _of_missing(missing)


def _of_missing(missing: Sequence[Token]) -> Iterator[Concern]:
    """The concerns about words of the source that the quote lacks."""
    said = [token for token in missing if not token.around and token.canon not in _DASHES]
    for token in said:
        if kind := _kind_of(token) or qualifies(token.canon):
            yield _concern(kind, (), (token,))
    weighty = [token for token in said if token.canon not in HARMLESS]
    begins = any(token.canon in PHRASE_STARTS for token in said[:-1])
    if len(weighty) >= _RUN or (begins and weighty):
        yield _concern("left out", (), missing)


def _renamed(mine: Token, yours: Token, named: frozenset[int]) -> bool:
    return yours.start in named and mine.canon != yours.canon and len(mine.canon) == len(yours.canon)


def _of_pair(mine: Token, yours: Token) -> Concern:
    if "number" in (mine.kind, yours.kind) or other_ordinal(*map(without_particle, (mine.canon, yours.canon))):
        return _concern("number", (mine,), (yours,))
    if "operator" in (mine.kind, yours.kind):
        return _concern("operator", (mine,), (yours,))
    if opposed(mine.canon, yours.canon):
        return _concern("polarity", (mine,), (yours,))
    return _concern(KIND_OF.get(yours.canon) or KIND_OF.get(mine.canon) or "word", (mine,), (yours,))


def _kind_of(token: Token) -> str:
    """What a token says of the sense by being there or not; nothing for an ordinary word."""
    if token.kind != "word":
        return token.kind
    if token.canon in HARMLESS:
        return ""
    if token.canon in KIND_OF:
        return KIND_OF[token.canon]
    return "logic" if heavy_tail(token.canon) else ""


def _repaired(quote: str, changes: Sequence[_Change], known: Known) -> str:
    """The quote with the words in it that are misspelt as the source has them, so that a misspelt "not" is one."""
    out, end = list[str](), len(quote)
    for change in reversed(changes):
        paired, _, _ = pairs(change.quote, change.source)
        wrong = {mine.start for mine, _ in unlike(paired, known)}
        for mine, yours in reversed(paired):
            if mine.kind == yours.kind == "word" and mine.start not in wrong and mine.end <= end:
                out += [quote[mine.end : end], yours.text]
                end = mine.start
    return "".join(reversed([*out, quote[:end]]))


def _negated(quote: str, source: str, changes: Sequence[_Change]) -> Iterator[Concern]:
    """Negations that one side has and the other has not, counted over all of it."""
    if not changes:
        return
    ours, theirs = negations(quote), negations(source)
    if len(ours) != len(theirs):
        more, fewer = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
        yield Concern("negation", " ".join(more.elements()), " ".join(fewer.elements()))


def _units(ours: Sequence[Token], theirs: Sequence[Token]) -> Iterator[Concern]:
    """Units that differ by the size of a letter alone, where the quote has both sizes: `Mb` is not `MB`."""
    if len(ours) != len(theirs):
        return
    for before, mine, yours in zip(ours, ours[1:], theirs[1:], strict=False):
        mixed = mine.text != mine.text.lower() and len(mine.text) < _UNIT
        if before.kind == "number" and mixed and mine.canon == yours.canon and mine.text != yours.text:
            yield _concern("unit", (mine,), (yours,))


def _options(quote: str, source: str) -> Iterator[Concern]:
    """Options of one letter that differ by its size alone (`-r` is not `-R`), and those that only one side has with
    `no` (`-Wno-error`, `--no-verify`)."""
    if quote.isupper():
        return
    ours, theirs = _OPTION.findall(quote), _OPTION.findall(source)
    for mine, yours in zip(ours, theirs, strict=False):
        if mine != yours and mine.lower() == yours.lower():
            yield Concern("option", mine, yours)
    ours, theirs = _LONG_OPTION.findall(quote), _LONG_OPTION.findall(source)
    for mine, yours in zip(ours, theirs, strict=False):
        if bool(_SWITCHED_OFF.match(mine)) != bool(_SWITCHED_OFF.match(yours)):
            yield Concern("option", mine, yours)


def _moved(changes: Sequence[_Change]) -> Iterator[Concern]:
    """Words that the quote has at another place than the source."""
    left_out = {token.canon for change in changes for token in change.source}
    added = {token.canon for change in changes for token in change.quote}
    for change in changes:
        for token in change.quote:
            there = {other.canon for other in change.source}
            if token.canon in left_out and token.canon in added and token.canon not in there | HARMLESS:
                yield Concern("moved", token.text, token.text)


def _too_much_left_out(changes: Sequence[_Change], theirs: Sequence[Token]) -> Iterator[Concern]:
    lost = [token for change in changes if not change.quote for token in change.source if not token.around]
    if theirs and len([token for token in lost if token.canon not in HARMLESS]) > max(2, _DROPPED * len(theirs)):
        yield _concern("left out", (), lost)


def _concern(kind: str, quote: Sequence[Token], source: Sequence[Token]) -> Concern:
    return Concern(kind, " ".join(token.text for token in quote), " ".join(token.text for token in source))


def runs(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[bool, tuple[int, int], tuple[int, int]]]:
    """The two sequences as runs that are the same or differ: whether, and the range on each side."""
    for left, right in _pieces(ours, theirs):
        here, there = left[0], right[0]
        one, other = ours[slice(*left)], theirs[slice(*right)]
        for block in Indel.opcodes(one, other).as_matching_blocks() if one or other else []:
            a, b = left[0] + block.a, right[0] + block.b
            if a > here or b > there:
                yield False, (here, a), (there, b)
            if block.size:
                yield True, (a, a + block.size), (b, b + block.size)
            here, there = a + block.size, b + block.size


def _pieces(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Ranges of both sides to be compared one after another, so that time and memory grow with their length and not
    with its square. Long quotes stand where they stand by their letters, so these say where to cut."""
    if len(ours) <= _PIECE or len(theirs) <= _PIECE:
        yield (0, len(ours)), (0, len(theirs))
        return
    lengths = list(accumulate(map(len, theirs)))
    here = there = passed = 0
    for until in range(_PIECE, len(ours) - _PIECE // 2, _PIECE):
        passed += sum(map(len, ours[here:until]))
        cut = max(there, bisect_right(lengths, passed))
        yield (here, until), (there, cut)
        here, there = until, cut
    yield (here, len(ours)), (there, len(theirs))


def _words(text: str, tokens: Sequence[Token]) -> str:
    return " ".join(text[tokens[0].start : tokens[-1].end].split()) if tokens else ""
