"""Sentences of an answer, the markers `[1]` that cite passages, its lists of sources, and refusal phrases."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from core.base.lazy import lazy_pattern
from core.library.ask.negation import plain, read

_DIGITS = "[0-9０-９]{1,9}"
_SIGNS = f"#?{_DIGITS}(?:[ ]?[,;，、–—~-][ ]?#?{_DIGITS}){{0,12}}"
_MARKER = lazy_pattern(
    r"[ \t]?(?:[\[［](?P<twice>\[)?[ ]?(?:\^|(?i:passages?|sources?|근거|출처|자료)[ ]?)?"
    rf"(?P<one>{_SIGNS})[ ]?[\]］](?(twice)\])"
    rf"|【[ ]?(?P<other>{_SIGNS})(?:†[^】\n]{{0,80}})?】)(?!\()(?![ \t]*=(?!=))"
)
_PARTS = lazy_pattern(f"[,;，、]|[–—~-]|{_DIGITS}")
_TO: Final = "-–—~"
_WIDEST: Final = 20  # passages of a range
_CODE = lazy_pattern(r"(?s:```.*?(?:```|\Z))|(?s:^~~~.*?(?:^~~~|\Z))|``[^\n]+?``|`[^`\n]*`", re.MULTILINE)
_FENCE = lazy_pattern(r"[ \t]*(?:```|~~~)[\w+-]*\Z")
_LINK = lazy_pattern(r"\[([^\[\]\n]{0,200})\]\([^()\s]{0,400}\)")
_END = lazy_pattern(r"(?:[.!?。…]['\"”’)]*(?=(?:[ \t]*\[[0-9]+\])*(?:\s|$)))|。['\"”’)]*|\n")
_TRAILING = lazy_pattern(r"(?:[ \t]*\[[0-9]+\])+")
_LEADING_MARKERS = lazy_pattern(r"[ \t>*•-]*(?:[0-9]{1,9}[.)][ \t]+)?(?:\[[0-9]+\][ \t]*)+(?=[^\s\[])")
_AT_END = lazy_pattern(r"[ \t]*(?:\n|\Z)")
_ALONE = r"[ \t]*\[[0-9]+\](?:[ \t]*\[[0-9]+\])*(?=[ \t]*(?:\n|\Z))"
_ABOVE = lazy_pattern(rf"\s*+{_ALONE}")
_BELOW = lazy_pattern(rf"(?:(?:[ \t]*\n){{0,2}}{_ALONE})+")
_ONE = lazy_pattern(r"\[([0-9]+)\](?!\()(?![ \t]*=(?!=))")
_SHORTENED = lazy_pattern(r"(?<![\w.])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|approx|ca|cf|e\.g|i\.e|[A-Z])\Z")
_GOES_ON = lazy_pattern(r"[ \t]+[a-z]")
_LEFT_OUT = lazy_pattern(r"[ \t]+[^\s\[]")
_SPACE_BEFORE_STOP = lazy_pattern(r" (?=[.!?。,](?:\s|\Z))")
_ITEM = lazy_pattern(r"\(?[0-9]{1,2}[.)] |[0-9]{3}\) |[0-9]{1,9}\. ")
_IN_LIST = lazy_pattern(r"^[ \t>*•-]*([0-9]{1,9})\.(?=[ \t]+\S)", re.MULTILINE)
_HEADING = lazy_pattern(r"[ \t]*(?:#{1,6}[ \t]+([^\n]+?)|\*\*([^*\n]+)\*\*[:：]?|__([^_\n]+)__[:：]?)[ \t]*(?:\n|\Z)")
_HEAD_ROW = lazy_pattern(r"[ \t]*+(\|?[^\n|]*\|[^\n]*)\n[ \t]*+\|?[ \t]*+:?--[-:| \t]*+(?:\n|\Z)")
_NUMBERED = lazy_pattern(r"^(?:[0-9]{1,2}(?:\.[0-9]{1,2})*[.)]?|[IVX]+\.)[ \t]+")
_BULLET = lazy_pattern(r"(?:[-•>: ]|\*(?!\*))+")
_LABEL = lazy_pattern(r"(?:\*\*|__)[^*_\n0-9]{1,60}?(?:[:：](?:\*\*|__)|(?:\*\*|__)[ ]?[:：])[ ]*(?=\S)")
_REPLY = lazy_pattern(r"(?i)(?:yes|no|네|예|아니요|아니오|아뇨)[,.!:;–—]\s*")
_SAYS: Final = 5  # words of what follows a label, from which on it says something without it
_ITEMS: Final = 10  # a number below says nothing by itself
_HEADS: Final = 10  # words of a heading or a head row
_LEAST: Final = 2  # letters or digits of a sentence

_LEAD = lazy_pattern(
    r"(?i)^\W*(?:sources?|references?|citations?|cited|bibliography|see(?: also)?"
    r"|출처|참고(?: ?문헌| ?자료)?|참조|근거)\W*(?:[:：]|$)"
)
_SOURCES_HEADING = lazy_pattern(
    r"(?im)^[ \t#>*_]*(?:(?:the|my) )?(?:sources?|references?|citations?|bibliography|출처|참고(?: ?문헌| ?자료)?|참조)"
    r"(?: used| cited)?[ \t:：*_]*$"
)
_PARAGRAPH = lazy_pattern(r"\S[ \t]*\n[ \t]*\n\s*(?![-*•>\[(#]|[0-9]+[.)])(?=\S)")
_URL = lazy_pattern(r"(?:https?|file)://[^\s)>\]]+")
_LINES = lazy_pattern(
    r"(?i)(?<![^\W_])(?:lines?|l|pages?|pp?|section|chapter)\.?[ ]?=?[0-9]+(?:[ ]?[-–~,][ ]?l?[0-9]+)*"
    r"|(?<![0-9])[0-9]++(?:[ ]?[-–~][ ]?[0-9]+)?[ ]?(?:쪽|줄|행|절|장)"
)
_WORD = lazy_pattern(r"[^\W_]+")
_SOURCE_ITEM = lazy_pattern(r"^\W*(?:[0-9]{1,2}[.)]\s)?")
_SMALL = (
    "the a an of in on and to also as by see from source sources reference references document documents file files "
    "doc docs note notes page pages section sections chapter passage passages line lines cited md txt pdf html "
    "문서 파일 절 장 참고 참조 출처 근거 자료 문헌 섹션 항목 의 및 에서"
)
_FILLERS: Final = frozenset(_SMALL.split())
_LONGEST: Final = 400

_SORRY = lazy_pattern(
    r"(?i)\W*(?:(?:(?:i(?:'|’)?(?: a)?m )?(?:(?:very |so )?sorry|afraid)|my apologies|i apologi[sz]e|unfortunately)\b"
    r"[,.!:;]?(?: but\b,?)?(?: that\b)?|죄송(?:합니다만|하지만|합니다)[,.!]?|안타깝게도|아쉽게도)\s*"
)
_GIVEN: Final = "(?:provided|given|retrieved|available|cited|supplied|above|found)"
_TEXTS: Final = f"(?:{_GIVEN} )?(?:passages?|sources?|documents?|texts?|context|notes?|excerpts?|library)(?: {_GIVEN})?"
_NOT: Final = r"(?:(?:do|does|did) not|(?:do|does|did)n(?:'|’)t)"
_SPEECH_VERBS: Final = "provide|include|specify|state|address|tell|explain|describe|discuss|cover|give|have|show"
_WHAT: Final = (
    "it|this|that|the (?:answer|question)|an answer|any|enough|how|what|when|where|whether|who|which|why|"
    "information|details?|anything"
)
_THING: Final = "information|mention|answer|evidence|indication|reference|details?"
_BEHIND: Final = "about|on|of|for|to|in|as|that|regarding|concerning|here|available|given|provided"
_CANNOT: Final = r"(?:(?:could|can|did|do)(?: not|n(?:'|’)t)|cannot|(?:was|were|am|are) (?:unable|not able) to)"
_ENGLISH = lazy_pattern(
    r"(?i)\W*(?:(?:there (?:is|was) )?(?:not enough|insufficient) (?:evidence|information|context|data)\b"
    rf"|there (?:(?:is|was) (?:no|not any)|(?:is|was)n(?:'|’)t any) (?:[a-z]{{1,15}} )?(?:{_THING})"
    rf"(?= (?:{_BEHIND})\b|\s*(?:[\[.,;!]|\Z))"
    r"|no (?:[a-z]{1,15} )?(?:information|answer|evidence|mention)\b[^.!?\n]{0,80}?"
    r" (?:is|was|are|were|can be|could be) (?:found|given|provided|available|contained|mentioned)\b"
    rf"|(?:the|these|those) {_TEXTS} {_NOT} (?:(?:answer|contain|say|mention)"
    rf"|(?:{_SPEECH_VERBS})(?: (?:{_WHAT})\b|\s*(?:[\[.,;!]|\Z)))"
    rf"|(?:none of|nothing in) (?:the|these|those) {_TEXTS}\b"
    rf"|(?:i|we) {_CANNOT} (?:(?:find|locate|see|have)\b[^.!?\n]{{0,40}}?\b"
    r"(?:answer|information|mention|anything|evidence|details?|passage)\b|(?:find|answer|determine|tell)\b)"
    rf"|(?:it|this|that|the answer) (?:is|was) not [a-z]{{3,12}} (?:in|by) (?:the|these|any of the) {_TEXTS}\b)"
)
_HERE: Final = (
    "(?:(?:제공된|주어진|제시된|위의?|이) ?)?"
    "(?:문서|자료|근거|본문|글|출처|발췌|구절|컨텍스트|문맥|passages?|chunks?)들?"
    "(?: ?(?:안|중|내용|내))?(?:만으로|에서|에|으로|로)?(?:는|도)?"
)
_FOUND: Final = "(?:(?:찾을|알|확인할|답할|답변할) ?수 ?(?:가 ?)?없|찾지 ?못|확인되지 ?않)"
_NAMED: Final = "(?:나와 ?있지|나오지|언급되지|언급되어 ?있지|포함되어 ?있지|적혀 ?있지|명시되지|명시되어 ?있지) ?않"
_KOREAN = lazy_pattern(
    r"(?i)\W*(?:(?:제공된 |주어진 )?근거(?:가|는)? ?(?:부족|모자|없)"
    rf"|{_HERE} [^.!?\n]{{0,40}}?(?:{_FOUND}|{_NAMED}|(?:답|답변|내용|정보|언급|설명|근거)(?:이|가|은|는)? ?없)"
    rf"|(?:[^\s.!?]{{1,15}} ){{0,4}}?(?:답|답변|정보|내용|근거)(?:을|를|은|는)? {_FOUND}"
    r"|(?:관련(?:된)? )?(?:답변?|정보|내용|언급)(?:이|가|은|는)? ?없(?:습니다|음|다))"
)
_NO_IDEA = lazy_pattern(
    r"(?i)\W*(?:i (?:really )?(?:do not|don(?:'|’)t) know(?: (?:the answer|that|this|it))?"
    r"|(?:저(?:는|도) )?(?:답(?:을|은)? )?(?:잘 ?)?(?:모르겠(?:습니다|어요|다|음)|모릅니다|알 ?수 ?없(?:습니다|다|음)))"
    r"\s*(?:\[[0-9]+\]\s*)*(?:[.!。]\s*(?:\[[0-9]+\]\s*)*|\Z)"
)


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer whose markers are all known: `[n]`, one number each; `used` in order, and the numbers dropped.

    `dropped`: each of those once for every place of the text that it was taken from.
    """

    text: str
    used: tuple[int, ...]
    unknown: tuple[int, ...]
    dropped: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is the answer's `start` to `end` without its markers; `markers` are the passages it cites. `heading`: it
    is a heading or in the head row of a table, and says nothing by itself."""

    text: str
    start: int
    end: int
    markers: tuple[int, ...]
    heading: bool = False


def checked_markers(answer: str, given: int) -> Marked:
    """Return markers in one form, without those beyond `given` passages. Code contains no markers."""
    code = _code(answer)
    out: list[str] = []
    used: dict[int, None] = {}
    dropped: list[tuple[int, int]] = []
    at = size = 0
    for found in _MARKER.finditer(answer):
        if _within(code, found.start()):
            continue
        numbers = _numbers(found["one"] or found["other"], given)
        if not numbers:
            continue
        known = [one for one in dict.fromkeys(numbers) if 1 <= one <= given]
        used.update(dict.fromkeys(known))
        space = found[0][0] if known and found[0][0] in " \t" else ""
        kept = answer[at : found.start()] + space + "".join(f"[{one}]" for one in known)
        size += len(kept)
        dropped += ((one, size) for one in dict.fromkeys(numbers) if one not in known)
        out.append(kept)
        at = found.end()
    out.append(answer[at:])
    return Marked("".join(out), tuple(used), tuple(dict.fromkeys(one for one, _ in dropped)), tuple(dropped))


def _numbers(marker: str, given: int) -> list[int]:
    """The numbers of a marker, of a range all of them; none where it is none: a date, or a range beyond `given`."""
    out: list[int] = []
    begun = ended = False
    for part in _PARTS.findall(marker):
        if part in _TO:
            if ended:
                return []
            begun = True
        elif not part[0].isdigit():
            ended = False
        elif begun:
            first, last = out[-1], int(part)
            if not (1 <= first < last <= first + _WIDEST and first <= given):
                return []
            out += range(first + 1, last + 1)
            begun, ended = False, True
        else:
            out.append(int(part))
    return out


def sentences(answer: str) -> tuple[Sentence, ...]:
    """The sentences of an answer whose markers are in one form.

    A marker behind the full stop belongs to it, and one that stands alone below it. In a line that begins with a marker
    they stand before their sentences (`[1] … [2] …`), and above them in an answer that begins with one alone. The reply
    to a question (`No, …`) denies nothing: the sentence behind it says what holds.
    """
    out: list[Sentence] = []
    code = _code(answer)
    marks = [one for one in _ONE.finditer(answer) if not _within(code, one.start())]
    starts = [one.start() for one in marks]
    numbers = _list_numbers(answer)
    above = _ABOVE.match(answer) is not None
    begin = at = 0
    while at < len(answer):
        end = _end(answer, at)
        below = None if above or not answer[at:end].strip() else _BELOW.match(answer, end)
        if below and not _within(code, below.end() - 1):
            end = below.end()
        here = marks[bisect_left(starts, begin) : bisect_left(starts, end)]
        one = None if end in numbers else _sentence(answer, begin, end, here)
        at = max(end, at + 1)
        if one is not None:
            out.append(one)
        if one is not None or not (above and 0 < len(here) <= _WIDEST):  # else these stand above the next sentence
            begin = at
    return tuple(one for one in out if not _REPLY.fullmatch(one.text)) or tuple(out)


def _list_numbers(answer: str) -> frozenset[int]:
    """Return the ends of list item numbers. From 10 on one needs a neighbour: `42.` may be an answer."""
    found = {one.end(): int(one[1]) for one in _IN_LIST.finditer(answer)}
    known = frozenset(found.values())
    return frozenset(end for end, one in found.items() if one < _ITEMS or not known.isdisjoint((one - 1, one + 1)))


def _end(answer: str, at: int) -> int:
    """Where the sentence ends that begins at a place, with the markers that follow its full stop."""
    found = next(
        (one for one in _END.finditer(answer, at) if not _is_abbreviation(answer, one.start(), one.end())), None
    )
    end = found.end() if found else len(answer)
    if found and found[0] != "\n" and (more := _TRAILING.match(answer, end)):
        at_start = _LEADING_MARKERS.match(answer, answer.rfind("\n", 0, end) + 1)
        return more.end() if not at_start or _AT_END.match(answer, more.end()) else end
    return end


def _code(answer: str) -> list[tuple[int, int]]:
    return [(found.start(), found.end()) for found in _CODE.finditer(answer)]


def _within(ranges: Sequence[tuple[int, int]], place: int) -> bool:
    """Return whether a place is in one of these ranges, which are in order."""
    at = bisect_right(ranges, place, key=lambda one: one[0]) - 1
    return at >= 0 and place < ranges[at][1]


def _is_abbreviation(answer: str, stop: int, end: int) -> bool:
    """Whether a full stop ends no sentence: behind `Dr` or `a.m`, before a small letter; behind a marker it does.

    Nor do dots that leave something out within a line: a sentence may not be taken apart into true halves.
    """
    if answer[stop] == "…" or answer[stop : stop + 1] == "." == answer[max(0, stop - 1) : stop]:
        return _LEFT_OUT.match(answer, end) is not None
    if answer[stop] != "." or answer[max(0, stop - 1) : stop] == "]":
        return False
    if _SHORTENED.search(answer, max(0, stop - 10), stop):
        return True
    return _GOES_ON.match(answer, end) is not None


def _sentence(answer: str, start: int, end: int, marks: Sequence[re.Match[str]]) -> Sentence | None:
    sentence = answer[start:end]
    if _FENCE.fullmatch(sentence.rstrip()):
        return None
    parts: list[str] = []
    at = start
    for one in marks:
        parts.append(answer[at : one.start()])
        at = one.end()
    bare = _LINK.sub(lambda link: "" if link[1].isdigit() else link[1], "".join((*parts, answer[at:end])))
    bare = _SPACE_BEFORE_STOP.sub("", " ".join(bare.split()))  # a marker may stand before the full stop
    if sum(letter.isalnum() for letter in bare) < _LEAST:
        return None
    start += len(sentence) - len(sentence.lstrip())
    bare = _without_label(bare)
    reply = _REPLY.match(bare)
    bare = bare[reply.end() :] if reply and reply.end() < len(bare) else bare
    markers = tuple(dict.fromkeys(int(one[1]) for one in marks))
    return Sentence(
        bare,
        start,
        start + len(sentence.strip()),
        markers,
        heading=_heads(answer, start, cited=bool(marks)),
    )


def _without_label(bare: str) -> str:
    """Return a sentence without its list prefix: bullet, number, and a bold label that the sentence does not need.
    `**Timeout**: 20 seconds` needs it."""
    for sign in (_BULLET, _ITEM):
        if found := sign.match(bare):
            bare = bare[found.end() :]
    label = _LABEL.match(bare)
    if label is not None and not read(plain(label[0])).denials:
        rest = bare[label.end() :]
        words = len(rest.split()) * (2 if "가" <= rest.strip(" .。")[-1:] <= "힣" else 1)
        bare = rest if words >= _SAYS else bare
    return bare.replace("**", "").lstrip("*")


def _heads(answer: str, place: int, *, cited: bool) -> bool:
    """Whether a line is a heading, or the head row of a table; one that is long, ends like a sentence or has a number
    may say something, and so may what is bold and `cited`."""
    begin = answer.rfind("\n", 0, place) + 1
    found = _HEADING.match(answer, begin) or _HEAD_ROW.match(answer, begin)
    if not found or (cited and not found[0].lstrip().startswith("#")):
        return False
    heading = _ONE.sub("", found[found.lastindex or 0]).strip(" \t*_:：|")
    words = _NUMBERED.sub("", heading).split()
    return (
        len(words) <= _HEADS
        and heading[-1:] not in ".!?。…"
        and not any(letter.isdigit() for one in words for letter in one)
    )


def place_names(uri: str, section: str | None) -> tuple[str, ...]:
    """What a place may be called by: its path, the file with and without its ending, the section."""
    path = uri.partition("#")[0]
    name = path.rpartition("/")[2]
    bare = name.rpartition(".")[0] or name
    return (uri, path, name, bare, bare.replace("-", " ").replace("_", " "), section or "")


def only_names(text: str, names: Iterable[str]) -> bool:
    """Whether a sentence without its markers says nothing but what a source is called."""
    if len(text) > _LONGEST:
        return False
    lead = _LEAD.match(text)
    rest = _URL.sub(" ", _SOURCE_ITEM.sub("", text[lead.end() :] if lead else text))
    found = rest != text
    for name in sorted({" ".join(one.split()) for one in names}, key=lambda one: (-len(one), one)):
        if sum(letter.isalnum() for letter in name) > 1:
            rest, times = re.subn(rf"(?i)(?<![^\W_]){re.escape(name)}(?:#[\w=&,.-]+)?(?![^\W_])", " ", rest)
            found = found or times > 0
    rest = _LINES.sub(" ", rest)
    return found and all(word.casefold() in _FILLERS for word in _WORD.findall(rest))


def source_list(answer: str) -> tuple[int, int]:
    """The range of the last list of sources that has a heading; it ends where a paragraph begins."""
    last = next(reversed(list(_SOURCES_HEADING.finditer(answer))), None)
    if last is None:
        return len(answer), len(answer)
    after = _PARAGRAPH.search(answer, last.end())
    return last.end(), after.end() if after else len(answer)


def sounds_like_giving_up(answer: str) -> bool:
    """Whether it begins as one does that says that there is no answer. So may a sentence of a source. `I don't know`
    is one by itself, and not before something else."""
    rest = answer.strip()
    if sorry := _SORRY.match(rest):
        rest = rest[sorry.end() :]
    if alone := _NO_IDEA.match(rest):
        rest = rest[alone.end() :]
        if not rest:
            return True
    return (_ENGLISH.match(rest) or _KOREAN.match(rest)) is not None
