"""English clauses around a statement: the head that asserts it or not, its introduction, and what denies it behind it.

A clause behind `that` belongs to its head. Heads that assert are few and closed (`found`, `shows`, `the reason is`);
heads that do not are without end, so a head that is unknown asserts nothing. Introductions name a source that is no
witness (`Per Ann, who left in May, …`), a condition or a past time (`Last I checked, …`). Denials are tails, tags,
answers and remarks without another subject: `It doesn't.`, `Is that so?`, `None of this happened.`."""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy import lazy_pattern

_THAT: Final = lazy_pattern(r"\b(?:that|whether)[\s:,\"'“‘`*_(]*$", re.IGNORECASE)
_ASSERTING: Final = lazy_pattern(
    r"\b(?:confirm\w*|f(?:ind|inds|ound|inding)|show(?:s|ed|n|ing)?|measur\w+|verif\w+|notic\w+|notes?|noted|"
    r"turn(?:s|ed)\s+"
    r"out|see|sees|saw|seen|know|knows|knew|known|learn\w*|discover\w*|reali[sz]\w+|reveal\w*|prove[sdn]?|proof|"
    r"demonstrat\w+|observ\w+|establish\w*|determined|conclu\w+|mean|means|meant|impl(?:y|ies|ied)|indicat\w+|"
    r"explain\w*|point(?:s|ed|ing)?\s+out|remember\w*|recall\w*|remind\w*|mind|aware|clear|evident|obvious|"
    r"ma(?:de|kes?|king)\s+sure|ensur\w+|guarantee[sd]?|agree[sd]?|decid\w+|decision|glad|happy|sorry|good|great|nice|"
    r"bad|strange|odd|funny|lucky|important|surpris\w+|regret\w*|annoy\w+|fact|news|problem|trouble|reason|result|"
    r"point|caveat|catch|upshot|difference|issue|cause|effect|advantage|downside|drawback|benefit|bug|lesson|"
    r"conclusion|answer|evidence|side\s+effect|follows?|followed|so|such|given(?=\s*$)|now(?=\s*$)|in(?=\s*$)|"
    r"except|documents?|documented|"
    r"record(?:s|ed)?|admit\w*|acknowledg\w+|warn(?:s|ed|ing)?|log(?:s|ged)|detect\w*|spotted|reproduc\w+|"
    r"check(?:s|ed)|tested|beware|assert(?:s|ed)|matters|right(?=\s*$)|require[sd]?|compl(?:ain|ains)|forgot\w*|"
    r"trace[sd]?|means|note|ha(?:s|ve)\s+it)\b",
    re.IGNORECASE,
)
_ONLY_POSSIBLE: Final = lazy_pattern(
    r"\b(?:would|could|might|may|should|mistake|wrong|remains?|yet|to\s+be|(?:want|wish|hop|try|tri|need|like|love|"
    r"fail|plan|refus|intend|attempt|expect)\w*\s+to|going\s+to|unable|far\s+be|tempting|easy|premature|rash|hasty|"
    r"hard|impossible|afraid)\b"
    r"[^,;:]{0,40}$",
    re.IGNORECASE,
)
_STATED: Final = lazy_pattern(
    r"\b(?:say|said|stat|read|report|mention|write|wrote|written|announc|suggest|print|warn|complain|insist|claim|"
    r"specif|list|describ|defin)\w*",
    re.IGNORECASE,
)
_HAS_IT: Final = lazy_pattern(r"\b(?:has|have|had)\s+it\b[^,;:]*$", re.IGNORECASE)
_DEMONSTRATIVE: Final = lazy_pattern(
    r"\b(?:of|in|at|on|by|with|from|for|to|than|like|all|and|or)\s+that\W*$", re.IGNORECASE
)
_BELIEVER: Final = lazy_pattern(
    r"(?:\b(?:am|is|are|was|were|feel\w*|be|been|seems?)|'m|'re|'s)\s+(?:\w+ly\s+|so\s+|very\s+|quite\s+|pretty\s+)?"
    r"(?:certain|sure|positive|adamant|confident|convinced|persuaded|afraid|of\s+the\s+opinion)"
    r"(?:\s+(?:of|about)\b[^,;:]{0,40})?(?:\s+that)?[\s:,\"'“‘`*_(]*$"
    r"|\b(?:dreamt|dreamed|sworn|swear|swore|rather|take\s+it|took\s+it|led\s+to\s+believe|tell\s+me|told\s+me|"
    r"told\s+us|telling\s+(?:me|us)|promise[sd]?|me\s+to\s+say|vow\w*|predict\w*|bragg?\w*|repeat\w*|maintain\w*|"
    r"speculat\w*|fantasi\w*|contend\w*|"
    r"conjectur\w*|gather|gathered|infer\w*|as\s+(?:though|if)|the\s+way\s+\w+\s+(?:sees?|saw|tells?|told)\s+it)"
    r"[\s:,\"'“‘`*_(]*$"
    r"|\bin\s+(?:the\s+words\s+of\s+[\w\s]{1,24}|(?:\w+['’]s|his|her|their|my|your)\s+words)[\s:,\"'“‘`*_(]*$",
    re.IGNORECASE,
)
_HOPE: Final = lazy_pattern(
    r"(?:^\W*|[,;:]\s*|\b(?:and|but|so)\s+)(?:with\s+(?:(?:a\s+\w+\s+of|some|any|more|a\s+little)\s+)?luck|"
    r"god\s+willing|"
    r"fingers\s+crossed|for\s+all\s+\w+\s+(?:know|care|can\s+tell)s?|as\s+far\s+as\s+\w+\s+(?:can|could)\s+\w+|"
    r"to\s+(?:the\s+best\s+of\s+)?my\s+knowledge|rumou?r\s+is|legend\s+has\s+it|sure|yeah|right|of\s+course|"
    r"strike\s+that|scratch\s+that|short\s+of\s+[^,;:]{1,40}|absent\s+[^,;:]{1,40}|"
    r"failing\s+that)\s*[,:]?[\s\"“‘'*_`]*$",
    re.IGNORECASE,
)
_SARCASM: Final = lazy_pattern(r"^\W*(?:sure|yeah|right|of\s+course)\s*,\s*$", re.IGNORECASE)
FAILED: Final = lazy_pattern(r"(?:[✗✘✖❌]|\bFAIL(?:ED|URE)?:?|\bnot\s+ok\s+\d+(?:\s+-)?)\s*$")
"""The mark of a test that failed: its title says what is not so."""


