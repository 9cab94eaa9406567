"""The verdict on an answer: each sentence checked against its passages for support and for contradictions.

Of an answer that the length limit cut off: how far it came, what allows more, and the unfinished sentence. At the end:
the numbers of a sentence. It may be worded in any way, but a number that no passage has does not come from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from core.align import Aligned, AlignSettings, Concern, Session, align_quote
from core.align.guard import compare
from core.align.guard.tokens import number_of, numeral_of
from core.base.lazy import lazy_pattern
from core.library.ask.answer import CUT_OFF, AnswerCut, Claim, ClaimConcern, InventedCitation, Support
from core.library.ask.features import cover
from core.library.ask.markers import (
    Sentence,
    only_names,
    place_names,
    sentences,
    sounds_like_giving_up,
    source_list,
)
from core.library.ask.negation import denials, denied, plain, read
from core.library.ask.question import has_new_name, read_question
from core.library.citations.citation import Citation, CodeCitation, LineCitation
from core.library.documents.rows import lines_of, spans_of
from core.library.search.rows import Passage, citation_of

_ALIKE: Final = 0.7
"""Of a sentence and the likest place, from which on what stands for another word is about the same thing."""
_DENIES: Final = 0.8  # and a denial
_DENIED: Final = 0.5  # and a denial of a word that the sentence has
_FURTHER: Final = 400  # code points in which its sentence is
_FULL_STOP = lazy_pattern(r"[.!?。](?=\s|\Z)|\n")

Glossary = Mapping[str, str]
NOTHING: Final[Glossary] = {}
HELD: Final = 0.5
"""The share of a sentence's words in one place from which on a passage may be said to speak of it."""
_READ: Final = 20_000  # code points of a passage
_SETTINGS: Final = AlignSettings(max_quote_length=800)
_OTHERWISE: Final = (
    "number", "unit", "operator", "negation", "negation beside it", "negation left out", "polarity", "name", "logic",
    "quantity", "option", "order", "moved", "limit left out",
)  # fmt: skip
"""Concerns of the guard by which a sentence says another thing than its source."""
_NUMERALS = (
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand "
    "once twice half double triple 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 스무 서른 마흔 백 천 만 하루 이틀 사흘 나흘"
)
_COUNTS: Final = frozenset(_NUMERALS.split())
_HANGUL = lazy_pattern("[가-힣]")
_ENDS = lazy_pattern(r"[.!?。](?=\s)|\n\s*\n")
_VERBS = "make makes made making done exist exists occur occurs happen happens"
_LIGHT: Final = frozenset(_VERBS.split())
"""Verbs that say no more than `there is`."""
_QUOTED = lazy_pattern('["“”「『]([^"“”「」『』\n]{8,400})["“”」』]')
_RANK: Final[dict[Support, int]] = {"supported": 0, "flagged": 1, "unsupported": 2, "uncited": 3}

_COLON_AT_END = lazy_pattern(r"[:：]\s*\Z")
_SAYS: Final = 2
"""Words of weight from which on a cited sentence says something: a bare `600` fits any question."""


def near_concerns(
    sentence: str, passage: str, place: tuple[int, int], sources: Sequence[str], similarity: float
) -> tuple[Concern, ...]:
    """The concerns of a sentence and the likest place of a passage. `sources`: all that it may take its numbers from.

    What it merely leaves out, or takes from elsewhere in them, is no matter.
    """
    around = passage[slice(*place)]
    denies = similarity >= (_DENIED if denied(sentence, around) else _DENIES)
    alike = similarity >= _ALIKE

    def counts(one: Concern) -> bool:
        if one.kind == "negation":
            return denies
        if one.kind == "polarity":
            return alike
        if not one.quote:
            return False
        if one.kind == "number":  # in the place of another one it must stand there
            return not has_number(one.quote, (around,) if alike and one.source else sources)
        if one.kind == "unit":
            return not any(contains_words(one.quote, text) for text in sources)
        named = alike and other_name(one.quote, sentence, one.source, around)
        return named and not any(contains_words(one.quote, text) for text in sources)

    return tuple(filter(counts, compare(sentence, around, lambda _: False).concerns))


