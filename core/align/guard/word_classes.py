"""Classes of words that carry the sense of a sentence: to lose, gain or change one changes what is said.

Closed classes of English and Korean. A word outside of them counts too where it is replaced or added; these count even
where they are only left out. Some small words change another one (`a few` and `few`, `for now`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from core.align.guard.tokens import Token
from core.align.result import Concern

_CLASSES: Final = {
    "negation": (
        "not no never none neither nor without cannot nothing nobody nowhere hardly barely scarcely rarely "
        "seldom lack lacks lacking unable fail fails failed refuse refuses refused deny denies denied forbid "
        "forbids forbidden prevent prevents prevented avoid avoids avoided except excluding exclude excludes "
        "excluded 아니 아닌 아니다 아니라 아님 아닙니다 없이 없는 없다 없음 없습니다 못 안 금지 불가 불가능 "
        "제외 제외한 제외하고 거부 차단 방지"
    ),
    "sign": "minus negative 영하 마이너스 음의 음수",
    "logic": (
        "and or xor but only just solely merely unless if when whenever while until till because since "
        "although though however whether otherwise instead than too either both else therefore so hence thus "
        "및 또는 혹은 이나 만 오직 오로지 단 다만 하지만 그러나 대신 때문 경우 때 만약 만일 라면 이면 하면 "
        "조건 한정 한해 까지 부터 보다 전에 후에 뿐 외에 밖에 provided providing given assuming depending subject "
        "conditional conditionally except besides apart despite regardless due once whereas unlike versus per rather "
        "alternatively respectively against by 따라 따르면 의하면 덕분 탓 불구하고 반면 비해 대비 관계없이 "
        "상관없이 무관하게 에만 한하여 한"
    ),
    "hedge": (
        "suspect suspects suspected believe believes believed think thinks thought assume assumes assumed guess hope "
        "hopes feel feels claim claims claimed allege alleges alleged argue argues argued suggest suggests suggested "
        "indicate indicates report reports reported say says said according theory theoretical principle practice "
        "tend tends tended intend intends intended plan plans supposed apparent potential potentially presumed "
        "hypothetical tentative unclear uncertain sort kind somewhat fairly sometime "
        "추측 추정 주장 주장했다 가설 이론상 원칙적 원칙적으로 가능성 우려 의심 예상 전망 보인다 것으로 듯하다 "
        "듯이 같다 모양 수도 편 잠정 잠정적으로 소위 이른바 일종"
    ),
    "scope": (
        "new old existing current previous prior initial final original default main primary secondary main "
        "manual automatic automated temporary permanent local remote internal external public private global "
        "anonymous authenticated authorized registered premium paid free trial legacy modern native empty full "
        "active inactive hidden visible optional dry nightly daily weekly monthly yearly annual annually hourly "
        "major minor large small big tiny long short high low fast slow early late simple complex common rare "
        "specific particular certain special general individual shared own other another same different similar "
        "direct indirect online offline read-only writable mutable immutable stable unstable beta alpha "
        "successful unsuccessful valid invalid known unknown top bottom left right inner outer front back "
        "am pm utc gmt kst out off away apart "
        "신규 기존 최초 임시 영구 수동 자동 기본 공개 비공개 내부 외부 로컬 원격 유료 무료 익명 특정 별도 공통 "
        "개별 주요 일반 전용 오전 오후 매일 매주 매달 매월 매년 새 새로운 옛 다른 같은 큰 작은 긴 짧은 높은 낮은 "
        "빠른 느린 더 덜 가장 제일 훨씬 조금 약간 다소 겨우 무려 벌써 방금 잘 못 첫 맨"
    ),
    "quantity": (
        "all any some every each few many most several more less fewer least half double single multiple "
        "entire whole part partial partially completely fully entirely always often usually sometimes "
        "occasionally frequently never ever almost nearly about around approximately roughly exactly "
        "precisely up over under at least mostly mainly 모두 모든 전부 전체 일부 일부분 대부분 각각 매 항상 "
        "늘 언제나 자주 가끔 때때로 종종 드물게 거의 약 대략 정확히 최소 최대 이상 이하 초과 미만 여러 하나 "
        "단일 유일 유일한 완전히 절반"
    ),
    "modality": (
        "must should shall may might can could will would need needs needed required require requires "
        "optional optionally recommended recommend allowed permitted possible possibly probably perhaps maybe "
        "likely unlikely seems seem appears appear supposed expected planned experimental deprecated proposed "
        "want wants try tries tried 권장 필수 선택 선택적 가능 허용 필요 예정 계획 아마 아마도 듯 실험적 제안 "
        "추정 가급적 반드시 꼭 절대 절대로"
    ),
    "time": (
        "before after during previously formerly later soon already yet still again first last next previous "
        "former latter was were is are been be had has have did does do used early late earlier latest since "
        "이전 이후 전 후 먼저 나중 나중에 이미 아직 여전히 다시 처음 마지막 다음 당시 동안 즉시 앞으로 지금 "
        "과거 once ago while upon finally eventually immediately yesterday today tomorrow tonight now-and-then "
        "어제 오늘 내일 모레 그제 작년 올해 내년 최근"
    ),
}
KIND_OF: Final = {word: kind for kind, words in _CLASSES.items() for word in words.split()}

_LIGHT: Final = (
    "a an the that this these those of to in on at for with as by it its there here very really actually "
    "indeed basically simply essentially namely e.g i.e etc please well own such quite rather truly clearly "
    "obviously certainly importantly note notably fact also then now currently st nd rd th 은 는 이 가 을 를 의 에 "
    "에서 와 과 로 으로 도 그 저 이러한 그런 이런 해당 즉 바로 또한 또 역시 실제로 사실 사실상 매우 아주 정말 특히 "
    "참고로 현재 그리고 물론 결국 따라서 등 것 수 및"
)
HARMLESS: Final = frozenset(_LIGHT.split())
"""Words that a quote may gain or lose without saying anything else."""

_ROLES: Final = (
    "in on at within into onto upon",
    "of",
    "to toward towards",
    "for",
    "with",
    "by",
    "as",
    "에서",
    "로 으로",
    "와 과",
    "에",
)
ROLE_OF: Final = {word: role for role, words in enumerate(_ROLES) for word in words.split()}
"""Small words for roles and places: one may be omitted, but not replaced by one of another group."""
_STARTS: Final = (
    "in on at for with within by from to into onto under over through during among between via inside outside beyond "
    "across per of as"
)
PHRASE_STARTS: Final = frozenset(_STARTS.split())
"""Words that begin a phrase which limits what is said."""

_QUALIFYING: Final = re.compile(
    r"[a-z]{2,}(?:ly|ous|ive|able|ible|less|ful|ary|ic|ed|ing)"
    r"|[가-힣]+(?:적|적인|적으로|중인|용|별|하게|없이|된|되는|한|하는|했던|있는)"
)
_CONNECTING: Final = re.compile(
    r"[가-힣]+(?:면|면서|므로|니까|더라도|지만|려고|도록|거나|든지|때|때만|경우|때문에|뒤에|후에|전에|동안|하여|아서|어서)"
)
_SURFACES: Final = "화면 측면 반면 평면 표면 장면 전면 후면 정면 도면 라면 단면 국면 대면 직면 지면"
_OBLIGING: Final = re.compile(
    r"[가-힣]*(?:해야|어야|아야|여야|되야|돼야|려야|켜야|워야|와야|가야|봐야|둬야|줘야)(?:만)?"
)
_NO_CONNECTING: Final = frozenset(_SURFACES.split())


def qualifies(word: str) -> str:
    """What kind of limit a word is by its form alone: an adverb, adjective or participle, a clause's last word."""
    if word in HARMLESS:
        return ""
    if _OBLIGING.fullmatch(word):
        return "modality"
    if _QUALIFYING.fullmatch(word):
        return "scope"
    return "logic" if _CONNECTING.fullmatch(word) and word not in _NO_CONNECTING and len(word) > 1 else ""


