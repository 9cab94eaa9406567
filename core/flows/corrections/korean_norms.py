"""Whether a Korean sentence states a norm.

A norm has a directive ending (`-세요`, `-해 줘`, `-지 마`, `-야 한다`, `-ㄹ 것`, `금지`) and one of:
- an adverb of generality or of the time to come (`항상`, `절대`, `앞으로`, `다음부터`, `-ㄹ 때마다`),
- the project as its scope (`이 저장소에서는`, `여기서는`),
- for a prohibition, a topic (`-은`, `-는`) or a place (`-에`, `-에는`) that is a kind of thing.
A habit is `우리는` with a plain present verb. What points at this moment (`이거`, `그`, `지금`, `일단`) is no norm
without such an adverb.
"""

from __future__ import annotations

import re
from typing import Final

from core.flows.corrections.sentences import Sentence

_HANGUL = re.compile(r"[가-힣]")
_QUESTION = re.compile(r"(?:까|나|니|냐|가)요?\Z|(?:어때|왜|뭐)\Z")
_DIRECTIVE = re.compile(
    r"(?:세요|십시오|시오|줘요?|주세요|하자|[가-힣]자|해라|하라|[쓰두놓넣빼]라|말 ?것|할 ?것|[을를]? ?것|금지|"
    r"야 ?(?:해|한다|합니다|해요|돼|된다|됩니다|돼요|함)|지 ?(?:마|말자|말아|말라|말아라|마라|마요|맙시다|말고)|"
    r"해|써|하도록|하기|한다|합니다)\Z"
)
_DENIED = re.compile(r"지\s?(?:는\s|도\s)?(?:마|말)|금지\Z|(?:면|서는?)\s?안\s?(?:돼|된다|됩니다|되)")
_GENERAL = re.compile(
    r"(?:\A|\s)(?:항상|언제나|늘|절대로?|결코|무조건|매번|앞으로는?|앞으론|다음부터는?|다음부턴|이제부터는?|지금부터는?|원칙적으로)(?=\s|,)"
    r"|때마다|할 때는|때는 항상"
)
_PASTED_PAST = re.compile(r"[았었했였됐갔왔렸]\S{0,3}\Z")
_SCOPE = re.compile(
    r"(?:이|우리|저희) ?(?:프로젝트|저장소|레포|리포|코드베이스|팀)\S{0,4}(?=\s)"
    r"|(?:\A|\s)(?:여기서는|여기선|여기에서는|우리는|우린|저희는)(?=\s)"
)
_WE = re.compile(r"(?:\A|\s)(?:우리는|우린|저희는|우리 팀은|이 프로젝트는|이 저장소는)\s")
_PRESENT = re.compile(r"(?:[쓴한둔는]다|씁니다|합니다|습니다|써요?|해요?|지 ?않는다|지 ?않아요?|지 ?않습니다)\Z")
_POINTING = re.compile(
    r"(?:\A|\s)(?:이거|이건|이것|그거|그건|그것|저거|이게|그게|지금|일단|아직|방금|이번|오늘|먼저|(?:이|그|저)(?=\s))"
)
_KIND = re.compile(
    r"(?:\A|\s)[가-힣A-Za-z]{2,20}(?: [가-힣A-Za-z]{1,20}){0,2}?(?:은|는|에는|에다|에|엔|에서는|에서|으로|로)\s"
)
_MOST: Final = 300


def korean_reason(sentence: Sentence) -> str:
    """The form of norm that a Korean sentence has; empty where it is none, or not Korean."""
    text = sentence.text.rstrip(" .~!ㅎㅋㅠ")
    if not _HANGUL.search(text) or len(text) > _MOST or _QUESTION.search(text):
        return ""
    general, scope = _GENERAL.search(text), _SCOPE.search(text)
    rest = _SCOPE.sub(" ", text)
    if not _PASTED_PAST.search(text):
        directive = _DIRECTIVE.search(text) or _DENIED.search(text)
        if general and directive:
            return "always or never, in a directive"
        if _WE.search(text) and _PRESENT.search(text) and not _POINTING.search(rest):
            return "a habit of the team"
        if directive and scope and not _POINTING.search(rest):
            return "a directive for the project"
        if _DENIED.search(text) and _KIND.search(text) and not _POINTING.search(text):
            return "a prohibition of a kind of thing"
    return ""
