"""What an English clause behind a head is: asserted, only where the head is of the short classes that assert.

A clause behind `that` belongs to its head. Heads that assert are few and closed (`found`, `shows`, `the reason is`);
heads that do not are without end, so a head that is unknown asserts nothing.
"""

from __future__ import annotations

import re
from typing import Final

_THAT: Final = re.compile(r"\b(?:that|whether)[\s:,\"'“‘`*_(]*$", re.IGNORECASE)
_ASSERTING: Final = re.compile(
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
_ONLY_POSSIBLE: Final = re.compile(
    r"\b(?:would|could|might|may|should|mistake|wrong|remains?|yet|to\s+be|(?:want|wish|hop|try|tri|need|like|love|"
    r"fail|plan|refus|intend|attempt|expect)\w*\s+to|going\s+to|unable|far\s+be|tempting|easy|premature|rash|hasty|"
    r"hard|impossible|afraid)\b"
    r"[^,;:]{0,40}$",
    re.IGNORECASE,
)
_STATED: Final = re.compile(
    r"\b(?:say|said|stat|read|report|mention|write|wrote|written|announc|suggest|print|warn|complain|insist|claim|"
    r"specif|list|describ|defin)\w*",
    re.IGNORECASE,
)
_HAS_IT: Final = re.compile(r"\b(?:has|have|had)\s+it\b[^,;:]*$", re.IGNORECASE)
_DEMONSTRATIVE: Final = re.compile(
    r"\b(?:of|in|at|on|by|with|from|for|to|than|like|all|and|or)\s+that\W*$", re.IGNORECASE
)
_BELIEVER: Final = re.compile(
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
_HOPE: Final = re.compile(
    r"(?:^\W*|[,;:]\s*|\b(?:and|but|so)\s+)(?:with\s+(?:(?:a\s+\w+\s+of|some|any|more|a\s+little)\s+)?luck|"
    r"god\s+willing|"
    r"fingers\s+crossed|for\s+all\s+\w+\s+(?:know|care|can\s+tell)s?|as\s+far\s+as\s+\w+\s+(?:can|could)\s+\w+|"
    r"to\s+(?:the\s+best\s+of\s+)?my\s+knowledge|rumou?r\s+is|legend\s+has\s+it|sure|yeah|right|of\s+course|"
    r"strike\s+that|scratch\s+that|short\s+of\s+[^,;:]{1,40}|absent\s+[^,;:]{1,40}|"
    r"failing\s+that)\s*[,:]?[\s\"“‘'*_`]*$",
    re.IGNORECASE,
)
_SARCASM: Final = re.compile(r"^\W*(?:sure|yeah|right|of\s+course)\s*,\s*$", re.IGNORECASE)
FAILED: Final = re.compile(r"(?:[✗✘✖❌]|\bFAIL(?:ED|URE)?:?|\bnot\s+ok\s+\d+(?:\s+-)?)\s*$")
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


_NOUN: Final = re.compile(
    r"(?:^|\s)(?P<det>an?|the|this|these|those|our|my|your|his|her|its|their|some|several|two|three|four|\d+|every|"
    r"each|one|another|other|[\w]+['’]s)"
    r"(?P<words>(?:\s+[\w./`-]+){1,3})\s*$",
    re.IGNORECASE,
)
_CONTENT: Final = re.compile(
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
_WANTED: Final = re.compile(
    r"\b(?:would|could|might|may|should|need|needs|needed|want|wants|wanted|lack|lacks|imagin\w*|propos\w*|plan\w*|"
    r"looking\s+for|wish\w*|no|not|never|n['’]t|if)\b|n['’]t\b",
    re.IGNORECASE,
)
_VERB_FORM: Final = re.compile(
    r"(?:ed|ing|[^s]s|wrote|said|told|thought|swore|held|felt|heard|knew|saw|found|meant)$", re.IGNORECASE
)


def _is_relative(head: str) -> bool:
    """Whether `that` behind `head` begins a relative clause: behind a noun with its article, which is of no content."""
    found = _NOUN.search(head)
    if found is None or _WANTED.search(head):
        return False
    *ahead, noun = found["words"].split()
    if _CONTENT.match(noun) or any(_CONTENT.match(word) for word in ahead):
        return False
    # Behind the noun of a subject the last word would be its verb: `the log says that`, `the users moan that`.
    return not ahead or not (_VERB_FORM.search(noun) or ahead[-1].endswith("s") or noun.lower().endswith("ly"))


def _bare_agreement(clause: str) -> bool:
    """Whether `Sure,` alone goes before: it answers, and takes nothing back."""
    return _SARCASM.match(clause) is not None
