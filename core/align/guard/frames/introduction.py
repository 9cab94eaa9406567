"""What an English clause is introduced with: a source that is no witness, a condition without `if`, a time gone by.

`Last I checked, …`, `Per Ann, who left in May, …`, `The moment it is signed, …`, `Otherwise …`.
"""

from __future__ import annotations

import re
from typing import Final

_START: Final = r"^\W*(?:(?:and|but|so|or|well|still|also|however)\b,?\s+)*"
_SOURCE: Final = re.compile(
    _START
    + r"(?P<by>(?:as\s+)?per|according\s+to|going\s+by|judging\s+(?:by|from)|based\s+on|quoting|citing|to\s+quote|"
    r"trusting|"
    r"if\s+(?:we|you|one)\s+(?:believe|trust)s?)\s+(?P<who>[^,;:]{1,60}),[^;:]*$",
    re.IGNORECASE,
)
_OPINION: Final = re.compile(
    _START
    + r"(?:(?:the\s+)?last\s+(?:time\s+)?(?:i|we|he|she|they|anyone|\w+)\s+(?:checked|looked|heard|tried|tested|saw|"
    r"asked|measured)\b|"
    r"the\s+way\s+(?:[\w'’]+\s+){1,3}(?:it|this|that|things)\b|to\s+hear\s+(?:[\w'’]+\s+){1,3}tell\b|"
    r"from\s+(?:what|the\s+little|all)\s+(?:little\s+)?(?:i|we|he|she|they|you|people|\w+)\b|"
    r"as\s+(?:[\w'’]+\s+){1,3}(?:has\s+it|have\s+it|tells?\s+it|told\s+it|sees?\s+it|would\s+have\s+it|puts?\s+it)|"
    r"(?:in|by|to)\s+(?:[\w'’]+\s+){0,2}(?:[\w]+['’]s?|my|his|her|their|our|your)\s+(?:\w+\s+)?(?:telling|words|"
    r"view|opinion|mind|book|version|account|reading|recollection|"
    r"understanding|estimation|estimate|theory|dreams?|eyes?|imagination|interpretation|knowledge|thinking|belief|"
    r"guess|rendition|ideal\s+world)\b|"
    r"(?:the\s+)?word\s+(?:on\s+the\s+street|around\s+the\s+\w+|is|has\s+it)\b|(?:the\s+)?(?:story|legend|rumou?r|"
    r"saying|theory|myth|gossip)\s+(?:goes|has\s+it|is)\b|"
    r"the\s+(?:grapevine|rumou?r\s+mill)\b|(?:speaking\s+)?off\s+the\s+top\s+of\s+my\s+head|from\s+memory|"
    r"without\s+having\s+\w+|"
    r"(?:my|her|his|our|their|the)\s+gut\s+(?:\w+\s+)?(?:says?|feeling|tells?))[^;:]*$",
    re.IGNORECASE,
)
_UNREAL: Final = re.compile(
    _START + r"(?:the\s+(?:moment|minute|second|instant|day)\s+(?!of\b|after\b|before\b)[^,;:]+|otherwise|in\s+(?:that|"
    r"which|such\s+a)\s+case|"
    r"(?:in|under|on|with)\s+(?:an?|the)\s+(?:\w+\s+)?(?:perfect|ideal|better|best|worst|parallel|happier|sane|"
    r"saner|good|bad|lucky|future|later|next|hypothetical|dream)\s+"
    r"(?:world|universe|life|case|day|scenario|version|release|iteration|setup|timeline|step|phase|quarter|sprint)\b|"
    r"with\s+(?:an?\s+)?(?:enough|more|better|bigger|larger|faster|additional|unlimited|extra|sufficient|twice|"
    r"half)\b|given\s+(?:an?|any|enough|more|no|some)\b|"
    r"(?:assume|suppose|say|imagine|pretend|picture|consider|grant|what\s+if)\b)[^;:]*$",
    re.IGNORECASE,
)
_PAST_DAYS: Final = re.compile(
    _START + r"(?:before\s+(?:the|our)\s+(?:\w+\s+)?(?:move|migration|switch|rewrite|upgrade|change|refactor\w*|merger|"
    r"cutover|split|redesign|relaunch)|"
    r"(?:until|till|up\s+to)\s+(?:the|last|this|our|we|version|v?\d|january|february|march|april|may|june|july|"
    r"august|september|october|november|december|"
    r"\w*day))\b[^;:]*$|"
    + _START
    + r"(?:back\s+(?:in|when|then|at|on)|in\s+(?:the|my|our|his|her|their)\s+(?:old|early|good|former|first|"
    r"\w+['’]?)\s*(?:old\s+)?(?:days|times|years|setup|stack|cluster|"
    r"design|system|version|world|office|release)\b|there\s+was\s+a\s+time\s+when|time\s+was|"
    r"gone\s+are\s+the\s+days|(?:many\s+)?(?:years|ages|months)\s+ago|"
    r"once\s+upon\s+a\s+time|(?:at|in)\s+(?:one\s+point|some\s+point|the\s+beginning|the\s+past|the\s+time|"
    r"those\s+days)|under\s+the\s+(?:old|former|previous)\b|pre-\w+)[^;:]*$",
    re.IGNORECASE,
)
_HYPOTHESIS: Final = re.compile(
    r"^\W*+(?:(?:just|now|let['’]?s|let\s+us|so|and|but|ok)\b,?\s+)*(?:suppose|say|imagine|picture|"
    r"assume|pretend|what\s+if|"
    r"consider\s+a|if)\b",
    re.IGNORECASE,
)
_THEN: Final = re.compile(r"^\W*(?:and\s+|so\s+)?(?:then|now|suddenly|in\s+that\s+world|there)\b,?\W*$", re.IGNORECASE)
_IMAGINE: Final = re.compile(
    r"^\W*+(?:just\s+|now\s+|let['’]?s\s+)?(?:imagine|picture|suppose|pretend|assume|"
    r"dream)\b(?:\s+[\w'’]+){0,3}\s*[.!…:]\W*$",
    re.IGNORECASE,
)
_ASIDE_BEFORE: Final = re.compile(
    r",\s+(?:which|who|whose|whom|where|as|with|without|in|on|at|by|despite|though|although|however|of\s+course|"
    r"for\s+\w+)\b[^,;:]*,\s*$",
    re.IGNORECASE,
)
_TALK: Final = re.compile(
    r"^\W*(?:and\s+|but\s+|so\s+)?(?:(?:just\s+)?in\s+case|if|for\s+(?:anyone|those|whoever)|should)\s+(?:any\w*|"
    r"some\w*|you(?:['’]re)?|who|still)\b[^,;:]{0,40}?"
    r"\b(?:wonder|curious|interest|asks?(?=\s*:)|asking|forgot|miss(?:ed)?\b|care|in\s+doubt|not\s+(?:heard|seen|"
    r"know)|haven['’]t)\w*[^,;:]{0,40}[,:]\W*$"
    r"|^\W*(?:i\s+|we\s+)?hope\s+(?:this|that|it)\s+(?:helps?|is\s+\w+|answers?|clarif\w+|"
    r"makes\s+sense)\b[^.;]{0,24}[:,.–—-]\W*$"
    r"|^\W*(?:regarding|concerning|as\s+(?:to|for)|about|re|to\s+answer|on\s+(?:the|your)\s+question|in\s+(?:answer|"
    r"reply|response)\s+to|"
    r"you\s+(?:asked|wondered)|\w+\s+asked\s+(?:me\s+)?(?:whether|if|why|how|what|where|when|who))\b[^.;]*[:–—-]\W*$"
    r"|^\W*(?:and\s+|but\s+|so\s+)?(?:whether\s+or\s+not\b|no\s+matter\b|(?:what|who|how|which|where)ever\b|"
    r"regardless\b|(?:joking|jokes|rumou?rs|speculation|doubts|kidding|all\s+\w+)\s+aside\b|"
    r"(?:without\s+(?:a\s+|any\s+)?|no\s+|beyond\s+(?:a\s+|any\s+|all\s+)?|there\s+is\s+no\s+)(?:doubt|"
    r"question)\b(?!\s+(?:that|whether))|(?:don['’]?t|do\s+not|no\s+need\s+to|not\s+to)\s+(?:worry|fear|panic)\b|"
    r"no\s+worries\b)"
    r"[^;:]*[,:]\W*$",
    re.IGNORECASE,
)


