"""Korean frames. The head is last, so most follow a place (`…다는 소문`, `…면`, `…기 전까지는`).

Also what introduces a Korean statement or follows it in other sentences, and takes it back."""

from __future__ import annotations

import re
from typing import Final

from core.align.guard.frames.english_clauses import last_sentence
from core.align.guard.frames.sentence import Context
from core.base.lazy import lazy_pattern

_LEAD: Final = (
    r"^\W*+(?>(?:(?:그런데|근데|하지만|그러나|그렇지만|다만|단|물론|사실은?|실은|음+|흠+|아+|앗|어+|어라|엇|헉|아이고|"
    r"아차|이런|참|네|예|뭐|"
    r"아니|아뇨|잠깐만요?|잠시만요?|죄송(?:해요|합니다|하지만|한데)?(?:만)?|미안(?:해요|합니다)?|방금|적어도|"
    r"어디까지나|솔직히|오늘|나중에|뒤늦게)(?![가-힣])[\s,.:;!…~]*+)*)"
)
_SLIP: Final = (
    r"잘못\s?(?:봤|봐|보|읽|알|적|썼|쓴|말|들|이해|기억|계산|입력|복사|된)|착각|헷갈|혼동|오독|오타|실수|"
    r"(?:다른|엉뚱한|옛날|예전|이전|지난|구|테스트|스테이징|개발|로컬|캐시된|dev|staging|test|local|"
    r"[a-z]+\s설정)\s?[가-힣A-Za-z0-9_.\s]{0,16}[을를]?\s?(?:봤|보고|본|열|읽|돌린|돌렸|켜|적|붙)|"
    r"틀렸|틀린|틀립|정정|취소|철회|번복|무시해|잊어\s?주|못\s?들은\s?(?:걸로|셈)|없던\s?(?:걸로|일)|"
    r"아니[네었고에요군야더라]|아닙니|아님|아녜요|아녔|다시\s?(?:[가-힣]+\s)?(?:보니|봤더니|확인|재|세어)|"
    r"반대[네였입로예]|뻥|농담|거짓말|낚시|지어낸|꾸며낸"
)
_EMPIRIC: Final = (
    r"(?:실제로는?|실상은|현실은|알고\s?보니|막상|정작|까\s?보니|열어\s?보니|확인해\s?보니|"
    r"(?:[가-힣]+[아어해]|[가-힣]*(?:돌려|봐|켜|써|세어|들여다|찾아|물어|까|열어|재|뜯어|파))\s?(?:보니까?|봤더니)|"
    r"(?:로그|코드|메트릭|소스|지표|덤프|그래프|콘솔)[를을]?\s?(?:[가-힣]+\s)?보[니면])"
)
_SELF: Final = (
    r"(?:이건|이게|이거는?|이것은|이것도|이는|그건|그게|그거는?|그것은|그것도|위\s?(?:내용|문장|말|글|수치|"
    r"설명)[은는이]?|앞의?\s?(?:내용|말|문장)[은는이]?|방금\s?(?:말씀드린|쓴|적은|한)\s?(?:건|것은|말은|내용은)|"
    r"(?:이|그|해당)\s?(?:말|내용|부분|문장|설명|수치|값|얘기|이야기|주장|결론|결과|기능|규칙|문구|정보|설정|방식|"
    r"사실|소식|판단|진단)[은는이도]?)"
)
_NOT_FACT: Final = (
    r"(?:목표|희망\s?사항|희망|바람|꿈|소망|이상|로망|계획|구상|가설|가정|추측|추정|짐작|예상|전망|소문|루머|주장|"
    r"의견|제안|초안|시안|안|아이디어|농담|오해|착각|거짓|상상|느낌|생각|기대|요청|요구\s?사항|질문|"
    r"예시|예문|가상|설정|시나리오|옛말|옛날\s?얘기|옛날얘기|과거|작년|예전|옛날|지난|이전|구버전|카더라|뇌피셜|"
    r"희망고문|헛소문|낭설)"
)
_NEXT: Final = lazy_pattern(
    rf"{_LEAD}(?:"
    # The speaker slipped, or withdraws it.
    rf"(?:제가|저희가|내가|우리가|저도|알고\s?보니)?\s?[^.?!]{{0,24}}?(?:{_SLIP})(?![가-힣\s]*?(?:문제|값이|사례|"
    rf"경우|분이|쪽|설정을|코드를|로그를)[가-힣]*\s?(?:사라|고|수정|줄|해결|없))"
    r")"
)
_INTERJECTED: Final = lazy_pattern(
    r"^\W*+(?:아+|앗|어라?|엇|헉|아이고|아차|이런|음+|흠+|잠깐만요?|잠시만요?|아니|죄송|미안|정정|취소|수정|방금|"
    r"제|제가|내가|저희가|다시|라고|위|앞|이\s?내용|그런데|근데|하지만|그러나|나중에|뒤늦게|"
    r"오늘)(?:[가-힣]{0,5})?(?=[\s,.:;!…~])"
)
_MENDED: Final = lazy_pattern(
    r"(?:수정|해결|교체|반영|조치|복구)(?:했|됐|하였|되었|해\s?[뒀두놨])[가-힣]*[.!\s]*$|고쳤[가-힣]*[.!\s]*$"
)
"""A slip that is past and mended: it is of something else."""
_OF_IT: Final = lazy_pattern(
    rf"{_LEAD}(?:"
    rf"{_SELF}\s?[^.?!]{{0,16}}?{_NOT_FACT}(?:[은는이가]?\s?(?:뿐|일|입니|이에|예요|이었|이고|이죠|이야|이라|였|"
    rf"기준|얘기|이야기|일\s?뿐|임|중|단계|상)|[.!])"
    rf"|{_SELF}\s?[^.?!]{{0,30}}?(?:확인|검증|입증|재현|실측|측정|확정|검토)(?:이|을|은|도)?\s?(?:안|못|되지|하지|"
    rf"필요|전|중|해\s?봐야|된\s?(?:바|적)|예정|대기)"
    rf"|{_SELF}\s?[^.?!]{{0,30}}?(?:만\s?(?:해당|적용|그렇|그래|유효|맞)|에만\s|한정|할\s?때만|일\s?때만|경우만|"
    rf"때\s?얘기|때\s?이야기|시절\s?얘기)"
    rf"|(?:적어도|최소한|어디까지나)\s?[^.?!]{{0,24}}(?:는요|상|에선요|에서는요|로는요|(?<!지)만요|일\s?뿐)"
    # A doubt of the speaker.
    r"|정확한\s?(?:건|것은|거는?|내용은|값은|수치는|날짜는|정보는)|[^.?!]{0,20}[가-힣]야\s(?:확정|가능|적용|유효|"
    r"시작|진행|성립)|(?:아마도?\s)?그럴\s?(?:거|것|겁|듯|수|지도)|(?:확실|정확|분명)[가-힣]*\s?(?:않|모르|아니|"
    r"아닙|아녜|자신)|(?:확신|자신|장담)(?:은|이|도|할\s?수)?\s?(?:못|없|안)|"
    r"(?:저도\s?)?(?:잘\s?)?모르겠(?!.*(?:누가|언제|왜|어디|얼마))"
    r"|(?:아직\s?)?(?:직접\s?)?(?:확인|검증|재현|테스트|실측|측정)(?:은|는|을|를|도)?\s?(?:아직\s?)?(?:안\s?(?:해|"
    r"했|됐|돼|된|되)|못\s?(?:했|해|한)|전입니|전이|전임|하지\s?(?:못|않)|되지\s?않|필요합|필요해|필요함|"
    r"이?\s?필요|중입|해\s?봐야|부탁)(?![가-힣]*면)"
    r"|누가\s?(?:좀\s?)?확인|(?:맞|사실|정말|진짜|확실|과연|그런|그래)[가-힣\s]{0,8}\?|(?:제|저의|그냥)?\s?(?:느낌|"
    r"추측|생각|짐작|감|뇌피셜|희망|바람|기억|추정|예상)(?:일\s?뿐|이지만요|인데요|입니다|이에요|예요|이긴|"
    r"일\s?수도|상|[이을를]\s?섞)|(?:제|저의|개인적인)\s?(?:[가-힣]+\s){0,2}?(?:해석|의견|추측|견해|느낌|생각|희망|"
    r"바람)(?:입|이에|일|이고|이라|예요)|(?:결국\s)?(?:채택|승인|반영|도입|실현|시행|통과|"
    r"합의)[은는이가도]?\s?(?:되지\s?(?:않|못)|안\s?[됐되돼]|못|하지\s?(?:않|못)|불발|무산)"
    r"|아마(?:도|도요|요)?\s?[.…]?\s*$|그랬으면|그러면\s?(?:좋|얼마나)|그렇게\s?됐으면|그렇게\s?되면|(?:이|"
    r"그)랬으면|였으면\s?좋|(?:아직\s?)?(?:시작|착수|구현|적용|진행|배포)(?:은|도|를|"
    r"조차)?\s?(?:아직\s?)?(?:안\s?했|못\s?했|하지\s?(?:않|못))"
    # A rest of a sentence that limits it.
    r"|[^.?!,]{0,30}(?:면요|거든요|에서만요|때만요|(?<!지)만요|까지만요|한정이요|한정입니다|한해서요|로는요|"
    r"상으로는요|상으론요|기준으로는요|가정에서요|전제에서요|조건에서요|전제하에서요|전제로요|조건으로요|예정이요|"
    r"예정이에요|계획이에요|계획이요)\s*[.!…]?\s*$"
    # Another speaker, or the facts, say otherwise.
    r")"
)
_BUT_FACTS: Final = lazy_pattern(
    rf"^\W*+(?:(?:그런데|근데|하지만|그러나|그렇지만|다만|정작|막상)[\s,]*+[^.?!]{{0,20}}?{_EMPIRIC}[^.?!]{{0,40}}?"
    r"(?:않|없|아니|아닙|아녔|안\s|못|다르|달랐|다릅|다른|반대|틀|여전히|그대로|(?<!이상\s)정상)"
    rf"|(?:사실은|실은|결국|나중에|오늘)?[\s,]*+[^.?!]{{0,20}}?{_EMPIRIC}[^.?!]{{0,30}}?"
    r"(?:아니[네었였에]|아닙|아녔|다르|달랐|다릅|반대|틀렸|틀린|(?:되|하|돌|걸리|들어오|보이)지\s?않|안\s?(?:되|됐|"
    r"돼|했|하))"
    r")"
)
_LIMITED: Final = lazy_pattern(
    r"^\W*+(?:단|다만|물론|대신|하지만|그런데)(?![가-힣])\W?\s?[^.?!]{0,50}(?:예외|제외|빼고|한정|에만|에서만|때만|"
    r"경우만|만\s?(?:해당|그렇|적용|가능))"
)
_BRACKET: Final = lazy_pattern(
    r"^\s?[(\[（]\s?(?:미확인|미검증|미정|미확정|추정|추측|가정|가설|예정|계획|목표|희망|아님|아니|거짓|오보|루머|"
    r"소문|농담|가안|초안|임시|제안|보류|취소|폐기|반려|기각|옛|구|"
    r"(?:아직\s)?(?:확인|검증|검토|논의|승인|테스트|협의)\s?(?:필요|중|전|안|못|예정|대기)|확실|아마|뇌피셜|카더라|"
    r"이론상|제\s?생각|\?)"
)
_BUT: Final = lazy_pattern(
    r"^만[,\s]+[^.?!]*?(?:에서만|때만|에만|경우만|한정|제외|예외|그렇지\s?않|사실(?:이|은|과)?\s?(?:아|다)|아닙|"
    r"아니었|취소|틀렸|착각|잘못|다릅|달랐|지금은|이제는?|현재는|요즘은|확인(?:은|을|이)?\s?(?:안|못|되지|하지|"
    r"필요|전))"
)
_SUGGESTED: Final = lazy_pattern(
    r"^(?:자(?:는|고|던|면|며|니)|지(?:는|도|를)?\s?(?:마|말)|[어아해여]?야만?\s?(?:하|한|할|합|했|해|될|되|됩|된|"
    r"겠)|(?:는|은|인)?\s?(?:것|거)처럼|(?:는|은|인)\s?(?:양|듯|척|체|셈|줄)|(?:인|일|였는|이었는|는|은)지(?:는|도|"
    r"가|를|부터)?[\s,.])"
)
_REGARDED: Final = lazy_pattern(
    r"^(?:으?로|인\s?것으로|이?라고|이?라는|이란)\s?(?:[가-힣]+\s){0,2}?(?:의심|지목|추정|추측|보[였인이입]|예상|"
    r"간주|여[겼기겨]|생각|알려|거론|짐작|오해|착각|오인|봤|보고|보았|믿|주장|우기|전망|가정|치부|몰)"
)
_TITLED: Final = lazy_pattern(
    r"^[\"'”’」』`]+\s?(?:라는|이라는|란)?\s?(?:[가-힣]+\s)?(?:테스트|케이스|티켓|이슈|버그|제목|안건|가설|소문|"
    r"주장|농담|제안|요청|괴담|속설|미신|슬로건|문구|카피)"
)
_ONLY_WHEN: Final = lazy_pattern(
    r"^(?:는|은|인|던)?\s?(?:것|거|건|게)(?:은|는|이|도)?\s[^.?!]*?(?:때뿐|경우뿐|뿐이|때만|경우만|경우에만|한정|"
    r"한에서|에만\s)"
)
_ARRANGED: Final = lazy_pattern(
    r"^(?:도록|게|려고?|기로|고자|기\s?위해|려면|는\s?(?:것|걸|게|방안|방향|쪽)|ㄹ|을)[^.?!]*?(?:예정|계획|싶|생각|"
    r"취소|무산|보류|논의|검토|제안|요청|부탁|바라|바람|좋겠|할까|하자|하겠|목표|꿈|희망|건의|고려)"
)
_FACTS: Final = lazy_pattern(
    r"^\W*+(?:(?:그런데|근데|하지만|그러나|그렇지만|다만)[\s,]*+(?:사실은?|실제로는?|실상은|현실은|알고\s?보니)|"
    r"현실은|실상은|사실은)(?![가-힣])[\s,]*+"
)
_WISHED: Final = lazy_pattern(
    r"^\W*+(?:이런|그런|저런|이렇게|그렇게|이게|이것이|이러한|이와\s?같은|라는|이라는|이|"
    r"그)\s?[^.?!]{0,30}?(?:좋겠|바라|바람|희망|꿈|목표|그리고\s?있|상상|가정|구상|계획|됐으면|되었으면|되면|싶|"
    r"지향|그림이|청사진|비전|제안|가설|전제)"
)
_ALWAYS_LATE: Final = lazy_pattern(
    r"(?:좋겠[가-힣]*|바람입니다|바람이에요|희망입니다|희망합니다|바랍니다|꿈입니다|꿈이에요|목표입니다|싶습니다|"
    r"싶어요|싶네요)[\s.!]*$"
)