_OPPOSITES: Final = (
    "true-false on-off enable-disable enabled-disabled active-inactive include-exclude includes-excludes "
    "add-remove added-removed start-end start-stop begin-end first-last local-remote public-private "
    "open-closed open-close allow-deny allowed-denied accept-reject accepted-rejected increase-decrease "
    "increases-decreases up-down left-right top-bottom min-max minimum-maximum before-after above-below "
    "read-write input-output client-server sync-async success-failure pass-fail passed-failed high-low "
    "higher-lower fast-slow faster-slower new-old upper-lower inner-outer internal-external valid-invalid "
    "import-export push-pull lock-unlock mount-unmount encode-decode show-hide shown-hidden "
    "expand-collapse lexical-semantic all-none more-less always-never required-optional old-new hot-cold "
    "strong-weak safe-unsafe typical-atypical symmetric-asymmetric moral-amoral synchronous-asynchronous "
    "synchronously-asynchronously"
)
OPPOSITES: Final = frozenset(frozenset(pair.split("-")) for pair in _OPPOSITES.split())

_PREFIXES: Final = "un in im ir il dis non anti de mis 비 불 미 무 부 반 탈"
NEGATIVE_PREFIXES: Final = tuple(_PREFIXES.split())
_MORE_PREFIXES: Final = (
    "re pre post over under up down out off on inter intra sub super multi auto semi co counter hyper micro macro fore "
    "mid self 재 선 후 역 과 초 최 신 구 대 소 총 첫 맨 부 준 타 자"
)
PREFIXES: Final = (*NEGATIVE_PREFIXES, *_MORE_PREFIXES.split())
"""Prefixes that make another word of the following one."""
_HEADS: Final = (
    "a ab ad al an any as at be com con contra de des di dis down e en every ex for fore in inter intra no ob off on "
    "out over per poly mono post pre pro re retro se sub some super sur sym syn tele trans ultra un under up with"
)
HEADS: Final = frozenset(_HEADS.split())
"""Beginnings of English words before a shared root: `inclusive` and `exclusive`, `nobody` and `anybody`."""

