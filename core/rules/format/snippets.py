"""Code of a rule: snippets in backticks, and whether each is advised or warned of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from core.rules.format.rule import Rule

_TICKED_ADVICE = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|avoid|don[’']t|instead of|rather than)\b(?:[ \t]+[^\W\d]{1,12}){0,4}[ \t]*"
    r"|(?:不要|不用|不是|禁止|别|勿)[^\W\d_]{0,4}[ \t]*)$",
    re.IGNORECASE,
)
"""What comes right before code that is not to be used."""
_BAN = re.compile(
    r"(?:[.;:!?][ \t]+|\(|^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(?:no|never|do not|don[’']t|avoid)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A sentence that forbids, from its first word on: all code of it is forbidden."""
_ENDS = re.compile(r"[.;!?](?:\s|$)|\n|\S:\s|→|\b(?:use|instead|prefer|run)\b", re.IGNORECASE)
"""Where such a sentence ends."""
_KEPT = re.compile(
    r"\b(?:without|forget|omit|skip|drop|leave|lose|miss|only|just|longer|before|until|unless|except|if|but|enough|when|"
    r"from|other|outside)\b",
    re.IGNORECASE,
)
"""Words that turn it round: `never push without …`, `not only …`."""
_AFTER = re.compile(
    r"[을를은는이가로으도]{0,2}[ \t]*(?:대신|말고|금지|지양|피하|피한다|쓰지|사용하지|"
    r"では?なく|の代わり|を使わ|は使わ|は?禁止)"
    r"|[^`.,;:\n]{0,24}(?:지[ \t]?않는다|지[ \t]?않기|지[ \t]?않습니다|지[ \t]?말|지[ \t]?마[라세]|하면[ \t]안)"
)
"""What comes right after it, or ends its clause."""
_UNLOST = re.compile(r"빼|빠뜨|잊|생략|누락|놓치|없이|忘")
"""What must not be left out is advised."""
_AND = re.compile(r"[ \t]*(?:[/,、·]|or|and|nor|和|或|와|과|이?나|또는|혹은|및)[ \t]*(?:일반[ \t]*)?")
"""Separators between pieces of code of one list."""
_NEAR = 60
"""Letters before it that are looked at."""
_LONGEST = 400
"""Letters that such a sentence has at most."""

