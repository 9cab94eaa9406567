"""What the next English sentence does to a statement: withdraws, doubts, limits or reverses it, or calls it a wish.

Each class is read by its own subject: the speaker who slipped (`I misread`), the statement itself (`that was`,
`that decision was reversed`), a rest of a sentence without a verb of its own (`Only on Fridays.`), a request to check
it, or people who changed their minds (`we have since dropped it`). Another subject (`the earlier plan was dropped`) is
another matter."""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy import lazy_pattern

_LEAD: Final = (
    r"^\W*+(?>(?:(?:and|but|so|yet|or|then|though|however|well|oh|ah|hm+|hmm+|uh|um|er|erm|ha|haha|ok|okay|yeah|yes|no|"
    r"nope|"
    r"sorry|apologies|unfortunately|sadly|alas|actually|edit(?:ed)?|update|ps|later|note|honestly|frankly|"
    r"to\s+be\s+(?:fair|honest|clear)|in\s+fact|of\s+course|obviously|at\s+least|now|today)\b[\s,.:;!…-]*+)*)"
)
_WITHDRAWN: Final = (
    r"(?:oops|whoops|wait(?=\W*$|\s*[,.!;:…–—-]|\s+(?:no|what|a\s+\w+))|hold\s+on|hang\s+on|scratch\s+(?:that|this)|"
    r"strike\s+(?:that|this)|never\s+mind|nevermind|"
    r"(?:please\s+)?(?:ignore|disregard|forget|discard)\s+(?:that|this|it|the\s+above|what\s+i|my)\b|"
    r"(?:please\s+)?disregard\b|correction\b|corrigendum|erratum|my\s+(?:bad|mistake|fault|error)|just\s+kidding|"
    r"kidding|"
    r"jk\b|psych\b|wrong\s+(?:\w+\s+){0,2}?\w+[,.;:!]|(?:i|we)\s+(?:stand|am|was|were)\s+corrected|good\s+one|"
    r"nice\s+(?:try|joke)|if\s+only(?=\W*$|\s*[!.,]|\s+(?:it|that|this)\b)|"
    r"big\s+if\s+true|(?:almost\s+|sounds\s+|way\s+)*too\s+good\s+to\s+be\s+true|(?:i|we|one)\s+wish(?=\W*$|"
    r"\s*[!.,]|\s+(?:it|that|this)\b)|wishful|"
    r"pigs\s+(?:can\s+|might\s+|will\s+)?fly|when\s+(?:pigs|hell)\b|as\s+if\b|famous\s+last\s+words|dream\s+on|"
    r"yeah\s+right|you\s+wish|fat\s+chance|april\s+fool\w*|pure\s+fiction|"
    r"not\s+(?:\w+\s+){1,5}?(?:it|that|this|they)\s+(?:is|does|did|was|has|are|do)n['’]?t)"
)
_SLIPPED: Final = (
    r"(?:i|we|he|she|they|somebody|someone)(?:['’](?:m|re|d|ve))?\s+(?:(?:must|may|might|could)\s+have\s+|have\s+|"
    r"had\s+|just\s+|think\s+i\s+|"
    r"(?:probably|apparently|clearly|obviously|simply|totally|completely)\s+)*"
    r"(?:mis(?:read|remembered|spoke|took|typed|heard|stated|understood|counted|calculated|labell?ed|interpreted|"
    r"judged)|"
    r"mixed\s+(?:\w+\s+){0,2}up|confused|got\s+(?:it|that|this|them)\s+(?:wrong|backwards|mixed)|"
    r"made\s+(?:that|this|it|all\s+of\s+(?:that|this|it))\s+(?:\w+\s+)?up|invented\s+(?:that|this|it)|"
    r"take\s+(?:it|that|this|everything)\s+back|retract|withdraw|jumped\s+the\s+gun|spoke\s+too\s+soon|"
    r"(?:was|were)\s+(?:\w+\s+)?(?:looking\s+at|reading|testing|checking|on|in|using|querying|"
    r"connected\s+to)\s+(?:the|a|an|my)\s+"
    r"(?:wrong|other|old|stale|cached|outdated|dry|test|dev|staging|local)\b|"
    r"(?:had|left|forgot|used|opened|checked|read|looked\s+at|queried|copied|pasted)\s+(?:\w+\s+){0,3}?(?:wrong|"
    r"other|old|stale|cached|outdated|filter)\b|"
    r"(?:was|were|am|are)\s+(?:\w+ly\s+|so\s+|quite\s+)?(?:wrong|mistaken|kidding|joking|lying|exaggerating|"
    r"guessing|not\s+serious)|"
    r"(?:(?:only|just)\s+)?guessing\b|(?:\w+ly\s+)?(?:think|thought|believe|hope|guess|suppose|assume|reckon|gather|"
    r"imagine)(?:\s+so)?\s*(?:[.!…;)]|$))"
)
_UNSURE: Final = (
    r"(?:(?:nobody|no\s+one|no-one|none\s+of\s+us|not\s+one\s+of\s+us)(?:\s+(?:has|have|had|did|could|can|would|is|"
    r"was))?|"
    r"(?:i|we)(?:['’](?:m|re|ve|d|ll))?(?:\s+(?:am|are|have|had|did|do|could|can|would|will|was|were))?(?:\s+not|"
    r"n['’]t|not|\s+never|\s+yet\s+to|\s+no|\s+haven['’]t|\s+didn['’]t|\s+don['’]t|\s+couldn['’]t|\s+can['’]t|"
    r"\s+wouldn['’]t))"
    r"\s+(?:\w+ly\s+|yet\s+|actually\s+|really\s+|ever\s+|been\s+able\s+to\s+|able\s+to\s+)*"
    r"(?:(?:100\s*%\s+|entirely\s+|totally\s+)?(?:sure|certain|convinced|positive)(?:\s+(?:about|of)\s+(?:that|this|"
    r"it)|\s+(?:if|whether|that)\s+(?:that|this|it)\b[^.;]*|\s+though)?\s*[,.;!]|"
    r"(?:test|verif|check|confirm|measur|reproduc|validat|prov|show|see|saw|seen|bet|swear|vouch|guarantee|buy|"
    r"believ|trust)\w*"
    r"\s+(?:for\s+|on\s+|into\s+)?(?:(?:that|this|it|any\s+of\s+(?:that|this|it))\b(?=\s*(?:[,.;!?…(–—-]|$|(?:yet|"
    r"either|though|myself|ourselves|so\s+far|for|on|in|with|at|independently|personally|again|from|since)\b))|"
    r"me\s+(?:where|how|why|proof)\b)|"
    r"(?:proof|evidence|idea\s+(?:if|whether)\s+(?:that|this|it)|way\s+of\s+(?:checking|knowing|verifying|testing|"
    r"confirming)|way\s+to\s+(?:check|verify|confirm|tell|know))\b)"
)
_SAME: Final = (
    r"(?:that|this|it|these|those|none\s+of\s+(?:this|that|it)|nothing\s+of\s+(?:this|that|it)|all\s+of\s+(?:this|"
    r"that|it)|"
    r"(?:that|this|the|which)\s+(?:one|claim|statement|assumption|theory|rumou?r|number|figure|result|part|bit|info|"
    r"information|sentence|line|paragraph|"
    r"section|above|last\s+(?:part|bit|sentence|point)))"
)
_SUBJECTIVE: Final = (
    r"(?:story|theory|idea|plan|hope|dream|goal|aim|wish|claim|rumou?r|guess|hunch|assumption|hypothesis|intention|"
    r"promise|reading|understanding|interpretation|take|recollection|conjecture|"
    r"proposal|suggestion|vision|pitch|legend|myth|speculation|expectation|impression|feeling|opinion|fantasy|thinking|"
    r"ambition|target|objective|requirement|draft|joke|fiction|lie|question|artefact|artifact|bug|fluke|glitch|"
    r"illusion|"
    r"misunderstanding|mistake|exaggeration|red\s+herring|false\s+alarm|typo|hoax)"
)
_LONG_AGO: Final = (
    r"(?:last\s+\w+|yesterday|then|years?\s+ago|months?\s+ago|weeks?\s+ago|(?:\w+\s+){1,2}ago|before\s+(?:the|we|"
    r"our|i)\b|back\s+(?:then|when|in)|"
    r"in\s+(?:19|20)\d\d|(?:in\s+)?the\s+(?:past|old|previous|former|original|first)\b|until\b|prior\s+to|"
    r"ages\s+ago|history|no\s+more|over\b)"
)
_OF_IT: Final = (
    rf"{_SAME}(?:'s|\s+is|\s+was|\s+were|\s+are|\s+has\s+been|\s+would\s+be|\s+may\s+be|\s+might\s+be|\s+could\s+be|"
    rf"\s+remains|\s+sounds)\s+"
    r"(?:(?:now|still|just|only|merely|probably|clearly|simply|all|mostly|pure|purely|at\s+best|actually|really)\s+)*"
    rf"(?:(?:a|an|the|my|our|his|her|their|some|\w+['’]s)\s+(?:[\w-]+\s+){{0,3}}?{_SUBJECTIVE}\b(?!\s+(?:to|"
    rf"that)\b)|{_SUBJECTIVE}\b(?!\s+(?:to|that)\b)|"
    r"(?:true|valid|the\s+case|possible|so|right|correct|accurate)\s+(?:only\s+)?(?:for|if|when|in|on|as\s+long|"
    r"under|while|until)\b|"
    r"(?:to\s+be\s+(?:confirmed|verified|checked|tested|seen|decided|proven)|unverified|unconfirmed|untested|"
    r"unproven|unclear|"
    r"outdated|obsolete|stale|retracted|withdrawn|deprecated|superseded|overruled|reverted|rejected|debatable|"
    r"disputed|contested|hearsay|second-?hand|"
    r"hypothetical|theoretical|aspirational|speculative|wishful|fictional|fictitious|sarcas\w+|irony|ironic|satire|"
    r"too\s+optimistic|premature|up\s+for\s+debate|an\s+open)\b)"
    rf"|{_SAME}\s+(?:was|were)\s+(?:only\s+|just\s+|all\s+)?{_LONG_AGO}"
    rf"|{_SAME}\s+(?:only|just)\s+(?:\w+ly\s+)?(?:applies|holds|works|goes|happens|counts|concerns|affects|covers|"
    rf"matters|was|is)\b"
    rf"|{_SAME}\s+(?:applies|holds|works|goes|counts|is\s+true|is\s+valid)\b[^.;]*\bonly\b"
    rf"|{_SAME}\s+(?:will|would|may|might|can|could)?\s*(?:applies|apply|holds|hold|works|work|"
    rf"happens?)\s+(?:only\b|(?:if|unless|until|as\s+long|provided)\b)"
    rf"|{_SAME}\s+(?:did|does|has|have|had|was|is|were|could|would|will)(?:\s+not|n['’]?t|"
    rf"\s+never)\s+(?:\w+\s+)?(?:surviv|happen|hold|last|pan|materiali|work\s+out|come\s+(?:true|to\s+pass|about)|"
    rf"add\s+up|match|check|stand|yet\s+)\w*"
    rf"|{_SAME}\s+(?:turn(?:s|ed)\s+out|proved|proves|proven)\s+(?:to\s+(?:be|have\s+been)\s+)?(?:\w+ly\s+)?(?:(?:a|"
    rf"an|the|just|only)\s+(?:[\w-]+\s+){{0,2}}?)?"
    rf"(?:{_SUBJECTIVE}|wrong|false|untrue|incorrect|inaccurate|mistaken|premature|otherwise|different|too\s+\w+|"
    rf"unfounded)\b"
    rf"|{_SAME}\s+(?:needs?|requires?|deserves?|wants?)\s+(?:to\s+be\s+|some\s+|more\s+|further\s+|a\s+|"
    rf"another\s+)?(?:check|verif|confirm|test|proof|proven|validat|double|second)\w*"
    rf"|none\s+of\s+(?:that|this|it)\s+(?!is\s+new|matters|needs|affects|is\s+urgent|costs|is\s+visible)\w+"
    rf"|take\s+(?:that|this|it|everything|all\s+of\s+(?:this|that))\s+with\s+"
    rf"|(?:do\s*n['’]?t|don['’]?t|do\s+not|please\s+do\s+not|never)\s+(?:quote\s+me|hold\s+me|take\s+(?:that|this|"
    rf"it|my\s+word)|rely\s+on\s+(?:that|this|it)|trust\s+(?:that|this|it)|believe\s+(?:that|this|it|a\s+word|me))"
)
_BARE_REST: Final = lazy_pattern(
    r"^\W*+(?>(?:(?:but|and|or|well|at\s+least|that\s+is|though)\b[\s,]*)*)(?:"
    # A limit without a clause of its own.
    r"(?:only\s+(?:for|if|in|on|when|with|at|by|during|after|before|under|while|until|from|as|between|within|"
    r"through)|except|unless|"
    r"provided|providing|assuming|(?:if(?!\s+only)|when|whenever|once|until)(?=[^*`:]*[.!…]\s*$)|as\s+long\s+as|"
    r"so\s+long\s+as|"
    r"but\s+not|"
    r"not\s+(?:for|if|in|on|when|with|at|by|during|after|under|while|from|yet|always|really|any\s?more|everywhere|"
    r"until|unless)|"
    r"with\s+(?:any|some)\s+luck|according\s+to|on\s+a\s+good\s+day|in\s+(?:my|his|her|their|your|our)\s+(?:dreams?|"
    r"opinion|view|head|mind|memory)|"
    r"on\s+my\s+(?:machine|laptop)|as\s+far\s+as|to\s+my\s+knowledge|from\s+what\s+i|or\s+so|last\s+i\s+(?:checked|"
    r"looked|heard))"
    r"\b[^,;:.!?]{0,60}(?:,\s*(?:that\s+is|at\s+least|anyway|mind\s+you|i\s+(?:think|guess|hope)))?"
    # A doubt that is the whole sentence.
    r"|(?:in\s+theory|on\s+paper|in\s+principle|theoretically|supposedly|allegedly|apparently|presumably|hopefully|"
    r"ideally|maybe|"
    r"perhaps|probably|possibly|if\s+all\s+goes\s+well|fingers\s+crossed|knock\s+on\s+wood|touch\s+wood|god\s+willing|"
    r"no\s+(?:evidence|proof|confirmation|source|sources|data|numbers)|to\s+be\s+(?:confirmed|verified|decided|"
    r"checked|tested|discussed)|tb[acd]|(?:still\s+)?(?:unverified|"
    r"unconfirmed|untested)|"
    r"(?:still\s+)?not\s+(?:yet\s+)?(?:verified|confirmed|tested|checked|sure|certain|proven)|rumou?r\s+has\s+it|"
    r"afaik|iirc)"
    r"(?:,?\s+(?:at\s+least|that\s+is|anyway|though|yet|so\s+far|as\s+yet|only|so|not|about\s+(?:that|this|it)))?"
    r")[.!…?]*\s*$",
    re.IGNORECASE,
)
_OWN_VERB: Final = lazy_pattern(r"^\W*(?:not|if|when|once|until|whenever)\b", re.IGNORECASE)
_TO_CHECK: Final = (
    r"(?:(?:can|could|would|will)\s+(?:any\w*|some\w*|you|one\s+of\s+you)\s+(?:please\s+|kindly\s+)?(?:confirm|"
    r"verify|check|double-?check|validate|tell\s+me\s+(?:if|whether))\b"
    r"(?!\s+(?:the\s+(?!above|claim)|my\b|in\b|when|your))|"
    r"(?:some\w+|any\w+|you|we|i|they)\b[^.;]{0,40}?\b(?:should|must|needs?\s+to|ha(?:s|ve)\s+to|ought\s+to|"
    r"might\s+want\s+to|had\s+better|would\s+have\s+to)\s+(?:\w+ly\s+|still\s+|first\s+)*"
    r"(?:double-?\s?check|check|verify|confirm|validate|test|measure|reproduce|prove)\s+(?:this|that|it)\b|"
    r"(?:please\s+|just\s+)?(?:treat|regard|consider|take|read|see)\s+(?:this|that|it)\s+(?:as|for\s+what|only)\b|"
    r"(?:that|this)(?:['’]s|\s+is|\s+was)\s+(?:how|what|where|the\s+way)\s+(?:[\w'’]+\s+){1,2}?(?:should|would|"
    r"ought|(?:was|were|is|are)\s+(?:supposed|meant|intended|planned)|used\s+to)\b|"
    r"please\s+(?:confirm|verify|double-?check|check)\s*(?:that|this|it|whether|if|[.!])|"
    r"(?:needs?|still\s+needs?|pending|awaiting)\s+(?:\w+\s+)?(?:check|verif|confirm|test|approv|sign-?off|"
    r"review)\w*\s*[.!]|"
    r"(?:any(?:one|body)|who)\s+(?:can\s+|able\s+to\s+)?confirm\b|true\s+or\s+false|fact\s+or\s+fiction|"
    r"agree\s+or\s+disagree|is\s+(?:that|this|it)\s+(?:\w+\s+)?(?:so|true|right|correct|still))"
)
_NEXT: Final = lazy_pattern(rf"{_LEAD}(?:{_WITHDRAWN}|{_SLIPPED}|{_UNSURE}|{_OF_IT}|{_TO_CHECK})", re.IGNORECASE)
_NOT_OURS: Final = lazy_pattern(r"\b(?:any\s?more|before\s+(?!then)\w+|until\s+\w+)[^.;]{0,12}[.!]?\s*$", re.IGNORECASE)
_CORRECTED: Final = lazy_pattern(
    r"^\W*+(?>(?i:(?:oh|ah|hm+|uh|er|um|well|sorry|apologies|actually|no|nope|edit(?:ed)?|update|ps)\b[\s,.:;!…-]*+)+)"
    r"(?:it|that|this|they|he|she|those|these|(?:the\s+)?(?:right|correct|real|actual)\s+\w+|[A-Z]\w+\s+(?:says|"
    r"said|tells|told|pointed|corrected|just))\b"
    r"(?!\s+(?:also|even|too|does(?:n['’]t|\s+not)\s+(?:need|matter)|(?:is|was)\s+(?:fine|ok|okay|enough|better|"
    r"worse|more|even|great|good|nice|worth)\b))",
)
_FORMERLY: Final = lazy_pattern(
    r"^\W*+(?>(?:(?:well|or|at\s+least|but)\b[\s,]*)*)(?:we|it|they|i|he|she|that|this)\s+used\s+to(?:\s+be)?\s*[.,!;]",
    re.IGNORECASE,
)
_SHOULD_BE: Final = lazy_pattern(
    r"^\W*+(?:well|or|at\s+least),?\s+(?:(?:it|they|that|we)\s+)?(?:should|ought\s+to|(?:is|are|was|"
    r"were)\s+(?:supposed|meant)\s+to|"
    r"would|will|might|may|used\s+to)\b",
    re.IGNORECASE,
)
_RESULT: Final = lazy_pattern(
    r"^\W*+(?:(?:we|i|they|he|she|somebody|someone)\s+)?(?:later|since|then|afterwards|eventually|subsequently|"
    r"only\s+later|in\s+the\s+end)\s+(?:\w+\s+){0,3}?"
    r"(?:found|learned|learnt|saw|noticed|discovered|reali[sz]ed|turned|understood|heard|proved|showed)\b",
    re.IGNORECASE,
)
_BACK_TO: Final = lazy_pattern(
    r"^\W*+(?:but\s+|and\s+)?(?:since\s+(?:then|the|we|\w+day)|now(?:adays)?|today|these\s+days|by\s+now|"
    r"meanwhile)\b[^.;]{0,60}"
    r"\b(?:no\s+longer|not|never|n['’]t|back\s+(?:at|to|up|down)|instead|drags?|gone|any\s?more)\b",
    re.IGNORECASE,
)


