"""A quote against the words it was found at: what differs, and which of that may change the sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel, Levenshtein

from core.align.answer import Concern, Difference
from core.align.guard.kinds import HARMLESS, KIND_OF, negations, opposed
from core.align.guard.tokens import Token, as_number, tokens_of
from core.align.guard.typos import Known, is_plural, is_slip, is_typo
from core.align.settings import Level
from core.align.view import View
from core.text.words import without_particle

_DROPPED = 0.34
"""The share of the source's words that a quote may leave out, if none of them carries its sense."""
_HEAVY_PARTICLES = ("만", "까지", "부터", "보다", "밖에", "마다", "조차", "뿐")
_SUBJECT, _OBJECT = ("이", "가", "은", "는"), ("을", "를")


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


def compare(quote: str, source: str, known: Known, level: Level = "normal") -> Verdict:
    """Compare a quote with the source's words. `known` says whether a word stands elsewhere in the session."""
    mine, yours = View(quote).lines, View(source).lines
    ours, theirs = tokens_of(mine), tokens_of(yours)
    runs = list(_runs([token.canon for token in ours], [token.canon for token in theirs]))
    diff = tuple(
        Difference(same, _words(mine, ours[slice(*here)]), _words(yours, theirs[slice(*there)]))
        for same, here, there in runs
    )
    changes = [
        _Change(tuple(ours[slice(*here)]), tuple(theirs[slice(*there)])) for same, here, there in runs if not same
    ]
    if level == "off":
        return Verdict((), diff)
    changes = [change for change in changes if not _same_letters(change)]
    concerns = [*_negated(mine, yours, changes), *_moved(changes)]
    if level == "strict":
        concerns += [_concern("wording", change.quote, change.source) for change in changes]
    else:
        concerns += [concern for change in changes for concern in _of_change(change, known)]
        concerns += _too_much_left_out(changes, theirs)
    return Verdict(tuple(dict.fromkeys(concerns)), diff)


def _same_letters(change: _Change) -> bool:
    """Whether both sides say the same, only parted otherwise (`key line`, `keyline`)."""
    sides = ["".join(token.canon for token in side) for side in (change.quote, change.source)]
    return sides[0] == sides[1] and all(token.kind == "word" for token in (*change.quote, *change.source))


def _of_change(change: _Change, known: Known) -> Iterator[Concern]:
    """The concerns of one run that differs."""
    quote, source = list(change.quote), list(change.source)
    for mine, yours in _pairs(quote, source):
        if _alike(mine, yours, known):
            continue
        yield from _of_pair(mine, yours)
    if len(quote) == len(source):
        return
    paired = min(len(quote), len(source))
    for token in quote[paired:] if len(quote) > len(source) else []:
        if token.canon not in HARMLESS:
            yield _concern(_kind_of(token) or "added", (token,), ())
    for token in source[paired:] if len(source) > len(quote) else []:
        if (kind := _kind_of(token)) and not token.around and token.canon != "||":
            yield _concern(kind, (), (token,))


def _pairs(quote: list[Token], source: list[Token]) -> list[tuple[Token, Token]]:
    """The tokens of both sides that stand for each other; the sides are sorted so that these come first."""
    if len(quote) == len(source):
        return list(zip(quote, source, strict=True))
    short, long = sorted((quote, source), key=len)
    chosen: list[Token] = []
    at = 0
    for index, token in enumerate(short):
        last = len(long) - (len(short) - index)
        best = max(range(at, last + 1), key=lambda place, own=token: _likeness(own, long[place]))
        chosen.append(long[best])
        at = best + 1
    rest = [token for token in long if all(token is not one for one in chosen)]
    long[:] = [*chosen, *rest]
    return list(zip(quote, source, strict=False))


def _likeness(one: Token, other: Token) -> float:
    return (one.kind == other.kind) + Levenshtein.normalized_similarity(one.canon, other.canon)


