"""Korean frames: the head stands last, so most of them go behind a place (`…다는 소문`, `…면`, `…기 전까지는`).

A quotative ending (`-다고`, `-다는`, `-라는`, `-는지`) says nothing by itself: its head asserts (`확인했다`, `로그에
나온다`), or it does not. Only closed classes of endings, bound nouns and heads stand here.
"""

from __future__ import annotations

import re
from typing import Final

from core.align.guard.frames.korean_retraction import (
    KOREAN_WITNESS,
    korean_introduced,
    korean_retracted,
    korean_tail,
    korean_wished,
)
from core.align.guard.frames.sentence import Context

_QUOTED: Final = re.compile(
    r"^[\"'”’」』`]*\s?(?:이?라|다|자|냐)?(?:고|는|던|면|거나|지만|더라도|기|며|면서|니|지|란|라는|라고|라며|"
    r"라던|다는|다고|다며|다던|는지|ㄴ지|길래|기에|더니|더라|든가|다길래|라길래|다기에|라기에|다더니|라더니)"
    r"(?=[\s가-힣,.])"
)
_WHETHER: Final = re.compile(r"^[가-힣]{0,2}(?:는지|은지|ㄴ지|을지|ㄹ지|런지)(?:는|도|가|를)?(?=[\s,.?])")
_GOES_ON: Final = re.compile(r"^만(?=[\s,])")
"""`…습니다만`: but."""
_UNKNOWN: Final = re.compile(r"모르|몰라|모른|의문|불확실|불분명|궁금|알\s수\s없|미지수")
_TO_CHECK: Final = re.compile(
    r"\s?(?:를|는|도)?\s?(?:[가-힣]+\s)?(?:확인|점검|검토|체크|테스트|알아|물어|여쭤|살펴|조사|궁금|의문|"
    r"검증)(?![가-힣]*[했됐])"
)
_ASSERTED: Final = re.compile(
    r"확인(?:했|됐|되었|하였|한 |된 |해 두|해 뒀)|밝혀(?:졌|냈|진)|밝혔|드러(?:났|난)|(?:로그|기록|지표|"
    r"그래프|화면|대시보드|출력|결과|문서|보고서|"
    r"트레이스|덤프|모니터링|감사|테스트|회의록|의사록|녹취록|이력|스펙|코드|소스|매뉴얼|"
    r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{3,40})[가-힣]*(?:에|에서|에는|가|이|은|"
    r"는)?\s(?:[가-힣]+\s){0,2}?(?:나오|"
    r"나온|나옵|나와|나왔|찍혀|찍혔|찍힌|남아|남았|"
    r"떴|뜹니|뜬다|적혀|표시|보여|보입|기록|말해|알려)|보여\s?(?:준|줬|주었|줍)|증명(?:했|됐|되었)|입증(?:했|"
    r"됐|되었)|측정(?:했|됐|되었)|알아냈|알게\s?[됐되]|"
    r"발견(?:했|됐|되었)|관찰(?:했|됐|되었)|검증(?:했|됐|되었|을 마)|판명(?:났|됐|되었)|결론|파악(?:했|됐|"
    r"되었)|재현(?:했|됐|되었)|사실(?:을|이|은|도)\s|"
    r"점(?:을|이|은)\s|명시(?:돼|되어|했)|(?:걸|것을|모습을|장면을|것도)\s(?:봤|보았)|때문|덕분|뜻"
)
_CONTRAST: Final = re.compile(r"(?:지만|는데|으나|더니)(?=[\s,])")
"""What ends the clause of a head, and says that another one follows against it."""
_JUDGED: Final = ("결론", "파악했", "뜻")
_UNDONE: Final = re.compile(
    r"못|않|없|(?<![가-힣])안\s|아니|아닌|아닙|모르|어렵|힘들|야\s?(?:한|할|합|함|해)|(?:해|아|어)\s?(?:주|"
    r"줘|달)|바랍|바라|부탁|까요?$|까\?|의심|필요|"
    r"예정|려면|려고|중입|중이|"
    r"착각|오해|거짓|틀렸|틀린|농담|폐지|사실무근|헛소문|잘못|뒤집|철회|취소|옛날|예전|근거|성급|섣부|섣불|이르|"
    r"이릅|일러|무리|비약"
)
_BOUND_NOUN: Final = re.compile(
    r"^(?!\s*(?:것|거|게)(?:으로|을|이|은|를)?\s(?:확인|밝혀|드러|판명|알려|나타))[가-힣]{0,2}\s*(?:"
    r"(?:것|거)(?:\s?같|로 (?:보|추정|예상|전망|기대)|으로 (?:보|추정|예상|전망|기대|알려))|거라|듯|예정|"
    r"계획|모양|줄(?:로만|로|만|은|을)?\s?(?:알|믿|"
    r"착각)|뻔|척|체\s?(?:하|했)|리(?:가|는|도)?\s?(?:없|만무)|"
    r"생각(?:이었|이에|이야|입니|이다|인데|만)|방안|구상|초안|궁리|작정|요량|심산|마음|"
    r"(?:을|ㄹ)?까\s?(?:봐|싶|걱정)|을?\s?텐데|으?리라|겠(?:지|죠|네|거니)|(?:나|가)\s?(?:싶|봐|봅|보|했)|"
    r"기로\s?(?:했|하|한|돼|되|결정했?다가)|려다|려던|(?:어|아|해|여|됐어|었어|았어)야\s?(?:했|하|한|할|합)|"
    r"대요|답니다|다네요|래요|다더|다던|던데|더군|더라|더래|"
    r"수도|수(?:가|는|도)?\s(?:있|없)|지도?\s?(?:모르|몰라|모른)|면\s?(?:좋|싶|한)|았으면|었으면|"
    r"기를?\s?(?:바|희망|원)|고\s?싶|려고|려\s?(?:했|한|"
    r"합)|려면|도록\s?(?:하|합|할|해)|"
    r"셈\s?치|가능성|우려|의심|추측|추정|가설|가정|소문|착각|오해|주장|전망|예상|기대|희망|제안|리스크|위험)"
)
_NOT_YET: Final = re.compile(
    r"^[가-힣]{0,2}?(?:기\s?전|지\s?않는\s?(?:한|이상)|지\s?않으면|지\s?못하면|는\s?한|을?\s?때(?:만|까지|"
    r"에만)|는\s?경우|을\s?경우|ㄴ\s?경우|으면|"
    r"면|거든|더라도|어야|아야|다\s?치|다\s?하더라도|"
    r"\s?(?:때(?:만|까지|에만)|경우(?:에만|에 한|에는)?|한(?:해|하여)|조건|전까지))(?=[\s,.가-힣])"
)
_IF: Final = re.compile(
    r"(?<![가-힣])([가-힣A-Za-z0-9_`'\")]*(?:으면|하면|되면|이면|라면|다면|지면|나면|가면|오면|리면|키면|"
    r"주면|기면|히면|이라면|는\s한|은\s한|않는\s이상|"
    r"는\s이상|경우|경우에|경우에는|경우에만|"
    r"때만|때에만|때에|때는|때|동안|동안에는|동안만|중에는|중에만|전까지|전까지는|전에는|거든|한해|한해서|"
    r"한하여|외에는|가정하에|조건으로|조건하에|[가-힣]면))\s*,?\s*"
    r"(?:[\"'“‘`*_]*)$"
)
_UNLESS: Final = re.compile(
    r"(?:[는은]\s대로|[가-힣](?:어야|아야|여야|해야|켜야|져야|돼야|야만)|제외하고(?:는)?|제외하면|"
    r"빼고는|말고는|없이는|않고(?:서)?는|외에는)\s*,?\s*$"
)
_LATER: Final = re.compile(
    r"(?:다음|내년|내달|차기|앞으로|향후|추후|조만간|내일|모레)(?:\s?[가-힣A-Za-z0-9.]{1,12})?(?:부터|에는|에|"
    r"는)?\s*,?\s*$"
)
_EARLIER: Final = re.compile(
    r"(?:예전에는?|원래는?|본래는?|처음에는?|과거에는?|한때는?|옛날에는?|이전에는|까지만\s해도|까지는|당초에?는?|"
    r"애초에는?)\s*,?\s*$"
)
_AT_FIRST: Final = re.compile(r"(?<![가-힣])(?:원래|당초|처음|애초|본래|예전|과거|초기)")
_WAS: Final = re.compile(r"^이?[었였](?:는데|지만|으나|다가|고)")
_ANY_IF: Final = re.compile(r"(?<![가-힣])(?:만약|만일|만에\s?하나|혹시|혹여|행여|가령|설령|설사)(?![가-힣])[^.]*$")
_TALK: Final = re.compile(
    r"(?:따르|의하|보|말하|말씀드리|설명드리|설명하|알려드리|답하|답변드리|답변하|밝히|짚|옮기|공유하|공유드리|"
    r"요약드리|물어보|여쭤보|말하자|정리하|요약하|들|비하|비교하|돌이켜보|따지|아시다시피|참고하|덧붙이|솔직히 "
    r"말하|알고 보)면\s*,?\s*$"
)
"""Conditions of speaking (`로그를 보면`, `정리하면`): they limit nothing."""
_SURFACE: Final = re.compile(
    r"(?:(?<![가-힣])(?:지면|대면|직면|수면)|화면|측면|반면|평면|표면|장면|전면|후면|정면|도면|단면|국면|"
    r"이면에)\s*,?\s*$"
)
_PAST: Final = "".join(chr(0xAC00 + 28 * at + 20) for at in range(399) if chr(0xAC00 + 28 * at + 20) not in "있겠")
"""The syllables with the sign of the past."""
_PAST_TIME: Final = re.compile(
    rf"[{_PAST}]을?\s?(?:때|동안|경우)(?!만|에만|에\s?한)[가-힣]*\s*,?\s*$|당시[가-힣]*\s*,?\s*$"
)
_DURING: Final = re.compile(r"(?:동안|중)(?:에는|에)?\s*,?\s*$")
_PAST_END: Final = re.compile(rf"[{_PAST}](?:습니|어요|다|음|고|지만)")
_SOURCE: Final = re.compile(
    r"(?<=[가-힣A-Za-z0-9\s])(?:따르면|의하면|말로는|말로|말에\s?따르면|"
    r"말만\s?믿자면|말대로라면|주장으로는|"
    r"생각에는|생각으로는|기억으로는|짐작으로는|추측으로는)\s*,?\s*[^,]*$"
)
_ADVERB: Final = re.compile(
    r"(?<![가-힣])(?:아마도?|어쩌면|혹시|설마|이론상|이론적으로는?|원칙적으로는?|원칙상|서류상|계획대로라면|"
    r"예정대로라면|운이\s?좋으면|바라건대|꿈(?:속)?에서?|제?\s?(?:추측|생각|짐작|기억|느낌)(?:인데|엔|에는|으로는|"
    r"이지만|"
    r"에)|개인적으로는?|소문에는|듣기로는|듣자\s?하니|들리는\s?(?:말|얘기|소문)(?:로는|에는|에)|"
    r"카더라)\s*,?\s*(?>(?:[가-힣]++\s*+){0,3})$"
)
_LABEL: Final = re.compile(
    r"^\W*(?:[가-힣A-Za-z0-9]+\s){0,2}(?:제안|대안|[A-Z가-힣0-9]?\s?안|아이디어|가설|가정|추측|소문|주장|"
    r"질문|할\s?일|계획|목표|기대\s?결과|예상|"
    r"티켓|요청|요구\s?사항|오해|농담|시나리오|초안|희망\s?사항|"
    r"기각(?:된)?\s?[가-힣]*|반려|보류|다음\s?단계|로드맵|백로그|"
    r"속설|말|얘기|이야기|생각|의견|우려|걱정|바람|희망|낭설|풍문|괴담|잡담|상상|전망|추정|(?:흔한\s)?실수|"
    r"검토\s?안)(?:\s?[A-Z0-9#.-]{1,6})?[\"'*_\s]*:[\s\"'“‘`*_]*$"
)
_DENIED: Final = (
    r"(?:사실(?:이|은)?\s?아[니닙닌님]|사실과\s?(?:다르|달)|사실무근|틀렸|틀린|틀립|빗나|뒤집|무산|백지화|보류|"
    r"접었|지어낸|꾸며낸|가상|허구|없던\s?일|거짓|오해|착각|농담|헛소문|"
    r"잘못\s?(?:알|된|봤)|아니었(?!으면|다면|더라면)|아닙니다|아니에요|아니다|아니고|아녜요|아님|아녔|"
    r"아니라는|폐기|폐지|기각|반려|취소|철회|옛말|"
    r"말이\s?안|그럴\s?리|근거\s?(?:가|는)?\s?없|추측(?:일|이)|확인(?:된|되지)\s?(?:바|않)|"
    r"더\s?이상\s?(?:아니|그렇지)|그렇지\s?않)"
)
_TAKEN_BACK: Final = re.compile(
    r"^\W*+(?:(?:그런데|하지만|그러나|사실|물론|아|네|예|음|아니|죄송합니다만?|다만|근데|[ㅋㅎㅠㅜ]+|앗|어|실은|"
    r"알고\s?보니|나중에|"
    r"결국|결국에는|실제로는|정작|다행히|안타깝게도|아쉽게도),?\s*+)*(?:"
    rf"(?:이건|이게|이는|이것은|그건|그게|그것은|그것도|(?:이|그|위)\s?(?:결정|계획|방안|제안|보고|글|소식|소문|"
    rf"예상|생각|추측|결론|일정|약속)"
    rf"[은는이가]?|이\s?(?:말|주장|가설|가정|내용|설명|얘기|"
    rf"이야기)[은는이가]?|그\s?(?:말|주장|가설|가정|내용|설명|얘기|"
    rf"이야기)[은는이가]?|라는\s?(?:건|것은|말은)|위\s?내용은)[^.]{{0,24}}?{_DENIED}"
    r"|(?:아직|다만|물론)?\s*+(?:이는|이건|그건|그게)?\s*+(?:확인|검증|입증|재현)(?:된\s?(?:바|적)|되지|하지|"
    r"이\s?안|은\s?안|을\s?못|은\s?못)"
    r"|(?:농담|뻥|거짓말|틀렸|틀린\s|틀립|오해|착각|기각|반려|취소|철회|폐기|보류|무산|백지화|접었|없던\s?일|"
    r"사실무근|헛소문|"
    r"사실이\s?아[니닙닌님]|사실과\s?다|아니[,.!]|아뇨|아닙니다|아니었(?!으면|다면|더라면)|아니에요|아녜요|"
    r"그럴\s?리|말도\s?안|헛소리|"
    r"퍽이나|어림|정정|(?:사실은\s|정)?반대입|반대로|는\s(?:옛|예전|지난)|"
    r"그런\s?줄|(?:그런|이런)\s?(?:일|적|사고|사실|말|기능|장애)[은는이도]?\s?(?:[가-힣]+\s)?없|그렇지\s?않|"
    r"(?:더\s?이상|이젠|이제는|지금은)\s?(?:아니|아닙|그렇지)|"
    r"(?:라|다)고\s?(?:들었|믿었|생각했|알았|착각|오해)|"
    r"(?:정말|진짜|사실|맞|확실|그런|그래|그렇|과연)[가-힣\s]{0,10}\?))"
)
_ONLY_IF: Final = re.compile(
    r"^\W*(?:(?:단|다만|물론|오직)\W\s?[^.?!]{0,60}?(?:때만|때에만|때뿐|경우에만|경우에\s?한|경우만|한해|조건|한정|"
    r"한에서|에만|제외)"
    r"|[^.?!)]{0,40}?(?:때만|때에만|때뿐|경우에만|경우에\s?한|경우만|조건(?:으로|하에)|(?:에|로)\s?한해|에\s?한함|"
    r"제외)\s?[가-힣]{0,4}[).])"
)
"""A limit added behind, in a bracket or a sentence of its own that has no other verb."""
_MADE_UP: Final = re.compile(
    r"지어낸|지어\s?낸|꾸며\s?낸|꾸며낸|가상의|가상\s?(?:시나리오|사례|상황|사고)|허구|소설|모의|만우절|"
    r"거짓\s?(?:보고|예시|정보)|"
    r"(?:예시|예제|연습|교육|훈련|시험|실습|데모)(?:용|로|용으로)?[가-힣]*\s(?:만든|만들어|쓴|적은|작성한|지은|꾸민)|"
    r"(?:잘못된|틀린|나쁜)\s(?:예|답|글|설명|정보|사례|주장)"
)
_POINTS: Final = re.compile(
    r"아래|다음|이하|위|앞|이\s?(?:글|보고서|문서|예문|이야기|내용|사례)|이건|이것|모두|전부|[:：]\s*$"
)
_NEVER: Final = re.compile(
    r"(?:이런|그런|위와?\s?같은|해당)\s?[가-힣]{1,6}\s?(?:난\s|일어난\s|발생한\s|있었던\s|한\s|된\s)?(?:적|일|"
    r"바)?[이은는도]?\s?(?:한\s?번도\s)?(?:없었|없습|없다|없어|없음)"
    r"|(?:위|이상)의?\s?[가-힣]{0,6}\s?[가-힣]{0,6}[은는]\s?(?:모두\s|전부\s|다\s)?(?:지어낸|꾸며낸|가상|허구|거짓|"
    r"농담|예시)"
    r"|(?:지어낸|꾸며낸|가상의|허구의)\s?(?:이야기|얘기|사례|내용|보고|글|말|것|사고|시나리오)[가-힣]{0,3}(?:입니|"
    r"이에|예요|이었|다[.])"
)
_ENDED: Final = re.compile(r"[.!?](?=\s)|\n\s*\n")
_THEN_DENIED: Final = re.compile(
    rf"(?:그건|그게|그것은|이건|이게|이는|사실은|실제로는|알고\s?보니|확인해\s?보니|물어보니|"
    rf"열어\s?보니)[^.]{{0,30}}?(?:{_DENIED}|않|없)"
)


