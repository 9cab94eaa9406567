"""What a rule shows as code: the mistake, in its problem or forbidden by its cure, and what only the cure (solution,
prevention) has.

A mistake that stands in a call much as the rule quotes it says more than its words one by one; a call that has what
only the solution shows has most likely been written by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from core.rules.format.negative_advice import divided, lacked
from core.rules.format.plain_code import ticked
from core.rules.format.rule import Rule

FULL = 4.0
"""What a snippet adds to the bm25 score of its rule where all of it stands in the call."""
_CHECK = 0.3
"""What the code of a prevention says of a cure: it may as well name what is looked for."""
_MOSTLY = 0.6
"""The share of a cure from which on it says anything: less is code of the same trade, mistake or not."""
_ONE_WORD = 0.5
"""How much of a cure one word is at most: it may as well name the place where the cure belongs. A plain one (`SCAN`)
counts also where it is part of a name (`scan_iter`)."""
_ENOUGH = 3
"""Words of a snippet from which on its cure can stand there more whole than the mistake does."""
_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)|^```[^`\n]*\n(.{1,2000}?)^```", re.MULTILINE | re.DOTALL)
"""Code: between ticks, or the lines of a fence."""
_INLINE = re.compile(r"(?<!`)`(?!`)")
_GLUED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Writing that is glued to a word of code: `npm을` is `npm`."""
_WORD = re.compile(rf"(?:(?<=\s)|^)--?[A-Za-z](?:[^\W{_GLUED}]|-)*|[^\W{_GLUED}]+|[{_GLUED}]+")
_MADE = re.compile(r"[a-z][A-Z]|\w_|_\w|[A-Za-z]\d|^--")
"""A word that somebody made up: camelCase, snake_case, a code, a long option. It says twice what a plain one does."""
_MOST = 40


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code as the rule has it, and its words with what each says."""

    text: str
    words: tuple[tuple[str, float], ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Cure:
    """A snippet of the cure: whole, and those of its words that no mistake of the rule has or is part of; `share` is
    what it counts, `one`: it is one plain word. `key`: what the problem says was left out; without it there is no cure.
    """

    whole: Snippet
    own: Snippet
    share: float
    one: str = ""
    key: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """The code of a rule: what its problem shows, and what its cure does; `wrong` and `right` are all words of code
    that only problem or cure have. Casefolded."""

    mistakes: tuple[Snippet, ...] = ()
    cures: tuple[Cure, ...] = ()
    wrong: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CodeWords:
    """The words of a call as code has them: each by itself, and all in one text to find parts of names in."""

    words: Collection[str] = frozenset()
    joined: str = ""


def code_text(text: str) -> CodeWords:
    """The words of a text, ready for `likest` and `cured`."""
    words = code_words(text)
    return CodeWords(words, "\n".join(words))


def shown_by(rule: Rule) -> Shown:
    """The code of a rule: in backticks, or, where its author set none, what cannot be prose."""
    wrong = f"{rule.title}\n{rule.problem}\n{rule.root_cause}"
    solution, prevention = rule.solution, rule.prevention
    if not _INLINE.search(f"{wrong}\n{solution}\n{prevention}"):
        wrong, solution, prevention = map(ticked, (wrong, solution, prevention))
    advised, forbidden = divided(solution)
    checked, banned = divided(prevention)
    right = f"{advised}\n{checked}"
    left_out = code_words(lacked(wrong))
    said = code_words("\n".join((wrong, *forbidden, *banned)))
    shown = (*_ticked(wrong), *forbidden, *banned)
    cures = [_cure(text, said, 1.0, left_out) for text in _ticked(advised)]
    cures += [_cure(text, said, _CHECK, left_out) for text in _ticked(checked)]
    bad, good = code_words(" ".join(shown)), code_words(" ".join(_ticked(right)))
    return Shown(tuple(map(_snippet, shown)), tuple(filter(None, cures)), bad - code_words(right), good - said)


def _cure(text: str, wrong: Collection[str], share: float, left_out: Collection[str]) -> Cure | None:
    whole = _snippet(text)
    own = tuple(
        one for one in whole.words if not any(one[0] in word for word in wrong if one[0] == word or len(one[0]) > 3)
    )
    if not whole.words:
        return None
    plain = whole.words[0][0] if len(whole.words) == 1 and own and len(whole.words[0][0]) > 3 else ""
    key = tuple(one for one in whole.words if one[0] in left_out)
    return Cure(whole, Snippet(text, own, sum(weight for _, weight in own) or 1.0), share, plain, key)


def cured(shown: Shown, code: CodeWords) -> tuple[str, float] | None:
    """How much of the cure a call has, 0 to 1, and the code that says so; None where it has none of it.

    What counts is code that no mistake of the rule has, or a cure that stands there more whole than the mistake does.
    """
    if not shown.cures:
        return None
    worst = max((_likeness(one, code) for one in shown.mistakes), default=0.0)
    best = "", 0.0
    for one in shown.cures:
        if (share(one.whole, code) < _MOSTLY and not one.one) or not all(_holds(code, *key) for key in one.key):
            continue
        found = _likeness(one.own, code) if one.own.words else 0.0
        found = min(found, _ONE_WORD) if len(one.own.words) == 1 else found
        if one.share == 1 and len(one.whole.words) >= _ENOUGH:
            found = max(found, _likeness(one.whole, code) - worst)
        if one.one and found < _ONE_WORD and one.one in code.joined:
            found = _ONE_WORD
        if found * one.share > best[1]:
            best = one.whole.text, found * one.share
    return best if best[1] >= _LEAST else None


_LEAST = 0.05


def turned(shown: Shown, removed: Collection[str]) -> int:
    """What an edit makes of the rule's code by what it takes away: 1 where that was the cure, -1 where the mistake."""
    cure, mistake = len(shown.right.intersection(removed)), len(shown.wrong.intersection(removed))
    return (cure > mistake) - (mistake > cure)


