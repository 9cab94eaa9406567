"""The question: its content words by kind, the names it uses, and the type of answer it asks for.

Korean: particles are cut, and the endings of predicates, which mark a question and not its topic. A Latin word
with a particle glued to it (`EADDRINUSE가`) is two words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from core.base.lazy import lazy_pattern
from core.library.ask.glossary import glossed
from core.library.search.lexical import MOST_READ, STOP
from core.library.search.subword import stem
from core.text.tokenizing import without_particle

Kind = Literal["word", "korean", "predicate"]

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
_LONGEST: Final = 8  # syllables of a glossary's word
_NOTHING: Mapping[str, str] = {}

AnswerKind = Literal["money", "size", "percent", "often", "duration", "year", "date", "number", "name", "person"]


@dataclass(frozen=True, slots=True)
class ContentWord:
    """One content word. `stem` is what is looked for: of an English word its stem, of a Korean one what is left.

    `also`: the stems of English words that say the same as a Korean one. `said`: what stands for it in the question's
    `english`, or in its text where that is English; empty where nobody knows the word.
    """

    word: str
    stem: str
    kind: Kind
    also: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its text with seams opened (for searching), its words, and the names in it, in their order.

    `english`: of a Korean one its words in English, in their order, as far as they are known; else empty. `mixed`: the
    same, and what nobody knows in Korean.
    """

    text: str
    words: tuple[ContentWord, ...]
    names: tuple[str, ...]
    english: str = ""
    mixed: str = ""


def read_question(text: str, glossary: Mapping[str, str] = _NOTHING) -> Question:
    """The words and names of a question. `glossary`: Korean words with their English ones, blank-separated."""
    said = _SEAM.sub(" ", text[:MOST_READ])
    names = tuple(dict.fromkeys(name for line in said.splitlines() for name in _names(line)))
    words: dict[str, ContentWord] = {}
    english: list[str] = []
    mixed: list[str] = []
    foreign = False
    for found in _TOKEN.finditer(said):
        token = found[0]
        one = _content_word(token.casefold(), glossary)
        if "가" <= token[0] <= "힣" and glossary:
            known = glossed(token, glossary)
            english += known
            mixed += known or ([without_particle(token)] if one is not None else [])
            foreign = foreign or (one is not None and bool(known))
            one = one and replace(one, also=_also(one.also, known), said=" ".join(known))
        else:
            english.append(token)
            mixed.append(token)
            one = one and replace(one, said=token)
        if one is not None:
            words.setdefault(one.stem, one)
    if not foreign:
        return Question(said, tuple(words.values())[:_MOST], names)
    return Question(said, tuple(words.values())[:_MOST], names, " ".join(english), " ".join(mixed))


def _names(line: str) -> Iterator[str]:
    yield from (found[0] for found in _NAME.finditer(line))
    if _HANGUL.search(line):
        yield from (found[0] for found in _CAPITAL.finditer(line))


def _also(stems: tuple[str, ...], known: Sequence[str]) -> tuple[str, ...]:
    more = (stem(one.casefold()) for words in known for one in words.split() if one not in STOP)
    return tuple(dict.fromkeys((*stems, *more)))


def _english(word: str, glossary: Mapping[str, str]) -> list[str]:
    """The English words known of a Korean one, of its longest parts first."""
    out: list[str] = []
    at = 0
    while at < len(word):
        for size in range(min(_LONGEST, len(word) - at), 1, -1):
            if known := glossary.get(word[at : at + size]):
                out += known.split()
                at += size
                break
        else:
            at += 1
    return out