def sentence_at(text: str, start: int, end: int) -> str:
    """The sentence or sentences that a place lies in."""
    begin = max((one.end() for one in _FULL_STOP.finditer(text, max(0, start - _FURTHER), start + 1)), default=0)
    stop = _FULL_STOP.search(text, end, end + _FURTHER)
    return text[min(begin or max(0, start - _FURTHER), start) : stop.start() if stop else end + _FURTHER]


def contains_words(words: str, source: str) -> bool:
    """Whether words stand in a text, not as a part of others."""
    return re.search(rf"(?<![^\W_]){re.escape(words)}(?![^\W_])", source, re.IGNORECASE) is not None


def claims(
    answer: str, packed: Sequence[Passage], glossary: Glossary = NOTHING, question: str = ""
) -> tuple[Claim, ...]:
    """The sentences of an answer whose markers are in one form, each with the best of the passages it cites.

    `glossary`: Korean words with their English ones, for a Korean sentence about an English passage; `question`: a
    number that it names may be named again. What only names a source is none; a heading, or a sentence in a list of
    sources, is one only where it says otherwise than its source: it supports nothing. A sentence that cites nothing is
    `uncited`.
    """
    out: list[Claim] = []
    sentence_list = sentences(answer)
    names = [name for one in packed for name in _names(one)]
    first, last = source_list(answer)
    for sentence in sentence_list:
        if len(sentence_list) > 1 and only_names(sentence.text, names):
            continue
        cited = {at: packed[at - 1] for at in sentence.markers if 1 <= at <= len(packed)}
        texts = [question, *("\n".join((one.title or "", *one.heading_path, one.text)) for one in cited.values())]
        made = [_claim(sentence, at, passage, texts, glossary) for at, passage in cited.items()]
        if not made and not (sentence.heading or only_names(sentence.text, names)):
            out.append(_uncited(sentence))
        if made:
            best = min(made, key=lambda one: (_RANK[one.status], contradicts(one), -one.similarity, -one.words))
            counted = _counted(best, strange_figures(sentence.text, texts))
            against = denials(sentence.text, [one.text for one in cited.values()], glossary, held=counted.words >= HELD)
            one = _negated(counted, against)
            listed = first <= one.start < last or (sentence.heading and len(sentence_list) > 1)
            if not listed or contradicts(one):
                out.append(one)
    return tuple(out)


def _uncited(one: Sentence) -> Claim:
    return Claim(one.text, one.start, one.end, None, None, "uncited", 0.0, 0.0, None, "", None, None)


def _names(passage: Passage) -> tuple[str, ...]:
    """What a passage may be called: by its place, title and headings."""
    named = place_names(citation_of(passage).uri, passage.section_label)
    return (*named, passage.path, passage.title or "", *passage.heading_path)


def _negated(claim: Claim, against: Sequence[Concern]) -> Claim:
    """The claim with the denials that it alone has, or has lost; what the guard told is not told again."""
    known = [(one.kind, bool(one.answer), bool(one.source)) for one in claim.concerns]
    new = [_read_concern(one) for one in against if (one.kind, bool(one.quote), bool(one.source)) not in known]
    status: Support = "flagged" if new and claim.status == "supported" else claim.status
    return replace(claim, status=status, concerns=(*claim.concerns, *new))


def _counted(claim: Claim, strange: Sequence[str]) -> Claim:
    """The claim with the numbers that none of its passages has; what is told of already is not told again."""
    figures = " ".join(one.answer for one in claim.concerns if one.kind in ("number", "unit"))
    new = [_read_concern(Concern("number", one, "")) for one in strange if not contains_words(one, figures)]
    status: Support = "flagged" if new and claim.status == "supported" else claim.status
    return replace(claim, status=status, concerns=(*claim.concerns, *new))


def contradicts(claim: Claim) -> bool:
    """Whether it says another thing than its source: another number, day or name, a lost negation."""
    return any(one.kind in _OTHERWISE or _another(one, claim) for one in claim.concerns)


def _another(one: ClaimConcern, claim: Claim) -> bool:
    """Whether one word stands for another of its kind: a number that is written as a word, a unit, a day, a name."""
    mine, yours = one.answer, one.source
    if one.kind not in ("word", "time", "scope", "logic") or not mine or not yours:
        return False
    return (
        {mine.casefold(), yours.casefold()} <= _COUNTS
        or other_measure(mine, yours)
        or other_name(mine, claim.text, yours, claim.quote)
    )