_NEGATIONS: Final = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody|nowhere|hardly|barely|unable)\b|n't\b"
    r"|않|없|(?<![가-힣])못|지\s?못|아니|아닌|아닙|말아야|지\s?마|지\s?말|말\s?것"
    r"|(?<![가-힣])안(?=\s|되|돼|됩|된|됨|한다|함|합)|금지|불가|불필요|비활성|미지원|미구현|미완|미적용|미사용|미설정|미정|미포함",
    re.IGNORECASE,
)


def negations(text: str) -> list[str]:
    """What negates in a text, in order."""
    return [match[0].lower() for match in _NEGATIONS.finditer(text)]


def opposed(one: str, other: str) -> bool:
    """Whether two words are opposites, by the list or by a negative prefix."""
    if frozenset((one, other)) in OPPOSITES:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= (2 if short[:1] >= "가" else 4) and any(long == prefix + short for prefix in NEGATIVE_PREFIXES)


_TURNED: Final = {
    "few": ("a", "quite a", "the"),
    "little": ("a", "quite a", "the"),
    "number": ("a", "the"),
    "majority": ("a", "the"),
    "most": ("the",),
    "bit": ("a", "quite a"),
    "lot": ("a", "quite a"),
    "now": ("for", "by"),
    "then": ("by",),
}
"""Words with what may go before them and makes another quantity or time of them."""
_AT_START: Final = re.compile(r"\W*((?:(?:quite\s+)?a|the)\s+)?(few|little|number|majority)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b((?:quite\s+)?a|the|quite)\s+[\"'`*_(]*$", re.IGNORECASE)


def turned(ours: Sequence[Token], theirs: Sequence[Token], same: Mapping[int, int]) -> Iterator[Concern]:
    """The words that both sides have, where one side has another small word before it. `same`: which token of the
    quote is which of the source."""
    for at, there in same.items():
        word = ours[at].canon
        if word not in _TURNED or theirs[there].canon != word:
            continue
        mine, yours = _before(ours, at), _before(theirs, there)
        if mine != yours and not (word in ("number", "majority") and "" in (mine, yours)):
            yield Concern("quantity", f"{mine} {word}".strip(), f"{yours} {word}".strip())


def cut_article(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The small word before a place that begins with one of those words, where the quote has another or none."""
    here, there = _AT_START.match(quote), _AT_START.match(text, start, end)
    if not here or not there:
        return
    ahead = _ARTICLE.search(text[max(0, start - 16) : start])
    mine = " ".join((here[1] or "").lower().split())
    yours = " ".join(f"{ahead[1] if ahead else ''} {there[1] or ''}".lower().split())
    word = here[2].lower()
    if mine != yours and (mine.removeprefix("the"), yours.removeprefix("the")) != ("", "") and there[2].lower() == word:
        yield Concern("quantity", f"{mine} {word}".strip(), f"{yours} {word}".strip())


def _before(tokens: Sequence[Token], at: int) -> str:
    """The words before a token that reverse its meaning."""
    known = _TURNED[tokens[at].canon]
    for count in (2, 1):
        phrase = " ".join(token.canon for token in tokens[max(0, at - count) : at])
        if phrase in known:
            return phrase
    return ""