def korean_before(around: Context, inside: str, ahead: str = "") -> tuple[str, str]:
    """What kind of frame goes before a place in its sentence, and its words; two empty texts where none does."""
    before = around.before
    if (found := korean_introduced(before, ahead, inside))[0]:
        return found
    if not re.search("[가-힣]", before):
        return "", ""
    if _LABEL.match(before):
        return "a proposal", before
    if (found := _SOURCE.search(before)) and not KOREAN_WITNESS.search(
        before, max(0, found.start() - 24), found.start()
    ):
        return "a report", found[0]
    if (found := _ANY_IF.search(before)) and not re.search(r"(?:지만|는데|[,;])\s*[^,]*(?:고|지만)\s*$", found[0]):
        return "a condition", found[0]
    if (found := _IF.search(before)) and not (
        _TALK.search(before)
        or _SURFACE.search(before)
        or _PAST_TIME.search(before)
        or (_DURING.search(before) and _PAST_END.search(inside))
    ):
        return "a condition", before
    if found := _UNLESS.search(before):
        return "a condition", before
    if (found := _LATER.search(before)) and not re.search("예정|겠|[ㄹ할될]\\s?(?:것|거)|계획", inside):
        return "a plan", found[0]
    if found := _EARLIER.search(before):
        return "a former state", found[0]
    if found := _ADVERB.search(before):
        return "a doubt", found[0]
    return "", ""


