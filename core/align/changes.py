"""What the guard found, in words for a person: a swap as a swap, two words in each other's place as one change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.align.answer import Concern, Difference
from core.align.guard.kinds import HARMLESS, KIND_OF
from core.align.guard.tokens import Token, tokens_of
from core.align.view import View

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
        said = f"{', '.join(self.source)} → {', '.join(self.quote)}"
        return f"order: {said}" if len(self.source) > 1 else said

    def __str__(self) -> str:
        if self.swap:
            return f"swapped: “{' … '.join(self.source)}” became “{' … '.join(self.quote)}”"
        return self.brief if len(self.source) > 1 else f"moved: “{self.source[0]}” became “{self.quote[0]}”"


def move_of(concerns: Sequence[Concern], diff: Sequence[Difference]) -> Move | None:
    """The words that stand elsewhere in the quote, if the guard says that some do."""
    moved = [token for one in concerns if one.kind == "moved" for token in _tokens(one.quote)]
    if not moved:
        return None
    every = frozenset(token.canon for token in moved)
    canons = {token.canon for token in moved if _weighs(token)} or every
    sides = [(run.same, _tokens(run.source), _tokens(run.quote)) for run in diff]
    theirs = [token for same, source, _ in sides if not same for token in source if token.canon in canons]
    ours = [token for same, _, quote in sides if not same for token in quote if token.canon in canons]
    if not theirs or not ours:
        return None
    if [token.canon for token in theirs] != [token.canon for token in ours]:
        return Move(_texts(theirs), _texts(ours), every)
    found = _passed(sides, ours[0]) or _beside(sides, ours[0])
    return None if found is None else replace(found, canons=found.canons | every)


_Sides = Sequence[tuple[bool, list[Token], list[Token]]]


def _passed(sides: _Sides, moved: Token) -> Move | None:
    """The order of the moved word and of what it went past: of a number the numbers, of a word the one with a sense."""
    before, after = _kept_before(sides, moved.canon, 1), _kept_before(sides, moved.canon, 2)
    kept = [token for same, source, _ in sides if same for token in source]
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


def _kept_before(sides: _Sides, canon: str, side: int) -> int:
    """How many tokens that did not move stand before the moved one, in the source (1) or the quote (2)."""
    count = 0
    for run in sides:
        if run[0]:
            count += len(run[1])
        elif any(token.canon == canon for token in run[side]):
            break
    return count


def _beside(sides: _Sides, moved: Token) -> Move | None:
    """The moved word with its neighbour on each side."""
    source = [token for _, side, _ in sides for token in side]
    quote = [token for _, _, side in sides for token in side]
    for step in (1, -1):
        there, here = (_pair(tokens, places, step) for tokens, places in (
            (source, _places(sides, moved.canon, 1)), (quote, _places(sides, moved.canon, 2)),
        ))  # fmt: skip
        if there and here and there.casefold() != here.casefold():
            return Move((there,), (here,), frozenset((moved.canon,)))
    return None


def _places(sides: _Sides, canon: str, side: int) -> int:
    """The number of the moved token among all of its side."""
    count = 0
    for run in sides:
        for token in run[side]:
            if not run[0] and token.canon == canon:
                return count
            count += 1
    return count


def _pair(tokens: Sequence[Token], at: int, step: int) -> str:
    beside = at + step
    if not (0 <= at < len(tokens) and 0 <= beside < len(tokens)):
        return ""
    return " ".join(tokens[place].text for place in sorted((at, beside)))


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
    told = ([] if move is None else [str(move)]) + [str(one) for one in _rest(concerns, move)]
    return tuple(dict.fromkeys(told))


def changes_of(concerns: Sequence[Concern], diff: Sequence[Difference]) -> tuple[str, ...]:
    """The changes for a list, the first one first: `75≠57` (the source has 75, the quote 57), `+not`, `-not`, `a⇄b`."""
    move = move_of(concerns, diff)
    told = ([] if move is None else [move.brief]) + [_brief(one, diff) for one in _rest(concerns, move)]
    return tuple(dict.fromkeys(told))


def _rest(concerns: Sequence[Concern], move: Move | None) -> Iterator[Concern]:
    """The concerns that the move does not cover."""
    for one in concerns:
        if move is None:
            yield one
            continue
        said = {token.canon for side in (one.quote, one.source) for token in _tokens(side)}
        if one.kind == "negation" or (one.kind != "moved" and not said <= move.canons):
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
