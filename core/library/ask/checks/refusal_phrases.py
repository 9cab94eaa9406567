"""How a model says in words of its own that it has no answer, in English and in Korean."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern

_SORRY = lazy_pattern(
    r"(?i)\W*(?:(?:(?:i(?:'|’)?(?: a)?m )?(?:(?:very |so )?sorry|afraid)|my apologies|i apologi[sz]e|unfortunately)\b"
    r"[,.!:;]?(?: but\b,?)?(?: that\b)?|죄송(?:합니다만|하지만|합니다)[,.!]?|안타깝게도|아쉽게도)\s*"
)
_GIVEN: Final = "(?:provided|given|retrieved|available|cited|supplied|above|found)"
_TEXTS: Final = f"(?:{_GIVEN} )?(?:passages?|sources?|documents?|texts?|context|notes?|excerpts?|library)(?: {_GIVEN})?"
_NOT: Final = r"(?:(?:do|does|did) not|(?:do|does|did)n(?:'|’)t)"
_TOLD: Final = "provide|include|specify|state|address|tell|explain|describe|discuss|cover|give|have|show"
_WHAT: Final = (
    "it|this|that|the (?:answer|question)|an answer|any|enough|how|what|when|where|whether|who|which|why|"
    "information|details?|anything"
)
_THING: Final = "information|mention|answer|evidence|indication|reference|details?"
_BEHIND: Final = "about|on|of|for|to|in|as|that|regarding|concerning|here|available|given|provided"
_CANNOT: Final = r"(?:(?:could|can|did|do)(?: not|n(?:'|’)t)|cannot|(?:was|were|am|are) (?:unable|not able) to)"
_ENGLISH = lazy_pattern(
    r"(?i)\W*(?:(?:there (?:is|was) )?(?:not enough|insufficient) (?:evidence|information|context|data)\b"
    rf"|there (?:(?:is|was) (?:no|not any)|(?:is|was)n(?:'|’)t any) (?:[a-z]{{1,15}} )?(?:{_THING})"
    rf"(?= (?:{_BEHIND})\b|\s*(?:[\[.,;!]|\Z))"
    r"|no (?:[a-z]{1,15} )?(?:information|answer|evidence|mention)\b[^.!?\n]{0,80}?"
    r" (?:is|was|are|were|can be|could be) (?:found|given|provided|available|contained|mentioned)\b"
    rf"|(?:the|these|those) {_TEXTS} {_NOT} (?:(?:answer|contain|say|mention)"
    rf"|(?:{_TOLD})(?: (?:{_WHAT})\b|\s*(?:[\[.,;!]|\Z)))"
    rf"|(?:none of|nothing in) (?:the|these|those) {_TEXTS}\b"
    rf"|(?:i|we) {_CANNOT} (?:(?:find|locate|see|have)\b[^.!?\n]{{0,40}}?\b"
    r"(?:answer|information|mention|anything|evidence|details?|passage)\b|(?:find|answer|determine|tell)\b)"
    rf"|(?:it|this|that|the answer) (?:is|was) not [a-z]{{3,12}} (?:in|by) (?:the|these|any of the) {_TEXTS}\b)"
)
_HERE: Final = (
    "(?:(?:제공된|주어진|제시된|위의?|이) ?)?"
    "(?:문서|자료|근거|본문|글|출처|발췌|구절|컨텍스트|문맥|passages?|chunks?)들?"
    "(?: ?(?:안|중|내용|내))?(?:만으로|에서|에|으로|로)?(?:는|도)?"
)
_FOUND: Final = "(?:(?:찾을|알|확인할|답할|답변할) ?수 ?(?:가 ?)?없|찾지 ?못|확인되지 ?않)"
_SAID: Final = "(?:나와 ?있지|나오지|언급되지|언급되어 ?있지|포함되어 ?있지|적혀 ?있지|명시되지|명시되어 ?있지) ?않"
_KOREAN = lazy_pattern(
    r"(?i)\W*(?:(?:제공된 |주어진 )?근거(?:가|는)? ?(?:부족|모자|없)"
    rf"|{_HERE} [^.!?\n]{{0,40}}?(?:{_FOUND}|{_SAID}|(?:답|답변|내용|정보|언급|설명|근거)(?:이|가|은|는)? ?없)"
    rf"|(?:[^\s.!?]{{1,15}} ){{0,4}}?(?:답|답변|정보|내용|근거)(?:을|를|은|는)? {_FOUND}"
    r"|(?:관련(?:된)? )?(?:답변?|정보|내용|언급)(?:이|가|은|는)? ?없(?:습니다|음|다))"
)
_NO_IDEA = lazy_pattern(
    r"(?i)\W*(?:i (?:really )?(?:do not|don(?:'|’)t) know(?: (?:the answer|that|this|it))?"
    r"|(?:저(?:는|도) )?(?:답(?:을|은)? )?(?:잘 ?)?(?:모르겠(?:습니다|어요|다|음)|모릅니다|알 ?수 ?없(?:습니다|다|음)))"
    r"\s*(?:\[[0-9]+\]\s*)*(?:[.!。]\s*(?:\[[0-9]+\]\s*)*|\Z)"
)


def sounds_like_giving_up(answer: str) -> bool:
    """Whether it begins as one does that says that there is no answer. So may a sentence of a source. `I don't know`
    is one by itself, and not before something else."""
    said = answer.strip()
    if sorry := _SORRY.match(said):
        said = said[sorry.end() :]
    if alone := _NO_IDEA.match(said):
        said = said[alone.end() :]
        if not said:
            return True
    return (_ENGLISH.match(said) or _KOREAN.match(said)) is not None