def not_asserted(clause: str, *, witness: re.Pattern[str]) -> tuple[str, str]:
    """What kind of frame a clause with a head is, whose own clause comes next, and its words; empty: none, or one that
    asserts. `witness`: what shows and does not claim."""
    if (found := _HOPE.search(clause)) and not _bare_agreement(clause):
        return "a doubt", found[0]
    if found := _BELIEVER.search(clause):
        return "a belief", found[0]
    found = _THAT.search(clause)
    if found is None or _DEMONSTRATIVE.search(clause):
        return "", ""
    head = clause[max(0, found.start() - 80) : found.start()]
    if found[0].lower().startswith("that") and _is_relative(head):
        return "", ""
    heads = [*_ASSERTING.finditer(head)]
    if heads and not _HAS_IT.search(head):
        return ("a supposition", clause) if _ONLY_POSSIBLE.search(head[: heads[-1].end()]) else ("", "")
    if (found := _STATED.search(head)) and witness.search(head[: found.start()]):
        return "", ""
    return ("a clause that is not asserted", clause) if head.strip() else ("", "")


_NOUN: Final = lazy_pattern(
    r"(?:^|\s)(?P<det>an?|the|this|these|those|our|my|your|his|her|its|their|some|several|two|three|four|\d+|every|"
    r"each|one|another|other|[\w]+['’]s)"
    r"(?P<words>(?:\s+[\w./`-]+){1,3})\s*$",
    re.IGNORECASE,
)
_CONTENT: Final = lazy_pattern(
    r"^(?:claim|idea|fact|assumption|belief|theory|hypothes[ie]s|rumou?r|notion|thought|hope|fear|worry|concern|"
    r"impression|feeling|opinion|view|"
    r"conviction|suspicion|hunch|guess|possibility|chance|probability|likelihood|risk|odds|danger|expectation|"
    r"prediction|forecast|promise|proposal|"
    r"suggestion|recommendation|request|demand|requirement|condition|premise|presumption|presupposition|supposition|"
    r"conjecture|allegation|accusation|"
    r"assertion|statement|argument|conclusion|inference|implication|explanation|excuse|report|news|message|warning|"
    r"complaint|objection|myth|legend|"
    r"story|lie|joke|dream|wish|vision|fantasy|illusion|delusion|misconception|misunderstanding|fallacy|doubt|"
    r"question|evidence|proof|sign|indication|"
    r"hint|clue|symptom|confirmation|guarantee|assurance|certainty|knowledge|understanding|awareness|realization|"
    r"discovery|finding|observation|"
    r"remark|comment|note|reminder|answer|reply|response|consensus|agreement|decision|plan|intention|goal|aim|point|"
    r"principle|rule|policy|law|"
    r"thesis|stor(?:y|ies)|gossip|hearsay|speculation|superstition|prejudice|stereotype|saying|slogan|motto|caveat|"
    r"effect|case|reason|result|"
    r"problem|trouble|issue|mistake|error|scenario|event|extent|way|moment|day|time|bet|verdict|testimony|"
    r"confession|admission|insistence|denial|refusal|"
    r"order|instruction|advice|pretence|pretense|pretext|confidence|faith|trust|judgment|judgement|estimate|insight|"
    r"intuition|instinct)s?$",
    re.IGNORECASE,
)
"""Nouns that take a clause of what they say; `that` behind any other noun begins a relative clause."""
_UNREAL_VERB: Final = lazy_pattern(
    r"\b(?:would|could|might|may|should|need|needs|needed|want|wants|wanted|lack|lacks|imagin\w*|propos\w*|plan\w*|"
    r"looking\s+for|wish\w*|no|not|never|n['’]t|if)\b|n['’]t\b",
    re.IGNORECASE,
)
_VERB_FORM: Final = lazy_pattern(
    r"(?:ed|ing|[^s]s|wrote|said|told|thought|swore|held|felt|heard|knew|saw|found|meant)$", re.IGNORECASE
)


