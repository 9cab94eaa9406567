"""Whether the next sentence says that what was stated did not last: it was reversed, put off, or replaced since.

Its subject is the statement (`that decision was reversed`), nobody (`Cancelled, see the thread.`), or the people who
changed their minds (`we have since dropped it`); another subject (`the earlier plan was dropped`) is another matter.
"""

from __future__ import annotations

import re
from typing import Final

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
_REVERSED: Final = re.compile(
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
_KOREAN_REVERSED: Final = re.compile(
    rf"^\W*+(?:{_WHEN}[\s,]+){{0,4}}(?:(?:이거|이건|이게|이는|그건|그게|이것은|그것은|(?:이|그|해당|위|"
    rf"저)\s[가-힣]{{1,6}}?[은는이가도])\s+)?"
    rf"(?:{_WHEN}[\s,]+){{0,3}}{_KOREAN_UNDONE}(?![된한할될던]|되는|하는|되던|하던)"
    r"|^\W*+(?:였|이었|라)(?:는데|다가|지만|으나|고\s?(?:했|하|들|생각|알|믿|적|썼))"
)
_DATED: Final = re.compile(
    r"\b(?:last\s+\w+|in\s+(?:19|20)\d\d|(?:\w+\s+)?(?:years?|months?|weeks?)\s+ago|yesterday|formerly|"
    r"back\s+then)\b[^;:]*$"
    r"|(?:작년|재작년|지난해|지난달|지난주|지난\s?분기|어제|그때|당시|(?:19|20)\d\d년|처음|원래|당초|"
    r"애초)[가-힣]*\s*,?\s*(?:[가-힣]+\s){0,2}$",
    re.IGNORECASE,
)
_NOW: Final = re.compile(
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