def holds(claim: Claim) -> bool:
    """Whether the passage can be said to carry it: word for word, or with most of its words and nothing against it."""
    return claim.status == "supported" or (claim.words >= HELD and not contradicts(claim))


def _share(sentence: str, passage: Passage, glossary: Glossary) -> float:
    """The share of a sentence's words that stand in one place of a passage.

    In an English passage a Korean word is looked for by its English ones, and one that the glossary does not know says
    nothing: the others must then be two at least.
    """
    content_words = read_question(sentence, glossary).words
    words = tuple(one for one in content_words if one.word not in _LIGHT) or content_words
    text = "\n".join((*passage.heading_path, passage.text))
    if _HANGUL.search(text) is None:
        words = tuple(one for one in words if one.kind == "word" or one.also)
        found = cover(words, [1.0] * len(words), text)
        own_words = [one for one in read_question(sentence).words if one.word not in _LIGHT]
        return found.share if len(found.words) >= min(2, len(own_words)) else 0.0
    return cover(words, [1.0] * len(words), text).share


def _claim(sentence: Sentence, number: int, passage: Passage, texts: Sequence[str], glossary: Glossary) -> Claim:
    found, sentence_text = _align_sentence(sentence.text, passage.text)
    share = _share(sentence.text, passage, glossary)
    status: Support = "unsupported" if found.status == "failed" else "flagged" if found.concerns else "supported"
    if status == "supported" and _joins(found, passage.text):
        status = "unsupported"
    span = found.spans[0] if found.spans else found.near_misses[0].span if found.near_misses else None
    end = found.spans[-1].end if found.status != "ambiguous" and found.spans else span.end if span else 0
    quote = passage.text[span.start : end] if span else ""
    concerns = found.concerns
    similarity = found.near_misses[0].similarity if found.near_misses and not found.spans else found.similarity
    if found.status == "failed" and span:
        concerns = near_concerns(sentence_text, passage.text, (span.start, end), texts, similarity)
    return Claim(
        text=sentence.text,
        start=sentence.start,
        end=sentence.end,
        marker=f"[{number}]",
        chunk_id=passage.chunk_id,
        status=status,
        similarity=round(similarity, 4),
        words=round(share, 3),
        citation=place_in(passage, span.start, end) if span else citation_of(passage),
        quote=quote,
        chunk_start=span.start if span else None,
        chunk_end=end if span else None,
        concerns=tuple(_read_concern(one) for one in concerns),
    )


def _joins(found: Aligned, source: str) -> bool:
    """Whether the pieces of a sentence stand in more than one sentence of the source."""
    if found.status == "ambiguous" or len(found.spans) < 2:
        return False
    ends = [one.end for one in found.spans]
    return _ENDS.search(source, min(ends), max(one.start for one in found.spans)) is not None


def _align_sentence(text: str, source: str) -> tuple[Aligned, str]:
    """Where a sentence stands, else where the words stand that it puts in quotation marks, if all of them do."""
    session = Session([source])
    whole = align_quote(session, 0, text, _SETTINGS)
    quoted = [found[1] for found in _QUOTED.finditer(text)]
    if whole.status != "failed" or not quoted:
        return whole, text
    parts = [align_quote(session, 0, one, _SETTINGS) for one in quoted]
    if any(one.status == "failed" for one in parts) or not all(_framed(text, one, source) for one in parts):
        return whole, text
    flagged = [one for one in parts if one.concerns]
    return (flagged or parts)[0], quoted[0]


def _framed(text: str, quoted: Aligned, source: str) -> bool:
    """Whether what stands around the words in quotation marks says nothing else than their sentence of the source.

    It may introduce them (`The guide says that …`). A word that the source has in another sentence is taken from there,
    and so is a number or a negation that this sentence does not have.
    """
    source_sentence = sentence_at(source, quoted.spans[0].start, quoted.spans[-1].end)
    frame = plain(_QUOTED.sub(" ", text))
    around = read(frame)
    here = {key for one in read(plain(source_sentence)).terms for key in one.keys}
    elsewhere = {key for one in read(plain(source[:_READ])).terms for key in one.keys} - here
    if around.denials or strange_figures(frame, (source_sentence,)):
        return False
    return not any(one.keys <= elsewhere for one in around.terms)


