"""The sentences of a passage: what answers is mostly said in one, and a passage speaks of several things."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern

_BLOCK = lazy_pattern(r"\n\s*\n")
_END = lazy_pattern(r"(?<=[.!?。])\s+|(?<=[.!?。][\"”’)\]])\s+|\n+")
_LONGEST: Final = 220  # code points: a model reads a sentence, not a page
_SHORT: Final = 60  # what is shorter says little by itself and goes with what follows
_TOGETHER: Final = 160
_READ: Final = 20_000


def sentences_of(text: str) -> tuple[str, ...]:
    """Sentences, rows and items in their order; short ones together with the next of their paragraph."""
    out: list[str] = []
    for block in _BLOCK.split(text[:_READ]):
        held = ""
        for part in _END.split(block):
            said = part.strip()
            if not said:
                continue
            if held and len(held) < _SHORT and len(held) + len(said) < _TOGETHER:
                held = f"{held} {said}"
            else:
                if held:
                    out.append(held)
                held = said
            while len(held) > _LONGEST:
                out.append(held[:_LONGEST])
                held = held[_LONGEST:]
        if held:
            out.append(held)
    return tuple(out)
