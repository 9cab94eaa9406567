"""Frames that the structure of a text shows, whatever its words are.

A place that fills quotation marks is somebody's words. An introduction in the past tense (`the plan was:`) introduces
what was. Two finite clauses without a connector between them are a head and its complement. A sentence that begins
with a Korean ending goes on with the sentence before it. A report that its own sentence confirms is asserted.
"""

from __future__ import annotations

import re
from typing import Final

from core.align.guard.frames.asserted import ASSERTING, FINITE, OWN_CLAUSE
from core.align.guard.frames.introduction import is_talk, last_sentence
from core.align.guard.frames.sentence import Context

_OPENING: Final = re.compile(r"(?:(?<![\w\"'])['\"]|[“‘「『«„])[*_]{0,2}$")
_CLOSING: Final = re.compile(r"[*_]{0,2}[.,!?…。]{0,3}[*_]{0,2}[\"'”’」』»](?![\w])")
_KEY: Final = re.compile(r"[\"'\w]\s?[:=]\s?[\"'“]$|[(\[{]\s?[\"']$|[\"'\d\]},]\s?,\s?[\"']$")
"""What goes before a string in data or code."""
_MACHINE: Final = re.compile(
    r"(?<!\bof )\b(?:the|its|an?|this|that|our|\w+['’]s)\s+(?:[\w-]+\s+)?(?:logs?|error|exception|message|warning|"
    r"output|trace|terminal|console|stderr|stdout|compiler|linter|kernel|response|header|screen|display|"
    r"alert)\b(?!\s+\w+ed)|"
    r"로그|에러|오류|출력|콘솔|메시지|경고|응답|화면",
    re.IGNORECASE,
)
_CLAUSE_WORDS: Final = 3

_CONNECTED: Final = re.compile(
    r"(?:^|\b)(?:and|but|or|nor|so|yet|because|since|though|although|while|whereas|when|whenever|where|wherever|if|"
    r"unless|until|till|after|before|once|as|than|that|whether|how|why|what|which|who|whose|whom|lest|"
    r"then|now|also|still|again|today|yesterday|here|there|only|just|even|\w+ly|of|in|on|at|by|for|from|with|to|"
    r"into|over|under|a|an|the|this|these|those|my|your|our|his|her|its|their|no|every|each|some|any|"
    r"is|are|be|been|not|all|both)\s*$",
    re.IGNORECASE,
)
_SUBORDINATE: Final = re.compile(
    r"^\W*(?:and|but|so|also|even|just|only)?\s*(?:when|whenever|after|before|since|as|while|although|though|because|"
    r"if|unless|until|once|where|wherever|how|why|now\s+that|in|on|at|for|with|without|from|by|during|despite|"
    r"thanks|given|due|besides|unlike|contrary|apart|against|instead|compared|depending|according)\b",
    re.IGNORECASE,
)
_MARKS: Final = " \t\n\"'“‘`*_(>-"

