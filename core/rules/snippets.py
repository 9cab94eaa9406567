"""What a rule shows as code: the mistake in its problem, and names that only its cure (solution, prevention) has.

A mistake that stands in a call much as the rule quotes it says more than its words one by one; a call that uses what
only the solution names has most likely been written by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from core.rules.rule import Rule

FULL = 4.0
"""What a snippet adds to the bm25 score of its rule where all of it stands in the call."""
_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_WORD = re.compile(r"(?:(?<=\s)|^)--?[A-Za-z][\w\-]*|\w+")
_MADE = re.compile(r"[a-z][A-Z]|\w_|_\w|[A-Za-z]\d|^--")
"""A word that somebody made up: camelCase, snake_case, a code, a long option. It says twice what a plain one does."""
_NAMED = re.compile(
    r"(?<=[.@])(?<!\*\.)[A-Za-z_]\w+|--[a-z][\w\-]+|\b[A-Za-z_]\w*(?=\()|\b[a-z_]\w+(?==(?!=))"
    r"|\b[A-Za-z]+_\w+|\b[A-Za-z]*[a-z][A-Z]\w*"
)
"""A name of something that can be used: a method, a function, an argument, an option; no variable of an example."""
_MOST = 40


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code as the rule has it, and its words with what each says."""

    text: str
    words: tuple[tuple[str, float], ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Shown:
    """The code of a rule: what its problem shows, and the names that only its cure has; `wrong` and `right` are all
    words of code that only problem or cure have. Casefolded."""

    mistakes: tuple[Snippet, ...] = ()
    cure: frozenset[str] = frozenset()
    wrong: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()


def shown_by(rule: Rule) -> Shown:
    """The code of a rule."""
    wrong = f"{rule.title}\n{rule.problem}\n{rule.root_cause}"
    right = f"{rule.solution}\n{rule.prevention}"
    named = {name.casefold() for text in _ticked(right) for name in _NAMED.findall(text)}
    bad, good = (code_words(" ".join(_ticked(text))) for text in (wrong, right))
    mistakes = tuple(map(_snippet, _ticked(wrong)))
    return Shown(mistakes, frozenset(named - code_words(wrong)), bad - code_words(right), good - code_words(wrong))


def turned(shown: Shown, removed: Collection[str]) -> int:
    """What an edit makes of the rule's code by what it takes away: 1 where that was the cure, -1 where the mistake."""
    cure, mistake = len(shown.right.intersection(removed)), len(shown.wrong.intersection(removed))
    return (cure > mistake) - (mistake > cure)


def code_words(text: str) -> frozenset[str]:
    """The words of a text as code has them, casefolded: identifiers whole, options with their dashes."""
    return frozenset(word.casefold() for word in _WORD.findall(text) if len(word) > 1)


def likest(shown: Shown, words: Collection[str]) -> tuple[Snippet, float] | None:
    """The snippet of the mistake that stands in these words best, and what it adds (0 to `FULL`)."""
    best: tuple[Snippet, float] | None = None
    for one in shown.mistakes:
        found = sum(weight for word, weight in one.words if _holds(words, word, weight))
        score = FULL * (1 - 0.5**one.weight) * (found / one.weight) ** 2
        if found and (best is None or score > best[1]):
            best = one, score
    return best


def _holds(words: Collection[str], word: str, weight: float) -> bool:
    """Whether a word is there, whole, or, where it is a made-up one, as part of another (`_IRQHandler`)."""
    if word in words:
        return True
    part = word.strip("_")
    return weight > 1 and len(part) > 4 and any(part in other for other in words)


def _ticked(text: str) -> Iterator[str]:
    for count, found in enumerate(_TICKED.finditer(text)):
        if count == _MOST:
            return
        yield found.group(1)


def _snippet(text: str) -> Snippet:
    words: dict[str, float] = {}
    for word in _WORD.findall(text):
        if len(word) > 1 and not (word.isdigit() and len(word) < 3):
            words[word.casefold()] = 2.0 if _MADE.search(word) else 1.0
    return Snippet(text, tuple(words.items()), sum(words.values()) or 1.0)