def _read_concern(one: Concern) -> ClaimConcern:
    if not one.quote:
        text = f"{one.kind}: the source has “{one.source}”"
    elif not one.source:
        text = f"{one.kind}: the source has no “{one.quote}”"
    else:
        text = f"{one.kind}: the source has “{one.source}”, the answer “{one.quote}”"
    return ClaimConcern(one.kind, one.quote, one.source, text)


def place_in(passage: Passage, start: int, end: int) -> Citation:
    """The lines of `passage.text[start:end]`, as narrow as is known: those of its blocks, of a program to the line."""
    whole = citation_of(passage)
    if isinstance(whole, CodeCitation):
        first = whole.line_start + passage.text.count("\n", 0, start)
        last = first + passage.text.count("\n", start, max(start, end - 1))
        if last <= whole.line_end:
            return replace(whole, line_start=first, line_end=last)
        return whole
    spans = spans_of(passage.source_spans_json)
    blocks = passage.text.split("\n\n")
    if not isinstance(whole, LineCitation) or len(blocks) != len(spans):
        return whole
    at = 0
    touched: list[int] = []
    for index, block in enumerate(blocks):
        if at < end and start < at + len(block):
            touched.append(index)
        at += len(block) + 2
    lines = lines_of(tuple(spans[index] for index in touched))
    if lines is None:
        return whole
    first, last = lines
    if len(touched) == 1:
        block, offset = blocks[touched[0]], sum(len(one) + 2 for one in blocks[: touched[0]])
        if block.count("\n") == last - first:  # line for line, as in a paragraph or a list
            begin = max(0, start - offset)
            last = first + block.count("\n", 0, max(begin, end - offset - 1))
            first += block.count("\n", 0, begin)
    return replace(whole, start=first, end=last)


def states_fact(text: str, question: str) -> bool:
    """Whether a sentence states a number, a name that the question does not have, or a negation.

    What leads in (`Here is how:`) states none, and neither does the sentence that the sources do not say something.
    """
    if names_number(text) or has_new_name(text, question):
        return True
    return bool(read(plain(text)).denials) and not sounds_like_giving_up(text)


def unverified(
    found: Sequence[Claim],
    invented: Sequence[InventedCitation],
    cut: AnswerCut | None,
    marked: Mapping[str, str],
    question: str,
) -> str | None:
    """Why an answer is not verified; None where it is.

    `marked`: the passages that speak to the model, by chunk id. The sentence that was cut off is `cut`'s to tell.
    """
    whole = [one for one in found if cut is None or one.start != cut.start]
    cited = [one for one in whole if one.status != "uncited"]
    if not cited:
        if cut is not None:
            return "truncated before the end of the first cited sentence"
        return "no passage is cited"
    support = [one for one in cited if one.status == "supported" and len(read(plain(one.text)).terms) >= _SAYS]
    loose = [
        one for one in cited if one.status == "unsupported" and (not holds(one) or states_fact(one.text, question))
    ]
    bare = [one for one in whole if one.status == "uncited" and _states(one, question)]
    if wrong := [one for one in cited if contradicts(one)]:
        return f"{_of(wrong, cited)} {'contradicts its source' if len(wrong) == 1 else 'contradict their sources'}"
    if changed := [one for one in cited if one.status == "flagged"]:
        return (
            f"{_of(changed, cited)} {'differs from its source' if len(changed) == 1 else 'differ from their sources'}"
        )
    if invented:
        return f"{' '.join(dict.fromkeys(one.marker for one in invented))} cites a passage that was not provided"
    if not support:
        return "no cited sentence is verbatim in its source"
    if all(one.chunk_id in marked for one in support):
        return "its only support is a passage with a possible prompt injection"
    if loose:
        return (
            f"{_of(loose, cited)} {'is not in its source' if len(loose) == 1 else 'are not in their sources'} as worded"
        )
    if bare:
        subject = "1 sentence states" if len(bare) == 1 else f"{len(bare)} sentences state"
        return f"{subject} a number, a name or a negation without a citation"
    return None


