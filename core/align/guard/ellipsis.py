"""What a quote leaves out, at an ellipsis or at its ends, that changes its sense.

An ellipsis may pass over a negation, a condition, a doubt or a subject of the clauses it joins, too much text, or the
order of the fragments; a whole sentence or list item in between may say anything. A quote that ends like a sentence may
leave out the head of its subject or a `because …`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from core.align.guard.frames.english import is_retracted
from core.align.guard.frames.english_clauses import not_asserted
from core.align.guard.frames.english_words import WITNESS
from core.align.guard.frames.sentence import SENTENCE_END
from core.align.guard.typos import is_verb
from core.align.guard.word_classes import HARMLESS, PHRASE_STARTS, negations
from core.align.normalized_view import View
from core.align.result import Concern
from core.base.lazy import lazy_pattern

FAR: Final = 600
"""Code points between two fragments from which they are no longer one passage."""
_LIMITS: Final = lazy_pattern(
    r"\b(?:unless|except\w*|exception|excluding|only|solely|if|until|till|provided|providing|as\s+long\s+as|"
    r"so\s+long\s+as|"
    r"assuming|supposing|in\s+case|on\s+condition|sa(?:ys?|id|ying)|tells?|told|argu\w+|suggests?|fears?|expects?|"
    r"wonders?|depending|subject\s+to|other\s+than|apart\s+from|aside\s+from|"
    r"rather\s+than|instead\s+of|(?<=,\s)(?:bar|save|minus)|allegedly|supposedly|reportedly|apparently|presumably|"
    r"possibly|probably|"
    r"perhaps|maybe|"
    r"hopefully|theoretically|in\s+theory|in\s+principle|according\s+to|claim\w*|believ\w*|thinks?|thought|guess\w*|"
    r"suspect\w*|assum\w*|doubt\w*|hop(?:e|es|ed)|rumou?r\w*|alleg\w*|insist\w*|unconfirmed|unverified|unlikely|"
    r"in\s+(?:my|his|her|our|their|your|\w+['’]s)\s+(?:\w+\s+)?(?:opinion|view|mind|eyes|estimate|experience)|"
    r"(?:some|they|people|others|many|critics|we|i|i['’]d|it\s+is)\s+(?:would\s+|might\s+)?(?:say|said|argue|guess|"
    r"reckon|suppose|presume|imagine|gather|expect)|"
    r"or\s+(?:will|would|used\s+to|was|were|should|could|may|might|is\s+it)|for\s+now|so\s+to\s+speak|except\s+that|"
    r"barring|pending|but\s+for|"
    r"if\s+ever|at\s+best|at\s+worst|once\s+\w+|on\s+paper|ostensibly|nominally|tentatively|provisionally|"
    r"potentially|conceivably|arguably)\b"
    r"|만약|만일|경우에만|때에만|때만|때까지|한해|한하여|하는\s한|는\s한|않는\s이상|제외|빼고|말고|외에는|"
    r"가정|따르면|의하면|"
    r"주장|말로는|말만|말대로|믿자면|소문|추측|추정|짐작|아마|어쩌면|이론상|것\s?같|듯|모르|예정|의심|"
    r"라고\s?하|다고\s?하|다는데|라는데|보기엔|보기에는?|생각엔|생각에는|느낌|기억으로|기억엔|이론적|이론상|원칙적|"
    r"원칙상|명목상|서류상|계획상|"
    r"전까지|후에야|뒤에야|다음에야|나서야|이후에야|한정|전제|조건|가능성|수도\s?있|예상|희망|확실하지|확실치|의문|"
    r"뇌피셜|아니라면|않다면|"
    r"고\s?치면|셈\s?치|운이\s?좋|별일\s?없|잠정|임시로|당분간|목표|계획",
    re.IGNORECASE,
)
_BOUNDS: Final = lazy_pattern(
    r"\b(?:(?:less|more|fewer|greater|smaller|larger|higher|lower|longer|shorter|older|newer|earlier|later)\s+than|"
    r"at\s+(?:most|least)|up\s+to|below|above|under|over|within|when(?:ever)?|once|may|might|could|would|should|must|"
    r"almost|nearly|hardly|barely|rarely|seldom|scarcely|sometimes|occasionally|partly|some|few|half|can|used\s+to|"
    r"far\s+from|short\s+of|close\s+to|next\s+to|yet\s+to|about\s+to|going\s+to|"
    r"supposed\s+to|meant\s+to|expected\s+to|likely|able\s+to|anything\s+but|nothing\s+but|on\s+the\s+verge|"
    r"in\s+danger|"
    r"(?:stop|quit|ceas|consider|contemplat|plan|want|try|trie|tried|attempt|refus|fail|declin|avoid|pretend|intend|"
    r"seem|appear|propos|suggest|"
    r"recommend|refrain|forb[ai]d|prohibit|prevent|postpon|delay|cancel|threaten|promis|offer|agree|pledg|vow|"
    r"struggl|need|wish|dream|fear|"
    r"tend|look\s+like|ha(?:s|ve|d)\s+to|ought\s+to)\w*)\b|이상|이하|미만|초과|최대|최소|일부|거의",
    re.IGNORECASE,
)
_KOREAN_IF: Final = lazy_pattern(
    r"([가-힣]+(?:면|거든|[아어해여]야만?))(?=[\s,])(?!\s(?:한다|합니다|하는|하고|했|함|해|됩|된|돼))"
)
_KOREAN_ONLY: Final = lazy_pattern(r"(?<!지)(?<!다)(?<!하)(?<!\d)만(?=[\s,])")
_NO_IF: Final = lazy_pattern(
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
_VERB: Final = lazy_pattern(rf"\b(?:{_AUX}|{_IRREGULAR}|[a-z]{{2,}}ed|[a-z]{{3,}}s)\b", re.IGNORECASE)
_BEGINS_FINITE: Final = lazy_pattern(
    rf"^\W*(?:(?:also|then|now|still|never|always|just|only)\s+)?(?:(?:{_AUX}|{_IRREGULAR})\b|"
    rf"(?:[a-z]{{2,}}ed|[a-z]{{3,}}s)\s+"
    rf"(?:{_ARTICLE}\b|[`\"']|(?:to|in|on|at|by|from|with|into|for|back|up|down|out|off|over|after|before|"
    rf"again|twice|nothing|"
    r"rows|it|them|him)\b|\w+ly\b))",
)
_ENDS_FINITE: Final = lazy_pattern(
    rf"\b(?:{_AUX}|be|been)\s*$|\b(?:{_IRREGULAR}|[a-z]{{2,}}ed|[a-z]{{3,}}s)\s*$", re.IGNORECASE
)
_ENDS_AUX: Final = lazy_pattern(rf"\b(?:{_AUX})\s*$", re.IGNORECASE)
_OWN_SUBJECT: Final = lazy_pattern(rf"^\W*(?:{_ARTICLE}|i|we|you|he|she|it|they|there|[A-Z]\w+)\b")
_OBJECT: Final = lazy_pattern(rf"^\W*(?:{_ARTICLE}\b|[`\"'\d])", re.IGNORECASE)
_CLAUSE_END: Final = lazy_pattern(r";|,?\s+(?:and|but|so|or|yet|while|whereas)\s|\s--?\s|:\s", re.IGNORECASE)
_COMMA_CLAUSE: Final = lazy_pattern(
    rf",\s+(?!which\b|who\b|whose\b|as\b|that\b|where\b)(?:{_ARTICLE}\s+)?[\w-]+(?:\s[\w-]+){{0,2}}\s(?:{_AUX})\s*$",
    re.IGNORECASE,
)
_COMMA_SUBJECT: Final = lazy_pattern(rf",\s+(?:{_ARTICLE}\s+)?[\w-]+(?:\s[\w-]+){{0,2}}\s*$", re.IGNORECASE)
_ASIDE: Final = lazy_pattern(
    r"^\s*(?:\(.*\)|\[.*\]|[-–—].*[-–—]|,\s*(?:which|who|whose|where|as|for\s+example|for\s+instance|e\.g|"
    r"i\.e|including|such\s+as|like|"
    r"namely|by\s+the\s+way|예컨대|예를\s들어|참고로|이를테면)\b.*,?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
_REMARK: Final = lazy_pattern(
    r"^\s*,\s*(?:which|who|whose|whom|where|named|called|nicknamed|dubbed|known|written|built|made|started|founded|"
    r"created|introduced|added|"
    r"bought|installed|designed|maintained|owned|run)\b[^;:.]*,\s*$",
    re.IGNORECASE,
)
_IDIOM: Final = lazy_pattern(
    r"\b(?:to\s+(?:nobody|no\s+one)['’]s\s+\w+|no\s+(?:doubt|less|wonder|matter\s+\w+)|not\s+(?:least|surprisingly|"
    r"unexpectedly|to\s+mention)|"
    r"without\s+(?:a\s+|any\s+|further\s+|much\s+)*(?:problems?|trouble|errors?|issues?|incidents?|hitch|ado|fuss|"
    r"hesitation|doubt|delay|interruption)|"
    r"believe\s+it\s+or\s+not|more\s+often\s+than\s+not|for\s+no\s+(?:particular|good)\s+reason)\b"
    r"|(?:문제|무리|이상|차질|탈|사고|오류|중단|어김|끊임|변함|틀림|의심할\s?여지|말할\s?것도)\s?없이|다름\s?아닌",
    re.IGNORECASE,
)
"""Words of negation that deny nothing of the clause they are in."""
_ROWS: Final = lazy_pattern(r"\|[ \t]*\n[ \t]*\|")
_PARAGRAPH: Final = lazy_pattern(r"\n[ \t]*\n")
_RESTRICTS: Final = lazy_pattern(
    r"^\s+(?:that|who|whose|whom|which|where|to\s+those|for\s+those|of\s+those)\b", re.IGNORECASE
)
_ALL_OF: Final = lazy_pattern(
    r"^[^\w-]*+(?:(?:all|every|each|any|no|most|some|many|few|only)(?:\s++[\w-]++){1,3}|(?:[\w-]++\s++)?[\w-]*s)\s*+$",
    re.IGNORECASE,
)
_PHRASE: Final = lazy_pattern(
    r"^\s+(?:from|in|on|at|with|without|by|for|of|to|over|under|above|below|between|inside|outside|within|behind|"
    r"beyond|after|before|during|since|near|older|newer|larger|smaller|longer|shorter)\b",
    re.IGNORECASE,
)
_ANYONE: Final = lazy_pattern(
    r"\b(?:anyone|anybody|everyone|everybody|someone|nobody|no\s+one|those|people|users?|customers?|all|any|whoever|"
    r"everything|anything|nothing)\s*$",
    re.IGNORECASE,
)
_GAPPED: Final = lazy_pattern(
    r"^\s+(from|in|on|at|with|by|for|of|to|over|under|after|before|during|every|until)\b[^,;]*[,;]\s+(?:and\s+|"
    r"but\s+)?(\S[^,;]*)$",
    re.IGNORECASE,
)
"""`for 30 days, in the US` before `for 90 days`: the verb of the first clause serves the second."""
_OPENER_ONLY: Final = lazy_pattern(
    r"^\W*+(?>(?:(?:그리고|그래서|그러나|하지만|그런데|이후|그\s?후|그\s?뒤|또한|또|다음으로|마지막으로|먼저|이어서|"
    r"현재|지금은?|오늘|어제|참고로|결국|결과적으로|따라서|and|so|then|also|now|yesterday|today)[\s,]*+)*)\W*+$",
    re.IGNORECASE,
)
_KOREAN_LISTED: Final = lazy_pattern(
    r"[,:]\s*([^,:.]{1,24}?[가-힣A-Za-z0-9)](?:은|는|이|가|엔|에는|에서는|에선|:))\s*$"
)
_AT_MARK: Final = lazy_pattern(r"\n[ \t]*(?:[-*+>|#]+|\d{1,3}[.)])?[ \t]*$")
_CODE: Final = lazy_pattern(r"[{}=;]|[(\[][\"'(\[]")
_OPENERS: Final = lazy_pattern(
    r"^(?:\W*\b(?:and|but|so|then|also|however|therefore|thus|now|yet|still|meanwhile|finally|later|"
    r"afterwards|in|on|at|"
    r"after|since|by|during|for|from|yesterday|today|here|there)\b[^,]*,?)?\W*$",
    re.IGNORECASE,
)
_MARKED: Final = lazy_pattern(
    r"([가-힣A-Za-z0-9_.\-)\]`'\"]*[가-힣A-Za-z0-9)\]`'\"])(은|는|이|가|께서|에서는|에는)(?=\s)"
)
_JOINED: Final = lazy_pattern(
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
    """Return the text between two fragments; of a very long text both ends, because another concern covers it."""
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
    if retraction := _withdrawn(left, gap, ends, closed=closed):
        yield Concern("taken back", "", retraction)
    for part in dict.fromkeys((head, tail)):
        if (negated := negations(_IDIOM.sub(" ", part))) and not _about_subject(part, right):
            yield Concern("negation left out", "", " ".join(negated))
        if limit := _limit(part):
            yield Concern("limit left out", "", limit)
    if left.count("(") > left.count(")") and left.rpartition("(")[2].strip() != "":
        return  # the left fragment ends inside a bracket, which a reader sees
    if _ROWS.search(gap):
        if row := _row_beyond(gap):
            yield Concern("subject left out", "", row)
        return
    other = _subject_beyond(tail, right, closed=closed) if ends or closed else _subject_within(left, gap, right)
    if not other and ends and not closed and not _PARAGRAPH.search(gap):
        other = _joined(tail, right, listed="\n" in ends[-1][0])
    if other and not (closed and _PARAGRAPH.search(gap)):
        yield Concern("subject left out", "", other)


def _row_beyond(gap: str) -> str:
    """The first cells of another row of a table whose cell the right fragment is, where the left one is a cell too."""
    first, _, last = gap.rpartition("\n")
    cells = last.strip(" |-")
    return (
        _describe_part(cells) if cells and last.rstrip().endswith("|") and first.partition("\n")[0].strip(" |-") else ""
    )


def _joined(tail: str, right: str, *, listed: bool) -> str:
    """What a Korean sentence or list item begins with, that the right fragment ends and the left one does not."""
    if not re.search("[가-힣]", tail + right) or not re.search(r"\w", tail) or _OPENER_ONLY.match(tail):
        return ""
    return _describe_part(tail) if not listed or tail.rstrip()[-1:] in (":", "：", "—", "–", "-", "|") else ""


def _withdrawn(left: str, gap: str, ends: Sequence[re.Match[str]], *, closed: bool) -> str:
    """The sentence in a gap that takes back the sentence of the left fragment; empty: none."""
    if not ends:
        return ""
    first = 0 if closed and gap[: ends[0].start()].strip(" *_`'\")|") else 1
    begin = ends[first - 1].end() if first else 0
    stop = ends[first].end() if first < len(ends) else None
    sentence = " ".join(gap[begin:stop].split()) if stop is not None else ""
    return sentence if sentence and is_retracted(sentence, left) else ""


def _about_subject(part: str, right: str) -> bool:
    """Whether a part is a relative clause or a participle between commas that says something else of the subject."""
    return _REMARK.match(part) is not None and _BEGINS_FINITE.match(right) is not None


def _limit(part: str) -> str:
    """Return what limits a clause in its omitted part: a condition, an exception, a doubt, a source."""
    if not_asserted(part, witness=WITNESS)[0]:
        return _describe_part(part)
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
    if re.search("[가-힣]", tail) or re.match(r"\W*[가-힣]", right):
        return _marked(tail) if not closed else ""
    if not re.match(r"[\s`'\"*_]*\w", right) or _OPENERS.match(tail) or "가" <= tail.strip()[-1:] <= "힣":
        return ""
    if closed:
        return _describe_part(tail) if _BEGINS_FINITE.match(right) else ""
    if _OWN_SUBJECT.match(right) and not _ENDS_FINITE.search(tail):
        return ""
    return _describe_part(tail)


def _subject_within(left: str, gap: str, right: str) -> str:
    """Return the subject of another clause of the same sentence that the right fragment continues."""
    if _ASIDE.match(gap):
        return ""
    if re.search("[가-힣]", gap):
        if found := _KOREAN_LISTED.search(gap):
            return found[1]
        joined = list(_JOINED.finditer(gap))
        return _marked(gap[joined[0].end() :]) if joined else ""
    if (_RESTRICTS.match(gap) and left.rstrip()[-1:] not in (",", "(", "-", "–", "—")) or (
        _PHRASE.match(gap) and _ALL_OF.match(left) and _BEGINS_FINITE.match(right)
    ):
        return _describe_part(gap)
    if _ANYONE.search(left) and _PHRASE.match(gap):
        return _describe_part(gap)
    if (found := _GAPPED.match(gap)) and right.lower().split()[:1] == [found[1].lower()]:
        return _describe_part(found[2])
    if found := _COMMA_CLAUSE.search(gap):
        return _describe_part(found[0])
    if (found := _COMMA_SUBJECT.search(gap)) and _VERB.search(gap[: found.start()]) and _BEGINS_FINITE.match(right):
        return _describe_part(found[0])
    ends = list(_CLAUSE_END.finditer(gap))
    if not ends or not _VERB.search(f"{left} {gap[: ends[-1].start()]}"):
        return ""
    rest = gap[ends[-1].end() :]
    if not re.search(r"\w", rest):
        return ""
    finite = (
        _ENDS_AUX.search(rest) or (_ENDS_FINITE.search(rest) and _OBJECT.match(right)) or _BEGINS_FINITE.match(right)
    )
    return _describe_part(rest) if finite else ""


def _marked(part: str) -> str:
    """The word with the particle of a subject or a topic in a Korean clause."""
    for found in _MARKED.finditer(part):
        word = found[1] + found[2]
        if found[1].lstrip("'\"`(") not in _ADVERBS and not (found[2] in ("은", "는") and is_verb(word)):
            return word
    return ""


def _describe_part(part: str) -> str:
    words = part.split()
    return " ".join(words if len(words) <= 8 else ("…", *words[-7:])).strip(" ,;:-")


_HEAD = 2
"""Words before the quote that are too few for a clause of their own: they belong to what is quoted."""
_SENTENCE = lazy_pattern(r"[.!?。]\s|\n\s*\n|\n\s*[-*#>|]")
_GOES_ON = lazy_pattern(
    r"[\s,;(*_`'\"]*(?:if|unless|provided|providing|only|except|when|whenever|until|till|but|because|once|while|though|"
    r"although|given|assuming|without|after|before|as long as|as far as|in case|depending|subject to|or|nor|that|"
    r"which|who|whose|"
    r"[a-z]+er than|more than|less than|than)\b",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[A-Za-z']+|[가-힣]+")
_QUESTION = lazy_pattern(r"[\s'\")*_`]*\?")
_OPENING = (
    "a an the this that these those my your our his her its their i we you he she it they there who which what and but "
    "so or yet then now also because since although though while whereas yes no not please"
)
_NEW_PHRASE = frozenset(_OPENING.split())
"""Words that begin a phrase or a clause of their own."""
_SHOWN = 60
_BEFORE = 160


def cut_off(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """The concerns about the sentence around `text[start:end]`, of which the quote makes a whole one."""
    sentence = quote.strip().rstrip("\"'”’*_`)").rstrip()
    if sentence[-1:] not in (".", "!", "。"):
        return
    before = _SENTENCE.split(text[max(0, start - _BEFORE) : start])[-1]
    if _beheaded(before, text[start:end]):
        yield Concern("cut off", "", _end_of(before))
    if text[end - 1 : end] in (".", "!", "。"):
        return
    after = text[end : end + 60].partition("\n\n")[0]
    if found := _GOES_ON.match(after):
        yield Concern("cut off", "", after[: found.end()].strip())
    elif found := _QUESTION.match(after):
        yield Concern("question", sentence[-1:], "?")


def _beheaded(before: str, inside: str) -> bool:
    """Whether words of the phrase that a place begins with go before it: a preposition, or the head of a subject."""
    words = [word.lower() for word in _WORD.findall(before)]
    if not words or before.rstrip()[-1:] in ",;:)—–" or before.rstrip().endswith(" -"):
        return False
    if words[-1] in PHRASE_STARTS:
        return True
    first = found[0].lower() if (found := _WORD.search(inside)) else ""
    if len(words) > _HEAD or words[-1] in HARMLESS or first in _NEW_PHRASE:
        return False
    return not first >= "가" and not any(word in _NEW_PHRASE for word in words)


def _end_of(text: str) -> str:
    """The last words of a text, at most `_SHOWN` characters."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[-_SHOWN:].partition(" ")[2]
