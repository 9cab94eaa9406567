"""Every sentence of an answer beside the passage it cites: there, there and changed, not there, or uncited.

The same aligner and the same guard that review quotes of transcripts: likeness alone would accept a flipped number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from core.align import Aligned, AlignSettings, Concern, Session, align_quote
from core.base.lazy_pattern import lazy_pattern
from core.library.ask.answer import Claim, ClaimConcern, Support
from core.library.ask.checks.bounds import bounds
from core.library.ask.checks.contradiction import near_concerns, sentence_at, stands
from core.library.ask.checks.figures import other_measure, other_name, strange_figures
from core.library.ask.checks.markers import Sentence, sentences
from core.library.ask.checks.negation import denials
from core.library.ask.checks.negation_scope import plain, read
from core.library.ask.checks.ordinals import ordinals
from core.library.ask.checks.source_lists import only_names, place_names, source_list
from core.library.ask.gate.coverage import cover
from core.library.ask.gate.question import read_question
from core.library.citations.citation import Citation, CodeCitation, LineCitation
from core.library.documents.spans import lines_of, spans_of
from core.library.search.rows import Passage, citation_of

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
    said = sentences(answer)
    names = [name for one in packed for name in _names(one)]
    first, last = source_list(answer)
    for sentence in said:
        if len(said) > 1 and only_names(sentence.text, names):
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
            bounded = bounds(sentence.text, [one.text for one in cited.values()])
            ordered = _ordered(counted, cited, texts)
            one = _negated(counted, (*against, *bounded, *ordered))
            listed = first <= one.start < last or (sentence.heading and len(said) > 1)
            if not listed or contradicts(one):
                out.append(one)
    return tuple(out)


def _uncited(one: Sentence) -> Claim:
    return Claim(one.text, one.start, one.end, None, None, "uncited", 0.0, 0.0, None, "", None, None)


def _ordered(claim: Claim, cited: Mapping[int, Passage], texts: Sequence[str]) -> tuple[Concern, ...]:
    """Its ordinals against those of the place it rests on; what the guard told is not told again."""
    text = cited[int((claim.marker or "").strip("[]"))].text
    start, end = claim.chunk_start or 0, claim.chunk_end or 0
    told = {word for one in claim.concerns if one.kind == "number" for word in one.answer.split()}
    found = ordinals(claim.text, sentence_at(text, start, end), texts)
    return tuple(one for one in found if told.isdisjoint(one.quote.replace("-", " ").split()))


def _names(passage: Passage) -> tuple[str, ...]:
    """What a passage may be called: by its place, title and headings."""
    named = place_names(citation_of(passage).uri, passage.section_label)
    return (*named, passage.path, passage.title or "", *passage.heading_path)


def _negated(claim: Claim, against: Sequence[Concern]) -> Claim:
    """The claim with the denials and bounds that it alone has, or has lost; what the guard told is not told again."""
    told = [(one.kind, bool(one.answer), bool(one.source)) for one in claim.concerns]
    new = [_told(one) for one in against if (one.kind, bool(one.quote), bool(one.source)) not in told]
    status: Support = "flagged" if new and claim.status == "supported" else claim.status
    return replace(claim, status=status, concerns=(*claim.concerns, *new))


def _counted(claim: Claim, strange: Sequence[str]) -> Claim:
    """The claim with the numbers that none of its passages has; what is told of already is not told again."""
    told = " ".join(one.answer for one in claim.concerns if one.kind in ("number", "unit"))
    new = [_told(Concern("number", one, "")) for one in strange if not stands(one, told)]
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
    asked = read_question(sentence, glossary).words
    words = tuple(one for one in asked if one.word not in _LIGHT) or asked
    text = "\n".join((*passage.heading_path, passage.text))
    if _HANGUL.search(text) is None:
        words = tuple(one for one in words if one.kind == "word" or one.also)
        found = cover(words, [1.0] * len(words), text)
        said = [one for one in read_question(sentence).words if one.word not in _LIGHT]
        return found.share if len(found.words) >= min(2, len(said)) else 0.0
    return cover(words, [1.0] * len(words), text).share


def _claim(sentence: Sentence, number: int, passage: Passage, texts: Sequence[str], glossary: Glossary) -> Claim:
    found, said = _found(sentence.text, passage.text)
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
        concerns = near_concerns(said, passage.text, (span.start, end), texts, similarity)
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
        concerns=tuple(_told(one) for one in concerns),
    )


def _joins(found: Aligned, source: str) -> bool:
    """Whether the pieces of a sentence stand in more than one sentence of the source."""
    if found.status == "ambiguous" or len(found.spans) < 2:
        return False
    ends = [one.end for one in found.spans]
    return _ENDS.search(source, min(ends), max(one.start for one in found.spans)) is not None


def _found(text: str, source: str) -> tuple[Aligned, str]:
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
    said = sentence_at(source, quoted.spans[0].start, quoted.spans[-1].end)
    frame = plain(_QUOTED.sub(" ", text))
    around = read(frame)
    here = {key for one in read(plain(said)).terms for key in one.keys}
    elsewhere = {key for one in read(plain(source[:_READ])).terms for key in one.keys} - here
    return not (any(one.keys <= elsewhere for one in around.terms) or around.denials or strange_figures(frame, (said,)))


def _told(one: Concern) -> ClaimConcern:
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