def _states(one: Claim, question: str) -> bool:
    return _COLON_AT_END.search(one.text) is None and states_fact(one.text, question)


def _of(some: Sequence[Claim], cited: Sequence[Claim]) -> str:
    if len(cited) == 1:
        return "the cited sentence"
    return f"{len(some)} of {len(cited)} cited sentences"


_ENDED = lazy_pattern(r"[.!?。…]['\"”’)*_]*(?:[ \t]*\[[0-9]+\])*\Z")


@dataclass(frozen=True, slots=True)
class Length:
    """How long an answer became before it was cut off: `tokens`, and the setting that allows more."""

    tokens: int
    setting: str | None


def cut_of(answer: str, length: Length) -> AnswerCut:
    """How an answer was cut off; its markers are in one form."""
    stripped = answer.rstrip()
    last = next(reversed(sentences(stripped)), None)
    if last is None:
        return AnswerCut(length.tokens, length.setting, 0, len(stripped))
    rest = stripped[last.end :].lstrip()
    whole = _ENDED.search(stripped[last.start : last.end]) is not None and not rest.startswith("[")  # half a marker
    return AnswerCut(length.tokens, length.setting, None if whole else last.start, None if whole else len(stripped))


def marked_cut(claims: Sequence[Claim], cut: AnswerCut) -> tuple[Claim, ...]:
    """The claims; that which was cut off says so, and is never a supported one."""
    return tuple(_cut_off(one) if one.start == cut.start else one for one in claims)


def _cut_off(claim: Claim) -> Claim:
    status: Support = "flagged" if claim.status == "supported" else claim.status
    concern = ClaimConcern(CUT_OFF, "", "", "truncated")
    return replace(claim, status=status, concerns=(*claim.concerns, concern))


_FIGURE = lazy_pattern(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)*")
_WORD = lazy_pattern(r"[A-Za-z]+|[가-힣]+")
_CLOCK = lazy_pattern(r"(?i)(?<![0-9:])([0-9]{1,2})(?=:[0-9]{2}(?![0-9])|\s?[ap]\.?m\b|\s?시(?!간))")
_GROUPED = lazy_pattern(
    r"(?i)(?<![0-9])(?<![0-9],)([0-9][0-9,]{0,40}(?:\.[0-9]+)?)\s?(천|만|억|thousand|million|billion|k\b)"
)
_KO_COUNTED = lazy_pattern(
    r"(?<![가-힣])(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰)\s?(?:번|개|명|배|달|살|시간|시|가지|곳|주|해|차례|대|장|건)"
    r"|(?<![가-힣])[삼사오육칠팔구십백천]+\s?(?:분|초|일|월|년|개월|퍼센트|원)(?![가-힣]{2})"
    r"|(?<![가-힣])(?:하루|이틀|사흘|나흘|닷새|열흘|보름)"
)
_NO_NUMBERS: Final = frozenset(("", "첫", "한", "일", "이"))
"""Syllables that are a number only next to another sign of one."""
_TIMES: Final = {
    "k": 1_000, "thousand": 1_000, "천": 1_000, "만": 10_000, "million": 1_000_000, "억": 100_000_000,
    "billion": 1_000_000_000,
}  # fmt: skip
_ALWAYS: Final = frozenset(("0", "1"))
"""`a year` is one, `14:00` has no minutes."""
_MONTH_NAMES: Final = "january february march april may june july august september october november december"
_MONTHS: Final = tuple(_MONTH_NAMES.split())
_ALSO: Final = {
    **{name[:size]: (str(at),) for at, name in enumerate(_MONTHS, 1) for size in (3, len(name))},
    "half": ("30", "50", "6"), "반": ("30", "50", "6"), "quarter": ("15", "25", "3"), "분기": ("3",), "week": ("7",),
    "일주일": ("7",), "fortnight": ("14",), "noon": ("12",), "정오": ("12",), "year": ("12",), "이틀": ("2",),
    "사흘": ("3",), "석": ("3",), "나흘": ("4",), "넉": ("4",), "닷새": ("5",), "열흘": ("10",), "보름": ("15",),
}  # fmt: skip
"""Words that a figure may stand for, besides the numerals."""
_OF_ONE_KIND: Final = (
    "monday tuesday wednesday thursday friday saturday sunday weekday weekend",
    "월요일 화요일 수요일 목요일 금요일 토요일 일요일 평일 주말",
    _MONTH_NAMES,
    "nanosecond microsecond millisecond second minute hour day night week fortnight month quarter year decade ms min",
    "밀리초 초 분 시간 시 일 주 주일 주간 달 개월 월 분기 년 해 학기",
    "dollar euro pound won yen franc cent usd eur gbp krw jpy chf", "원 달러 유로 엔 위안 파운드",
    "bit byte kb mb gb tb kib mib gib tib kilobyte megabyte gigabyte terabyte",
    "mm cm m km inch foot feet mile metre meter kilometre kilometer",
    "mg g kg gram kilogram lb pound ounce oz ton tonne", "ml l litre liter gallon", "celsius fahrenheit degree",
)  # fmt: skip
_CLASSES: Final = tuple(frozenset(line.split()) for line in _OF_ONE_KIND)


