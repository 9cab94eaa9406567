"""The closed classes of English frames: heads that take a clause and do not assert it, by what they make of it, the
links between a head and its clause, conditions, labels, and what takes a statement back behind it."""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy import lazy_pattern, text_tables

HEADS: Final = {
    f"a {name}": "|".join(text.split()).replace("_", r"\s+") for name, text in text_tables(__file__).items()
}
"""What takes a clause and does not assert it, by what it makes of the clause."""
HEAD: Final = lazy_pattern(
    "|".join(rf"(?P<{name.split()[1]}>\b(?:{pattern})\b)" for name, pattern in HEADS.items()), re.IGNORECASE
)
BARE: Final = lazy_pattern(
    r"(?:doubt\w*|believ\w*|think|thinks|thought|assum\w*|guess\w*|suppos\w*|presum\w*|feels?|felt|reckon\w*|"
    r"hop(?:e|es|ed|ing)|"
    r"wish\w*|claim\w*|sa(?:y|ys|id)|hear[sd]?|imagin\w*|fear\w*|suspect\w*|expect\w*|what\s+if|as\s+if|"
    r"as\s+though|"
    r"like|insist\w*|maybe|probably|possibly|mistakenly|convinced|let'?s\s+say|pretend\w*|hypothetically)",
    re.IGNORECASE,
)
"""Heads whose clause needs no `that`."""
CLAIMS: Final = lazy_pattern(
    r"(?:claim|alleg|insist|boast|swear|swore|argu|maintain|advertis|promis|jok|quip|rumou?r|bet)", re.IGNORECASE
)
"""Reporting verbs that express doubt, with any words between them and the report."""
PERSUASION: Final = lazy_pattern(r"tells?|told|promised?|convinced|persuaded", re.IGNORECASE)
"""Verbs with a person as object, whose clause needs no `that`."""
LINK: Final = lazy_pattern(
    r"^[\s\w'’,-]{0,48}?\b(?:that|whether|if|like|as\s+if|as\s+though|how|why|of|to|as|(?:in|under|by)\s+which)\b|"
    r"^[\s:,\"'“‘`*_(]*+$"
    r"|^\s++(?:(?:is|was)\s+)?for\s*$|^\s++(?:is|was|would\s+be)[\s:,\"'“‘]*$",
    re.IGNORECASE,
)
NO_CLAUSE: Final = lazy_pattern(
    r"^\s*+(?:[,;)]|\b(?:and|or|but|about|of|in|on|at|with|for|from|by|to|through|over|again|so|it)\b)", re.IGNORECASE
)
DETERMINER: Final = lazy_pattern(
    r"\b(?:a|an|the|this|that|his|her|its|our|your|my|their|each|every|in|on|at|per|by|from|with)\s*$", re.IGNORECASE
)
WITNESS: Final = lazy_pattern(
    r"\b(?:logs?|journal|trace|output|rfc|standard|source|minutes|transcript|recording|invoice|contract|ledger|"
    r"database|history|benchmark|scan|statistics|release\s+notes|man\s?page|dashboard|graph|chart|panel|"
    r"metrics?|monitor(?:ing)?|tests?|audit|"
    r"profiler?|stderr|"
    r"stdout|error|message|warning|data|numbers|results?|changelog|commit|diff|spec(?:ification)?|docs?|"
    r"documentation|"
    r"manual|readme|schema|code|config|header|response|screen|page|it|which|strace|tcpdump|compiler|linter|"
    r"monitor\w*|server|client|kernel)\b[^,;]{0,24}$",
    re.IGNORECASE,
)
"""What shows and does not claim: its `says that` asserts."""
ASSURED: Final = lazy_pattern(
    r"(?:\b(?:no|without\s+(?:a\s+|any\s+)?|beyond\s+(?:a\s+|any\s+|all\s+)?)\s*(?:doubt|question)|\b(?:nobody|"
    r"no\s+one|none\s+of\s+\w+)\s+(?:\w+\s+)?(?:doubt|disput|den(?:y|i)|question|contest|disagree)\w*|"
    r"\b(?:cannot|can\s?not|can['’]t|could\s+not|couldn['’]t|(?:do|does|did)(?:\s+not|n['’]t))\s+(?:\w+\s+)?(?:deny|"
    r"doubt|dispute|question)|\bundeniabl\w+|"
    r"\b(?:happy|glad|pleased|proud|sorry|sad|able|relieved)\s+to\s+(?:report|say|announce|confirm|tell\s+\w+)|"
    r"\b(?:can|could|may)\s+(?:\w+\s+){0,2}?(?:say|state|report)\s+(?:for\s+(?:certain|sure)|with\s+(?:confidence|"
    r"certainty))|"
    r"\b(?:forg[eo]t|forgotten|remember|neglected|omitted|meant|wanted|want|need|needs)\s+to\s+(?:mention|say|"
    r"tell\s+(?:you|everyone|\w+)|report|add|note|point\s+out)|"
    r"\b(?:don['’]?t|do\s+not|never|let['’]?s\s+not|not\s+to)\s+(?:forget|overlook|underestimate|miss)|\b(?:keep|"
    r"bear|bearing|keeping)\s+in\s+mind|\b(?:i|we)\s+(?:must|should|have\s+to|will|can)\s+(?:also\s+)?(?:say|admit|"
    r"add|mention|note|stress|report)|"
    r"\bagainst\s+(?:all\s+)?(?:the\s+)?odds|\bas\s+(?:promised|predicted|feared|expected|suspected|announced|"
    r"planned|agreed|discussed|requested|said|noted|assumed|hoped)|\bas\s+(?:[\w'’]+\s+){1,3}(?:predicted|suspected|"
    r"expected|feared|"
    r"guessed|assumed|thought|said|claimed|"
    r"believed|hoped|promised|reported))"
    r"(?:\s+(?:is|was|left|whatsoever|whatever|at\s+all|about\s+it))?(?:,)?(?:\s+that)?[\s:,\"'“‘`*_(]*$",
    re.IGNORECASE,
)
"""Heads that assert, though a word of them alone would not: `no doubt that`, `happy to report that`."""
CONCEDED: Final = lazy_pattern(
    r"(?:^|[.;:,])[^\w.;:,]*+(?:although|though|while|whereas|even\s+(?:though|if)|despite|in\s+spite|since|because|"
    r"after|"
    r"contrary\s+to|against|"
    r"unlike|instead\s+of)\b[^,;:]*+,[^\w,;:]*+$",
    re.IGNORECASE,
)
"""A whole clause or phrase up to its comma: a head in it takes nothing that comes behind."""
TALK_IF: Final = lazy_pattern(
    r"^\W*(?:just\s+)?(?:in\s+case|if)\s+(?:any\w*|some\w*|you(?:['’]re)?)\b[^,;:]{0,24}?\b(?:wonder|curious|"
    r"interest|ask(?:s|ed|ing)?\b|care|need|want|miss|forgot)\w*[^,;:]{0,24}$",
    re.IGNORECASE,
)
COMPARISON: Final = lazy_pattern(
    r"\b(?:as|than|(?:contrary|compared|opposed|similar|close|due|thanks)\s+to)\s+(?:[\w'’-]+\s+){0,2}$", re.IGNORECASE
)
CHECKED: Final = lazy_pattern(
    r"(?:^\W*|\b(?:please|to|should|must|let'?s|not|n't|cannot|never|(?:can|could|would|will)\s+(?:you|"
    r"some\w+|any\w+|we|they))"
    r"\s+)(?:\w+ly\s+|also\s+|first\s+)?(?:(?:check|verify|confirm|ensure|make\s+sure|prove|see|test|find\s+out|"
    r"determine|validate|guarantee)\b[^,;:]{0,30}\b(?:that|whether|if)\b|(?:ensure|make\s+(?:\w+\s+)?sure)\s*$)",
    re.IGNORECASE,
)
NOT_SHOWN: Final = lazy_pattern(
    r"(?:\b(?:not|never|cannot|nobody|no\s+one|none\s+of\s+\w+|nothing|hardly|without|unable|yet\s+to|"
    r"neither|few)\b|n't\b)"
    r"(?:(?!\b(?:know|knew|known|reali[sz]\w*|notic\w*|forg[eo]t\w*|remember\w*|aware|regret\w*|surpris\w*|"
    r"only|help)\b)"
    r"[^,;:]){0,48}\b(?:that|whether|why|how)\b|\bwhether\b"
    r"|\b(?:wrongly|falsely|mistakenly|incorrectly|erroneously|misleadingly)\b[^,;:]{0,30}\bthat\b",
    re.IGNORECASE,
)
"""A negated head, unless it takes what it denies to know for granted (`did not know that`)."""
ADVERB: Final = lazy_pattern(
    r"\b(?:for\s+the\s+sake\s+of\s+(?:the\s+)?argument|allegedly|supposedly|reportedly|apparently|ostensibly|"
    r"presumably|purportedly|maybe|perhaps|"
    r"possibly|probably|"
    r"hopefully|ideally|in\s+theory|in\s+principle|on\s+paper|theoretically|hypothetically|"
    r"rumou?r\s+has\s+it|word\s+is|"
    r"afaik|iirc|as\s+far\s+as\s+\w+\s+knows?|(?:oh|yeah|ah),?\s+(?:sure|right|great|of\s+course)|"
    r"(?:in|by)\s+(?:\w+\s+){1,2}(?:opinion|view|estimate))\b(?:\W{0,4}(?:that\s+)?|\s+(?:the|a|an|we|it|"
    r"this|our)\s*)$",
    re.IGNORECASE,
)
ACCORDING: Final = lazy_pattern(r"\baccording\s+to\s+([^,]{1,60}),[^,;]*$", re.IGNORECASE)
LABEL: Final = lazy_pattern(
    r"^\W*(?:(?:(?:open|next)\s+)?questions?|open\s+points?|picture\s+this|test\s*cases?|drafts?|"
    r"(?:[\w'’-]+\s+){1,2}to\s+be\s+\w+|(?:[\w'’-]+\s+){0,2}(?:thoughts?|hunch(?:es)?|speculation|criterion|bets?|"
    r"assum\w+|premises?|old(?:\s+\w+)?|beliefs?|objections?|complaints?|(?:common\s+)?mistakes?|titles?|"
    r"subject|fears?|hopes?|worr(?:y|ies)|predictions?|forecast|vision|requirements?|scenarios?|pitch|fiction|jokes?|"
    r"exercise|quiz|wrong|incorrect|formerly|previously|what\s+if|gossip|hearsay|beliefs?|dreams?|"
    r"proposals?|options?|alternatives?|ideas?|suggestions?|hypothes[ie]s|"
    r"theor(?:y|ies)|"
    r"assumptions?|guess|claims?|myths?|rumou?rs?|to-?\s?dos?|plans?|planned|goals?|non-?goals?|"
    r"wish(?:es|\s?list)?|"
    r"expected|expectations?|criteria|misconceptions?|rejected|declined|"
    r"backlog|roadmap|out\s+of\s+scope|next\s+steps|to\s+be\s+\w+|undecided|unconfirmed|"
    r"tb[acd]))(?:\s+(?:from|for|of|in|after|by|at|on|to|about|before)\b[^:]{0,40})?"
    r"(?:\s+[(\[]?[\w.#-]{1,12}[)\]]?){0,2}[\"'*_\s]*:?[\s\"'“‘`*_]*$",
    re.IGNORECASE,
)
TITLE: Final = lazy_pattern(
    r"\b(?:[A-Z][A-Z0-9]+-\d+|tickets?|issues?|stor(?:y|ies)|tasks?|epics?|bugs?|requests?|RFC|proposals?|"
    r"titled?|entitled|"
    r"called|named|headed|headline|subject|slogan|motto|joke)\b[^\"“”]{0,24}[\"“‘'「『]$"
)
TO_CLOSE: Final = lazy_pattern(
    r";|\s-{1,2}\s|,\s+(?:and|but|so|yet)\b|:\s+(?=\S)|\b(?:but|because|since|although|(?<!as )though|whereas|"
    r"therefore|hence|so\s+that)\b"
    r"|,\s+(?:as|while|which|who|where)\b|[.!?]\s",
    re.IGNORECASE,
)
"""What ends the clause that a head takes."""
IF: Final = (
    r"if|unless|until|till|provided(?:\s+that)?|providing(?:\s+that)?|assuming(?:\s+that)?|supposing|"
    r"as\s+long\s+as|"
    r"so\s+long\s+as|on\s+condition\s+that|on\s+the\s+condition\s+that|in\s+the\s+event|in\s+case|"
    r"when(?:ever)?|once|as\s+soon\s+as"
)
CONDITION: Final = lazy_pattern(
    rf"(?:^\W*|[,;:(]\s*|-\s+|\b(?:and|but|so|that|then|or|also|only)\s+)(?P<if>{IF})\b", re.IGNORECASE
)
BEHIND_IF: Final = lazy_pattern(
    rf"(?:^|[\s,(])(?<!even )(?<!as )(?P<if>(?:but\s+|and\s+)?(?:only\s+)?(?:{IF})|except(?:ing)?|(?<=,\s)(?:bar|"
    rf"save|minus|barring)|but\s+(?:only|"
    rf"not)|other\s+than|apart\s+from|"
    r"with\s+the\s+exception|excluding|subject\s+to|depending\s+on|conditional\s+on|contingent\s+on|pending|"
    r"only\s+(?:after|for|in|on|with|by|during|where))\b",
    re.IGNORECASE,
)
ONLY: Final = lazy_pattern(
    r"\bonly\s+(?:in|on|at|for|with|by|under|during|after|before|within|from|through|where)\b[^,;:]*,?\s*$",
    re.IGNORECASE,
)
EXCEPT: Final = lazy_pattern(
    r"^\W*(?:(?:had|were|should)\s+\w+\b|except|apart\s+from|other\s+than|aside\s+from|besides|excluding|"
    r"without|barring|"
    r"but\s+for|pending|depending\s+on|subject\s+to|(?:in|for)\s+(?:the|a|an)\s+(?:\w+\s+)?(?:scenario|case|"
    r"event|world|"
    r"universe|mock-?up|proposal|draft|plan)\b)[^;:]{0,80},?\s*$",
    re.IGNORECASE,
)
LATER: Final = lazy_pattern(
    r"(?:\bby\s+(?:20\d\d|next\s+\w+|the\s+end\s+of\s+[\w\s]{1,16})|\b(?:next|coming)\s+(?:week|month|quarter|year|"
    r"sprint|release|version)|\b(?:tomorrow|soon|"
    r"eventually|some\s?day|one\s+day)|"
    r"\bin\s+(?:the\s+)?(?:near\s+)?future|\bfrom\s+\w+\s+on|\bstarting\s+(?:in\s+|on\s+|from\s+)?\w+|"
    r"\blater\s+this\s+\w+)\s*,?\s*$",
    re.IGNORECASE,
)
EARLIER: Final = lazy_pattern(
    r"^\W*(?:formerly|(?:back\s+)?in\s+(?:an?\s+|the\s+)?(?:earlier|older|old|previous|first|former)\s+\w+|"
    r"back\s+in\s+\w+|at\s+the\s+time|in\s+the\s+(?:old|early)\s+\w+|originally|initially|in\s+the\s+past|"
    r"once\s+upon\s+a\s+time|back\s+then|until\s+recently)\b[^;:]*$",
    re.IGNORECASE,
)
TIMED: Final = frozenset(("as", "when", "whenever", "once", "until", "till"))
PAST: Final = lazy_pattern(
    r"\b(?:was|were|had|did|went|came|got|ran|fell|rose|took|gave|lost|broke|began|[a-z]{2,}ed)\b", re.IGNORECASE
)
_PARTICIPLE: Final = lazy_pattern(
    r"\b(?:is|are|be|been|being|has|have|gets?|will)\s+(?:\w+ly\s+|not\s+|been\s+|fully\s+)*(?:[a-z]{2,}ed|gone|got)\b",
    re.IGNORECASE,
)
"""What looks like a past form, and is a present passive or perfect."""


