"""What stands behind an English clause, or sentences away, and takes it back: a tail, a tag, an answer, a remark.

Only what has no other subject than the clause itself: `It doesn't.`, `Is that so?`, `, or so we were told`,
`None of this happened.`.
"""

from __future__ import annotations

import re
from typing import Final

_NOT_SO: Final = (
    r"(?:not|never|no\s+longer|n't|wrong|false|untrue|incorrect|mistaken|outdated|invented|fictional|fictitious|made[\s-]up|"
    r"a\s+(?:lie|myth|joke|mistake|hoax|bug|misunderstanding))"
)
_UNASSERTED: Final = (
    r"(?:claim|theory|assumption|hypothesis|rumou?r|myth|guess|hunch|idea|plan|hope|wish|promise|belief|impression|"
    r"expectation|proposal|suggestion|intention|lie|joke|fantasy|misconception|misunderstanding|mistake|opinion|view|"
    r"speculation|allegation|excuse|story|legend|dream|fear|suspicion|prediction|forecast|question|thought)s?"
)
_TAIL: Final = re.compile(
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
_QUOTED_BY: Final = re.compile(
    r"^,?[\"”’],?\s*(?:[A-Z]\w+|(?:the|our|an?|one|some|my|his|her|their)\s+\w+(?:\s+\w+)?|he|she|they|I|we|someone|somebody)\s+"
    r"(?:\w+ly\s+)?(?!shows?\b|showed\b|confirm|prove)(?:\w+ed|\w+s|wrote|swore|said|told|thought)\b"
    r"(?!\s+(?:up|down|out|in|on|at|to|the|a)\b)"
)
_TAG: Final = re.compile(
    r"^\W*(?:(?:or|and)\s+)?(?:(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|am|ai)(?:n't|\s+not)?"
    r"\s+(?:it|that|this|they|he|she|we|i|you|there)(?:\s+(?:right|correct|so|true|not|wrong|really|the\s+case))?"
    r"|right|correct|yes|no|huh|eh|really|true|not|what)\s*$",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"^(?:(?:but|and|or|hm+|wait|so|well),?\s+)*(?:(?:is|was|are)(?:n't|\s+not)?\s+(?:that|this|it)\s+(?:\w+\s+)?"
    r"(?:so|true|right|correct|real|accurate|the\s+case|still|only|just)\b[^.?!]{0,60}|really|right|correct|true|"
    r"(?:does|did|do|can|will|has|is|was)\s+(?:it|that|this|they)(?:\s+(?:really|actually))?|"
    r"or\s+(?:is|was|does|did|do|are|has|have|can|will)\b[^.?!]{0,60}|says\s+who|who\s+says\b[^.?!]{0,20}|since\s+when)\?",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(
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
_ALL_OF_IT: Final = re.compile(
    r"\b(?:none\s+of\s+(?:this|that|the\s+above|it)\s+(?:is|was|ever|really|actually|has|happened|exists)|(?:all|everything|"
    r"the\s+(?:story|report|text|paragraph|incident|example|log|quote|message|section))\s+(?:of\s+(?:this|the)\s+)?above\s+"
    r"(?:is|was)\b[^.]{0,24}?\b(?:invented|fiction\w*|fictitious|made[\s-]up|fake|wrong|false|hypothetical|untrue|a\s+joke|an\s+example)"
    r"|no\s+such\s+(?:incident|thing|event|outage|case|change|bug|report)\b[^.]{0,24}?\b(?:happen|occur|exist|took)\w*"
    r"|(?:this|that|it)\s+(?:never\s+(?:really\s+|actually\s+)?happened|did\s+not\s+(?:really\s+|actually\s+)?happen))",
    re.IGNORECASE,
)
_MADE_UP: Final = re.compile(
    r"\b(?:made[\s-]up|fictional|fictitious|invented|imaginary|hypothetical|(?:bad|wrong|false|incorrect|poor)\s+(?:answers?|"
    r"claims?|examples?|statements?|advice)|parody|satire|April\s+fool\w*|counter-?examples?)\b",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"\b(?:following|below|next|here(?:'s|\s+is|\s+are|\s+comes)|this\s+is|these\s+are|for\s+the|from\s+(?:a|an|the))\b|:\s*$",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[.!?](?=\s)|\n\s*\n")


def tail_of(behind: str, *, asked: bool) -> tuple[str, str]:
    """What kind of tail goes on with a clause in its sentence and takes it back, and its words."""
    if asked and (found := _TAG.match(behind)):
        return "a question", f"{found[0].strip()}?"
    if found := _TAIL.match(behind):
        return "a frame behind it", behind
    if found := _QUOTED_BY.match(behind):
        return "a report", found[0]
    return "", ""


def answered(following: str) -> bool:
    """Whether the next sentence has no subject but the clause before it, and denies it or asks about it."""
    return bool(_ASKED.match(following) or _ANSWER.match(following))


def disowned(ahead: str, beyond: str) -> str:
    """The words before or behind a place, sentences away, that call all of it made up; empty: none."""
    if found := _ALL_OF_IT.search(beyond):
        return found[0]
    last = [one for one in _SENTENCE.split(ahead.rstrip(" \n\t>\"'“‘`*_.")) if one.strip()][-1:]
    if last and _MADE_UP.search(last[0]) and _POINTS.search(last[0]):
        return last[0]
    return ""