def korean_behind(around: Context, inside: str) -> tuple[str, str]:
    """What kind of frame goes behind a place, in its sentence or in the next, and its words."""
    behind, last = around.behind, inside[-1:]
    hangul = "가" <= last <= "힣"
    if hangul and (kind := korean_tail(behind)):
        return kind, behind
    if _WAS.match(behind) and _AT_FIRST.search(around.before):
        return "a former state", around.before
    if behind[:1] and (hangul or last in "\"'”’」』`)"):
        if _GOES_ON.match(behind):
            return "", ""
        if _WHETHER.match(behind) or (last == "지" and (_UNKNOWN.search(behind) or _TO_CHECK.match(behind))):
            return "a question", behind
        if hangul and last not in "다요음함임됨" and (found := _NOT_YET.match(behind)):
            return "a condition", behind
        if found := _BOUND_NOUN.match(behind):
            return ("a report" if found[0].endswith(("소문", "주장")) else "a supposition"), behind
        if (found := _QUOTED.match(behind)) and (last == "다" or not hangul or found[0].lstrip("이").startswith("라")):
            return _quoted(behind, found)
        if hangul and last == "다" and (found := re.match(r"[가-힣]+", behind)):
            return _quoted(behind, found)
    if around.ended == "?" and hangul and not behind.strip(" \"'”’`"):
        return "a question", f"{behind}?"
    if not behind.strip(" .") and re.match(r"이?라(?:고|는|던)", around.following):
        return "a report", around.following
    if len(behind) < 40 and korean_taken_back(around.following):
        return "taken back", around.following
    if hangul and behind.strip() and korean_wished(behind):
        return "a plan", behind
    if _ONLY_IF.match(around.following) or ((not hangul or last in "다요음함임됨") and _ONLY_IF.match(behind)):
        return "a condition", behind.strip(" .") or around.following
    return "", ""