def _is_relative(head: str) -> bool:
    """Whether `that` behind `head` begins a relative clause: behind a noun with its article, which is of no content."""
    found = _NOUN.search(head)
    if found is None or _UNREAL_VERB.search(head):
        return False
    *ahead, noun = found["words"].split()
    if _CONTENT.match(noun) or any(_CONTENT.match(word) for word in ahead):
        return False
    # Behind the noun of a subject the last word would be its verb: `the log says that`, `the users moan that`.
    return not ahead or not (_VERB_FORM.search(noun) or ahead[-1].endswith("s") or noun.lower().endswith("ly"))


def _bare_agreement(clause: str) -> bool:
    """Whether `Sure,` alone goes before: it answers, and takes nothing back."""
    return _SARCASM.match(clause) is not None


_START: Final = r"^\W*(?:(?:and|but|so|or|well|still|also|however)\b,?\s+)*"
_SOURCE: Final = lazy_pattern(
    _START
    + r"(?P<by>(?:as\s+)?per|according\s+to|going\s+by|judging\s+(?:by|from)|based\s+on|quoting|citing|to\s+quote|"
    r"trusting|"
    r"if\s+(?:we|you|one)\s+(?:believe|trust)s?)\s+(?P<who>[^,;:]{1,60}),[^;:]*$",
    re.IGNORECASE,
)
_OPINION: Final = lazy_pattern(
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
_UNREAL: Final = lazy_pattern(
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
_PAST_DAYS: Final = lazy_pattern(
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
_HYPOTHESIS: Final = lazy_pattern(
    r"^\W*+(?:(?:just|now|let['’]?s|let\s+us|so|and|but|ok)\b,?\s+)*(?:suppose|say|imagine|picture|"
    r"assume|pretend|what\s+if|"
    r"consider\s+a|if)\b",
    re.IGNORECASE,
)
_THEN: Final = lazy_pattern(
    r"^\W*(?:and\s+|so\s+)?(?:then|now|suddenly|in\s+that\s+world|there)\b,?\W*$", re.IGNORECASE
)
_IMAGINE: Final = lazy_pattern(
    r"^\W*+(?:just\s+|now\s+|let['’]?s\s+)?(?:imagine|picture|suppose|pretend|assume|"
    r"dream)\b(?:\s+[\w'’]+){0,3}\s*[.!…:]\W*$",
    re.IGNORECASE,
)
_ASIDE_BEFORE: Final = lazy_pattern(
    r",\s+(?:which|who|whose|whom|where|as|with|without|in|on|at|by|despite|though|although|however|of\s+course|"
    r"for\s+\w+)\b[^,;:]*,\s*$",
    re.IGNORECASE,
)
_TALK: Final = lazy_pattern(
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
    """Return whether the preceding text only gives a reason for the clause: `if anybody asks:`, `no matter what …,`."""
    return _TALK.match(before) is not None


def introduced(clause: str, before: str, *, witness: re.Pattern[str]) -> tuple[str, str]:
    """What kind of introduction a clause has, and its words. `clause`: from the last clause's end on; `before`: the
    whole of the sentence."""
    for text in dict.fromkeys((clause, before)):
        if (found := _SOURCE.match(text)) and not witness.search(found["who"]):
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


def last_sentence(text: str) -> str:
    """The last sentence of a text, with the sign that ends it; empty where the text ends in the middle of one."""
    whole = text.rstrip(" \n\t\"'“‘`*_(>-")
    if whole[-1:] not in (".", "!", "?", "…", ":"):
        return ""
    return re.split(r"[.!?…:]\s|\n", whole)[-1].strip()


_NOT_SO: Final = (
    r"(?:not|never|no\s+longer|n't|wrong|false|untrue|incorrect|mistaken|outdated|invented|fictional|fictitious|made[\s-]up|"
    r"a\s+(?:lie|myth|joke|mistake|hoax|bug|misunderstanding))"
)
_UNASSERTED: Final = (
    r"(?:claim|theory|assumption|hypothesis|rumou?r|myth|guess|hunch|idea|plan|hope|wish|promise|belief|impression|"
    r"expectation|proposal|suggestion|intention|lie|joke|fantasy|misconception|misunderstanding|mistake|opinion|view|"
    r"speculation|allegation|excuse|story|legend|dream|fear|suspicion|prediction|forecast|question|thought)s?"
)
_TAIL: Final = lazy_pattern(
    # What is said of the clause itself.
    r"^\W*+(?:(?:which|that|this|it)\s+)?(?:(?:later|then|soon|since|has|have)\s+)?"
    rf"(?:turn(?:s|ed)\s+out|prove[sdn]?)\s+(?:to\s+(?:be|have\s+been)\s+)?(?:\w+ly\s+)?{_NOT_SO}"
    rf"|^\W*+(?:(?:which|that|this|it)\s+)?(?:is|was)\s+(?:\w+\s+){{0,3}}?{_UNASSERTED}\b"
    r"|^\W*+(?:(?:which|that|this|it)\s+)?(?:is|was)\s+(?:only\s+|just\s+)?what\s+(?:[\w'’]+\s+){1,3}"
    r"(?:assum|think|thought|believ|hope|expect|claim|said|say|told|want|wish|fear|plan)\w*"
    rf"|^\s*+[\"'”’)]*+\s*+(?:,|[-–—]+)\s*(?:(?:at\s+least\s+)?an?|the|one\s+more|yet\s+another)\s+(?:\w+\s+){{0,2}}?{_UNASSERTED}\b"
    r"|^\W*+(?:which|that|this)\s+(?:never|(?:did|does)(?:n't|\s+not))\s+(?:happen|hold|work|materiali[sz]|surviv|come)\w*"
    r"|^\W*+(?:no,\s|or\s+(?:will\s+be|would\s+be|was|used\s+to|should|so)\b|as\s+soon\s+as\b|(?:I|we)(?:\s+would|'d)?\s+(?:have\s+)?"
    r"(?:guess|suppose|think|thought|believe|hope|assume|imagine|bet|gather|fear|presume|reckon)\w*\b|[\w\s]{1,24}\sonly[\s).]*$)"
    # A sign of irony.
    r"|^[\s,.)\"'”’*_-]*+(?:/s\b|lol\b|lmao\b|rofl\b|haha\w*|jk\b|not[.!]|yeah,?\s+right|as\s+if[.!]|my\s+foot\b)"
    # A condition that limits a clause wherever it stands.
    r"|^\W*+(?:(?:but|and|though|yet)\s+)?(?:only\s+(?:if|when|while|after|once|with|for|in|on|as)\b"
    r"|(?:as|so)\s+long\s+as\b|assuming\b|barring\b|short\s+of\b|absent\b|provided\b|providing\b|unless\b|except\b(?!\s+that)|"
    r"on\s+condition\b|on\s+the\s+condition\b|subject\s+to\b|pending\b|conditional\s+on\b|if\s+and\s+only\b)",
    re.IGNORECASE,
)
_QUOTED_BY: Final = lazy_pattern(
    r"^,?[\"”’],?\s*(?:[A-Z]\w+|(?:the|our|an?|one|some|my|his|her|their)\s+\w+(?:\s+\w+)?|he|she|they|I|we|someone|somebody)\s+"
    r"(?:\w+ly\s+)?(?!shows?\b|showed\b|confirm|prove)(?:\w+ed|\w+s|wrote|swore|said|told|thought)\b"
    r"(?!\s+(?:up|down|out|in|on|at|to|the|a)\b)"
)
_TAG: Final = lazy_pattern(
    r"^\W*(?:(?:or|and)\s+)?(?:(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|am|ai)(?:n't|\s+not)?"
    r"\s+(?:it|that|this|they|he|she|we|i|you|there)(?:\s+(?:right|correct|so|true|not|wrong|really|the\s+case))?"
    r"|right|correct|yes|no|huh|eh|really|true|not|what)\s*$",
    re.IGNORECASE,
)
_QUESTION: Final = lazy_pattern(
    r"^(?:(?:but|and|or|hm+|wait|so|well),?\s+)*(?:(?:is|was|are)(?:n't|\s+not)?\s+(?:that|this|it)\s+(?:\w+\s+)?"
    r"(?:so|true|right|correct|real|accurate|the\s+case|still|only|just)\b[^.?!]{0,60}|really|right|correct|true|"
    r"(?:does|did|do|can|will|has|is|was)\s+(?:it|that|this|they)(?:\s+(?:really|actually))?|"
    r"or\s+(?:is|was|does|did|do|are|has|have|can|will)\b[^.?!]{0,60}|says\s+who|who\s+says\b[^.?!]{0,20}|since\s+when)\?",
    re.IGNORECASE,
)
_ANSWER: Final = lazy_pattern(
    r"^(?:(?:but|and|yet|however|unfortunately|in\s+fact|actually|sadly|well|sorry|no|except|only),?\s+)*(?:"
    r"(?:it|they|he|she|that|this|we|i|there)\s*(?:does|do|did|is|are|was|were|has|have|had|can|could|will|would)"
    r"(?:n't|\s+not|\s+no\s+longer|\s+never)(?:\s+(?:any\s?more|yet|really|at\s+all|now|of\s+course|in\s+fact))?\s*[.,!;]"
    r"|(?:that|this|none\s+of\s+(?:this|that|it))\s+(?:has\s+|had\s+)?(?:never\s+(?:happen|h[eo]ld|work|came|materiali)\w*|"
    r"happened\b|(?:did|does)(?:n't|\s+not)\s+(?:hold|work\s+out|happen|survive|materiali[sz]e|last|come\s+(?:true|to\s+pass)|pan|match|add)\b|"
    r"fell\s+through|no\s+longer\s+(?:holds|applies)|(?:was|were)\s+(?:before|until|then|back|in\s+the\s+(?:past|old)|"
    r"the\s+(?:old|plan|theory|idea|hope)))"
    r"|(?:correction|corrected|erratum|errata|my\s+(?:mistake|bad|error)|oops|not\s+so\s+fast|citation\s+needed|"
    r"sounds\s+(?:good|nice|great|plausible),?\s+but|(?:the\s+)?(?:opposite|contrary|reverse)\b|not\s+(?:quite|at\s+all|exactly))(?=\W|$)"
    rf"|(?:edit|update|ps|later|note)\s*:\s*(?:this|that|it)\s+(?:is|was|has|does|did)[^.;]{{0,16}}?(?:\b|(?=n't)){_NOT_SO}\b"
    r"|(?:this|that|it)\s+has\s+(?:since|meanwhile|now)\s+(?:been\s+)?(?:changed|fixed|removed|replaced|reverted|corrected)"
    r"|(?:or|so)\s+(?:that\s+(?:is|was)\s+the|(?:i|we|they|he|she|everybody|everyone)\s+(?:all\s+)?(?:thought|believed|hoped|"
    r"assumed|said|claimed|say|claim)|(?:the|our|his|her)\s+\w+\s+(?:claim|say|promise|believe|hope)\w*)\b"
    r"|(?:in\s+reality|in\s+truth|in\s+practice)\b|(?:the\s+\w+(?:\s+\w+)?|\w+)\s+(?:says?|said|shows?|showed|proves?|proved|tells?)\s+"
    r"(?:otherwise|the\s+opposite|something\s+else|a\s+different)\b"
    r"|(?:i|we)\s+(?:now\s+)?know\s+better|(?:later\s+|then\s+|today\s+|now\s+|by\s+now\s+)?(?:it\s+|as\s+it\s+)?"
    rf"(?:turns?|turned)\s+out,?\s+(?:that\s+)?(?:it|that|this|they|he|she|i|we|to)\b[^.;]{{0,24}}?(?:\b|(?=n't)){_NOT_SO}\b"
    rf"|(?:later|then|afterwards|eventually)\b,?\s[^.;]{{0,40}}?\b(?:that|this|it)\s+(?:is|was)(?:n't\b|\s+{_NOT_SO}\b)"
    r"|(?:at\s+least\s+)?(?:that|this)(?:\s+is|'s|\s+was)\s+what\s+(?:[\w'’]+\s+){1,3}(?:says?|said|tells?|told|thinks?|"
    r"thought|claim\w*|believ\w*|hop\w*|assum\w*|want\w*|expect\w*|promis\w*)"
    r"|(?:dropped|shelved|scrapped|postponed|vetoed|voted\s+down|turned\s+down|cancell?ed|rejected|withdrawn|abandoned|"
    r"reverted|retracted|superseded|obsolete|outdated|lol|haha|could(?:n't|\s+not)\s+reproduce|not\s+reproducible|"
    r"in\s+your\s+dreams|dream\s+on|good\s+one|if\s+only|i\s+wish|one\s+can\s+hope|wishful\s+thinking|fat\s+chance|far\s+from\s+it|"
    r"on\s+the\s+contrary|the\s+opposite\s+is|hardly|/s)(?=\s*[,.!:;]|\s+(?:because|by|since|for|as|in|on|at|after|true)\b|$)"
    r"|(?:we|they|the\s+\w+)\s+(?:dropped|shelved|scrapped|rejected|abandoned|voted\s+against|decided\s+against|withdrew)\s+"
    r"(?:it|this|that|the\s+(?:idea|plan|proposal))\b)",
    re.IGNORECASE,
)
_ALL_OF_IT: Final = lazy_pattern(
    r"\b(?:none\s+of\s+(?:this|that|the\s+above|it)\s+(?:is|was|ever|really|actually|has|happened|exists)|(?:all|everything|"
    r"the\s+(?:story|report|text|paragraph|incident|example|log|quote|message|section))\s+(?:of\s+(?:this|the)\s+)?above\s+"
    r"(?:is|was)\b[^.]{0,24}?\b(?:invented|fiction\w*|fictitious|made[\s-]up|fake|wrong|false|hypothetical|untrue|a\s+joke|an\s+example)"
    r"|no\s+such\s+(?:incident|thing|event|outage|case|change|bug|report)\b[^.]{0,24}?\b(?:happen|occur|exist|took)\w*"
    r"|(?:this|that|it)\s+(?:never\s+(?:really\s+|actually\s+)?happened|did\s+not\s+(?:really\s+|actually\s+)?happen))",
    re.IGNORECASE,
)
_MADE_UP: Final = lazy_pattern(
    r"\b(?:made[\s-]up|fictional|fictitious|invented|imaginary|hypothetical|(?:bad|wrong|false|incorrect|poor)\s+(?:answers?|"
    r"claims?|examples?|statements?|advice)|parody|satire|April\s+fool\w*|counter-?examples?)\b",
    re.IGNORECASE,
)
_POINTS: Final = lazy_pattern(
    r"\b(?:following|below|next|here(?:'s|\s+is|\s+are|\s+comes)|this\s+is|these\s+are|for\s+the|from\s+(?:a|an|the))\b|:\s*$",
    re.IGNORECASE,
)
_SENTENCE: Final = lazy_pattern(r"[.!?](?=\s)|\n\s*\n")


def tail_of(behind: str, *, is_question: bool) -> tuple[str, str]:
    """Return the kind of tail that continues a clause and reverses it, and its words."""
    if is_question and (found := _TAG.match(behind)):
        return "a question", f"{found[0].strip()}?"
    if found := _TAIL.match(behind):
        return "a frame behind it", behind
    if found := _QUOTED_BY.match(behind):
        return "a report", found[0]
    return "", ""


def answered(following: str) -> bool:
    """Whether the next sentence has no subject but the clause before it, and denies it or asks about it."""
    return bool(_QUESTION.match(following) or _ANSWER.match(following))


def disowned(ahead: str, beyond: str) -> str:
    """The words before or behind a place, sentences away, that call all of it made up; empty: none."""
    if found := _ALL_OF_IT.search(beyond):
        return found[0]
    last = [one for one in _SENTENCE.split(ahead.rstrip(" \n\t>\"'“‘`*_.")) if one.strip()][-1:]
    if last and _MADE_UP.search(last[0]) and _POINTS.search(last[0]):
        return last[0]
    return ""