def code_words(text: str) -> frozenset[str]:
    """The words of a text as code has them, casefolded: identifiers whole, options with their dashes."""
    return frozenset(word.casefold() for word in _WORD.findall(text) if len(word) > 1)


def likest(shown: Shown, code: CodeWords) -> tuple[Snippet, float] | None:
    """The snippet of the mistake that stands in these words best, and what it adds (0 to `FULL`)."""
    best: tuple[Snippet, float] | None = None
    for one in shown.mistakes:
        score = FULL * _likeness(one, code)
        if score and (best is None or score > best[1]):
            best = one, score
    return best


def standing(text: str, said: str, code: CodeWords) -> Iterator[tuple[int, int]]:
    """Where the words of a snippet stand in what is said, as far as a call with these words of code has them."""
    wanted = {word: weight for word, weight in _snippet(text).words if _holds(code, word, weight)}
    parts = [word.strip("_") for word, weight in wanted.items() if weight > 1 and len(word.strip("_")) > 4]
    for found in _WORD.finditer(said):
        word = found.group().casefold()
        if word in wanted or any(part in word for part in parts):
            yield found.span()


def _likeness(snippet: Snippet, code: CodeWords) -> float:
    """How much of a snippet stands there, 0 to 1: a short one says less even where it is whole."""
    return (1 - 0.5**snippet.weight) * share(snippet, code) ** 2


def share(snippet: Snippet, code: CodeWords) -> float:
    """How much of a snippet's words stand there, by what each says, 0 to 1."""
    return sum(weight for word, weight in snippet.words if _holds(code, word, weight)) / snippet.weight


def _holds(code: CodeWords, word: str, weight: float) -> bool:
    """Whether a word is there, whole, or, where it is a made-up one, as part of another (`_IRQHandler`)."""
    if word in code.words:
        return True
    part = word.strip("_")
    return weight > 1 and len(part) > 4 and part in code.joined


def _ticked(text: str) -> Iterator[str]:
    count = 0
    for found in _TICKED.finditer(text):
        for line in (found.group(1) or found.group(2)).split("\n"):
            if line.strip() and count < _MOST:
                count += 1
                yield line.strip()[:200]


def _snippet(text: str) -> Snippet:
    words: dict[str, float] = {}
    for word in _WORD.findall(text):
        if len(word) > 1 and not (word.isdigit() and len(word) < 3):
            words[word.casefold()] = 2.0 if _MADE.search(word) else 1.0
    return Snippet(text, tuple(words.items()), sum(words.values()) or 1.0)