FULL = 4.0
"""Points that a full snippet in the call adds to the bm25 score of its rule."""
_CHECK = 0.3
"""What the code of a prevention says of a cure: it may as well name what is looked for."""
_MOSTLY = 0.6
"""The share of a cure from which on it says anything: less is code of the same trade, mistake or not."""
_ONE_WORD = 0.5
"""How much of a cure one word is at most: it may as well name the place where the cure belongs. A plain one (`SCAN`)
counts also where it is part of a name (`scan_iter`)."""
_ENOUGH = 3
"""Minimum words of a snippet for which its cure can match better than the mistake."""
_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)|^```[^`\n]*\n(.{1,2000}?)^```", re.MULTILINE | re.DOTALL)
"""Code: between ticks, or the lines of a fence."""
_GLUED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Writing that is glued to a word of code: `npm을` is `npm`."""
_WORD = re.compile(rf"(?:(?<=\s)|^)--?[A-Za-z](?:[^\W{_GLUED}]|-)*|[^\W{_GLUED}]+|[{_GLUED}]+")
_MADE = re.compile(r"[a-z][A-Z]|\w_|_\w|[A-Za-z]\d|^--")
"""An artificial word: camelCase, snake_case, a code, a long option. It counts twice as much as a plain one."""
_MOST = 40


def divided(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a solution or prevention from the code that it forbids, and return both in order."""
    ticked = list(_TICKED_ADVICE.finditer(text))
    if not ticked:
        return text, ()
    joined = [bool(_AND.fullmatch(text, one.end(), two.start())) for one, two in pairwise(ticked)]
    bans = tuple(_bans(text))
    banned = [
        any(start <= one.start() < end for start, end in bans) or _before(text, one, ticked[at - 1].end() if at else 0)
        for at, one in enumerate(ticked)
    ]
    for at, same in enumerate(joined):
        banned[at + 1] |= same and banned[at]
    after = [_after(text, one) for one in ticked]
    for at in range(len(joined) - 1, -1, -1):
        after[at] |= joined[at] and after[at + 1]
    wrong = [one for at, one in enumerate(ticked) if banned[at] or after[at]]
    ends = (0, *(one.end() for one in wrong))
    starts = (*(one.start() for one in wrong), len(text))
    kept = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return kept, tuple(one.group(1) for one in wrong)


def _before(text: str, code: re.Match[str], last: int) -> bool:
    found = _BEFORE.search(text, max(last, code.start() - _NEAR), code.start())
    return found is not None and not _KEPT.search(found.group())


def _after(text: str, code: re.Match[str]) -> bool:
    found = _AFTER.match(text, code.end())
    return found is not None and not _UNLOST.search(found.group())


def _bans(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences that forbid begin, and where what they forbid ends."""
    at = 0
    while (found := _BAN.search(text, at)) is not None:
        most = min(len(text), found.end() + _LONGEST)
        ends = (pattern.search(text, found.end(), most) for pattern in (_ENDS, _KEPT))
        at = max(min((most, *(one.start() for one in ends if one))), found.end())
        yield found.end(), at


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code as the rule has it, and its words with what each says."""

    text: str
    words: tuple[tuple[str, float], ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Cure:
    """A snippet of the cure: whole, and those of its words that no mistake of the rule has or is part of; `share` is
    what it counts, `one`: it is one plain word."""

    whole: Snippet
    own: Snippet
    share: float
    one: str = ""


@dataclass(frozen=True, slots=True)
class RuleCode:
    """The code of a rule: what its problem shows, and what its cure does. Casefolded."""

    mistakes: tuple[Snippet, ...] = ()
    cures: tuple[Cure, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeWords:
    """The words of a call as code has them: each by itself, and all in one text to find parts of names in."""

    words: Collection[str] = frozenset()
    joined: str = ""


def code_text(text: str) -> CodeWords:
    """The words of a text, ready for `likest` and `cured`."""
    words = code_words(text)
    return CodeWords(words, "\n".join(words))


def rule_code(rule: Rule) -> RuleCode:
    """Return the code of a rule: text in backticks or a fence."""
    wrong = f"{rule.title}\n{rule.problem}\n{rule.root_cause}"
    advised, forbidden = divided(rule.solution)
    checked, banned = divided(rule.prevention)
    wrong_words = code_words("\n".join((wrong, *forbidden, *banned)))
    cures = [_cure(text, wrong_words, 1.0) for text in _ticked(advised)]
    cures += [_cure(text, wrong_words, _CHECK) for text in _ticked(checked)]
    return RuleCode(tuple(map(_snippet, (*_ticked(wrong), *forbidden, *banned))), tuple(filter(None, cures)))


def _cure(text: str, wrong: Collection[str], share: float) -> Cure | None:
    whole = _snippet(text)
    own = tuple(
        one for one in whole.words if not any(one[0] in word for word in wrong if one[0] == word or len(one[0]) > 3)
    )
    if not whole.words:
        return None
    plain = whole.words[0][0] if len(whole.words) == 1 and own and len(whole.words[0][0]) > 3 else ""
    return Cure(whole, Snippet(text, own, sum(weight for _, weight in own) or 1.0), share, plain)


def cured(shown: RuleCode, code: CodeWords) -> tuple[str, float] | None:
    """How much of the cure a call has, 0 to 1, and the code that says so; None where it has none of it.

    What counts is code that no mistake of the rule has, or a cure that stands there more whole than the mistake does.
    """
    if not shown.cures:
        return None
    worst = max((_likeness(one, code) for one in shown.mistakes), default=0.0)
    best = "", 0.0
    for one in shown.cures:
        if share(one.whole, code) < _MOSTLY and not one.one:
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


def code_words(text: str) -> frozenset[str]:
    """The words of a text as code has them, casefolded: identifiers whole, options with their dashes."""
    return frozenset(word.casefold() for word in _WORD.findall(text) if len(word) > 1)


def likest(shown: RuleCode, code: CodeWords) -> tuple[Snippet, float] | None:
    """Return the snippet of the mistake with the best match in these words, and its points (0 to `FULL`)."""
    best: tuple[Snippet, float] | None = None
    for one in shown.mistakes:
        score = FULL * _likeness(one, code)
        if score and (best is None or score > best[1]):
            best = one, score
    return best


def standing(text: str, call_text: str, code: CodeWords) -> Iterator[tuple[int, int]]:
    """Yield the places of a snippet's words in a text, as far as a call with these words of code has them."""
    wanted = {word: weight for word, weight in _snippet(text).words if _holds(code, word, weight)}
    parts = [word.strip("_") for word, weight in wanted.items() if weight > 1 and len(word.strip("_")) > 4]
    for found in _WORD.finditer(call_text):
        word = found.group().casefold()
        if word in wanted or any(part in word for part in parts):
            yield found.span()


def _likeness(snippet: Snippet, code: CodeWords) -> float:
    """Return how much of a snippet is there, 0 to 1: a short one counts less even if it is complete."""
    return (1 - 0.5**snippet.weight) * share(snippet, code) ** 2


def share(snippet: Snippet, code: CodeWords) -> float:
    """Return the weighted share of a snippet's words that are there, 0 to 1."""
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
