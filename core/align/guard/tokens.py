"""A text as the guard reads it: numbers, words and operators; decoration and spacing say nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Literal

from core.align.guard.word_forms import DATE, ORDINALS, plain_date
from core.align.normalized_view import AROUND
from core.text.tokenizing import without_particle

TokenKind = Literal["number", "word", "operator"]

_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w.)\]])[+\-±]|(?<![\w])(?=\.\d))?(?:\d{1,3}(?:[ ]\d{3}){2,}(?![\d.,]*\d)|"
    r"\d+(?:,\d+)*(?:\.\d+)*|\.\d+)(?:[eE][+\-]?\d+(?!\w))?)"
    r"|(?P<word>[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+(?:'[A-Za-z]+)?|[가-힣]+|"
    r"[^\W\d_A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f가-힣]+)"
    r"|(?P<percent>[%‰])"
    r"|(?P<operator>===?|!==?|<=|>=|=>|->|&&|\|\||\+=|-=|[≤≥≠≈±→←↔×÷∧∨¬]|(?<=[\w)\s])[<>=](?=\s*[\w(.\-])"
    r"|(?<=\w)[ \t][+*/](?=\s\w)|(?<=\w)[+](?=\w)|!(?=\w)|[$€£₩¥]|[~<>](?=\d)|(?<=\b[A-Za-z])(?:\+\+|#)"
    r"|(?<=[\w)])[ \t]-(?=\s[\w(])|\?(?=[\s\"')]|$))"
)
_BEGINS = re.compile(r"(?:^|[.!?:;|>*#\-(\[\]\"'\n])[\s*_`\"'(]*$")
_CODE_BEFORE = re.compile(r"(?:[_/@$\\.]|--)$")
_CODE_AFTER = re.compile(r"[_(/]|\.[A-Za-z0-9]")
_FOOTNOTE = re.compile(r"[^\W\d_]{4}\^$")
"""The text before the raised figure of a footnote; an exponent follows a figure, a letter or a unit."""
_COUNTED = re.compile(r"\d\s?$")
_NUMERAL = re.compile(
    "(?:일|이|삼|사|오|육|칠|팔|구|십|백|천|만|억)+(?=분의|단계|개월|시간|자리|번째|월$|년$|층$|회$)"
    "|(?:첫|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스물|둘|셋|넷|한두|두세|서너|네댓|대여섯|예닐곱)"
    "(?=번|째|개|명|배|달|살|시|차례|가지|곳|대|주|해)"
)
_MYRIAD = {"천": 1000, "만": 10_000, "백만": 1_000_000, "천만": 10_000_000, "억": 100_000_000}
_MYRIADS = re.compile(
    r"(?:천만|백만|만|억|천)(?=\s?(?:여\s?)?(?:건|개|명|원|회|번|행|줄|자|달러|초|분|대|곳|토큰|"
    r"쪽|장|글자|바이트|배|점|권|편|통|주|호|문서|파일|요청|회원|사용자)(?![지며]))"
)
"""A power of ten behind a figure, before what is counted: `5만 건`. `5만` alone may say `only 5`."""
_PRONOUNS = frozenset(("it", "that", "there", "here", "what", "who", "he", "she", "let", "where", "how", "this"))
_SHORT_VERBS = {"won't": "will", "can't": "can", "shan't": "shall"}
_TAILS = {"re": "are", "ll": "will", "ve": "have", "m": "am"}
_MARKS = re.compile(r"(?:\n|\A)[ \t]*[>+\-*|][ \t>]*(?!\d)")
_ALIKE = {
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "===": "==", "!==": "!=", "∧": "&&", "∨": "||", "¬": "!",
    "×": "x", "percent": "%", "퍼센트": "%", "프로": "%", "pct": "%",
}  # fmt: skip
_NUMBER_WORDS = {
    word: str(number)
    for number, words in enumerate(
        (
            "zero 영", "one 하나 한 일", "two 둘 두 이", "three 셋 세 삼", "four 넷 네 사", "five 다섯 오",
            "six 여섯 육",
            "seven 일곱 칠", "eight 여덟 팔", "nine 아홉 구", "ten 열 십", "eleven 열하나 열한", "twelve 열둘 열두",
            "thirteen 열셋", "fourteen 열넷", "fifteen 열다섯", "sixteen 열여섯", "seventeen 열일곱", "eighteen 열여덟",
            "nineteen 열아홉", "twenty 스물 스무 이십",
        )
    )
    for word in words.split()
} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "백": "100", "thousand": "1000", "천": "1000", "million": "1000000", "만": "10000",
    "once": "1", "twice": "2", "thrice": "3", "half": "0.5",
    "절반": "0.5", "dozen": "12", **ORDINALS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One unit of meaning: as written, and `canon`, which is equal for two spellings of the same. `around`: not a part
    of the text, but before one of its further lines (an ordinal, a line number, a quotation mark)."""

    kind: TokenKind
    text: str
    canon: str
    start: int
    end: int
    around: bool = False
    proper: bool = False
    """A capitalised word within a sentence: likely a name."""
    coded: bool = False
    """A part of an identifier, a path or an option."""
    measured: bool = False
    """Whether it follows a number directly: probably a unit."""