_FORMER: Final = lazy_pattern(
    r"(?:^|[\s,(])(?:(?:예전|옛날|옛|이전|과거|초창기|초기|"
    r"구)\s?[가-힣A-Za-z0-9.]{0,10}(?:\s[가-힣A-Za-z0-9.]{1,8})?(?:에서는|에서|에는|에|엔|때는|때|시절엔|시절에는|"
    r"시절에|시절)|"
    r"[가-힣A-Za-z0-9.]+\s?(?:시절|때)(?:에는|엔|까지는|까지만\s?해도|까지)|(?:작년|재작년|지난해|지난달|지난주|"
    r"어제)까지(?:는|만\s?해도)?|[가-힣A-Za-z0-9.]+\s(?:이전|전|이관\s?전|개편\s?전)(?:에는|엔|까지는)|한동안은?|"
    r"당시에?는?)\s*,?\s*$"
)
_INTRODUCED_SOURCE: Final = lazy_pattern(
    r"(?<=[가-힣A-Za-z0-9\s])"
    r"(?:(?:얘기|이야기|말|말씀|주장|설명|의견|전언|제보|소문|풍문|직감|육감|촉|예감|직관|감|기억|느낌|생각|판단|"
    r"추측|짐작|추정|이해|예상|글|"
    r"답변|댓글|후기|증언|해석)(?:로는|으로는|대로면|대로라면|에\s?따르면|에\s?의하면|만\s?(?:보면|들으면|믿으면|"
    r"믿자면)|상으로는|엔|에는)|"
    r"피셜(?:로는)?|(?:이해|기억|생각|추측|짐작|판단|파악)(?:한|하는|하기|하고\s?있는)\s?(?:바로는|바로|걸로는|"
    r"것으로는|한에서는|로는)|(?:보기|듣기|알기|느끼기)(?:엔|에는|에|로는)|"
    r"(?:그러는데|그러던데|말하길|말하기를|주장하길|우기길|들은\s?바로는|듣기로는|들었는데|듣자\s?하니|"
    r"들은\s?(?:말|얘기)로는|그랬는데|카더라))\s*+,?\s*+(?:(?<![가-힣])[가-힣]++\s)?$"
)
_WHO: Final = 24
"""Code points before a source's last word that name it."""
_WISH: Final = lazy_pattern(
    r"(?:마음\s?같아서는|마음\s?같아선|욕심\s?같아서는|욕심으로는|이상적으로는?|이상적이라면|할\s?수만\s?있다면|"
    r"가능하다면|기왕이면|원래\s?(?:계획|목표|생각|의도|구상)[은는이]?|계획상으로?는?|예정상|"
    r"[았었했였됐랐렀]어도|(?:다|라)고?\s?(?:치고|가정하고|치면)|(?:전제|가정|조건)\s?(?:하에|아래|로|"
    r"에서)(?:는|만)?|여부에\s?따라(?:서)?|"
    r"(?:좋은|최선의|최악의|이상적인)\s?경우(?:엔|에는|에)?|안\s?그러면|그렇지\s?않으면|"
    r"아니면)\s*+,?\s*+(?:(?<![가-힣])[가-힣]++\s)?$"
)
_SOMEDAY: Final = lazy_pattern(
    r"(?:^|[\s,])(?:언젠가는?|나중에는?|내년|내후년|내년쯤|내달|차기|차년도|향후|추후|앞으로|장기적으로|궁극적으로|"
    r"최종적으로|다음\s?(?:주|달|분기|스프린트|버전|릴리스|릴리즈|단계|해)|하반기|상반기)"
    r"(?:쯤|께|부터|에|엔|에는|에는요|부터는|까지)?(?:는|"
    r"은)?\s*,?\s*(?:[가-힣A-Za-z0-9]+(?:\s[가-힣A-Za-z0-9]+){0,5}(?:고|며|서)\s+)?$"
)
_IF_THEN: Final = lazy_pattern(
    r"(?:[가-힣]면|거든|는\s?한|경우(?:에는|엔|에)?|때(?:만|에만)|야만?),?\s++"
    r"(?:(?:바로|곧|곧바로|즉시|자동으로|그때|다시|모두|전부|그냥|보통|대개|항상|반드시|먼저|일단|그제야|비로소|"
    r"당연히|사실상|아마|결국|알아서|저절로|무조건)\s+){1,2}$"
)
_CLAUSE_LABEL: Final = lazy_pattern(
    r"^\W*(?:[가-힣A-Za-z0-9]+\s){0,3}(?:검토\s?(?:중|안|예정)|논의\s?(?:중|예정)|보류(?:된)?\s?(?:안건|안|건|항목|"
    r"제안)?|부결(?:된)?\s?(?:안|안건)?|폐기(?:된)?\s?(?:안|안건|계획)?|기대\s?(?:동작|값|결과|효과)|"
    r"예상\s?(?:동작|결과)|"
    r"인수\s?조건|완료\s?조건|수용\s?기준|실패(?:한|하는|함)?\s?(?:테스트|케이스|항목)?|미완료|미해결|미정|미확인|"
    r"미검증|예정|진행\s?예정|구현\s?예정|다음\s?중\s?[가-힣\s]{1,8}것[은는]?|틀린\s?(?:것|답|문장|설명)|오답|거짓|"
    r"가짜|페이크|"
    r"(?:GPT|챗GPT|ChatGPT|LLM|AI|챗봇|봇|클로드|제미나이)\s?[가-힣]{0,3}|제보|민원|고객\s?(?:문의|주장|항의|말)|"
    r"문의|상상|꿈|희망|바람|퀴즈|문제|O/X|OX)(?:\s?[A-Z0-9#.-]{1,6})?[\"'*_\s]*:[\s\"'“‘`*_]*$"
)
_IMAGINE: Final = lazy_pattern(
    r"^\W*+(?:[가-힣]++\s){0,3}(?:상상해|가정해|생각해|치고|칩시다|가정합시다|그려|꿈꿔)(?:\s?(?:보세요|"
    r"봅시다|보죠|봐요|보면|볼까요|주세요))?[.!…]\s*$"
)
KOREAN_WITNESS: Final = lazy_pattern(
    r"로그|기록|회의록|의사록|녹취|이력|계약|지표|그래프|대시보드|모니터링|추적|출력|측정|테스트|감사|메트릭|결과|"
    r"보고서|문서|데이터|트레이스|"
    r"덤프|화면|통계|스펙|명세|표준|RFC|코드|소스|매뉴얼|설정|계약서"
)


