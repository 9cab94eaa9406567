"""The question: its content words by kind, and the names it uses.

Korean: particles are cut, and the endings of predicates, which mark a question and not its topic. A Latin word
with a particle glued to it (`EADDRINUSE가`) is two words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from core.base.lazy import lazy_pattern
from core.library.ask.glossary import english_of
from core.library.search.lexical import MOST_READ, STOP
from core.library.search.subword import stem
from core.text.tokenizing import without_particle

Kind = Literal["word", "korean"]

_SEAM = lazy_pattern("(?<=[A-Za-z0-9])(?=[가-힣])|(?<=[가-힣])(?=[A-Za-z])")
_TOKEN = lazy_pattern("[A-Za-z][A-Za-z0-9]*|[0-9]+|[가-힣]+|[^\\W\\d_A-Za-z가-힣]+")
_ENDING = lazy_pattern(
    "(?:했었나요|했나요|하나요|되나요|됐나요|인가요|었나요|았나요|나요|을까요|ㄹ까요|까요|은가요|는가요|가요|습니까|입니까|습니다|"
    "는지|인지|려면|으면|하면|면|어야|아야|여야|려야|해야|하기로|하고|하는|하게|한|되는|이며|지만|네요|어요|아요|해요|지|고|때|던)$"
)
_NAME = re.compile(
    r"(?<![\w.-])(?:[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[A-Z0-9]*s?(?: [A-Z][a-z]+)*|[A-Za-z][^\W_]*(?:[_.]+[^\W_]+)+"
    r"|[A-Z][a-z]+[0-9]+)(?![\w-])"
    r"|(?<=[a-z,:0-9가-힣] )[A-Z][a-z]+(?: [A-Z][a-z]+)*(?![\w-])"
    r"|(?<![\w-])[A-Za-z]{2,}(?:-[A-Za-z]{2,})+(?![\w-])"
)
_CAPITAL = lazy_pattern(r"(?<![\w.-])[A-Z][A-Za-z]{2,}(?![\w-])")
"""In a Korean question, a capitalized Latin word is a name in any position."""
_HANGUL = lazy_pattern("[가-힣]")
_KOREAN = (
    "이유 까닭 방법 기준 얼마 언제 며칠 무엇 어디 누구 경우 정도 안에 나는 우리 당신 무엇부터 어디서 누가 언제까지 "
    "얼마까지 해 주었 쓰 하 되 있 없 않 보 받 정 주 두 만드 알 않은 않는 않고 "
    "정말 진짜 과연 혹시 다 못 이미 꼭 동안 지금 아직 그냥 대신 사이 원래 보통"
)
_ENGLISH = (
    "many much long often fast way ways thing things kind sort need happen happens happened mean means possible right "
    "exactly currently current available"
)
_ASKING: Final = frozenset((*_KOREAN.split(), *_ENGLISH.split()))
"""Words that ask, and do not say what for."""
_MOST: Final = 24
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class ContentWord:
    """One content word. `stem` is what is looked for: of an English word its stem, of a Korean one what is left.

    `also`: the stems of English words that say the same as a Korean one.
    """

    word: str
    stem: str
    kind: Kind
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its text with seams opened (for searching), its words, and the names in it, in their order.

    `english`: of a Korean one its words in English, in their order, as far as they are known; else empty.
    """

    text: str
    words: tuple[ContentWord, ...]
    names: tuple[str, ...]
    english: str = ""


def read_question(text: str, glossary: Mapping[str, str] = _NOTHING) -> Question:
    """The words and names of a question. `glossary`: Korean words with their English ones, blank-separated."""
    joined = _SEAM.sub(" ", text[:MOST_READ])
    names = tuple(dict.fromkeys(name for line in joined.splitlines() for name in _names(line)))
    words: dict[str, ContentWord] = {}
    english: list[str] = []
    foreign = False
    for found in _TOKEN.finditer(joined):
        token = found[0]
        one = _content_word(token.casefold(), glossary)
        known = english_of(token, glossary) if "가" <= token[0] <= "힣" else [token]
        english += known
        foreign = foreign or bool(one and one.also)
        if one is not None:
            words.setdefault(one.stem, one)
    return Question(joined, tuple(words.values())[:_MOST], names, " ".join(english) if foreign else "")


def _names(line: str) -> Iterator[str]:
    yield from (found[0] for found in _NAME.finditer(line))
    if _HANGUL.search(line):
        yield from (found[0] for found in _CAPITAL.finditer(line))


def _content_word(word: str, glossary: Mapping[str, str]) -> ContentWord | None:
    if word in STOP or word in _ASKING:
        return None
    if not "가" <= word[0] <= "힣":
        return ContentWord(word, stem(word), "word") if len(word) > 1 or not word.isascii() else None
    bare = without_particle(word)
    left = _ENDING.sub("", bare)
    if not left or left in STOP or left in _ASKING or bare in STOP or bare in _ASKING:
        return None
    also = tuple(dict.fromkeys(stem(one.casefold()) for one in english_of(left, glossary) if one not in STOP))
    return ContentWord(word, left, "korean", also)


_KO_ORGANIZATION = "(?:은행|대학교?|병원|보험|호텔|항공|전자|공업|출판사)"
_NAME_IN_ANSWER = lazy_pattern(
    r"(?i)(?-i:(?<=[a-z0-9,;:(|] )(?>[A-Z]\w*[a-z])\w*+(?![\w:])|\b[A-Z]{2,}\w*(?![\w:]|-\d)|\b[a-z]+[A-Z]\w*)"
    r"|`[^`\s]+`"
    rf"|(?<![\w./-])[a-z]{{2,}}(?=(?:[은는이가을를와과로에의]|으로|에서)(?![가-힣]))|(?<![가-힣])[가-힣]{{2,}}{_KO_ORGANIZATION}"
)
_FORMATS = frozenset(("api", "csv", "html", "http", "https", "id", "json", "pdf", "sql", "url", "utc", "xml"))
"""Written like a name, and none."""
_FIGURE = lazy_pattern(r"\d[\d,.]*")


def has_new_name(text: str, question: str) -> bool:
    own = frozenset(_FIGURE.findall(question))
    if own:
        text = _FIGURE.sub(lambda found: "" if found[0] in own else found[0], text)
    folded = question.casefold()
    names = (name[0].strip("`").casefold() for name in _NAME_IN_ANSWER.finditer(text))
    return any(name not in folded and name not in _FORMATS for name in names)
