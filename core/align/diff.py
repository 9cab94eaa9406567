"""Differences between a quote and its source: the guard's findings in words, verbatim runs, and a diff by words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.align.guard.comparison import runs
from core.align.guard.tokens import Token, tokens_of
from core.align.guard.word_classes import HARMLESS, KIND_OF
from core.align.normalized_view import View
from core.align.result import Concern, Difference

_MOST = 4
"""Words of an order that are shown."""
_CODE_POINTS = 40
"""Code points of each side of a change in a list."""


@dataclass(frozen=True, slots=True)
class Move:
    """Words in the order that the source has and the quote has, or, where one word moved alone, each with the word
    beside it. `canons`: the words as the guard compares them."""

    source: tuple[str, ...]
    quote: tuple[str, ...]
    canons: frozenset[str]

    @property
    def swap(self) -> bool:
        """Two words in each other's place."""
        return len(self.source) == 2 and not any(word[:1].isdigit() for word in self.source)

    @property
    def brief(self) -> str:
        """For a list: `uploader⇄exporter`, `order: 500, 2000 → 2000, 500`, `first request → first answer`."""
        if self.swap:
            return "⇄".join(self.source)
        change = f"{', '.join(self.source)} → {', '.join(self.quote)}"
        return f"order: {change}" if len(self.source) > 1 else change

    def __str__(self) -> str:
        if self.swap:
            return f"swapped: “{' … '.join(self.source)}” became “{' … '.join(self.quote)}”"
        return (
            self.brief
            if len(self.source) > 1
            else f"word order: “{''.join(self.source)}” became “{''.join(self.quote)}”"
        )


def move_of(concerns: Sequence[Concern], diff: Sequence[Difference]) -> Move | None:
    """Return the words that the quote has in another place, if the guard reports any."""
    moved = [token for one in concerns if one.kind == "moved" for token in _tokens(one.quote)]
    if not moved:
        return None
    every = frozenset(token.canon for token in moved)
    canons = {token.canon for token in moved if _weighs(token)} or every
    sides = [_Run(run.same, _tokens(run.source), _tokens(run.quote)) for run in diff]
    theirs = [token for run in sides if not run.same for token in run.source if token.canon in canons]
    ours = [token for run in sides if not run.same for token in run.quote if token.canon in canons]
    if not theirs or not ours:
        return None
    if [token.canon for token in theirs] != [token.canon for token in ours]:
        return Move(_texts(theirs), _texts(ours), every)
    found = _passed(sides, ours[0]) or _swapped(sides, ours[0])
    return None if found is None else replace(found, canons=found.canons | every)


class _Run(NamedTuple):
    """A run of the diff in tokens."""

    same: bool
    source: list[Token]
    quote: list[Token]

    def side(self, *, quote: bool) -> list[Token]:
        return self.quote if quote else self.source


def _passed(sides: Sequence[_Run], moved: Token) -> Move | None:
    """The order of the moved word and of what it went past: of a number the numbers, of a word the one with a sense."""
    before, after = (_count_unmoved_before(sides, moved.canon, quote=quote) for quote in (False, True))
    kept = [token for run in sides if run.same for token in run.source]
    past = [token for token in kept[min(before, after) : max(before, after)] if _weighs(token)]
    if moved.kind == "number":
        past = [token for token in past if token.kind == "number"]
    elif len(past) != 1:
        return None
    if not past:
        return None
    first, last = (moved.text, *_texts(past)), (*_texts(past), moved.text)
    canons = frozenset((moved.canon, *(token.canon for token in past)))
    return Move(first, last, canons) if before < after else Move(last, first, canons)


def _count_unmoved_before(sides: Sequence[_Run], canon: str, *, quote: bool) -> int:
    """Return the number of unmoved tokens before the moved one, in the source or the quote."""
    count = 0
    for run in sides:
        if run.same:
            count += len(run.source)
        elif any(token.canon == canon for token in run.side(quote=quote)):
            break
    return count


def _swapped(sides: Sequence[_Run], moved: Token) -> Move | None:
    """Return the moved word with its neighbour, in the source and in the quote."""
    for step in (1, -1):
        there, here = (_pair(sides, moved.canon, step, quote=quote) for quote in (False, True))
        if there and here and there.casefold() != here.casefold():
            return Move((there,), (here,), frozenset((moved.canon,)))
    return None


def _pair(sides: Sequence[_Run], canon: str, step: int, *, quote: bool) -> str:
    """The moved word and the one behind (1) or before it (-1); empty where there is none."""
    tokens = [(token, run.same) for run in sides for token in run.side(quote=quote)]
    at = next((at for at, (token, same) in enumerate(tokens) if not same and token.canon == canon), -1)
    neighbour = at + step
    if at < 0 or not 0 <= neighbour < len(tokens):
        return ""
    return " ".join(tokens[place][0].text for place in sorted((at, neighbour)))


def _weighs(token: Token) -> bool:
    return token.kind == "number" or (
        token.kind == "word" and token.canon not in HARMLESS and KIND_OF.get(token.canon) != "logic"
    )


def _tokens(text: str) -> list[Token]:
    return tokens_of(View(text).lines)


def _texts(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.text.rstrip(",") for token in tokens[:_MOST])


