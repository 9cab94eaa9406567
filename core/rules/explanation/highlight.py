"""A text in which places are lit: what the other side shares, and what a pattern matched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from core.rules.matching.terms import Glossary, places
from core.text.unicode_form import normalized

MOST_SPANS = 400
"""Places of one text that are lit."""

Span = tuple[int, int]
"""A half-open range of code points."""
Place = tuple[int, int, int]
"""The number of a text, and a range in it."""


@dataclass(frozen=True, slots=True)
class LitText:
    """A text (NFC) with its name, and the half-open ranges of code points that the other side shares, in order;
    `patterns`: those that a pattern matched."""

    name: str
    text: str
    spans: tuple[Span, ...] = ()
    patterns: tuple[Span, ...] = ()


def lit(name: str, text: str, terms: Set[str], glossary: Glossary) -> LitText:
    """The text with the places of these terms; places that overlap are one."""
    flat = normalized(text)
    return LitText(name, flat, _joined((start, end) for _, start, end in places(flat, glossary, terms)))


def lit_too(texts: Sequence[LitText], found: Iterable[Place]) -> tuple[LitText, ...]:
    """The texts with these places lit too."""
    more = _by_text(found)
    return tuple(replace(one, spans=_joined((*one.spans, *more.get(number, ())))) for number, one in enumerate(texts))


def matched_too(texts: Sequence[LitText], found: Iterable[Place]) -> tuple[LitText, ...]:
    """The texts with these places as what a pattern matched."""
    more = _by_text(found)
    return tuple(
        replace(one, patterns=_joined((*one.patterns, *more.get(number, ())))) for number, one in enumerate(texts)
    )


def _by_text(found: Iterable[Place]) -> dict[int, list[Span]]:
    more: dict[int, list[Span]] = {}
    for number, start, end in found:
        more.setdefault(number, []).append((start, end))
    return more


def _joined(found: Iterable[Span]) -> tuple[Span, ...]:
    """Places in order, those that overlap as one; at most `MOST_SPANS`."""
    out: list[Span] = []
    for start, end in sorted(found):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif start < end:
            out.append((start, end))
    return tuple(out[:MOST_SPANS])
