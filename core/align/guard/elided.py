"""What an ellipsis passes over: a negation, a condition, a doubt or a subject of the clauses it joins, too much text,
or the order of the fragments. A whole sentence or list item in between may say what it likes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from core.align.answer import Concern
from core.align.guard.kinds import negations
from core.align.guard.korean import is_verb
from core.align.guard.sentence import SENTENCE_END
from core.align.view import View

FAR: Final = 600
"""Code points between two fragments from which they are no longer one passage."""
_LIMITS: Final = re.compile(
    r"\b(?:unless|except\w*|exception|excluding|only|solely|if|until|till|provided|providing|as\s+long\s+as|"
    r"so\s+long\s+as|"
    r"assuming|supposing|in\s+case|on\s+condition|depending|subject\s+to|other\s+than|apart\s+from|aside\s+from|"
    r"rather\s+than|instead\s+of|allegedly|supposedly|reportedly|apparently|presumably|possibly|probably|"
    r"perhaps|maybe|"
    r"hopefully|theoretically|in\s+theory|in\s+principle|according\s+to|claim\w*|believ\w*|thinks?|thought|guess\w*|"
    r"suspect\w*|assum\w*|doubt\w*|hop(?:e|es|ed)|rumou?r\w*|alleg\w*|insist\w*|unconfirmed|unverified|unlikely)\b"
    r"|만약|만일|경우에만|때에만|때만|때까지|한해|한하여|하는\s한|는\s한|않는\s이상|제외|빼고|말고|외에는|"
    r"가정|따르면|의하면|"
    r"주장|말로는|말만|말대로|믿자면|소문|추측|추정|짐작|아마|어쩌면|이론상|것\s?같|듯|모르|예정|의심|"
    r"라고\s?하|다고\s?하|다는데|라는데",
    re.IGNORECASE,
)
_BOUNDS: Final = re.compile(
    r"\b(?:(?:less|more|fewer|greater|smaller|larger|higher|lower|longer|shorter|older|newer|earlier|later)\s+than|"
    r"at\s+(?:most|least)|up\s+to|below|above|under|over|within|when(?:ever)?|once|may|might|could|would|should|must|"
    r"almost|nearly|hardly|barely|partly|some|few|half)\b|이상|이하|미만|초과|최대|최소|일부|거의",
    re.IGNORECASE,
)
_KOREAN_IF: Final = re.compile(
    r"([가-힣]+(?:면|거든|[아어해여]야만?))(?=[\s,])(?!\s(?:한다|합니다|하는|하고|했|함|해|됩|된|돼))"
)
_KOREAN_ONLY: Final = re.compile(r"(?<!지)(?<!다)(?<!하)(?<!\d)만(?=[\s,])")
_NO_IF: Final = re.compile(
    r"(?:화면|측면|반면|평면|표면|장면|전면|후면|정면|도면|단면|국면|대면|직면|지면|분야|들면|보면|말하면|"
    r"비하면|따르면)$"
)
_AUX: Final = (
    r"is|are|was|were|has|have|had|does|do|did|will|would|can|could|may|might|must|shall|should|isn't|aren't|wasn't|"
    r"weren't|hasn't|doesn't|didn't|won't|can't"
)
_IRREGULAR: Final = (
    r"became|began|broke|brought|built|bought|came|chose|cost|cut|did|drew|fell|felt|found|gave|got|grew|"
    r"held|hid|hit|kept|"
    r"knew|led|left|lost|made|met|put|ran|read|rose|said|saw|sent|set|shut|sold|spent|split|spoke|stood|stuck|swung|"
    r"threw|told|took|went|won|wrote"
)
_ARTICLE: Final = (
    r"(?:the|a|an|this|that|these|those|its|our|my|your|his|her|their|each|every|all|no|one|two|three|\d[\d.,]*)"
)
_VERB: Final = re.compile(rf"\b(?:{_AUX}|{_IRREGULAR}|[a-z]{{2,}}ed|[a-z]{{3,}}s)\b", re.IGNORECASE)
_BEGINS_FINITE: Final = re.compile(
    rf"^\W*(?:(?:also|then|now|still|never|always|just|only)\s+)?(?:(?:{_AUX}|{_IRREGULAR})\b|"
    rf"(?:[a-z]{{2,}}ed|[a-z]{{3,}}s)\s+"
    rf"(?:{_ARTICLE}\b|[`\"']|(?:to|in|on|at|by|from|with|into|for|back|up|down|out|off|over|after|before|"
    rf"again|twice|nothing|"
    r"rows|it|them|him)\b|\w+ly\b))",
)
_ENDS_FINITE: Final = re.compile(
    rf"\b(?:{_AUX}|be|been)\s*$|\b(?:{_IRREGULAR}|[a-z]{{2,}}ed|[a-z]{{3,}}s)\s*$", re.IGNORECASE
)
_ENDS_AUX: Final = re.compile(rf"\b(?:{_AUX})\s*$", re.IGNORECASE)
_OWN_SUBJECT: Final = re.compile(rf"^\W*(?:{_ARTICLE}|i|we|you|he|she|it|they|there|[A-Z]\w+)\b")
_OBJECT: Final = re.compile(rf"^\W*(?:{_ARTICLE}\b|[`\"'\d])", re.IGNORECASE)
_CLAUSE_END: Final = re.compile(r";|,?\s+(?:and|but|so|or|yet|while|whereas)\s|\s--?\s|:\s", re.IGNORECASE)
_COMMA_CLAUSE: Final = re.compile(
    rf",\s+(?!which\b|who\b|whose\b|as\b|that\b|where\b)(?:{_ARTICLE}\s+)?[\w-]+(?:\s[\w-]+){{0,2}}\s(?:{_AUX})\s*$",
    re.IGNORECASE,
)
_COMMA_SUBJECT: Final = re.compile(rf",\s+(?:{_ARTICLE}\s+)?[\w-]+(?:\s[\w-]+){{0,2}}\s*$", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"^\s*(?:\(.*\)|\[.*\]|[-–—].*[-–—]|,\s*(?:which|who|whose|where|as|for\s+example|for\s+instance|e\.g|"
    r"i\.e|including|such\s+as|like|"
    r"namely|by\s+the\s+way|예컨대|예를\s들어|참고로|이를테면)\b.*,?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
_AT_MARK: Final = re.compile(r"\n[ \t]*(?:[-*+>|#]+|\d{1,3}[.)])?[ \t]*$")
_CODE: Final = re.compile(r"[{}=;]|[(\[][\"'(\[]")
_OPENERS: Final = re.compile(
    r"^(?:\W*\b(?:and|but|so|then|also|however|therefore|thus|now|yet|still|meanwhile|finally|later|"
    r"afterwards|in|on|at|"
    r"after|since|by|during|for|from|yesterday|today|here|there)\b[^,]*,?)?\W*$",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(
    r"([가-힣A-Za-z0-9_.\-)\]`'\"]*[가-힣A-Za-z0-9)\]`'\"])(은|는|이|가|께서|에서는|에는)(?=\s)"
)
_JOINED: Final = re.compile(
    r"(?:[가-힣](?:고|며|지만|으나|고요|구요|니다|어요|아요|해요|는데|은데|인데|한데|는데요)|;)[\s,.]"
)
_ADVERBS: Final = frozenset(("같", "없", "많", "높", "깊", "굳", "일일", "깨끗", "틈틈", "가까"))
"""What makes an adverb with `이`."""


def elided(text: str, spans: Sequence[tuple[int, int]], *, in_order: bool) -> Iterator[Concern]:
    """The concerns about what lies between the fragments of a quote."""
    if not in_order:
        yield Concern("order", "the fragments stand in another order", "")
        return
    for (begin, end), (start, until) in pairwise(spans):
        if start - end > FAR:
            yield Concern("far apart", "", f"{start - end} characters lie between two fragments")
        left, right = (View(text[a:b]).lines for a, b in ((begin, end), (start, until)))
        gap = View(_ends_of(text[end:start])).lines
        yield from _passed_over(left, gap, right)


def _ends_of(gap: str) -> str:
    """What lies between two fragments; of what is far too long both ends, which its own concern has told of."""
    return gap if len(gap) <= 2 * FAR else f"{gap[:FAR]}\n\n{gap[-FAR:]}"


def _passed_over(left: str, gap: str, right: str) -> Iterator[Concern]:
    """The concerns about one gap: what belongs to the sentences that it cuts."""
    ends = list(SENTENCE_END.finditer(gap + " " + right[:4]))
    ends = [one for one in ends if one.start() < len(gap)]
    closed = (
        bool(_AT_MARK.search(left))
        or left.rstrip("\"'”’)]*_` ")[-1:] in ".!?。|"
        or bool(ends and not gap[: ends[0].start()].strip(" *_`'\")|"))
    )
    head = "" if closed else gap[: ends[0].start()] if ends else gap
    tail = gap[ends[-1].end() :] if ends else gap
    for part in dict.fromkeys((head, tail)):
        if said := negations(part):
            yield Concern("negation left out", "", " ".join(said))
        if said := _limit(part):
            yield Concern("limit left out", "", said)
    if left.count("(") > left.count(")") and left.rpartition("(")[2].strip() != "":
        return  # it breaks off inside a bracket, as anybody sees: nothing goes on from there
    other = _subject_beyond(tail, right, closed=closed) if ends or closed else _subject_within(left, gap, right)
    if other:
        yield Concern("subject left out", "", other)


def _limit(part: str) -> str:
    """What limits a clause in the part of it that is left out: a condition, an exception, a doubt, who says so."""
    if found := _LIMITS.search(part):
        return found[0]
    for found in _KOREAN_IF.finditer(part):
        if not _NO_IF.search(found[1]):
            return found[1]
    if found := _KOREAN_ONLY.search(part):
        return part[: found.end()].rsplit(maxsplit=1)[-1]
    # What a comma or a bracket sets off is an aside; what goes right on with the fragment belongs to what it says.
    bare = re.split(r"[,;:()]", part, maxsplit=1)[0]
    return found[0] if bare.strip() and (found := _BOUNDS.search(bare)) else ""


def _subject_beyond(tail: str, right: str, *, closed: bool) -> str:
    """The subject of the right fragment's sentence, where that began in the gap behind another one."""
    if not tail.strip(" -*+>#|\n\t'\"`") or _CODE.search(tail):
        return ""
    if re.match(r"\W*[가-힣]", right):
        return _marked(tail) if not closed else ""
    if not re.match(r"[\s`'\"*_]*\w", right) or _OPENERS.match(tail) or "가" <= tail.strip()[-1:] <= "힣":
        return ""
    if closed:
        return _said(tail) if _BEGINS_FINITE.match(right) else ""
    if _OWN_SUBJECT.match(right) and not _ENDS_FINITE.search(tail):
        return ""
    return _said(tail)


