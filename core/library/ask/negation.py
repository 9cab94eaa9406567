"""Negation: every `not` with its scope and clause, in English and Korean, and sentences that differ in one."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from core.align import Concern
from core.align.guard.word_classes import KIND_OF, NEGATIVE_PREFIXES, negations, opposed
from core.base.lazy import lazy_pattern
from core.library.ask.glossary import english_of
from core.library.search.subword import stem

_WORD = lazy_pattern(r"[A-Za-z]+|[가-힣]+|[0-9]+(?:[.,][0-9]+)*")
_SMALL: Final = (
    "a an the is are was were be been to of in on at for with by it its that this and or but as does do did has have "
    "had will can may must should any more than so if when who which there they them he she doesn don didn isn aren "
    "wasn weren hasn haven hadn couldn shouldn wouldn mustn won needn would could might shall being no not never from "
    "these those their then also very t s"
)
_LIGHT: Final = frozenset(_SMALL.split())
_LIGHT_KOREAN = lazy_pattern(
    "(?:수|것|거|적|바|경우|때)(?:가|이|는|은|도|를|을|에)?|(?:하|되|있)?지(?:는|도|를)?|하|한|할|해|했|함|하면|해서는|해선|되|된|될|돼|됨|있|는|은|를|을|도|이|가"
    "|한다|합니다|된다|됩니다|했다|했습니다|그|이는|또는|및|등"
)
_SIGN = lazy_pattern(
    r"(?i)(?P<behind>\b(?:not|never|cannot|without|hardly|barely|scarcely|rarely|seldom|unable)\b|n't\b"
    r"|\b(?:fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)) to\b"
    r"|\b(?:false|untrue|wrong|incorrect) that\b"
    r"|(?<![가-힣])안(?=\s|되|돼|됩|된|됨|한다|함|합)|(?<![가-힣])못(?=\s))"
    r"|(?P<broad>\b(?:no|none|nobody|nothing|nowhere|neither|nor)\b)"
    r"|(?P<before>않|없(?!애)|(?<![가-힣])못(?=하|한|했|함)|지\s?못|아니|아닌|아닙|말아야|지\s?마|지\s?말|말\s?것)"
    r"|(?P<whole>금지|불가|불필요|미지원|미사용|미적용|미포함|거짓|\b(?:forbidden|prohibited)\b)"
)
_BREAK = lazy_pattern(
    r"(?i)[,;:!?()\[\]\n—–|]|\.(?:\s|\Z)"
    r"|\b(?:and|but|or|while|because|since|if|when|unless|although|though|then|so|yet)\b"
    r"|(?<=[가-힣])(?:고|며|지만|는데|므로|니까|면|아서|어서|해서|거나)(?=\s(?!안\s))"
)
_HARMLESS = lazy_pattern(
    r"(?i)\bnot (?:only|just|merely|simply)\b(?=.*\bbut\b)|\bno\.(?=\s?[0-9])|\bnothing but\b|\bno doubt\b"
    r"|\bwhether or not\b|\bnot to mention\b|뿐(?:만)?\s?아니라|(?:끊임|틀림|어김|변함)\s?없"
    r"|(?:않|없|못하)지\s?(?:는\s?|도\s?)?않|지\s?않으면\s?안|지\s?않을\s?수\s?(?:가\s?)?없"
    r"|빼놓을\s?수\s?없|\b(?:can)?not (?:help )?but\b"
)
_VERB = lazy_pattern(r"(?i)\b(?:is|are|was|were|has|have|had|can|may|must|should|will|does|do|did)\b")
_GLUED = lazy_pattern(r"(?i)\b(do|does|did|is|are|was|were|have|has|had|could|would|should|must)nt\b")
_UNLIKE: Final = {
    one: verb
    for verb, forms in {
        "keep": "kept", "hold": "held", "make": "made", "send": "sent", "freeze": "froze frozen",
        "write": "wrote written",
        "take": "took taken", "give": "gave given", "run": "ran", "begin": "began begun", "build": "built",
        "lose": "lost", "leave": "left", "find": "found", "pay": "paid", "tell": "told", "say": "said",
        "choose": "chose chosen", "break": "broke broken", "know": "knew known", "show": "shown", "see": "saw seen",
        "get": "got", "go": "went gone", "buy": "bought", "bring": "brought", "think": "thought", "mean": "meant",
        "sell": "sold", "lead": "led", "eat": "ate eaten", "drive": "drove driven", "speak": "spoke spoken",
    }.items()
    for one in forms.split()
}  # fmt: skip
_VERBAL = lazy_pattern("(?:[은는을던고며면지게다니나네자려러도거기음습으아어았었야여였요죠데까])")
_OF_A_NOUN = lazy_pattern("[가-힣]{2,}(?:한|된|할|될|하는|되는)")
"""A Korean verb that belongs to the noun behind it: what is denied after that is not denied of it."""
_BEGIN: Final = 5  # letters by which forms of an English word meet
_MOST_DENIALS: Final = 40  # denials of a sentence
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
Glossary = Mapping[str, str]
NOTHING: Final[Glossary] = {}

_ENOUGH: Final = 0.5
"""The share of a clause's words from which on a sentence of the source speaks of the same."""
_END = lazy_pattern(r"(?<=[.!?])\s+|(?<=[.!?][\"')\]])\s+|(?<=。)|;")
_WRAPPED: Final = 40  # code points: a line as long as this may go on in the next
_GOES_ON = lazy_pattern("[a-z가-힣0-9(]")
_MOST_SENTENCES: Final = 400  # sentences of all passages
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
class Term:
    """A word of weight at its place; `keys` are what it has in common with other forms of it."""

    text: str
    start: int
    end: int
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Denial:
    """One negation: `text` is it with the word it bears on (`bears`, if there is one), `over` all words that it denies
    or may deny, `clause` the words beside it. `broad`: it is a `no` or `nobody`, which denies a clause as a whole.
    `start`: where its sign stands."""

    text: str
    start: int
    bears: Term | None
    over: tuple[Term, ...]
    clause: tuple[Term, ...]
    broad: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence as what it says (`terms`) and what it denies."""

    terms: tuple[Term, ...]
    denials: tuple[Denial, ...]

    def clause_of(self, term: Term, text: str) -> tuple[Term, ...]:
        """Return the words around one of its words."""
        low, high = _clause(text, term.start, term.end)
        return tuple(one for one in self.terms if low <= one.start < high)


def plain(text: str) -> str:
    """A text with its apostrophes in one form, without signs of emphasis and what is not seen, and without what only
    looks like a denial."""
    text = "".join(one for one in text.replace("’", "'") if one not in "*_" and unicodedata.category(one) != "Cf")
    return _HARMLESS.sub(" ", _GLUED.sub(r"\1n't", text))


def read(text: str, glossary: Glossary = NOTHING) -> Reading:
    """The words and denials of a sentence that is `plain`. `glossary`: Korean words count by their English ones too."""
    terms = tuple(
        Term(one[0], one.start(), one.end(), _keys(one[0], glossary)) for one in _WORD.finditer(text) if _weighs(one[0])
    )
    signs = islice(_SIGN.finditer(text), _MOST_DENIALS)
    return Reading(terms, tuple(_denial(text, one.start(), one.end(), one.lastgroup or "", terms) for one in signs))


def _denial(text: str, start: int, end: int, kind: str, terms: tuple[Term, ...]) -> Denial:
    low, high = _clause(text, start, end)
    clause = tuple(one for one in terms if low <= one.start < high and not one.start <= start < one.end)
    front = tuple(one for one in clause if one.start < start)
    back = tuple(one for one in clause if one.start >= end)
    korean = "가" <= text[start] <= "힣"
    if kind in ("before", "whole"):
        bears = next((one for one in reversed(terms) if one.start < start and one.end <= end), None)
        bears = bears if bears and not _BREAK.search(text, bears.end, start) else None
        over = (*(one for one in front if not _OF_A_NOUN.fullmatch(one.text)), *_one(bears))
    elif korean:  # `안 만든다`, and `생성이 안 된다`
        after = _WORD.search(text, end)
        bears = back[0] if back and after and back[0].start == after.start() else next(iter(reversed(front)), None)
        over = _one(bears)
    else:
        verb = _VERB.search(text, back[0].end) if back and kind == "behind" else None
        over = tuple(one for one in back if verb is None or one.start < verb.start())
        bears = next(iter(over), None)
    negated = _negated_text(text, start, end, bears)
    if korean and kind in ("before", "whole"):
        negated += next((one[0] for one in (_WORD.match(text, end),) if one), "")
    return Denial(negated, start, bears, over, clause, broad=kind in ("broad", "whole"))


def _negated_text(text: str, start: int, end: int, bears: Term | None) -> str:
    """The words from a sign to what it bears on, or the other way round; `n't` with its verb."""
    if text[start : start + 3].casefold() == "n't":
        start = len(text[:start].rstrip(_LETTERS))
    first, last = (bears.start, bears.end) if bears else (start, end)
    return " ".join(text[min(start, first) : max(end, last)].split())


def _one(term: Term | None) -> tuple[Term, ...]:
    return (term,) if term else ()


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the clause of a place begins and ends."""
    low = 0
    for one in _BREAK.finditer(text):
        if one.end() <= start:
            low = one.end()
        elif one.start() >= end:
            return low, one.start()
    return low, len(text)