def strange_figures(sentence: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers of a sentence, as written, that `sources` have neither in digits nor in words."""
    figures = dict.fromkeys(one[0] for one in _FIGURE.finditer(sentence))
    if not figures:
        return ()
    known = _ALWAYS.union(*(_numbers(one) for one in sources))
    grouped = {one[1]: _times(one[1], one[2]) for one in _GROUPED.finditer(sentence)}
    return tuple(one for one in figures if _plain(one) not in known and grouped.get(one, "") not in known)


def has_number(number: str, sources: Sequence[str]) -> bool:
    """Return whether sources have the number of one word or figure, in any form; True for a non-number."""
    own = number_of(number.casefold())
    if _FIGURE.fullmatch(own.lstrip("+-±.")) is None:
        return True
    return not strange_figures(own, sources)


def names_number(sentence: str) -> bool:
    """Whether a sentence has a number, in digits or in words; `one` and `한` alone are none."""
    if _FIGURE.search(sentence) or _KO_COUNTED.search(sentence):
        return True
    words = (one[0].casefold() for one in _WORD.finditer(sentence))
    if any(word[0] < "가" and number_of(word) not in (word, "1") for word in words):
        return True
    return any(numeral_of(one[0]) not in _NO_NUMBERS for one in _WORD.finditer(sentence))


def other_measure(one: str, other: str) -> bool:
    """Whether two words are of one kind and not the same: other units, days, months, currencies."""
    mine, yours = one.casefold().removesuffix("s"), other.casefold().removesuffix("s")
    return mine != yours and any(
        (mine in known or one.casefold() in known) and (yours in known or other.casefold() in known)
        for known in _CLASSES
    )


def other_name(one: str, text: str, other: str, source: str) -> bool:
    """Return whether two words are different names, by a capital within their texts."""
    return one.casefold() != other.casefold() and _named(one, text) and _named(other, source)


def _named(word: str, text: str) -> bool:
    return word.isalpha() and word[0].isupper() and word[1:].islower() and not text.startswith(word)


@lru_cache(maxsize=64)  # an answer has many sentences about few passages
def _numbers(text: str) -> frozenset[str]:
    """Every number of a text in one form: digits, numerals, what a clock of twelve hours says."""
    found = {_plain(one[0]) for one in _FIGURE.finditer(text)}
    found |= {str(int(one[1]) + more) for one in _CLOCK.finditer(text) for more in (-12, 12) if len(one[1]) < 3}
    found |= {_times(one[1], one[2]) for one in _GROUPED.finditer(text)}
    for one in _WORD.finditer(text):
        word = one[0].casefold()
        number = number_of(numeral_of(word) or word)
        if number != word:
            found.add(number)
        found.update(_ALSO.get(word, _ALSO.get(word.removesuffix("s"), ())))
    return frozenset(found)


def _plain(figure: str) -> str:
    """Without separators of thousands and leading zeros; `2.0` is `2`, and `3.10` is not `3.1`."""
    whole, dot, rest = figure.replace(",", "").partition(".")
    whole = whole.lstrip("0") or "0"
    return whole if rest.strip("0") == "" else f"{whole}{dot}{rest}"


def _times(figure: str, word: str) -> str:
    """`2.8 million` and `280만` are one number."""
    return f"{float(figure.replace(',', '')) * _TIMES[word.casefold()]:.15g}"
