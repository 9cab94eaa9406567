"""Whether a sentence denies what its source does not deny, or says what that denies: each `not` beside its own word.

Likeness cannot tell: `does not wait` is eight letters from `waits`. So every denial of a sentence is looked for in the
sentence of the source that speaks of the same: on the same word, else anywhere in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from core.align import Concern
from core.align.guard.lexicon.word_classes import KIND_OF, NEGATIVE_PREFIXES, opposed
from core.base.lazy_pattern import lazy_pattern
from core.library.ask.checks.negation_scope import NOTHING, Denial, Glossary, Reading, Term, plain, read

_ENOUGH: Final = 0.5
"""The share of a clause's words from which on a sentence of the source speaks of the same."""
_END = lazy_pattern(r"(?<=[.!?])\s+|(?<=[.!?][\"')\]])\s+|(?<=。)|;")
_WRAPPED: Final = 40  # code points: a line as long as this may go on in the next
_GOES_ON = lazy_pattern("[a-z가-힣0-9(]")
_MOST: Final = 400  # sentences of all passages
_READ: Final = 20_000
_LONGEST: Final = 1_200
_CLAUSES: Final = 20  # that semicolons part in one sentence
_ABOVE = lazy_pattern(
    r"(?i)(?:no|not|never|n't)(?:(?: \w+){0,3}? (?:more|longer|later|greater|larger|higher) than\b| exceed)"
)
_BELOW = lazy_pattern(
    r"(?i)(?:no|not|never|n't)(?: \w+){0,3}? (?:less|fewer|earlier|shorter|sooner|smaller|lower) than\b"
)
_LEAST = lazy_pattern(
    r"(?i)\b(?:least|minimum|more|longer|later|greater|larger|higher|over|above|exceed\w*)\b|최소|이상|초과|넘"
)
_UTMOST = lazy_pattern(
    r"(?i)\b(?:most|maximum|up to|less|fewer|earlier|shorter|sooner|smaller|lower|under|below|within)\b"
    "|최대|이하|미만|까지|이내"
)
_BUT = lazy_pattern(r"(?i)(?:no|none|nobody|nothing)\b(?: \w+){0,2}? (?:but|except|other than|else)\b")
_OTHER = lazy_pattern("(?i)others?|else|anyone|anybody|다른")
_ONLY = lazy_pattern(
    r"(?i)\b(?:only|solely|exclusively)\b|[가-힣]만(?![가-힣])|오직"
    r"|\b(?:nobody|no one|none) (?:but|except|other than)\b"
)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence of the source."""

    text: str
    reading: Reading
    keys: frozenset[str]


def denials(
    said: str, sources: Sequence[str], glossary: Glossary = NOTHING, *, held: bool = True
) -> tuple[Concern, ...]:
    """The denials of a sentence that no source has, and those that it lost of the source's sentence it stands nearest.

    `sources`: the passages it cites; `glossary`: where they are in another language. Unless it is `held` by them anyway
    a sentence of theirs must have half of its words, or of those beside its denial.
    """
    text = plain(said)
    units = [unit for source in sources for unit in _units(source)][:_MOST]
    found: list[Concern] = []
    for part in _parts([text[:_READ]])[:_CLAUSES] if units else ():
        mine = read(part, glossary)
        whole = " ".join(part.split()).casefold().rstrip(".。!? ")
        among = [one for one in units if whole in one.text.casefold()] or units  # word for word: there, nowhere else
        if mine.terms:
            strange = [one for one in mine.denials if _strange(one, mine, part, among, held=held)]
            found += [Concern("negation", one.said, "") for one in strange]
            found += _lost(mine, part, _nearest(mine.terms, mine.terms, among, held=held))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=64)  # an answer has many sentences about few passages
def _units(source: str) -> tuple[_Unit, ...]:
    return tuple(map(_unit, _sentences(plain(source[:_READ]))))


def _unit(text: str) -> _Unit:
    found = read(text)
    return _Unit(" ".join(text.split()), found, frozenset(key for one in found.terms for key in one.keys))


def _sentences(text: str) -> list[str]:
    """Sentences, items and rows; a line that goes on in the next is one with it."""
    out: list[str] = []
    before = ""
    for line in text.split("\n"):
        if len(before) >= _WRAPPED and _GOES_ON.match(line.lstrip()) and " | " not in before + line:
            out[-1] = f"{out[-1]} {line.strip()}"
        else:
            out.append(line)
        before = line
    return _parts(out)


def _parts(texts: Sequence[str]) -> list[str]:
    """Sentences and what a semicolon parts, none too long to be looked at."""
    said = (
        one[at : at + _LONGEST] for text in texts for one in _END.split(text) for at in range(0, len(one), _LONGEST)
    )
    return [one for one in said if one.strip()]


def _hits(terms: Sequence[Term], unit: _Unit) -> int:
    return sum(not one.keys.isdisjoint(unit.keys) for one in terms)


def _nearest(clause: Sequence[Term], terms: Sequence[Term], units: Sequence[_Unit], *, held: bool) -> list[_Unit]:
    """The sentences of the source that have the most of a clause's words, then of the whole sentence's; none if no
    sentence speaks of the same."""
    best = max(_hits(clause, one) for one in units)
    by_clause = len(clause) > 1 and best >= _ENOUGH * len(clause)
    near = [one for one in units if _hits(clause, one) == best] if by_clause else list(units)
    most = max(_hits(terms, one) for one in near)
    least = 1 if held else max(min(2, len(terms)), _ENOUGH * len(terms))
    if most < least and not (by_clause and best > 1):
        return []
    return [one for one in near if _hits(terms, one) == most]


def _strange(one: Denial, mine: Reading, text: str, units: Sequence[_Unit], *, held: bool) -> bool:
    """Whether none of the sentences that speak of the same denies it."""
    clause = tuple(dict.fromkeys((*one.clause, *_borne(one))))
    near = _nearest(clause, mine.terms, units, held=held)
    return bool(near) and not any(_denies_too(one, mine, text, unit) for unit in near)


def _denies_too(one: Denial, mine: Reading, text: str, unit: _Unit) -> bool:
    theirs = unit.reading.denials
    if _measured(one, text, unit.text):
        return True
    if one.broad:
        known = {key for term in one.over for key in term.keys}
        if _BUT.match(text, one.start) and _ONLY.search(unit.text):
            return True
        return any(_touches(each, known) for each in theirs) or (bool(theirs) and known.isdisjoint(unit.keys))
    if one.bears is None:
        return bool(theirs)
    keys = one.bears.keys
    times = sum(_touches(each, keys) for each in theirs)
    if times:  # `nothing is not cited` denies once more than `nothing is cited`
        return one.bears.text[0] >= "가" or sum(_touches(each, keys) for each in mine.denials) <= times
    if not keys.isdisjoint(unit.keys):
        others = any(_OTHER.fullmatch(term.text) and term.start < one.bears.start for term in one.clause)
        return others and _ONLY.search(unit.text) is not None
    soft = any(KIND_OF.get(word.casefold()) == "negation" for word in unit.text.split())
    return bool(theirs) or soft or any(_opposite(one.bears, word) for word in unit.reading.terms)


def _borne(one: Denial) -> tuple[Term, ...]:
    return (one.bears,) if one.bears else ()


def _touches(one: Denial, keys: AbstractSet[str]) -> bool:
    """Whether it denies, or may deny, one of these words."""
    return any(not term.keys.isdisjoint(keys) for term in (*one.over, *_borne(one)))


def _measured(one: Denial, text: str, source: str) -> bool:
    """Whether it only says `no more than` of what the source does not say more of."""
    if _ABOVE.match(text, one.start):
        return _LEAST.search(source) is None
    return _BELOW.match(text, one.start) is not None and _UTMOST.search(source) is None


def _opposite(one: Term, word: Term) -> bool:
    """Whether a word is one's opposite: `unencrypted` where `not encrypted` is said, `disabled` and `not enabled`."""
    mine, yours = one.text.casefold(), word.text.casefold()
    if opposed(mine, yours):
        return True
    return any(
        yours.startswith(prefix) and len(yours) > len(prefix) + 3 and yours[len(prefix) :].startswith(tuple(one.keys))
        for prefix in NEGATIVE_PREFIXES
    )


def _lost(mine: Reading, text: str, near: Sequence[_Unit]) -> list[Concern]:
    """The denials of every nearest sentence that bear on a word which is not denied here."""
    found = [[one for one in unit.reading.denials if _said_plainly(one, mine, text)] for unit in near]
    return [Concern("negation", "", one.said) for one in found[0]] if found and all(found) else []


def _said_plainly(one: Denial, mine: Reading, text: str) -> bool:
    """Whether a sentence says what a denial bears on, denies it nowhere, and has half of that clause from there."""
    if one.bears is None or any(_touches(each, one.bears.keys) for each in mine.denials):
        return False
    known = {key for term in (*one.clause, one.bears) for key in term.keys}
    for term in mine.terms:
        if not one.bears.keys.isdisjoint(term.keys):
            clause = mine.clause_of(term, text)
            if one.broad and any(term in each.clause for each in mine.denials):
                continue
            if sum(not word.keys.isdisjoint(known) for word in clause) >= _ENOUGH * len(clause):
                return True
    return False