def _content_word(word: str, glossary: Mapping[str, str]) -> ContentWord | None:
    if word in STOP or word in _ASKING:
        return None
    if not "가" <= word[0] <= "힣":
        return ContentWord(word, stem(word), "word") if len(word) > 1 or not word.isascii() else None
    bare = without_particle(word)
    left = _ENDING.sub("", bare)
    if not left or left in STOP or left in _ASKING or bare in STOP or bare in _ASKING:
        return None
    also = tuple(dict.fromkeys(stem(one.casefold()) for one in _english(left, glossary)))
    return ContentWord(word, left, "korean" if left == bare else "predicate", also)


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_SUM = _one_of(
    "pay pays paid cost costs price fee fees charge salary wage bonus refund compensation revenue budget worth spend "
    "earn"
)
_KO_SUM = _one_of(
    "매출 보상 가격 비용 요금 회비 금액 수당 벌금 과태료 값 돈 청구 환불 급여 월급 상금 참가비 연회비 지원금 주가 예산 "
    "수수료 보증금 만원 얼마를 내야 내나 받나"
)
_UNIT = _one_of("(?:milli)?seconds? minutes? hours? days? nights? weeks? weekdays? months? quarters? years?")
_KO_UNIT = _one_of("밀리초 초 분기 분 시간 일 날 주일 주간 주 개월 달 년 학기 하루 이틀 사흘 나흘 열흘 보름")
_BYTES = _one_of("[kmgt]i?b bytes? kilobytes? megabytes? gigabytes? terabytes?")
_KO_BYTES = _one_of("바이트 메가 기가 테라")
_NUMBER = (
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety "
    "hundred thousand"
)
_NUMERAL = _one_of(f"{_NUMBER} half an? each every")
_ANY_NUMBER = _one_of(f"{_NUMBER} zero no none any unlimited")
_KO_NUMERAL = "(?<![가-힣])(?:열|스물|서른|마흔|쉰)?" + _one_of(
    "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 스무 서른 마흔 쉰 반 몇십"
)
"""A separate word: `재시도한 주문` contains no week."""
_OFTEN = _one_of("daily hourly weekly monthly quarterly yearly annually nightly once twice every always never forever")
_KO_OFTEN = _one_of("매일 매주 매월 매달 매년 매시간 분기마다 주마다 달마다 해마다 하루 이틀 사흘 수시로")
_DAY = _one_of(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september "
    "october november december midnight noon morning evening"
)
_KO_DAY = _one_of("월요일 화요일 수요일 목요일 금요일 토요일 일요일 자정 정오 월말 월초 말일")
_COUNTED = _one_of("개 명 번 건 줄 자 대 곳 가지 사람 장 팀 살 시간 쪽 행 배")
_SOMEBODY = _one_of(
    "owner lead leader manager maintainer engineer team head officer primary secondary admin administrator author "
    "reviewer approver person member president treasurer secretary chair captain coach user customer staff director "
    "colleague board committee anyone everyone nobody whoever you"
)
_KO_SOMEBODY = _one_of(
    "담당 팀장 팀이 팀은 책임자 대표 매니저 관리자 작성자 회장 총무 부장 운영진 "
    "당직 온콜 누구나 본인 위원 코치 강사 임원 직원 사람 회원"
)
_NAMED = _one_of(
    "company vendor maker manufacturer supplier dealer insurer bank journal magazine newspaper publisher university "
    "school hospital city country town language font brand cloud provider airline carrier hotel "
    "restaurant operator tool framework database"
)
_PART_OF = _one_of(
    "backups? calls? codes? commands? errors? files? folders? formats? keys? levels? names? options? ports? settings? "
    "sizes? tables? types? users? versions?"
)
"""Words that make one of those a word of another thing: `which tool calls` asks for no tool."""
_KO_NAMED = _one_of(
    "회사 은행 업체 브랜드 제조사 보험사 학교 대학 병원 도시 나라 언어 폰트 글꼴 리전 클라우드 학술지 저널 "
    "출판사 도구 제품 호텔 식당 항공사 서버"
)
_KO_NAMES = _one_of("은행 대학교? 병원 보험 호텔 항공 전자 공업 출판사")
_FORMATS = frozenset(("api", "csv", "html", "http", "https", "id", "json", "pdf", "sql", "url", "utc", "xml"))
"""Written like a name, and none."""
_ASKS: Final[dict[AnswerKind, str]] = {
    "money": rf"\bhow much\b[^?]*\b{_SUM}\b|\bwhat\b(?: \w+)? (?:pay|price|fee|salary|fine|cost)\b"
    r"|\bwhat (?:does|do|did|will|would)\b[^?]*\bcost\b"
    rf"|{_KO_SUM}[^?]*얼마|얼마[^?]*{_KO_SUM}|[가-힣]비[은는가] (?:모두 )?얼마",
    "size": r"\bhow (?:many|much)\b (?:\w+ )?"
    rf"(?:{_BYTES}|memory|disk|storage)\b|몇 ?(?:[KMGT]B|{_KO_BYTES})|용량",
    "percent": r"\bwhat (?:percentage|share|proportion|fraction|uptime|availability)\b|\bhow many per ?cent\b"
    r"|몇 ?(?:퍼센트|프로|%)|비율|가동률|[가-힣]률은 얼마",
    "often": r"\bhow often\b|얼마나 자주|\bhow many times\b|몇 ?(?:번|회|차례)",
    "duration": rf"\bhow (?:long|soon|quickly|old)\b|\bhow many (?:\w+ )?{_UNIT}\b|며칠(?! ?에)"
    r"|몇 ?(?:초|분|시간|일|주|개월|달|년)(?!에)|얼마 ?동안|얼마나 (?:오래|걸리)",
    "year": r"\b(?:what|which) year\b|몇 ?년도?에",
    "date": r"^(?:until |at |by |on )?(?:what|which) (?:time|day|date|month|weekday)\b"
    r"|몇 ?시(?!간)|며칠에|무슨 요일|몇 ?월|언제까지",
    "number": r"\bhow many\b|\bwhich (?:port|number|exit code|status)\b|\b(?:max|min)imum (?:size|number|length)\b"
    r"|몇 ?(?!개만)[가-힣]|최대 얼마|얼마(?:인가|인지|였|죠|예요|이에요|입니까)"
    r"|어떤 (?:종료|상태) 코드|(?:종료|상태) 코드는 (?:무엇|뭔|얼마)",
    "name": rf"\b(?:which|what) (?:\w+ )?{_NAMED}\b(?! {_PART_OF}\b)|\bwhat(?:'s| is| was) (?:the|its|their) name of\b"
    rf"|(?:어느|어떤|무슨) (?:[가-힣]+ )?{_KO_NAMED}|[가-힣]의? 이름(?:은|이) (?:무엇|뭐|뭔)",
    "person": r"^\W*(?:who(?:se|m)?|which (?:person|people|team|engineer))\b|누구|누가",
}
"""In the order in which they are tried: the narrower first."""
_SHOWS: Final[dict[AnswerKind, str]] = {
    "money": r"[$€£¥₩]\s?\d|(?<!\d)(?<!\d[,.])\d[\d,.]{0,40}\s?(?:k\s)?(?:백만|천만|만|천|억)?\s?"
    r"(?:원|달러|won|dollars?|euros?|pounds?|usd|krw|eur)"
    r"|\d\s?(?:%|per ?cent) (?:of|off|fee|discount|commission|refund)"
    r"|(?:수수료|할인|급여|월급|환불|요금|대금|연봉)[^.\n]{0,20}\d\s?(?:%|퍼센트)"
    r"|\bfree\b|무료|전액|\bfull (?:price|salary|pay)\b",
    "size": rf"\d\s?(?:{_BYTES}\b|{_KO_BYTES})",
    "percent": r"\d\s?(?:%|per ?cent|퍼센트|프로)|\bhalf\b|\bthird\b|\bquarter\b|절반|0\.\d",
    "often": rf"\b{_OFTEN}\b|{_KO_OFTEN}|(?:{_KO_NUMERAL}|\d)\s?(?:번|회|차례)|매[일주월년달]"
    rf"|\d\s?(?:times|{_UNIT})\b"
    rf"|\b{_NUMERAL} (?:times|{_UNIT})\b|마다",
    "duration": rf"\d\s?-?(?:ms|s|m|h|{_UNIT})\b|\b{_NUMERAL}[ -](?:\w+ )?{_UNIT}\b|(?:\d|{_KO_NUMERAL})\s?{_KO_UNIT}"
    rf"|\b{_OFTEN}\b|{_KO_OFTEN}|나흘|열흘|보름",
    "year": r"(?<!\d)(?:19|20)\d\d(?!\d)",
    "date": r"\d{1,2}:\d\d|\d{4}-\d\d|\b\d{1,2} ?[ap]\.?m\b|\d\s?(?:시|일|월|년|분)|매[일주월년달]"
    r"|\b(?:19|20)\d\d\b"
    rf"|\d(?:st|nd|rd|th)\b|\b{_DAY}s?\b|{_KO_DAY}|(?:\d|\b{_NUMERAL})\s?{_UNIT}\b",
    "number": rf"\d|\b{_ANY_NUMBER}\b|{_KO_NUMERAL}\s?{_COUNTED}|하나|둘|셋|넷|무제한",
    "name": r"(?-i:(?<=[a-z0-9,;:(|] )(?>[A-Z]\w*[a-z])\w*+(?![\w:])|\b[A-Z]{2,}\w*(?![\w:]|-\d)|\b[a-z]+[A-Z]\w*)"
    r"|`[^`\s]+`"
    rf"|(?<![\w./-])[a-z]{{2,}}(?=(?:[은는이가을를와과로에의]|으로|에서)(?![가-힣]))|(?<![가-힣])[가-힣]{{2,}}{_KO_NAMES}",
    "person": rf"(?-i:(?<=[a-z,;:] )[A-Z][a-z]+)|\b{_SOMEBODY}\b|{_KO_SOMEBODY}",
}
_PATTERNS: Final[dict[AnswerKind, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    kind: (lazy_pattern(f"(?i){asks}"), lazy_pattern(f"(?i){_SHOWS[kind]}")) for kind, asks in _ASKS.items()
}
_FIGURE = lazy_pattern(r"\d[\d,.]*")
_COUNTER = lazy_pattern(f"몇 ?({_COUNTED})")
_LONG = _one_of("hours? days? nights? weeks? weekdays? months? quarters? years?")
_IN_DAYS = lazy_pattern(rf"(?i)\bhow many (?:\w+ )?(?!hours){_LONG}\b|며칠|몇 ?(?:일|주|개월|달|년)(?!에)")
_DAYS = lazy_pattern(
    rf"(?i)\d\s?-?(?:[hdwy]|{_LONG})\b|\b{_NUMERAL}[ -](?:\w+ )?{_LONG}\b|\b{_OFTEN}\b|{_KO_OFTEN}|나흘|열흘|보름"
    rf"|(?<![월\d])(?<!월 )(?:\d{{1,3}}|{_KO_NUMERAL})\s?(?:시간|일|날|주|개월|달|년|학기)|하루|이틀|사흘"
)
"""A length in days or more, or in hours; in no case a day of a month."""


def answer_kind(question: str) -> AnswerKind | None:
    """The kind of answer a question names; None where it could be anything."""
    return next((kind for kind, (asks, _) in _PATTERNS.items() if asks.search(question)), None)


def shows(kind: AnswerKind, text: str, question: str) -> bool:
    """Whether a text holds something of a kind that the question does not hold itself."""
    own = frozenset(_FIGURE.findall(question))
    if own:
        text = _FIGURE.sub(lambda found: "" if found[0] in own else found[0], text)
    if kind == "number" and (counter := _COUNTER.search(question)) and _HANGUL.search(text):  # 몇 건: not 5 분
        return re.search(rf"(?:\d|{_KO_NUMERAL})\s?{counter[1]}", text) is not None
    if kind == "duration" and _IN_DAYS.search(question):  # 며칠: not 40 분, nor 12 월 3 일
        return _DAYS.search(text) is not None
    found = _PATTERNS[kind][1]
    if kind != "name":
        return found.search(text) is not None
    said = question.casefold()
    names = (name[0].strip("`").casefold() for name in found.finditer(text))
    return any(name not in said and name not in _FORMATS for name in names)
