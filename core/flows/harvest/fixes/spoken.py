"""Words and names of what was said, remembered: one message is held against every error and every step near it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from core.flows.harvest.changes import Change
from core.flows.harvest.explain import sentences
from core.flows.harvest.fixes.clues import base_name, names_in
from core.text import words

_TEXT: Final = 4_000
"""Code points of a change whose words are read."""


class Spoken(NamedTuple):
    """A sentence of a message, its words that carry meaning, and the names in it."""

    sentence: str
    words: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=128)
def spoken_in(text: str) -> tuple[Spoken, ...]:
    """The sentences of a message."""
    return tuple(Spoken(one, frozenset(words(one)), names_in(one)) for one in sentences(text))


@lru_cache(maxsize=32)
def words_of_names(names: frozenset[str]) -> frozenset[str]:
    """The words that names are made of."""
    return frozenset(word for name in names for word in words(name))


@lru_cache(maxsize=64)
def words_of_change(change: Change) -> frozenset[str]:
    """The words of a change: its files, its lines, its command."""
    parts: list[str] = [base_name(file) for file in change.files]
    parts += ["\n".join((*hint.removed, *hint.added)) for hint in change.hints]
    return frozenset(words("\n".join((*parts, change.command or ""))[:_TEXT]))
