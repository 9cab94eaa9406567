"""A quote compared with the words it was found at: its words aligned, what differs, and what may change the sense."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from rapidfuzz.distance import Indel, Levenshtein

from core.align.guard.signs import changed_signs
from core.align.guard.tokens import Token, as_number, number_of, numeral_of, tokens_of
from core.align.guard.typos import (
    Known,
    is_doubled,
    is_far_slip,
    is_lost_letter,
    is_near,
    is_plural,
    is_real,
    is_slip,
    is_typo,
)
from core.align.guard.word_classes import (
    HARMLESS,
    KIND_OF,
    NEGATIVE_PREFIXES,
    PHRASE_STARTS,
    ROLE_OF,
    negations,
    opposed,
    qualifies,
    turned,
)
from core.align.guard.word_forms import (
    are_equivalent_endings,
    heavy_tail,
    lost_accents,
    other_ordinal,
    same_ordinal,
    same_spelling,
    tails_of,
)
from core.align.normalized_view import View
from core.align.result import Concern, Difference
from core.align.settings import Level
from core.text.tokenizing import without_particle

_CLOSE = 40
"""Words of a run up to which each is set against each; a longer run is another text, and goes in its order."""


def pairs(
    quote: Sequence[Token], source: Sequence[Token]
) -> tuple[list[tuple[Token, Token]], list[Token], list[Token]]:
    """The tokens that stand for each other, those that only the quote has, and those that only the source has."""
    if len(quote) == len(source):
        return list(zip(quote, source, strict=True)), [], []
    short, long = (quote, source) if len(quote) < len(source) else (source, quote)
    places = _places(short, long)
    chosen = set(places)
    rest = [token for place, token in enumerate(long) if place not in chosen]
    both = [(one, long[place]) for one, place in zip(short, places, strict=True)]
    if short is quote:
        return both, [], rest
    return [(mine, yours) for yours, mine in both], rest, []


def _places(short: Sequence[Token], long: Sequence[Token]) -> list[int]:
    """For each token of the shorter side its place in the longer one, in order."""
    if len(long) > _CLOSE:
        return list(range(len(short)))
    at, places = 0, list[int]()
    for index, token in enumerate(short):
        last = len(long) - (len(short) - index)
        best = max(range(at, last + 1), key=lambda place, own=token: _likeness(own, long[place]))
        places.append(best)
        at = best + 1
    return places


def _likeness(one: Token, other: Token) -> float:
    same = as_number(one) == as_number(other)
    return 2 * same + (one.kind == other.kind) + Levenshtein.normalized_similarity(one.canon[:64], other.canon[:64])


def unlike(paired: Sequence[tuple[Token, Token]], known: Known) -> list[tuple[Token, Token]]:
    """The pairs that do not say the same; two neighbours that share a wrongly placed blank do (`too_lname`)."""
    found: list[tuple[Token, Token]] = []
    at = 0
    while at < len(paired):
        mine, yours = paired[at]
        if not alike(mine, yours, known):
            if at + 1 < len(paired) and _cut_elsewhere(paired[at], paired[at + 1]):
                at += 2
                continue
            found.append((mine, yours))
        at += 1
    return found


def _cut_elsewhere(first: tuple[Token, Token], second: tuple[Token, Token]) -> bool:
    tokens = (*first, *second)
    if any(token.kind != "word" or token.canon in KIND_OF for token in tokens):
        return False
    return first[0].canon + second[0].canon == first[1].canon + second[1].canon


def alike(mine: Token, yours: Token, known: Known) -> bool:
    """Whether two tokens that differ say the same."""
    if "number" in (mine.kind, yours.kind):
        return as_number(mine) == as_number(yours)
    if mine.kind != "word" or yours.kind != "word":
        return mine.canon == yours.canon
    one, other = mine.canon, yours.canon
    if one == other or (is_plural(one, other) and not yours.coded):
        return True
    if lost_accents(one, other) or same_spelling(one, other) or same_ordinal(one, other):
        return True
    if one in HARMLESS and other in HARMLESS:
        return ROLE_OF.get(one) == ROLE_OF.get(other)
    if other in HARMLESS:
        return is_slip(one, known, other)
    if numeral_of(one) != numeral_of(other) and not is_doubled(one, other):
        return False
    if (tails := tails_of(one, other)) is not None:
        return are_equivalent_endings(tails)
    if is_doubled(one, other) and not known(one):
        return True
    if one in KIND_OF or opposed(one, other) or number_of(one) not in (one, number_of(other)):
        return False
    if other in KIND_OF and len(other) < 5 and is_slip(one, known, other):
        return True
    if mine.measured and yours.measured and not is_lost_letter(one, other):
        return False  # `megabits` and `megabytes`, 메가 and 기가: units are a letter or two apart
    return is_typo(mine, yours, known)


_SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추"
)
_TITLES: Final = re.compile(
    "(?:님|씨|팀장|과장|부장|차장|대리|대표|이사|사원|주임|선임|책임|수석|교수|박사|기자|의원|위원|장관|사장|회장|실장|본부장|매니저|선생|강사|"
    "연구원|변호사|판사|감독|선수|작가|개발자|담당자|관리자)[가-힣]{0,3}"
)


def people(tokens: Sequence[Token]) -> frozenset[int]:
    """Where the tokens begin that are a person's name."""
    found = {
        one.start
        for one, after in pairwise(tokens)
        if 2 <= len(one.canon) <= 4 and one.canon[0] in _SURNAMES and _TITLES.fullmatch(after.canon)
    }
    return frozenset(found)


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
    """Tokens that occur on one side only, or differ; either side may be empty."""

    quote: tuple[Token, ...]
    source: tuple[Token, ...]


def compare(quote: str, source: str, known: Known, level: Level = "normal", *, in_diff: bool = False) -> Verdict:
    """Compare a quote with the source's words. `known` returns whether a word occurs elsewhere in the session,
    `in_diff` whether the source is part of a diff."""
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
        concerns += _check_omissions(changes, theirs)
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
    """Yield the concerns of the runs that differ; `misplaced`: blanks of the quote that are off by one letter."""
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
    words = [token for token in missing if not token.around and token.canon not in _DASHES]
    for token in words:
        if kind := _kind_of(token) or qualifies(token.canon):
            yield _concern(kind, (), (token,))
    weighty = [token for token in words if token.canon not in HARMLESS]
    begins = any(token.canon in PHRASE_STARTS for token in words[:-1])
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


def _check_omissions(changes: Sequence[_Change], theirs: Sequence[Token]) -> Iterator[Concern]:
    lost = [token for change in changes if not change.quote for token in change.source if not token.around]
    if theirs and len([token for token in lost if token.canon not in HARMLESS]) > max(2, _DROPPED * len(theirs)):
        yield _concern("left out", (), lost)


def _concern(kind: str, quote: Sequence[Token], source: Sequence[Token]) -> Concern:
    return Concern(kind, _text(quote), _text(source))


def _text(tokens: Sequence[Token]) -> str:
    """The words as written: a contraction is two tokens and one word."""
    return " ".join({token.start: token.text for token in tokens}.values())


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