_WORDED: Final = re.compile(
    r"^(?!.*\b(?:how|there)\b).*(?:\b(?:was|were|(?:it|this|that|one|story|saying|joke|theory|text|"
    r"message)\s+(?:went|goes)|"
    r"(?<!will )read|reads|ran|sounded?|promised|said|says)"
    r"(?:\s+(?:as\s+follows|roughly|simply|basically|something\s+like(?:\s+this)?|like\s+this))?"
    r"|\b(?:wrote|written|jotted|typed|posted|(?<!as )drafted|scribbled|heard|quoted|promised|claimed|put\s+(?:it|"
    r"down)|"
    r"(?:(?<!will )(?<!to )read|believed|assumed|thought|told)\b(?!\s+(?:the|through))[^:]{0,40})\b[^:]*)$",
    re.IGNORECASE,
)
_TEXT: Final = re.compile(
    r"\b(?:a|an|one|this|the|that|following|next|another|first|old|my|his|her|their|our|\w+['’]s)\s+(?!short|long|"
    r"brief|quick|final)(?:[\w-]+\s+){0,2}?"
    r"(?:line|sentence|paragraph|passage|statement|wording|phrase|claim|story|version|draft|reading|slogan|promise|"
    r"excuse|quote)\b[^:]*$",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"(?<=\w\s)(?:was|were|went|had|did|said|wrote|told|thought|swore)\b|\b(?:i|I|we|We|he|He|she|She|they|They|it|"
    r"It|who|[A-Z]\w+)\s+(?:\w+ly\s+)?"
    r"[a-z]{2,}ed\b"
)
_SEEN: Final = re.compile(
    r"\b(?:looked|tried|repeated|measured|counted|opened|walked\s+(?:me|us)|asked\s+for|missed|pointed|"
    r"there\s+(?:it|they)\s+(?:was|were)|how\b|joined|happened|changed|fixed|"
    r"broke|failed|helped|won|learned|saw|noticed|clear|simple|right|wrong|done)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"^\W*(?!an?\s)(?:(?!(?:in|on|at|after|before|since|from|for|by|with|to|as)\b)[\w'’]+\s+){0,3}?(?:the|my|our|his|"
    r"her|their|your|this|that|another|[\w]+['’]s)\s",
    re.IGNORECASE,
)
"""A named introduction. One with `a` or `an` first names a topic: `A client that retries: wait 200 ms`."""
_KNOWN: Final = re.compile(
    r"^\W*(?:where|how|what|why)\b|\bno\s+(?:room|doubt)\b|\b(?:is|are|isn't|aren't|has|have|does|do|can|will|it's|"
    r"that's|here's|causes?|reasons?|upshot|conclusions?|summary|status|updates?|notes?|"
    r"version|short|long|story\s+short|outcome|finding|decisions?|agreement|measure\w*|observations?|answers?|fix|"
    r"changes?|reminder|warning|recap|"
    r"background|semantics|timings?|audit|incident|culprit|things?|catch|point|part|log|logs|release|agenda|item|"
    r"state|setup|config\w*|numbers?|values?|"
    r"figures?|data|facts?|truth|lessons?|rules?|steps?|order|defaults?|limits?|schedule|address|size|price|total|"
    r"details?|spec\w*|manual|label|contract|"
    r"code|source|minutes|report|review|test|tests|trace|graph|photo|you|faq|record)\b|['’]s\s+(?:official|simple|"
    r"clear|done|settled|true)",
    re.IGNORECASE,
)
_GENRE: Final = re.compile(
    r"\b(?:graffiti|horoscope|slogan|motto|headline|banner|adverts?|advertisement|brochure|flyer|poster|leaflet|"
    r"commercial|prophecy|proverb|saying|song|"
    r"lyrics|poem|novel|film|movie|caption|meme|spam|tweet|chat\s?bot|gpt|llm|fiction|parody|graffito)\b|운세|낙서|"
    r"점괘|속담|격언|표어|구호|현수막|"
    r"광고|전단|포스터|노래|가사|소설|영화|대본|스팸|챗봇|초안",
    re.IGNORECASE,
)
_UNREAL: Final = re.compile(
    r"^(?!.*\b(?:confirmed|right|correct|true|aside|change[sd]?|question)\b)\W*(?:[\w'’]+\s+){0,4}?(?:plan|idea|"
    r"theory|"
    r"hypothesis|assumption|guess|hunch|dream|nightmare|hope|wish|fantasy|rumou?r|myth|legend|joke|lie|claim|"
    r"proposal|suggestion|"
    r"fear|vision|prediction|forecast|expectation|belief|story|tale|excuse|promise)s?\b[^:]*$",
    re.IGNORECASE,
)
_UNREAL_START: Final = re.compile(
    r"^\W*(?:[\w'’]+\s+){0,3}?(?:story|tale|dream|nightmare|fantasy|joke|myth|legend|theory|theories|hypothesis|idea|"
    r"imagine|picture|suppose|pretend|assume|say)\b[^:;.]{0,30}:",
    re.IGNORECASE,
)
_KOREAN_WORDED: Final = re.compile(
    r"(?:이랬|그랬|이러했|같았|이거였|이것이었|이런\s?[가-힣]{1,4}[였었이]|이렇게\s?(?:[가-힣]+\s)?(?:적|쓰|썼|말|"
    r"답|보고|생각|봤|"
    r"믿|알|안내|공지|설명)[가-힣]*[었았했썼였랬겼])[가-힣]*[\s.:]*$"
    r"|(?:믿지|따르지|읽지|쓰지)\s?(?:말|마|않)[가-힣\s]*:?\s*$"
)
_DRAFT: Final = re.compile(
    r"^\W*(?:[\w'’]+\W+){0,6}?(?:draft|promise|claim|slogan|myth|legend|prediction|wish|hope|theory|proposal|"
    r"suggestion|idea|plan|scenario|example|joke|story|hypothesis|rumou?r|exercise|drill|simulation)"
    r"(?:\s+(?:of|for)\s+[\w\s]{1,30})?[.!:]?$|^\W*(?:[가-힣]+\s){0,3}(?:초안|시안|가안|예시|예문|제안|아이디어|"
    r"가설|추측|상상|소설|농담|계획|구상|"
    r"훈련(?:\s상황)?|연습|역할극)(?:입니다|이에요|예요|임)?[.:]?$",
    re.IGNORECASE,
)
_THIS_TEXT: Final = re.compile(
    r"\b(?:this|these|that|the\s+following|another|reword\s+the|"
    r"rephrase\s+the)\s+(?:one\s+)?(?:\w+\s+)?(?:sentence|phrase|passage|claim|"
    r"statement|wording|slogan|headline|subject)s?\b|(?:문장|문구|문안|안|주장|제안|구절|말)(?:은|는)\s(?:이겁|"
    r"이것|이렇|이랬|다음)|(?:이|이런|다음|아래)\s(?:문장|문구|표현|대목|구절|줄|제목|주장|말)(?:은|는|이|을|를|"
    r"도)\s",
    re.IGNORECASE,
)
_CATAPHOR: Final = re.compile(r"(?:이랬|그랬|이러했|이렇|다음과\s?같|아래와\s?같|이런|이거)")

_SELF: Final = r"(?:(?:but|and|well|or|oh|no|of\s+course|at\s+least|actually|in\s+fact|however|though|yes)\b[\s,:]*)*"
_SPOKEN_OF: Final = re.compile(
    # What is said of the statement, as its own sentence: all but what takes it up as a fact.
    rf"^(?:[A-Z]\w*:\s)?\W*{_SELF}(?:(?:that|those)(?:['’]s|\s+(?:is|are|sounds?|remains?))|(?:that|this|those|"
    rf"these)\s+(?:was|were|had\s+been))\s+"
    r"(?!(?:fine|good|great|nice|bad|not\s+(?:new|much|all)|also|why|because|how|all|ok|okay|enough|more|less|it|"
    r"where|when|"
    r"who|true|right|correct|expected|intended|by\s+design|deliberate|on\s+purpose|twice|half|about|roughly|"
    r"already|now|"
    r"no\s+(?:problem|surprise|coincidence|longer\s+a)|"
    r"\d|(?:one|two|three|four|five|six|ten)\b|what\s+(?:we|i)\s+(?:found|measured|saw|see|agreed|decided)|(?:the|"
    r"a|an|our|my)\s+(?:\w+\s+)?"
    r"(?:reason|cause|point|same|default|limit|maximum|minimum|good|big|great|first|last|second|third|only|most|fix|"
    r"result|trouble|problem|issue|bottleneck|difference|way|surprise|pity|shame|relief|improvement|lot|bit|factor|"
    r"regression|feature|fact|rule|root|culprit)|not\s+the\s+case\s+before)\b)"
    # Another voice, or the same one, says no.
    r"|^(?:[A-Z]\w*:\s)?\W*(?:no|nope|nah|not|never|wrong|false|hardly)(?:\s*[.!,;:]|\s+(?:it|that|this|they|he|"
    r"she|we|i)\b)"
    r"|^\W*(?:(?:it|that|this)\s+)?sounds?\s+(?:\w+\s+)?(?:great|good|nice|fine|lovely|plausible|convincing|"
    r"reasonable|"
    r"impressive|too\s+good)\b"
    r"|^\W*at\s+least\b[^.;]*\b(?:that|this|it|so)\b|^\W*(?:was|were|used\s+to(?:\s+be)?)\s*[,.;!]"
    r"|^\W*(?:on\s+paper|in\s+theory|officially|in\s+principle|theoretically|allegedly|supposedly|"
    r"nominally)\b\s*[,.;:!–-]"
    r"|^\W*so\s+(?:at\s+least\s+)?(?:went|goes|says?|said|reads?|runs?|claims?|claimed|thought|it\s+(?:says|said|"
    r"was\s+said))\b"
    r"|^[^.;]*\b(?:sees?|saw|thinks?|thought|ruled|decided|knows?|knew|says?|said|beg(?:s|"
    r"ged)?\s+to)\s+(?:it\s+)?(?:otherwise|differently|differ)\b"
    r"|^[^.;]*\bthat(?:['’]s|\s+is|\s+was)\s+what\s+(?:[\w'’]+\s+){1,3}(?:told|tells?|said|says?|thought|thinks?|"
    r"wrote|promised|claim\w*|heard)\b"
    r"|^\W*(?:well,?\s+)?(?:almost|nearly|mostly|partly|sort\s+of|kind\s+of|more\s+or\s+less|in\s+a\s+way|"
    r"up\s+to\s+a\s+point)\s*[,.:;!–-]"
    r"|^\W*(?:i|we|one)(?:['’]d|\s+would)\s+(?!have\b)(?:\w+\s+){1,3}?(?:that|this)\b(?!\s+\w+\s+(?:to|for))",
    re.IGNORECASE,
)
_KOREAN_SPOKEN_OF: Final = re.compile(
    r"^\W*[^.?!,]{1,40}(?:때|경우|면|조건|한해서?|기준)(?:에만|에|만|는|은)?\s?(?:말이죠|말이에요|말입니다|"
    r"얘기예요|얘기입니다|한정|요|이죠|이에요|입니다)[.…]*$|"
    r"^\W*(?:[가-힣]+\s)?(?:[가-힣]+(?:에는|에|에서는|에선|은|는|이|가)\s)?(?:그렇게|이렇게|그리|"
    r"이리)\s?(?:[가-힣]+\s)?(?:적|쓰|써|나오|나와|나온|돼\s?있|되어\s?있|"
    r"안내|설명|말|답|주장|얘기|이야기|들|알|믿|생각|배웠|보고|공지|약속)"
    r"|^\W*(?:말로는|말만|서류상으?로?는?|이론상으?로?는?|공식적으로는|겉으로는|명목상)[\s,]"
    r"|^\W*(?:아니|아뇨|에이|설마|글쎄|과연|퍽이나)요?[,.\s]"
)
_LIMIT: Final = re.compile(
    r"^\s*[-–—,(]+\s*(?:[\w-]+\s+){1,3}permitting\b|^\s*[-–—]+\s*(?:if|unless|provided|assuming|"
    r"as\s+long)\b(?!\s+(?:you\s+(?:need|want|"
    r"ask|like|have\s+(?:any\s+)?questions?)|any\w*|not\b))[^.;]*|"
    r"^\W*(?:or\s+|well,?\s+|but\s+)?at\s+least\b(?!\s+\d)[^.;]*|^\s*[-–—,(]+\s*(?:that\s+is|i\.e\.|"
    r"or\s+rather),?\s+(?:only\s+)?"
    r"(?:if|when|once|while|unless|until|as\s+long|for|in|on|with|provided)\b[^.;]*",
    re.IGNORECASE,
)
_SAID_OF: Final = re.compile(
    # `X, the caretaker assures me.`: a subject and a verb that take no other object.
    r"^[\"'”’]?[,–—-]\s*(?!(?:and|but|so|as|which|who|where|when|while|because|since|though|although|if|we|i)\b)"
    r"(?:(?:the|a|an|my|our|your|his|her|their|this|that|one|some)\s+(?:\w+\s+){1,2}?|[A-Z]\w+\s+|(?:he|she|they|"
    r"people|many|some|others)\s+)"
    r"(?:\w+ly\s+)?(?:[a-z]{2,}(?:s|ed)|said|told|swore|wrote|thought|held|felt|would\s+have\s+(?:it|us\s+believe))"
    r"(?:\s+(?:me|us|them|him|her))?\s*(?=[;.!]|$)"
    # What hedges the clause before it.
    r"|^\W*(?:at\s+any\s+rate|in\s+any\s+case|if\s+anything|so\s+to\s+speak|as\s+it\s+were|on\s+paper|in\s+theory|"
    r"not\s+really|"
    r"i\s+(?:think|guess|suppose|believe|hope|assume|reckon|imagine|gather))\b"
    r"|^,?\s*which\s+(?:was|were|had\s+been|used\s+to\s+be|would\s+be|may\s+be|might\s+be)\s+(?:\w+\s+)?(?:true|"
    r"right|correct|so|valid|the\s+case)\b"
    r"|^,\s*(?:people|some|many|everybody|everyone|somebody|someone|folks|the\s+\w+s)\s+(?:was|were|has|have|had|"
    r"kept|keep|[a-z]{3,}ed)\b"
    r"|^,?\s+or\b(?!\s+(?:so|more|less|thereabouts|rather)\b)|^\s*[-–—]+\s*for\b[^.;]*$"
    r"|^\s*(?:[;:]-?[)PpD]|[\U0001F609\U0001F643\U0001F921\U0001F644\U0001F61C\U0001F60F])",
)
_OR: Final = re.compile(
    r"\b(?:or(?:\s+else)?|let|lest|either|rather\s+than|by\s+the\s+time|in\s+order\s+for)\s*$"
    r"|^\W*(?:(?:one|another)\s+(?:more\s+)?\w+|(?:touch|press|open|close|delete|remove|change|turn|add|click|pull|"
    r"push|call|"
    r"run|restart|leave|forget|miss|skip|drop|cut|break|kill|stop|start)\s[^,;:.]{1,40}),?\s+and\s*$|^\W*(?:right|"
    r"sure|yeah|oh),?\s+because\s*$|\bjust\s+because\s*$"
    r"|\bthe\s+(?:day|moment|minute|second)\s*$",
    re.IGNORECASE,
)
_ALTERNATIVE: Final = re.compile(r"(?:거나|든지|든가)$")

_ENDING: Final = re.compile(
    r"^\W*(?:이?라(?:는|고|던|며|면|니)|이?란\s|(?:으?로|고|다고|다는|다던)\s|이?였(?!습니다만)|이었)"
)
_KOREAN_LIMIT: Final = re.compile(
    r"^(?:입니다|이에요|예요|이다|습니다)?[\s\"'”’)]*[,—–-]\s*[^,.!?]{1,40}?(?:면|거든|때|경우|조건|한해서?|전제|"
    r"에서|에만|까지|중)(?:에는|에만|에|만|은|는|"
    r"엔|으로|하에)?(?:요|이요|이에요|예요|입니다|이죠|이지만요)?[\s.!]*$"
)

_CONFIRMED: Final = re.compile(
    r"\b(?:(?:he|she|they|it|that|\w+)(?:['’]s|['’]re|\s+(?:is|was|are|were))\s+(?:\w+ly\s+)?(?:right|correct|true)\b"
    r"|(?:and|which|so)\b[^.;]*\b(?:it|they|he|she)\s+(?:is|was|did|does|do|were|are|has|had)\s*[.!,]?\s*$"
    r"|prove[sd]?\s+(?:it|that|this|him|her|them|\w+\s+(?:right|point))|bears?\s+(?:it|that|this|him|her|them)\s+out|"
    r"(?:can|could|did)\s+confirm|confirm(?:s|ed)\s+(?:it|that|this)|indeed|sure\s+enough|and\s+so\s+(?:it|they)\s)",
    re.IGNORECASE,
)
_KOREAN_CONFIRMED: Final = re.compile(
    r"(?:(?:틀린|빈|그른|과장된|지나친|없는)\s?(?:말|소리|얘기|게|것)[이은도]?\s?아[니닙]|(?<![가-힣])맞(?:더라|"
    r"더군|았|습니|아요|네|는\s말)|"
    r"사실(?:이었|입니|이에|이더|로\s(?:확인|드러|밝혀))|(?<![가-힣])(?:정말로?|진짜로?|역시나?)\s|일리가|옳았|"
    r"옳은|타당|뿐\s?(?:만\s)?아니라|"
    r"뿐더러)"
)
_SAID: Final = re.compile(r"\b(?:said|says|wrote|writes|added|replied|answered)\s*:[\s\"'“‘]*$", re.IGNORECASE)
_OTHERWISE: Final = re.compile(
    r"\b(?:but|however|though|although|yet|actually|not|no|never|nobody|nothing|wrong|false|instead)\b|n['’]t\b|"
    r"지만|는데|않|아니|없",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:not|never|no|nobody|wrong|false)\b|n['’]t\b|않|없|"
    r"(?<!틀린\s말이\s)(?<!말이\s)(?<!게\s)(?<!뿐만\s)(?<!뿐\s)아[니닌닙]|못|\?"
)


def is_speech(around: Context) -> bool:
    """Whether a place is what somebody said, introduced as no more than that, and nothing behind it says otherwise."""
    return _SAID.search(around.before) is not None and not _OTHERWISE.search(f"{around.behind} {around.following}")


def quotation(text: str, start: int, end: int, around: Context) -> str:
    """The words beside a clause that fills quotation marks, which no machine said; empty: it does not."""
    if not around.is_prose or not (opened := _OPENING.search(text, max(0, start - 3), start)):
        return ""
    if not _CLOSING.match(text, end) or len(text[start:end].split()) < _CLAUSE_WORDS:
        return ""
    if _KEY.search(text, max(0, start - 4), start) and not re.search(
        r"\w\s*: [\"'“]$", text[max(0, start - 5) : start]
    ):
        return ""
    beside = around.behind.lstrip("\"'”’」』».,*_ ")
    if _ENDING.match(beside) or re.match(r"[가-힣]", text[end + 1 : end + 2]) or _MACHINE.search(around.before):
        return ""
    return f"{around.before}{opened[0].strip()}"


def cited(ahead: str) -> str:
    """The sentence before a place that speaks of it as of a text; empty: none."""
    last = last_sentence(ahead)
    return last if _THIS_TEXT.search(last) or _DRAFT.match(last) else ""


def introduced_in_past(around: Context, ahead: str) -> str:
    """The introduction of a place that says how something went, was worded or was thought; empty: none."""
    before = around.before.rstrip(_MARKS)
    if before.endswith((":", " –", " —")):
        intro = before[:-1].rstrip()
    elif ((found := _UNREAL_START.match(around.before)) and not is_talk(found[0])) or (
        before.endswith(",") and (found := _TEXT.search(re.split(r"[;.:]\s", before[:-1])[-1]))
    ):
        return found[0]
    elif around.before.strip(" -*+>\t0123456789.)[]x\"'“‘"):
        return ""
    else:
        last = last_sentence(ahead)
        intro = (
            around.heading.rstrip(":*_ ") if around.heading.endswith(":") else last if _CATAPHOR.search(last) else ""
        )
        intro = intro or (around.heading if _CATAPHOR.search(around.heading) else "")
    if not intro or _MACHINE.search(intro) or is_talk(around.before):
        return ""
    clause = re.split(r"[;.]\s|,?\s+(?:and|but|so)\s", intro)[-1]
    known = ASSERTING.search(clause) or _SEEN.search(clause)
    named = _NAMED.match(clause) and not _KNOWN.search(clause)
    if before.endswith((":", "–", "—")) and not known and (named or _PAST.search(clause) or _GENRE.search(clause)):
        return intro
    return intro if any(one.search(clause) for one in (_WORDED, _TEXT, _UNREAL, _KOREAN_WORDED)) else ""


def complement(clause: str, inside: str) -> str:
    """The clause that takes a place as its complement, with no word between them; empty: none."""
    if not clause[-1:].isspace() or not clause.rstrip()[-1:].isalnum():
        return ""
    last = re.split(r"[,;:(]\s|\s[-–—]\s", clause)[-1]
    if _CONNECTED.search(last) or _SUBORDINATE.match(last) or not FINITE.search(last):
        return ""
    return "" if not OWN_CLAUSE.match(inside) or ASSERTING.search(last) else last


def alternative(before: str) -> str:
    """What makes a clause the other choice, or what would follow from an order; empty: nothing."""
    return found[0] if (found := _OR.search(before)) else ""


def limited_behind(around: Context, inside: str) -> str:
    """The condition or the other choice that goes behind a statement in its sentence, without a verb; empty: none."""
    found = _KOREAN_LIMIT.match(around.behind) or _LIMIT.match(around.behind) or _SAID_OF.match(around.behind)
    if found is None and _ALTERNATIVE.search(inside):
        found = re.search(r"[^.!?]*(?:거나|든지|든가)", around.behind)
    return found[0] if found else ""


def is_spoken_of(following: str) -> bool:
    """Whether the next sentence is about the statement as a statement, and takes it up as no fact."""
    return _SPOKEN_OF.match(following) is not None or _KOREAN_SPOKEN_OF.match(following) is not None


def goes_on(around: Context) -> bool:
    """Whether the next sentence begins with a Korean ending, and so goes on with the statement before it."""
    return not around.behind.strip(" .\"'”’」』»") and _ENDING.match(around.following) is not None


def is_contrast(behind: str, inside: str) -> bool:
    """Whether a clause is set against something else of the same kind: `on Tuesdays, not on Mondays`."""
    found = re.match(r"\W*not\s+(\w+)", behind)
    return found is not None and found[1].lower() in inside.lower().split()


def is_confirmed(around: Context) -> bool:
    """Whether the sentence that reports a place, or the next, confirms it."""
    for said in (around.behind, around.following[:80]):
        if (found := _CONFIRMED.search(said) or _KOREAN_CONFIRMED.search(said)) and not _NEGATED.search(
            said[: found.end() + 24].replace(found[0], " ")
        ):
            return True
    return False