def korean_introduced(before: str, ahead: str, inside: str) -> tuple[str, str]:
    """What kind of introduction goes before a place in its sentence, and its words."""
    if found := _CLAUSE_LABEL.match(before):
        return "a proposal", found[0]
    if (found := _INTRODUCED_SOURCE.search(before)) and not KOREAN_WITNESS.search(
        before, max(0, found.start() - _WHO), found.start()
    ):
        return "a report", found[0]
    if found := _WISH.search(before) or _IF_THEN.search(before):
        return "a condition", found[0]
    if found := _FORMER.search(before):
        return "a former state", found[0]
    if (found := _SOMEDAY.search(before)) and not re.search("예정|겠|[ㄹ할될올갈낼] ?(?:것|거|게|계획)|계획", inside):
        return "a plan", found[0]
    if not before.strip(" \"'“‘`*_(") and (found := _IMAGINE.match(last_sentence(ahead))):
        return "a supposition", found[0]
    return "", ""


def korean_retracted(following: str) -> bool:
    """Whether the next sentence, as one line, withdraws, doubts or limits the statement that ends before it."""
    if not re.search("[가-힣]", following):
        return False
    if _INTERJECTED.match(following) and _NEXT.match(following) and not _MENDED.search(following):
        return True
    if (found := _FACTS.match(following)) and re.search(
        r"않|없|아니|아닙|안\s|못|다르|다릅|달랐|반대|틀", following[found.end() :]
    ):
        return True
    return any(one.match(following) for one in (_OF_IT, _BUT_FACTS, _WISHED, _LIMITED))