def tokens_of(lines: str) -> list[Token]:
    """The tokens of a text in the form of `View.lines`."""
    found: list[Token] = []
    around = sorted(
        [match.span() for match in AROUND.finditer(lines) if match.start()]
        + [match.span() for match in _MARKS.finditer(lines)]
    )
    starts = [start for start, _ in around]
    ends = list(accumulate((end for _, end in around), max))
    dates = {one.start(): one for one in DATE.finditer(lines)}
    at = 0
    while match := _TOKEN.search(lines, at):
        at = match.end()
        if (date := dates.get(match.start())) and (canon := plain_date(date)):
            at = date.end()
            found.append(Token("number", date[0], canon, *date.span()))
            continue
        token, kind = match[0].strip(), match.lastgroup or "word"
        place = bisect_right(starts, match.start()) - 1
        marginal = place >= 0 and match.start() < ends[place]
        if kind == "number":
            marginal = marginal or bool(_FOOTNOTE.search(lines[max(0, match.start() - 5) : match.start()]))
            canon = canonical_number(token)
            if (myriad := _MYRIADS.match(lines, at)) and re.fullmatch(r"\d+(?:\.\d+)?", canon):
                at = myriad.end()
                canon = canonical_number(f"{Decimal(canon) * _MYRIAD[myriad[0]]:f}")
                token = lines[match.start() : at]
            found.append(Token("number", token, canon, match.start(), at, marginal))
        elif kind == "word":
            found += _words_of(lines, match.start(), match.end(), marginal=marginal)
        else:
            found.append(Token("operator", token, _ALIKE.get(token, token), *match.span(), marginal))
    return found


def _words_of(lines: str, start: int, end: int, *, marginal: bool) -> list[Token]:
    """One word, or the two that a contraction stands for."""
    word = lines[start:end]
    low = word.lower()
    if parts := _contracted(low):
        return [Token("word", word, part, start, end, marginal) for part in parts]
    canon = _ALIKE.get(low) or _ALIKE.get(without_particle(low)) or low
    proper = word[0].isupper() and not word.isupper() and not _BEGINS.search(lines[max(0, start - 4) : start])
    coded = bool(_CODE_BEFORE.search(lines[max(0, start - 3) : start]) or _CODE_AFTER.match(lines, end))
    measured = bool(_COUNTED.search(lines[max(0, start - 12) : start]))
    kind = "operator" if canon == "%" else "word"
    return [Token(kind, word, canon, start, end, marginal, proper, coded, measured)]


def _contracted(low: str) -> tuple[str, ...]:
    if low == "cannot":
        return "can", "not"
    if "'" not in low:
        return ()
    if low == "n't":  # cut from its verb
        return ("not",)
    if low.endswith("n't"):
        return _SHORT_VERBS.get(low, low[:-3]), "not"
    stem, _, tail = low.rpartition("'")
    if tail == "s":
        return (stem, "is") if stem in _PRONOUNS else ()
    return (stem, _TAILS[tail]) if tail in _TAILS else ()


def canonical_number(text: str) -> str:
    """A number without separators of thousands, needless zeros and a plus: `1,024` is `1024`, `.7` `0.7`, `2.0` `2`,
    `3E-04` `3e-4`."""
    base, power, exponent = text.lower().partition("e")
    if power:
        below = "-" if exponent.startswith("-") else ""
        return f"{canonical_number(base)}e{below}{exponent.lstrip('+-').lstrip('0') or '0'}"
    sign = "-" if text.startswith("-") else "±" if text.startswith("±") else ""
    bare = text.lstrip("+-±")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+", bare):
        bare = bare.replace(",", "").replace(" ", "")
    if bare.startswith("."):
        bare = f"0{bare}"
    if re.fullmatch(r"\d+\.0+", bare):  # 3.10 is not 3.1: versions look the same
        bare = bare.split(".")[0]
    return sign + bare


def as_number(token: Token) -> str:
    """The token as a number where its word names one, else as it is."""
    return number_of(token.canon)


def numeral_of(word: str) -> str:
    """The number that a Korean word begins with, in words (`삼` of `삼분의`), or nothing."""
    found = _NUMERAL.match(word)
    return found[0] if found else ""


def number_of(word: str) -> str:
    """The number that a word (lower case) names, in digits; any other word as it is."""
    return _NUMBER_WORDS.get(word, word)