def retracted(following: str, inside: str) -> bool:
    """Whether the next sentence, as one line, withdraws, doubts or limits the statement that ends before it."""
    if _BARE_REST.match(following) and (not _OWN_VERB.match(following) or _is_rest(following)):
        return True
    if found := _NEXT.match(following):
        return not (re.search(r"\b(?:not|n't|never)\b", found[0]) and _NOT_OURS.search(following))
    return bool(
        _CORRECTED.match(following)
        or any(one.match(following) for one in (_FORMERLY, _SHOULD_BE))
        or _RESULT.match(following)
        or (_PAST.search(inside) and _BACK_TO.match(following))
    )


_PAST: Final = lazy_pattern(r"\b(?:was|were|had|did|used\s+to|[a-z]{2,}ed)\b")
_MAIN: Final = lazy_pattern(
    r"\b(?:please|let|tell|open|ask|ping|call|see|use|i'll|we'll|i|we)\b[^.]*$|^\W*not\s+(?:a|an|the|that|much|bad|"
    r"only|just|everyone|all)\b",
    re.IGNORECASE,
)


def _is_rest(following: str) -> bool:
    """Return whether a sentence that begins with `if` or `not` has no other clause."""
    return len(following.split()) <= 9 and not _MAIN.search(
        following.partition(" ")[2] if not following.lower().startswith("not") else following
    )