def _alike(mine: Token, yours: Token, known: Known) -> bool:
    """Whether two tokens that differ say the same."""
    if "number" in (mine.kind, yours.kind):
        return as_number(mine) == as_number(yours)
    if mine.kind != "word" or yours.kind != "word":
        return False
    if is_plural(mine.canon, yours.canon):
        return True
    if yours.canon in HARMLESS and (mine.canon in HARMLESS or is_slip(mine.canon, yours.canon, known)):
        return True
    if _same_but_particle(mine.canon, yours.canon):
        return True
    if mine.canon in KIND_OF or opposed(mine.canon, yours.canon):
        return False
    return is_typo(mine.canon, yours.canon, known) or is_typo(
        without_particle(mine.canon), without_particle(yours.canon), known
    )


def _same_but_particle(mine: str, yours: str) -> bool:
    """Whether two Korean words differ by particles alone, and none that turns the sense was lost, gained or swapped."""
    if mine[-1] < "가" or yours[-1] < "가":
        return False
    stem = without_particle(yours)
    own = without_particle(mine)
    if mine != stem and own not in (yours, stem):
        shared = 0
        while shared < min(len(mine), len(yours)) and mine[shared] == yours[shared]:
            shared += 1
        stem = own = yours[:shared]
        tails = mine[shared:], yours[shared:]
        if not shared or not all(
            tail in ("", *_SUBJECT, *_OBJECT, "의", "에", "와", "과", "도", "로") for tail in tails
        ):
            return False
        one, other = tails
    else:
        base = min((mine, yours, stem, own), key=len)
        one, other = mine[len(base) :], yours[len(base) :]
    if any(tail.endswith(_HEAVY_PARTICLES) for tail in (one, other)):
        return one == other
    return not ((one in _SUBJECT and other in _OBJECT) or (one in _OBJECT and other in _SUBJECT))


def _of_pair(mine: Token, yours: Token) -> Iterator[Concern]:
    if "number" in (mine.kind, yours.kind):
        yield _concern("number", (mine,), (yours,))
    elif "operator" in (mine.kind, yours.kind):
        yield _concern("operator", (mine,), (yours,))
    elif opposed(mine.canon, yours.canon):
        yield _concern("polarity", (mine,), (yours,))
    else:
        yield _concern(KIND_OF.get(yours.canon) or KIND_OF.get(mine.canon) or "word", (mine,), (yours,))


def _kind_of(token: Token) -> str:
    """What a token says of the sense by being there or not; nothing for an ordinary word."""
    if token.kind != "word":
        return token.kind
    if token.canon in HARMLESS:
        return ""
    if token.canon in KIND_OF:
        return KIND_OF[token.canon]
    heavy = next(
        (
            tail
            for tail in _HEAVY_PARTICLES
            if token.canon == tail or (len(token.canon) > 2 and token.canon.endswith(tail))
        ),
        "",
    )
    return "logic" if heavy else ""


def _negated(quote: str, source: str, changes: Sequence[_Change]) -> Iterator[Concern]:
    """Negations that one side has and the other has not, counted over all of it."""
    if not changes:
        return
    ours, theirs = negations(quote), negations(source)
    if len(ours) != len(theirs):
        more, fewer = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
        yield Concern("negation", " ".join(more.elements()), " ".join(fewer.elements()))


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
    lost = [token for change in changes if not change.quote for token in change.source]
    if theirs and len([token for token in lost if token.canon not in HARMLESS]) > max(2, _DROPPED * len(theirs)):
        yield _concern("left out", (), lost)


def _concern(kind: str, quote: Sequence[Token], source: Sequence[Token]) -> Concern:
    return Concern(kind, " ".join(token.text for token in quote), " ".join(token.text for token in source))


def _runs(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[bool, tuple[int, int], tuple[int, int]]]:
    """The two sequences as runs that are the same or differ: whether, and the range on each side."""
    here = there = 0
    for block in Indel.opcodes(ours, theirs).as_matching_blocks() if ours or theirs else []:
        if block.a > here or block.b > there:
            yield False, (here, block.a), (there, block.b)
        if block.size:
            yield True, (block.a, block.a + block.size), (block.b, block.b + block.size)
        here, there = block.a + block.size, block.b + block.size


def _words(text: str, tokens: Sequence[Token]) -> str:
    return " ".join(text[tokens[0].start : tokens[-1].end].split()) if tokens else ""