def korean_taken_back(following: str) -> bool:
    """Whether the next sentence withdraws, denies, doubts or limits what is said before it."""
    return _TAKEN_BACK.match(following) is not None or korean_retracted(following)


def _quoted(behind: str, found: re.Match[str]) -> tuple[str, str]:
    """What the head behind a quotative ending makes of the clause before it."""
    ending = found[0].strip("\"'”’」』` ")
    rest = behind[found.end() :]
    if ending.endswith("면") or ending.endswith("더라도"):
        return "a condition", behind
    if ending.endswith("지만"):
        return "", ""
    asserted = _ASSERTED.search(_CONTRAST.split(behind, maxsplit=1)[0])
    if asserted is None:
        return "a report", behind
    tail = behind[asserted.end() : asserted.end() + 24]
    if asserted[0] in _JUDGED and _CONTRAST.search(tail[:12]):
        return "a denial", behind
    between = behind[found.end() : asserted.start()]
    if _UNDONE.search(between) or _UNDONE.match(tail.lstrip()) or _THEN_DENIED.search(rest):
        return "a denial", behind
    clause = re.split(r"(?:는데|지만|으나)\s|,", tail)[0]
    return ("a denial", behind) if _UNDONE.search(clause) else ("", "")


def korean_disowned(ahead: str, beyond: str) -> str:
    """The words before or behind a place, sentences away, that call all of it made up; empty: none."""
    if found := _NEVER.search(beyond):
        return found[0]
    last = [one for one in _ENDED.split(ahead.rstrip(" \n\t>\"'“‘`*_.")) if one.strip()][-1:]
    return last[0] if last and _MADE_UP.search(last[0]) and _POINTS.search(last[0]) else ""