_DOUBTED: Final = (
    rf"(?:{_UNSURE}|{_SLIPPED}|{_OF_IT}|(?:i|we|i['’]d|we['’]d|you|one|you['’]d|"
    rf"one['’]d)\s+(?:would\s+|should\s+|"
    rf"must\s+|might\s+|better\s+)*(?:take|treat|read|enjoy)\b[^.;]{{0,24}}?\b(?:salt|caution|care|scepticism|"
    rf"skepticism)|"
    r"(?:that\s+|this\s+|it\s+|which\s+)?(?:still\s+)?(?:remains?|needs?|has|have|is\s+yet)\s+to\s+be\s+(?:seen|"
    r"shown|proven|proved|confirmed|verified|tested|checked|decided|measured)|"
    r"(?:that|this|it|which)\s+(?:is|was|may|might|could|seems?|sounds?|looks?)\s+(?:\w+\s+){0,2}?(?:doubt|dubious|"
    r"questionable|suspicious|fishy|unlikely|hard\s+to\s+believe|optimistic|"
    r"unclear|unproven|unverified|unconfirmed|untested|disputed|contested|debatable|wishful|wrong|false|nonsense|"
    r"hearsay|guess)\w*|(?:i['’]m|i\s+am|we['’]re|we\s+are)\s+(?:fairly|pretty|almost|quite|reasonably|relatively|"
    r"nearly|mostly)\s+(?:sure|certain|confident|positive)\b|"
    r"only\s+(?:if|when|for|in|on|with|at|during|after|until|while)\b|not\s+(?:for|if|when|in|on|with|during|after|"
    r"while|always|really|yet|any\s?more)\b(?![^.;]*\bbut\b))"
)
_TAIL: Final = lazy_pattern(
    # A clause that doubts or limits the one before it.
    rf"^[\s\"'”’)*_`]*+[,;(–—-]+\s*(?>(?:(?:which|but|though|although|however|yet|and|or|so)\b,?\s+)*){_DOUBTED}"
    r"|^[\s\"'”’)*_`]*+[,(–—-]+\s*which\s+(?:would|might|could)\s+be\s+(?:\w+ly\s+|so\s+|really\s+)?(?:great|nice|"
    r"lovely|good|ideal|perfect|fine|"
    r"cool|neat|wonderful|fantastic|handy|news|bad|awful|terrible|odd|strange|surprising|impossible)\b"
    # A verdict, a doubt or a limit without a verb, up to the end of the sentence or of its bracket.
    r"|^[\s\"'”’*_`]*+[,;:(–—-]+\s*(?:(?:but|though|or|and|still|as\s+yet|so\s+far)\s+)*(?:busted|debunked|refuted|"
    r"disproved|disproven|rejected|denied|declined|withdrawn|"
    r"false|wrong|myth|fiction|nope|no|true\s+or\s+false|fact\s+or\s+fiction|or\s+not|unverified|unconfirmed|"
    r"untested|unproven|hearsay|speculation|guess(?:work|ing)?|rumou?r|"
    r"to\s+be\s+\w+|tb[acd]|wip|planned|proposed|draft|sic|satire|sarcasm|irony|joke|just\s+kidding|deprecated|"
    r"obsolete|outdated|(?:not|never)\s+(?:yet\s+)?(?:\w+ly\s+)?"
    r"(?:verified|confirmed|tested|checked|proven|true|implemented|done|released|shipped|merged|measured|reproduced|"
    r"sure|certain|decided|approved)|"
    r"(?:needs?|pending|awaiting|subject\s+to)\s+\w+|knock\s+on\s+wood|touch\s+wood|fingers\s+crossed|god\s+willing|"
    r"with\s+(?:any|some|a\s+bit\s+of)\s+luck|if\s+all\s+goes\s+well|"
    r"on\s+a\s+good\s+day|in\s+(?:my|your|his|her|their)\s+(?:dreams|opinion|view)|maybe|perhaps|hopefully|"
    r"supposedly|allegedly|apparently|presumably|probably|possibly|ideally|theoretically|"
    r"in\s+theory|on\s+paper|in\s+principle|afaik|iirc|imho|imo)\s*(?:[.,;!?)\]]|$)"
    r"|^[\s\"'”’)*_`]*+[,(–—-]*\s*(?:at\s+least\s+(?:on|in|for|when|if|until|by|according|that|as\s+far|so)\b|(?:or|"
    r"aren|am|unless)\s+(?:am|are|is|was|did|do|does|have|has)\s+(?:i|we|it|that|you)\b|"
    r"given\s+(?:that|the|an?|enough)\b|the\s+(?:moment|minute|second|instant|day)\s+(?!of\b)(?:\w+)|in\s+(?:that|"
    r"which)\s+case\b|depending\s+on\b|in\s+the\s+(?:best|worst|ideal)\s+case\b|"
    r"(?:or\s+)?so\s+(?:the|he|she|they|i|we|\w+)\s+(?:\w+\s+)?(?:say|said|claim|think|thought|goes|hear|heard|hope|"
    r"believe|promise)\w*)",
    re.IGNORECASE,
)
_MENTIONED: Final = lazy_pattern(
    r"^[\"'”’*_`]*+\s+(?:(?:is|was|would\s+be|remains?|remained|became|has\s+been|had\s+been|may\s+be|might\s+be|"
    r"sounds?|sounded|seems?|seemed|looks?|looked|strikes?|turns?\s+out|turned\s+out)\b)"
    r"(?!(?<!was)(?<!had\sbeen)\s+(?:true|correct|right)\b)(?!\s+(?:confirmed|verified|a\s+fact|what\s+(?:we|i|"
    r"they)\s+(?:found|measured|saw|observed)|proven|clear|obvious|known)\b)",
    re.IGNORECASE,
)
_FINITE: Final = lazy_pattern(
    r"^\W*(?:the|a|an|this|our|my|your|his|her|its|their|all|every|each|no|we|i|he|she|it|they|you|[A-Z]\w*|"
    r"[a-z]+s)\b(?:\s+[\w./`'’-]+){0,4}?\s+"
    r"(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|may|might|must|should|never|[a-z]{3,}(?:s|"
    r"ed))\b(?:\s+\S|\W*$)",
)
_RELATIVE: Final = lazy_pattern(r"\b(?:that|which|who|whose|whom|where|when|of|to)\b", re.IGNORECASE)