def korean_tail(behind: str) -> str:
    """What kind of frame an ending or a bracket right behind a place makes of it; empty: none."""
    if _TITLED.match(behind):
        return "a title"
    if _ONLY_WHEN.match(behind):
        return "a condition"
    if _BRACKET.match(behind) or _REGARDED.match(behind):
        return "a belief"
    if _BUT.match(behind):
        return "a frame behind it"
    return "a proposal" if _SUGGESTED.match(behind) or _ARRANGED.match(behind) else ""


def korean_wished(behind: str) -> bool:
    """Return whether the sentence continues a clause as a picture, a wish or a goal."""
    return _WISHED.match(behind) is not None or (
        _ALWAYS_LATE.search(behind) is not None
        and not re.search(r"(?:지만|는데|으니|니까|어서|아서|므로|만)[\s,]", behind)
    )


_QUOTED: Final = lazy_pattern(
    r"^[\"'”’」』`]*\s?(?:이?라|다|자|냐)?(?:고|는|던|면|거나|지만|더라도|기|며|면서|니|지|란|라는|라고|라며|"
    r"라던|다는|다고|다며|다던|는지|ㄴ지|길래|기에|더니|더라|든가|다길래|라길래|다기에|라기에|다더니|라더니)"
    r"(?=[\s가-힣,.])"
)
_WHETHER: Final = lazy_pattern(r"^[가-힣]{0,2}(?:는지|은지|ㄴ지|을지|ㄹ지|런지)(?:는|도|가|를)?(?=[\s,.?])")
_GOES_ON: Final = lazy_pattern(r"^만(?=[\s,])")
"""`…습니다만`: but."""
_UNKNOWN: Final = lazy_pattern(r"모르|몰라|모른|의문|불확실|불분명|궁금|알\s수\s없|미지수")
_TO_CHECK: Final = lazy_pattern(
    r"\s?(?:를|는|도)?\s?(?:[가-힣]+\s)?(?:확인|점검|검토|체크|테스트|알아|물어|여쭤|살펴|조사|궁금|의문|"
    r"검증)(?![가-힣]*[했됐])"
)
_ASSERTED: Final = lazy_pattern(
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
_CONTRAST: Final = lazy_pattern(r"(?:지만|는데|으나|더니)(?=[\s,])")
"""What ends the clause of a head, and says that another one follows against it."""
_JUDGED: Final = ("결론", "파악했", "뜻")
_UNDONE: Final = lazy_pattern(
    r"못|않|없|(?<![가-힣])안\s|아니|아닌|아닙|모르|어렵|힘들|야\s?(?:한|할|합|함|해)|(?:해|아|어)\s?(?:주|"
    r"줘|달)|바랍|바라|부탁|까요?$|까\?|의심|필요|"
    r"예정|려면|려고|중입|중이|"
    r"착각|오해|거짓|틀렸|틀린|농담|폐지|사실무근|헛소문|잘못|뒤집|철회|취소|옛날|예전|근거|성급|섣부|섣불|이르|"
    r"이릅|일러|무리|비약"
)
_BOUND_NOUN: Final = lazy_pattern(
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
_NOT_YET: Final = lazy_pattern(
    r"^[가-힣]{0,2}?(?:기\s?전|지\s?않는\s?(?:한|이상)|지\s?않으면|지\s?못하면|는\s?한|을?\s?때(?:만|까지|"
    r"에만)|는\s?경우|을\s?경우|ㄴ\s?경우|으면|"
    r"면|거든|더라도|어야|아야|다\s?치|다\s?하더라도|"
    r"\s?(?:때(?:만|까지|에만)|경우(?:에만|에 한|에는)?|한(?:해|하여)|조건|전까지))(?=[\s,.가-힣])"
)
_IF: Final = lazy_pattern(
    r"(?<![가-힣])([가-힣A-Za-z0-9_`'\")]*(?:으면|하면|되면|이면|라면|다면|지면|나면|가면|오면|리면|키면|"
    r"주면|기면|히면|이라면|는\s한|은\s한|않는\s이상|"
    r"는\s이상|경우|경우에|경우에는|경우에만|"
    r"때만|때에만|때에|때는|때|동안|동안에는|동안만|중에는|중에만|전까지|전까지는|전에는|거든|한해|한해서|"
    r"한하여|외에는|가정하에|조건으로|조건하에|[가-힣]면))\s*,?\s*"
    r"(?:[\"'“‘`*_]*)$"
)
_UNLESS: Final = lazy_pattern(
    r"(?:[는은]\s대로|[가-힣](?:어야|아야|여야|해야|켜야|져야|돼야|야만)|제외하고(?:는)?|제외하면|"
    r"빼고는|말고는|없이는|않고(?:서)?는|외에는)\s*,?\s*$"
)
_LATER: Final = lazy_pattern(
    r"(?:다음|내년|내달|차기|앞으로|향후|추후|조만간|내일|모레)(?:\s?[가-힣A-Za-z0-9.]{1,12})?(?:부터|에는|에|"
    r"는)?\s*,?\s*$"
)
_EARLIER: Final = lazy_pattern(
    r"(?:예전에는?|원래는?|본래는?|처음에는?|과거에는?|한때는?|옛날에는?|이전에는|까지만\s해도|까지는|당초에?는?|"
    r"애초에는?)\s*,?\s*$"
)
_AT_FIRST: Final = lazy_pattern(r"(?<![가-힣])(?:원래|당초|처음|애초|본래|예전|과거|초기)")
_WAS: Final = lazy_pattern(r"^이?[었였](?:는데|지만|으나|다가|고)")
_ANY_IF: Final = lazy_pattern(r"(?<![가-힣])(?:만약|만일|만에\s?하나|혹시|혹여|행여|가령|설령|설사)(?![가-힣])[^.]*$")
_TALK: Final = lazy_pattern(
    r"(?:따르|의하|보|말하|말씀드리|설명드리|설명하|알려드리|답하|답변드리|답변하|밝히|짚|옮기|공유하|공유드리|"
    r"요약드리|물어보|여쭤보|말하자|정리하|요약하|들|비하|비교하|돌이켜보|따지|아시다시피|참고하|덧붙이|솔직히 "
    r"말하|알고 보)면\s*,?\s*$"
)
"""Conditions of speaking (`로그를 보면`, `정리하면`): they limit nothing."""
_SURFACE: Final = lazy_pattern(
    r"(?:(?<![가-힣])(?:지면|대면|직면|수면)|화면|측면|반면|평면|표면|장면|전면|후면|정면|도면|단면|국면|"
    r"이면에)\s*,?\s*$"
)
_PAST: Final = "".join(chr(0xAC00 + 28 * at + 20) for at in range(399) if chr(0xAC00 + 28 * at + 20) not in "있겠")
"""The syllables with the sign of the past."""
_PAST_TIME: Final = lazy_pattern(
    rf"[{_PAST}]을?\s?(?:때|동안|경우)(?!만|에만|에\s?한)[가-힣]*\s*,?\s*$|당시[가-힣]*\s*,?\s*$"
)
_DURING: Final = lazy_pattern(r"(?:동안|중)(?:에는|에)?\s*,?\s*$")
_PAST_END: Final = lazy_pattern(rf"[{_PAST}](?:습니|어요|다|음|고|지만)")
_SOURCE: Final = lazy_pattern(
    r"(?<=[가-힣A-Za-z0-9\s])(?:따르면|의하면|말로는|말로|말에\s?따르면|"
    r"말만\s?믿자면|말대로라면|주장으로는|"
    r"생각에는|생각으로는|기억으로는|짐작으로는|추측으로는)\s*,?\s*[^,]*$"
)
_ADVERB: Final = lazy_pattern(
    r"(?<![가-힣])(?:아마도?|어쩌면|혹시|설마|이론상|이론적으로는?|원칙적으로는?|원칙상|서류상|계획대로라면|"
    r"예정대로라면|운이\s?좋으면|바라건대|꿈(?:속)?에서?|제?\s?(?:추측|생각|짐작|기억|느낌)(?:인데|엔|에는|으로는|"
    r"이지만|"
    r"에)|개인적으로는?|소문에는|듣기로는|듣자\s?하니|들리는\s?(?:말|얘기|소문)(?:로는|에는|에)|"
    r"카더라)\s*,?\s*(?>(?:[가-힣]++\s*+){0,3})$"
)
_LABEL: Final = lazy_pattern(
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
_TAKEN_BACK: Final = lazy_pattern(
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
_ONLY_IF: Final = lazy_pattern(
    r"^\W*(?:(?:단|다만|물론|오직)\W\s?[^.?!]{0,60}?(?:때만|때에만|때뿐|경우에만|경우에\s?한|경우만|한해|조건|한정|"
    r"한에서|에만|제외)"
    r"|[^.?!)]{0,40}?(?:때만|때에만|때뿐|경우에만|경우에\s?한|경우만|조건(?:으로|하에)|(?:에|로)\s?한해|에\s?한함|"
    r"제외)\s?[가-힣]{0,4}[).])"
)
"""A limit added behind, in a bracket or a sentence of its own that has no other verb."""
_MADE_UP: Final = lazy_pattern(
    r"지어낸|지어\s?낸|꾸며\s?낸|꾸며낸|가상의|가상\s?(?:시나리오|사례|상황|사고)|허구|소설|모의|만우절|"
    r"거짓\s?(?:보고|예시|정보)|"
    r"(?:예시|예제|연습|교육|훈련|시험|실습|데모)(?:용|로|용으로)?[가-힣]*\s(?:만든|만들어|쓴|적은|작성한|지은|꾸민)|"
    r"(?:잘못된|틀린|나쁜)\s(?:예|답|글|설명|정보|사례|주장)"
)
_POINTS: Final = lazy_pattern(
    r"아래|다음|이하|위|앞|이\s?(?:글|보고서|문서|예문|이야기|내용|사례)|이건|이것|모두|전부|[:：]\s*$"
)
_NEVER: Final = lazy_pattern(
    r"(?:이런|그런|위와?\s?같은|해당)\s?[가-힣]{1,6}\s?(?:난\s|일어난\s|발생한\s|있었던\s|한\s|된\s)?(?:적|일|"
    r"바)?[이은는도]?\s?(?:한\s?번도\s)?(?:없었|없습|없다|없어|없음)"
    r"|(?:위|이상)의?\s?[가-힣]{0,6}\s?[가-힣]{0,6}[은는]\s?(?:모두\s|전부\s|다\s)?(?:지어낸|꾸며낸|가상|허구|거짓|"
    r"농담|예시)"
    r"|(?:지어낸|꾸며낸|가상의|허구의)\s?(?:이야기|얘기|사례|내용|보고|글|말|것|사고|시나리오)[가-힣]{0,3}(?:입니|"
    r"이에|예요|이었|다[.])"
)
_ENDED: Final = lazy_pattern(r"[.!?](?=\s)|\n\s*\n")
_THEN_DENIED: Final = lazy_pattern(
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
    if len(behind) < 40 and is_korean_retracted(around.following):
        return "taken back", around.following
    if hangul and behind.strip() and korean_wished(behind):
        return "a plan", behind
    if _ONLY_IF.match(around.following) or ((not hangul or last in "다요음함임됨") and _ONLY_IF.match(behind)):
        return "a condition", behind.strip(" .") or around.following
    return "", ""


def is_korean_retracted(following: str) -> bool:
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
