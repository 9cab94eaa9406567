"""Quotes with an ellipsis: fragments in their order in one text, with the least between them (decision 10)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.align.exact_match import find
from core.align.fuzzy import LEAST_LETTERS, likest
from core.align.normalization.normalized_view import View

_SIGN = re.compile(
    r"[\[(<{]\s{0,4}(?:\.{2,}|…+|snip|omitted|중략|생략|후략|전략)\s{0,4}[\])>}]|\.{3,}|…+|⋯+", re.IGNORECASE
)
_PLACES = 40
"""Places of one fragment that are looked at."""
_FRAGMENT_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Fragments:
    """The fragments of a quote in a text: their ranges in the quote's order, how like they are, and whether some of
    them stand against that order. `rivals`: other ways to place them just as well."""

    spans: tuple[tuple[int, int], ...]
    similarity: float
    exact: bool
    in_order: bool
    rivals: tuple[tuple[int, int], ...] = ()


def fragments_of(quote: str) -> tuple[str, ...]:
    """The parts of a quote between its ellipses; empty where it has none, or where a part says nothing."""
    parts = [part.strip() for part in _SIGN.split(quote)]
    if len(parts) < 2:
        return ()
    said = tuple(part for part in parts if part)
    if not said or any(len(View(part).letters) < _FRAGMENT_LETTERS for part in said):
        return ()
    return said


def place_fragments(view: View, parts: tuple[str, ...], threshold: float) -> Fragments | None:
    """Where the fragments stand; None unless each of them stands somewhere."""
    places: list[list[tuple[int, int]]] = []
    similarity, exact = 1.0, True
    for part in parts:
        quote = View(part)
        found = find(view, quote)
        if found is not None:
            places.append(list(found.spans[:_PLACES]))
            exact = exact and found.form == "plain"
            continue
        if len(quote.letters) < LEAST_LETTERS:
            return None
        likes = [one for one in likest(view, quote, 3) if one.similarity >= threshold]
        if not likes:
            return None
        places.append([(one.start, one.end) for one in likes])
        similarity, exact = min(similarity, likes[0].similarity), False
    chains = sorted(_chains(places), key=_gap)
    if chains:
        rivals = [chain for chain in chains[1:] if _gap(chain) == _gap(chains[0]) and chain[0] != chains[0][0]]
        return Fragments(chains[0], similarity, exact, True, tuple((c[0][0], c[-1][1]) for c in rivals))
    apart = tuple(spans[0] for spans in places)
    return Fragments(apart, similarity, exact, False)


def _gap(chain: tuple[tuple[int, int], ...]) -> int:
    return chain[-1][1] - chain[0][0]


def _chains(places: list[list[tuple[int, int]]]) -> list[tuple[tuple[int, int], ...]]:
    """For each place of the first fragment, the tightest chain that goes on from it in order."""
    chains: list[tuple[tuple[int, int], ...]] = []
    for first in places[0]:
        chain = [first]
        for spans in places[1:]:
            later = [span for span in spans if span[0] >= chain[-1][1]]
            if not later:
                break
            chain.append(min(later))
        else:
            # The nearest last fragment may allow a nearer first one: only the start is free, and each is tried.
            chains.append(tuple(chain))
    return chains