def tail_retracts(behind: str) -> bool:
    """Return whether the text after a statement in its sentence doubts it, limits it or judges it."""
    return _TAIL.match(behind) is not None


def is_mentioned(behind: str, inside: str) -> bool:
    """Whether a whole clause is the subject of a verb behind it: it is spoken of, and not said."""
    return _MENTIONED.match(behind) is not None and _FINITE.match(inside) is not None and not _RELATIVE.search(inside)


_UNDONE: Final = (
    r"(?:revers|revert|cancel|overturn|overrul|rescind|revok|withdr[ae]w|retract|undo|undone|drop|scrap|shelv|abandon|"
    r"postpon|delay|deferr|push(?:ed|es)?\s+(?:back|out)|put\s+(?:off|on\s+hold|on\s+ice)|call(?:ed|s)?\s+off|"
    r"reject|veto|"
    r"vot(?:ed|es)\s+down|turn(?:ed|s)?\s+down|shot\s+down|struck\s+down|backtrack|back(?:ed|s)?\s+(?:out|down|"
    r"away)|supersed|replac|discard|"
    r"disprov|refut|debunk|disput|contradict|challeng|question|amend|correct|walk(?:ed|s)\s+back|fell\s+(?:through|"
    r"apart|flat)|"
    r"fall(?:s|en)\s+(?:through|apart|flat)|chang|expir|lift|repeal|suspend|pull(?:ed|s)?\b|kill|nix|cut\b|delet|"
    r"remov|strick)\w*"
)
_PLANNED: Final = (
    r"(?:decision|plan|move|change|idea|date|announcement|promise|claim|statement|proposal|agreement|deal|policy|"
    r"rule|feature|"
    r"option|setting|behaviou?r|report|finding|conclusion|diagnosis|result|theory|assumption|estimate|number|figure|"
    r"entry|"
    r"sentence|paragraph|line|page|information|advice|offer|commitment|goal|approach|workaround|fix|exception)"
)
_SUBJECT: Final = rf"(?:(?:that|this|it|which|the\s+above)(?:\s+{_PLANNED})?|the\s+{_PLANNED})"
_AUX: Final = (
    r"(?:(?:['’]s|has|have|had|was|were|is|are|got|gets|been|being|be|since|later|now|then|meanwhile|already|again|"
    r"just|both|all|\w+ly|will|to|going|about|due)\s+)*"
)
_PEOPLE: Final = (
    r"(?:we|they|he|she|i|somebody|someone|management|legal|finance|security|the\s+[a-z]+|[A-Z]\w+)(?:['’](?:ve|d|s))?"
)
_REVERSED: Final = lazy_pattern(
    rf"^\W*+(?>(?i:(?:but|and|yet|however|unfortunately|sadly|alas|or|at\s+least|well|then|later|update|edit)\b[\s,:]*)*)"
    rf"(?:(?i:{_SUBJECT}(?=['’\s]))\s?(?i:{_AUX}{_UNDONE})"
    rf"|{_PEOPLE}\s+(?i:(?:have\s+|has\s+|had\s+)?(?:since|later|then|meanwhile|eventually|subsequently|"
    rf"finally)\s+(?:\w+ly\s+)?)(?i:{_UNDONE})"
    rf"|{_PEOPLE}\s+(?i:(?:(?:have|has|had|since|later|then|meanwhile|now)\s+)*chang\w+\s+(?:our|their|his|her|my|"
    rf"its)\s+minds?)"
    r"|(?i:(?:false\s+alarm|fake\s+news|old\s+news|misinformation|untrue|inaccurate|incorrect|wrong|false|obsolete|"
    r"outdated|"
    r"premature|hoax|typo|cancell?ed|postponed|delayed|reversed|reverted|withdrawn|retracted|scrapped|shelved|dropped|"
    r"rejected|abandoned|overruled|vetoed|superseded|deprecated|refuted|debunked|busted|disproved|disproven|"
    r"no\s+longer|not\s+any\s?more)"
    r"(?=\s*[,.!:;—–-]|\s+(?:because|by|since|for|as|in|on|at|after|now|again|last|this|true|valid)\b))"
    r"|(?i:(?:it\s+)?turns?\s+out\s+(?:(?:it|that|this|they|we)\s+)?(?:wo|is|are|does|do|did|was|were|has|have|ca|"
    r"could|would)(?:n['’]t|\s+not|not|\s+never|\s+only))"
    r"|(?i:(?:that|this|it)(?:['’]s|\s+is|\s+was)\s+(?:only\s+|just\s+|at\s+least\s+)?what\s+(?!we\s+(?:found|"
    r"measured|saw|observed|see|measure|agreed|decided)|i\s+(?:found|measured|saw|see)|happened|the\s+(?:log|trace|"
    r"data|code|graph))"
    r"(?:[\w'’]+\s+){1,4}(?:\w+ed|said|told|says?|tells?|thinks?|thought|writes?|wrote|claims?|wants?|hopes?)\b)"
    r"|(?i:nothing\s+(?:came|has\s+come|ever\s+came|happened|became)\b|in\s+the\s+end\b[^.;]{0,40}(?:n['’]t|\bnot\b|"
    r"\bnever\b|\binstead\b))"
    r")"
)
_KOREAN_UNDONE: Final = (
    r"(?:번복|취소|철회|뒤집|미뤄|미루|연기|보류|무산|불발|백지화|폐기|폐지|반려|기각|부결|엎어|늦춰|밀렸|밀려|"
    r"중단|파기|무효|"
    r"삭제됐|삭제되|빠졌|바뀌었|바뀌었|바뀌었|바꼈|바뀐|변경됐|변경되|잘못\s?나간|오보|허위|가짜|사실무근|"
    r"거짓|오류입|오류였|오류로)"
)
_WHEN: Final = (
    r"(?:결국|나중에|이후|그\s?뒤|그\s?후|어제|오늘|지난\s?[가-힣]|아까|방금|이미|다시|또|그런데|하지만|근데|"
    r"그러나|다만|아|앗|"
    r"[가-힣0-9]+\s?(?:달|주|주일|일|개월)|며칠|(?:회의|위|본사|법무팀|재무팀|경영진|이사회|운영팀|내부)(?:에서|이|"
    r"가)?)"
)
_KOREAN_REVERSED: Final = lazy_pattern(
    rf"^\W*+(?:{_WHEN}[\s,]+){{0,4}}(?:(?:이거|이건|이게|이는|그건|그게|이것은|그것은|(?:이|그|해당|위|"
    rf"저)\s[가-힣]{{1,6}}?[은는이가도])\s+)?"
    rf"(?:{_WHEN}[\s,]+){{0,3}}{_KOREAN_UNDONE}(?![된한할될던]|되는|하는|되던|하던)"
    r"|^\W*+(?:였|이었|라)(?:는데|다가|지만|으나|고\s?(?:했|하|들|생각|알|믿|적|썼))"
)
_DATED: Final = lazy_pattern(
    r"\b(?:last\s+\w+|in\s+(?:19|20)\d\d|(?:\w+\s+)?(?:years?|months?|weeks?)\s+ago|yesterday|formerly|"
    r"back\s+then)\b[^;:]*$"
    r"|(?:작년|재작년|지난해|지난달|지난주|지난\s?분기|어제|그때|당시|(?:19|20)\d\d년|처음|원래|당초|"
    r"애초)[가-힣]*\s*,?\s*(?:[가-힣]+\s){0,2}$",
    re.IGNORECASE,
)
_NOW: Final = lazy_pattern(
    r"^\W*+(?:(?:but|and|however)\s+)?(?:now(?:adays)?|today|these\s+days|currently|by\s+now|since\s+then|meanwhile|"
    r"this\s+(?:year|month|week))\b"
    r"|^\W*+(?:(?:하지만|그런데|근데|그러나)\s*)?(?:지금은|이제는|현재는|요즘은|올해는|올해부터|최근에는|이후로는|"
    r"이번\s?[가-힣]+[은는])(?![가-힣])",
    re.IGNORECASE,
)


def is_reversed(following: str, before: str = "") -> bool:
    """Whether the next sentence undoes the statement; `before`: what goes before that in its own sentence."""
    if _REVERSED.match(following) or _KOREAN_REVERSED.match(following):
        return True
    return _NOW.match(following) is not None and _DATED.search(before) is not None