def _subject_within(left: str, gap: str, right: str) -> str:
    """The subject of another clause of the same sentence, which the right fragment goes on with."""
    if _ASIDE.match(gap):
        return ""
    if re.search("[가-힣]", gap):
        joined = list(_JOINED.finditer(gap))
        return _marked(gap[joined[0].end() :]) if joined else ""
    if found := _COMMA_CLAUSE.search(gap):
        return _said(found[0])
    if (found := _COMMA_SUBJECT.search(gap)) and _VERB.search(gap[: found.start()]) and _BEGINS_FINITE.match(right):
        return _said(found[0])
    ends = list(_CLAUSE_END.finditer(gap))
    if not ends or not _VERB.search(f"{left} {gap[: ends[-1].start()]}"):
        return ""
    rest = gap[ends[-1].end() :]
    if not re.search(r"\w", rest):
        return ""
    finite = (
        _ENDS_AUX.search(rest) or (_ENDS_FINITE.search(rest) and _OBJECT.match(right)) or _BEGINS_FINITE.match(right)
    )
    return _said(rest) if finite else ""


def _marked(part: str) -> str:
    """The word with the particle of a subject or a topic in a Korean clause."""
    for found in _MARKED.finditer(part):
        word = found[1] + found[2]
        if found[1].lstrip("'\"`(") not in _ADVERBS and not (found[2] in ("은", "는") and is_verb(word)):
            return word
    return ""


def _said(part: str) -> str:
    words = part.split()
    return " ".join(words if len(words) <= 8 else ("…", *words[-7:])).strip(" ,;:-")