def without_aside(before: str) -> str:
    """What goes before a place, without an aside between commas at its end; the same text where there is none."""
    found = _ASIDE_BEFORE.search(before)
    return before[: found.start()] if found else before


def is_talk(before: str) -> bool:
    """Whether what goes before says only why the clause is said: `if anybody asks:`, `no matter what …,`."""
    return _TALK.match(before) is not None


def introduced(clause: str, before: str, *, witness: re.Pattern[str]) -> tuple[str, str]:
    """What kind of introduction a clause has, and its words. `clause`: from the last clause's end on; `before`: the
    whole of the sentence."""
    for said in dict.fromkeys((clause, before)):
        if (found := _SOURCE.match(said)) and not witness.search(found["who"]):
            return "a report", found[0]
    if found := _OPINION.match(clause):
        return "a report", found[0]
    if found := _UNREAL.match(clause):
        return "a condition", found[0]
    if found := _PAST_DAYS.match(clause):
        return "a former state", found[0]
    return "", ""


def supposed(ahead: str, before: str) -> str:
    """The sentence before a place that asks to imagine it, or whose hypothesis it draws a conclusion from."""
    if before.strip(" \"'“‘`*_(") and not _THEN.match(before):
        return ""
    earlier = ahead[: len(ahead) - len(before)] if before and ahead.endswith(before) else ahead
    last = last_sentence(earlier)
    found = _HYPOTHESIS.match(last) if _THEN.match(before) and before.strip() else _IMAGINE.match(last)
    return last if found else ""


def last_sentence(said: str) -> str:
    """The last sentence of a text, with the sign that ends it; empty where the text ends in the middle of one."""
    whole = said.rstrip(" \n\t\"'“‘`*_(>-")
    if whole[-1:] not in (".", "!", "?", "…", ":"):
        return ""
    return re.split(r"[.!?…:]\s|\n", whole)[-1].strip()