def is_past(clause: str) -> bool:
    """Return whether a clause describes the past, not a future result."""
    return PAST.search(_PARTICIPLE.sub(" ", clause)) is not None


ASKING: Final = lazy_pattern(
    r"\b(?:ask\w*|check\w*|see|know\w*|wonder\w*|sure|tell\w*|test\w*|verif\w*|clear|decid\w*|determin\w*|"
    r"find\s+out|learn\w*|acknowledge\w*|show\w*|say\w*|"
    r"matter\w*|remember\w*|understand\w*)\s*$",
    re.IGNORECASE,
)
PART_OF: Final = lazy_pattern(
    r"\b(?:some|most|many|few|none|half|any|one|two|three|four|five|six|seven|eight|nine|ten|several|part|parts|"
    r"majority|minority|percent|%|number|quarter|"
    r"third|each|either|neither|\d+)\s+(?:out\s+)?of(?:\s+(?:the|these|those|its|our|my|their|your|all))?\s*$|\b(?:no|few|hardly|barely|scarcely|rarely|seldom|only|nearly|almost|"
    r"not\s+(?:all|every|any|each)|neither|nor)\s*$",
    re.IGNORECASE,
)
BOUND: Final = lazy_pattern(
    r"(?:\b(?:at\s+most|at\s+least|up\s+to|(?:less|more|fewer)\s+than|over|under|nearly|almost|below|above))\s*$",
    re.IGNORECASE,
)
_DENIED: Final = (
    r"(?:not|n't|never|hardly)\s+(?:\w+\s+)?(?:true|so|the\s+case|correct|right|accurate|real|valid)\b|"
    r"\b(?:false|wrong|untrue|incorrect|inaccurate|"
    r"nonsense|rubbish|misleading|mistaken|doubtful|unlikely|unproven|unconfirmed|refuted|disproved|"
    r"disproven|debunked|"
    r"retracted|rejected|withdrawn|dropped|abandoned|outdated|obsolete|out\s+of\s+date|no\s+longer\s+(?:true|"
    r"so|the\s+case)|"
    r"(?:a|an|only\s+a|just\s+a|pure)\s+(?:lie|myth|joke|mistake|misunderstanding|rumou?r|guess|theory|hoax|"
    r"error|misconception|legend|"
    r"speculation|claim|assumption|hypothesis|hope|wish|dream|opinion|proposal|suggestion|question))\b(?!\s+(?!as\b|"
    r"always\b|this\b|was\b|is\b|has\b)[a-z]+s\b)"
)
WHICH_IS: Final = lazy_pattern(
    rf"^\W*(?:(?:but|and|yet|though|although)\s+)?(?:(?:which|that|this|it)\b[^.;]{{0,24}}?|(?:is|was|isn't|"
    rf"wasn't|would\s+be)\s[^.;]{{0,12}}?)(?:{_DENIED})",
    re.IGNORECASE,
)
_UNCHECKED: Final = (
    r"(?:(?:not|n't|never|cannot|nobody|no\s+one|none\s+of\s+us|yet\s+to|unable\s+to|"
    r"remains?\s+to\s+be)\b[^.;]{0,24}?"
    r"\b(?:confirm|verif|prove|proof|believ|reproduc|check|measur)\w*|\b(?:doubt|den(?:y|ied|ies)|disput|"
    r"disagree|contradict)\w*)"
)
"""Phrases that express that a fact is unknown or disputed."""
BUT_UNCHECKED: Final = lazy_pattern(
    rf"^\W*(?:which|but|though|although|however|yet)\b[^.;]{{0,32}}?{_UNCHECKED}", re.IGNORECASE
)
TAKEN_BACK: Final = lazy_pattern(
    r"^\W*+(?:(?:but|and|yet|however|unfortunately|in\s+fact|actually|sadly|well|sorry|no),?\s+)*(?:"
    r"(?:that|this|it|these|those|none\s+of\s+(?:this|that|it)|all\s+of\s+(?:this|that)|the\s+(?:claim|"
    r"statement|assumption|theory|"
    rf"hypothesis|rumou?r|idea|report|proposal))\b[^.;,]{{0,32}}?(?:{_DENIED})"
    r"|(?:wrong|false|untrue|not\s+(?:true|so|really|any\s?more)|(?:just|only)?\s*(?:kidding|joking|"
    r"a\s+joke)|yeah,?\s+right|as\s+if|"
    r"rejected|declined|withdrawn|abandoned|cancell?ed|retracted|debunked|nope|no(?!,\s+(?:we|i|you|there)\s+(?:do|"
    r"did|have|need|can|will|wo|are|is)\b)|scratch\s+that|"
    r"ignore\s+that|not)(?=\s*[,.!:;]|\s+(?:because|by|since|for|as)\b|$)"
    rf"|(?:(?:i|we|they|nobody|no\s+one)\b[^.;]{{0,12}}?)?{_UNCHECKED}\s+(?:that|this|it|so)\s*(?:[.,;!]|$|"
    rf"yet\b|so\s+far\b|either\b)"
    rf"|(?:that|this|it)\b[^.;]{{0,12}}?{_UNCHECKED}"
    r"|(?:i|we)\s+(?:was|were)\s+(?:\w+\s+)?(?:wrong|mistaken|joking|kidding)|(?:i|we)\s+take\s+(?:that|"
    r"it)\s+back|or\s+so\s+(?:\w+\s+)?(?:thought|said|claim\w*)"
    r"|(?:at\s+least\s+)?(?:that|this)\s+is\s+what\s+\w+(?:\s+\w+)?\s+(?:thought|said|claim\w*|believ\w*|"
    r"hop\w*)|(?:it\s+)?turns\s+out\s+(?:it|that|this|they)\s+(?:is|was|does|did|has|had)(?:\s+not|n't))",
    re.IGNORECASE,
)
BEFORE_THAT: Final = lazy_pattern(
    r"\b(?:was|were|did)(?:\s+not|n['’]t)\b[^.;]*\b(?:before|until|prior\s+to|earlier|last|in\s+the\s+past)\b",
    re.IGNORECASE,
)
"""A denial of former times: it says that the statement holds now."""
REPORT_BEHIND: Final = lazy_pattern(
    r"^\W*+(?:(?:or\s+so\s+)?(?:I|i|we|he|she|they|some|many|people|[A-Z]\w+|the\s+\w+|an?\s+\w+|"
    r"our\s+\w+)\s+"
    r"(?:\w+ly\s+)?(?:claim(?:s|ed)?|sa(?:ys?|id)|thinks?|thought|believe[sd]?|allege[sd]?|argue[sd]?|"
    r"hope[sd]?|guess(?:ed)?|"
    r"assume[sd]?|suspect(?:s|ed)?|insist(?:s|ed)?|suggest(?:s|ed)?|reckon(?:s|ed)?|feels?|fear(?:s|ed)?)\b"
    r"|(?:(?:or|and|but)\s+)?(?:at\s+least\s+)?(?:so|(?:that|this|it)(?:\s+is|'s)\s+what|(?:is|"
    r"was)\s+what)\s+(?:\w+\s+){1,3}"
    r"(?:thought|thinks?|said|says?|told|claim\w*|believ\w*|hop\w*)\b"
    r"|(?:says|said|claims|claimed|according\s+to)\b|(?:apparently|allegedly|supposedly|reportedly|"
    r"presumably|maybe|perhaps|hopefully|"
    r"in\s+theory|on\s+paper|in\s+principle|citation\s+needed|at\s+least\s+in\s+theory|as\s+far\s+as\s+\w+\s+knows?|"
    r"afaik|iirc)\b)",
)
TAG: Final = lazy_pattern(r",\s*(?:right|no|correct|\w+n't\s+\w+|\w+\s+\w+)\s*$", re.IGNORECASE)
ASKS: Final = lazy_pattern(
    r"^\W*(?:(?:and|but|so|or),?\s+)?(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|"
    r"may|might|am|isn't|aren't|doesn't|didn't|why|how|what|who|when|where|which|any(?:one|body))\b",
    re.IGNORECASE,
)