def _weighs(word: str) -> bool:
    if "가" <= word[0] <= "힣":
        return _LIGHT_KOREAN.fullmatch(word) is None and not _denies(word)
    return word.casefold() not in _LIGHT


def _denies(word: str) -> bool:
    return (
        word[0] in "않없"
        or word in ("안", "못")
        or word.startswith(("아니", "아닌", "아닙", "말아야", "못하", "못한", "못했"))
    )


@lru_cache(maxsize=1 << 14)
def _own_keys(word: str) -> frozenset[str]:
    if "가" <= word[0] <= "힣":
        begins = unicodedata.normalize("NFD", word[0]) + unicodedata.normalize("NFD", word[1:2])[:2]
        if len(word) > 1 and not _VERBAL.match(word[1:]):
            return frozenset((begins,))
        return frozenset((begins, unicodedata.normalize("NFD", word[0])[:2]))
    low = word.casefold()
    return frozenset((stem(_UNLIKE.get(low, low))[:_BEGIN],))


def _keys(word: str, glossary: Glossary) -> frozenset[str]:
    own = _own_keys(word)
    if not glossary or not "가" <= word[0] <= "힣":
        return own
    return own.union(*(_own_keys(one) for one in english_of(word, glossary) if _weighs(one)))


def denied(sentence: str, source: str) -> bool:
    """Whether `source` denies a word of `sentence`, which denies nothing itself."""
    if negations(sentence):
        return False
    keys = {key for one in read(plain(sentence)).terms for key in one.keys}
    return any(one.bears and not keys.isdisjoint(one.bears.keys) for one in read(plain(source)).denials)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence of the source."""

    text: str
    reading: Reading
    keys: frozenset[str]


def denials(
    sentence: str, sources: Sequence[str], glossary: Glossary = NOTHING, *, held: bool = True
) -> tuple[Concern, ...]:
    """Return the denials of a sentence that no source has, and those that it lost of its nearest source sentence.

    `sources`: the passages it cites; `glossary`: where they are in another language. Unless it is `held` by them anyway
    a sentence of theirs must have half of its words, or of those beside its denial.
    """
    text = plain(sentence)
    units = [unit for source in sources for unit in _units(source)][:_MOST_SENTENCES]
    found: list[Concern] = []
    for part in _parts([text[:_READ]])[:_CLAUSES] if units else ():
        mine = read(part, glossary)
        whole = " ".join(part.split()).casefold().rstrip(".。!? ")
        among = [one for one in units if whole in one.text.casefold()] or units  # word for word: there, nowhere else
        if mine.terms:
            strange = [one for one in mine.denials if _strange(one, mine, part, among, held=held)]
            found += [Concern("negation", one.text, "") for one in strange]
            found += _lost(mine, part, _nearest(mine.terms, mine.terms, among, held=held))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=64)  # an answer has many sentences about few passages
def _units(source: str) -> tuple[_Unit, ...]:
    return tuple(map(_unit, _sentences(plain(source[:_READ]))))


def _unit(text: str) -> _Unit:
    found = read(text)
    return _Unit(" ".join(text.split()), found, frozenset(key for one in found.terms for key in one.keys))


def _sentences(text: str) -> list[str]:
    """Return sentences, items and rows; a line that continues in the next is joined with it."""
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
    pieces = (
        one[at : at + _LONGEST] for text in texts for one in _END.split(text) for at in range(0, len(one), _LONGEST)
    )
    return [one for one in pieces if one.strip()]


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
    found = [[one for one in unit.reading.denials if _is_affirmed(one, mine, text)] for unit in near]
    return [Concern("negation", "", one.text) for one in found[0]] if found and all(found) else []


def _is_affirmed(one: Denial, mine: Reading, text: str) -> bool:
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