def reason_of_each(concerns: Sequence[Concern], diff: Sequence[Difference]) -> tuple[str, ...]:
    """Each concern as a sentence, a moved word as the swap it is part of."""
    move = move_of(concerns, diff)
    return tuple(str(move) if move is not None and one.kind == "moved" else str(one) for one in concerns)


def reasons_of(concerns: Sequence[Concern], diff: Sequence[Difference]) -> tuple[str, ...]:
    """The same for a person to read: each once, and no pair of words that the swap shows already."""
    move = move_of(concerns, diff)
    reasons = ([] if move is None else [str(move)]) + [str(one) for one in _rest(concerns, move)]
    return tuple(dict.fromkeys(reasons))


def changes_of(concerns: Sequence[Concern], diff: Sequence[Difference]) -> tuple[str, ...]:
    """The changes for a list, the first one first: `75≠57` (the source has 75, the quote 57), `+not`, `-not`, `a⇄b`."""
    move = move_of(concerns, diff)
    changes = ([] if move is None else [move.brief]) + [_brief(one, diff) for one in _rest(concerns, move)]
    return tuple(dict.fromkeys(changes))


def _rest(concerns: Sequence[Concern], move: Move | None) -> Iterator[Concern]:
    """The concerns that the move does not cover."""
    for one in concerns:
        if move is None:
            yield one
            continue
        canons = {token.canon for side in (one.quote, one.source) for token in _tokens(side)}
        if one.kind == "negation" or (one.kind != "moved" and not canons <= move.canons):
            yield one


def _brief(one: Concern, diff: Sequence[Difference]) -> str:
    quote, source = one.quote, one.source
    if not (quote and source):
        # A word that only one side has stands in the place of another: `금지≠허용` is one change.
        own = [token.canon for token in _tokens(quote or source)]
        for run in diff:
            if run.same or not (run.quote and run.source):
                continue
            here = [token.canon for token in _tokens(run.quote if quote else run.source)]
            if all(any(_has(word, part) for word in here) for part in own):
                quote, source = run.quote, run.source
                break
    quote, source = (" ".join(side.split())[:_CODE_POINTS] for side in (quote, source))
    return f"{source}≠{quote}" if quote and source else f"+{quote}" if quote else f"-{source}"


def _has(word: str, part: str) -> bool:
    """Whether it is that word, or in Korean begins with it."""
    return word == part or ("가" <= part[:1] <= "힣" and word.startswith(part))


def verbatim(quote: str, source: str) -> tuple[Difference, ...]:
    """The runs in order: joined, their `quote` is the quote and their `source` the source, letter for letter.

    What differs is what differs for the guard: a run that is the same may be written otherwise in the two (`"`, `“`).
    """
    mine, yours = _Side(quote), _Side(source)
    found: list[Difference] = []
    for same, here, there in runs(mine.canons, yours.canons):
        if same:
            continue
        before, after = mine.up_to(*here), yours.up_to(*there)
        if before[0] or after[0]:
            found.append(Difference(True, before[0], after[0]))
        if before[1] or after[1]:
            found.append(Difference(False, before[1], after[1]))
    if mine.rest or yours.rest:
        found.append(Difference(True, mine.rest, yours.rest))
    return tuple(found)


class _Side:
    """One of the two texts, taken from its beginning on."""

    def __init__(self, text: str) -> None:
        self._view = View(text)
        self._tokens: Sequence[Token] = tokens_of(self._view.lines)
        self.canons = [token.canon for token in self._tokens]
        self._taken = 0

    def up_to(self, first: int, end: int) -> tuple[str, str]:
        """The text up to the tokens `first` to `end`, and those with what is between them; both may be empty."""
        text = self._view.plain
        if end > first:
            start, stop = self._view.original_of_lines(self._tokens[first].start, _end(self._tokens[end - 1]))
        else:  # nothing here: behind the token before, and its blank
            start = self._view.original_of_lines(0, _end(self._tokens[first - 1]))[1] if first else 0
            while start < len(text) and text[start].isspace():
                start += 1
            stop = start
        start = max(start, self._taken)  # two tokens may be of the same letters (`don't`)
        stop = max(start, stop)
        texts = text[self._taken : start], text[start:stop]
        self._taken = stop
        return texts

    @property
    def rest(self) -> str:
        """What was not taken yet."""
        return self._view.plain[self._taken :]


def _end(token: Token) -> int:
    """Where a token ends, without the comma that a number takes with it."""
    return token.end - len(token.text) + len(token.text.rstrip(","))


Ranges = tuple[tuple[int, int], ...]

_WORD = re.compile(r"\S+")


def differing(mine: str, theirs: str) -> tuple[Ranges, Ranges] | None:
    """The ranges of each that the other has not so; None where less than half of the words is common to both."""
    ours, others = list(_WORD.finditer(mine)), list(_WORD.finditer(theirs))
    here: list[tuple[int, int]] = []
    there: list[tuple[int, int]] = []
    shared = 0
    for same, left, right in runs([word.group() for word in ours], [word.group() for word in others]):
        shared += left[1] - left[0] if same else 0
        if not same:
            here += [(ours[left[0]].start(), ours[left[1] - 1].end())] if left[1] > left[0] else []
            there += [(others[right[0]].start(), others[right[1] - 1].end())] if right[1] > right[0] else []
    return (tuple(here), tuple(there)) if shared and 2 * shared >= max(len(ours), len(others)) else None
