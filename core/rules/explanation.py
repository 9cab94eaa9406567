"""Explanation of a match: the highlighted places of call and rule, the words they share; why a rule is not shown.

Each need of a rule that is not shown is tried out: the rules are ranked again with that part changed, so that its
effects count (a rule that comes nearer pushes others back, may raise the cut-off, and may change the fusion)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, Literal

from core.rules.format.book import Book
from core.rules.format.rule import Rule
from core.rules.format.snippets import likest, standing
from core.rules.matching.api import SHOWN, MatchedRule, Semantic, Similarities, matched_rule, weigh, weighed
from core.rules.matching.call import CallText, Part, ToolCall, call_text
from core.rules.matching.keyword import KeywordHit, KeywordScore, QueryTerm, QueryTerms, bounded, query_terms, with_code
from core.rules.matching.score import Context, Ranking, Regime, Weighed, ranking_of
from core.rules.matching.terms import Glossary, places, shares, spans
from core.text.cleaning import normalized

MOST_SPANS = 400
"""Maximum number of highlights in one text."""

Span = tuple[int, int]
"""A half-open range of code points."""
Place = tuple[int, int, int]
"""The number of a text, and a range in it."""

_AROUND = ("workdir", "cwd")

Texts = Sequence[tuple[str, str]]
"""Texts with their names."""
_LONG = 80
"""Code points of a pattern's match in a message."""

_FIELDS: Final = ("title", "problem", "root_cause", "solution", "prevention", "category", "project", "notes")
_SAME = 0.001


@dataclass(frozen=True, slots=True)
class HighlightedText:
    """A text (NFC) with its name, and the half-open ranges of code points that the other side shares, in order;
    `patterns`: those that a pattern matched."""

    name: str
    text: str
    spans: tuple[Span, ...] = ()
    patterns: tuple[Span, ...] = ()


def highlight(name: str, text: str, terms: Set[str], glossary: Glossary) -> HighlightedText:
    """The text with the places of these terms; places that overlap are one."""
    flat = normalized(text)
    return HighlightedText(name, flat, _joined((start, end) for _, start, end in places(flat, glossary, terms)))


def add_highlights(texts: Sequence[HighlightedText], found: Iterable[Place]) -> tuple[HighlightedText, ...]:
    """Return the texts with these places highlighted too."""
    more = _by_text(found)
    return tuple(replace(one, spans=_joined((*one.spans, *more.get(number, ())))) for number, one in enumerate(texts))


def matched_too(texts: Sequence[HighlightedText], found: Iterable[Place]) -> tuple[HighlightedText, ...]:
    """The texts with these places as what a pattern matched."""
    more = _by_text(found)
    return tuple(
        replace(one, patterns=_joined((*one.patterns, *more.get(number, ())))) for number, one in enumerate(texts)
    )


def _by_text(found: Iterable[Place]) -> dict[int, list[Span]]:
    more: dict[int, list[Span]] = {}
    for number, start, end in found:
        more.setdefault(number, []).append((start, end))
    return more


def _joined(found: Iterable[Span]) -> tuple[Span, ...]:
    """Places in order, those that overlap as one; at most `MOST_SPANS`."""
    out: list[Span] = []
    for start, end in sorted(found):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif start < end:
            out.append((start, end))
    return tuple(out[:MOST_SPANS])


def pattern_places(call: CallText, query: QueryTerms, name: str) -> tuple[Place, ...]:
    """Return what the pattern of this name matched: as a whole in one part of the call, else line by line; lines that
    an edit leaves unchanged count as context."""
    if name not in query.patterns:
        return ()
    start, end = query.places[query.patterns.index(name)]
    matched = call.pattern_text[start:end]
    whole = _first_place(call.parts, matched)
    if whole is not None:
        return (whole,)
    lines = (line.strip() for line in matched.split("\n"))
    return tuple(place for line in lines if line and (place := _first_place(call.parts, line)) is not None)


def _first_place(parts: Sequence[Part], text: str) -> Place | None:
    """The first place of a text, in what is done before what is only around it."""
    if not text:
        return None
    order = sorted(range(len(parts)), key=lambda number: parts[number].name in ("old_string", *_AROUND))
    found = ((number, parts[number].text.find(text)) for number in order)
    return next(((number, at, at + len(text)) for number, at in found if at >= 0), None)


@dataclass(frozen=True, slots=True)
class SharedWord:
    """Words as the rule has them, and as the call does where that is another one (`재고` for `stock`, what a
    pattern matched), else the same; where in the call it is from, as a hit has it; what they add.
    Several words only where one thing in the call stands for all of them."""

    words: tuple[str, ...]
    in_call: str
    source: str
    score: float


def shared_words(
    hits: Sequence[KeywordHit],
    ours: Texts,
    theirs: Texts,
    glossary: Glossary,
    by_pattern: Mapping[tuple[str, str], str],
) -> tuple[SharedWord, ...]:
    """Return the hits as words, by weight, pieces of a word joined. `by_pattern`: the text in the call for hits
    that are not words of it, by source and term."""
    terms = frozenset(hit.term for hit in hits)
    called, ruled = _first(ours, glossary, terms), _first(theirs, glossary, terms)
    found: dict[tuple[str, str, str], SharedWord] = {}
    for hit in hits:
        word = _whole(ruled.get(hit.term, {}), hit.term, terms, ours)
        in_call = by_pattern.get((hit.source, hit.term))
        if in_call is None:
            in_call = _whole(_of(called.get(hit.term, {}), hit.source), hit.term, terms, theirs)
        one = SharedWord((word,), in_call.strip()[:_LONG], hit.source, hit.score)
        key = ("" if hit.source.startswith("pattern ") else word.casefold(), one.in_call.casefold(), hit.source)
        found[key] = one if key not in found else _both(found[key], one)
    return tuple(sorted(found.values(), key=lambda one: -one.score))


def _both(one: SharedWord, other: SharedWord) -> SharedWord:
    known = {word.casefold() for word in one.words}
    more = tuple(word for word in other.words if word.casefold() not in known)
    return replace(one, words=(*one.words, *more), score=one.score + other.score)


_Where = Mapping[str, tuple[str, int, int]]
"""By the name of a text: the text, and the first place of a term in it."""


def _first(texts: Texts, glossary: Glossary, terms: frozenset[str]) -> dict[str, dict[str, tuple[str, int, int]]]:
    found: dict[str, dict[str, tuple[str, int, int]]] = {}
    for name, text in texts:
        for term, start, end in places(text, glossary, terms):
            found.setdefault(term, {}).setdefault(name, (text, start, end))
    return found


def _of(where: _Where, source: str) -> _Where:
    """The place in the text that a hit is from, where it is known by name."""
    return {source: where[source]} if source in where else where


def _whole(where: _Where, term: str, terms: frozenset[str], others: Texts) -> str:
    """The word at the first of these places; a piece of a CJK run with the pieces around it that are shared too, as
    far as the other side has them in one."""
    if not where:
        return term
    text, start, end = next(iter(where.values()))
    if term.isascii() or len(term) != 2:
        return text[start:end]
    while start and text[start - 1 : start + 1] in terms and _has(others, text[start - 1 : end]):
        start -= 1
    while end < len(text) and text[end - 1 : end + 1] in terms and _has(others, text[start : end + 1]):
        end += 1
    return text[start:end]


def _has(texts: Texts, phrase: str) -> bool:
    return any(phrase in text for _, text in texts)


@dataclass(frozen=True, slots=True)
class Explained:
    """Call and rule side by side: each field with shared words highlighted; `shared`: each of them as written, with its
    points, and `bm25` the sum."""

    rule: Rule
    call: tuple[HighlightedText, ...]
    texts: tuple[HighlightedText, ...]
    read: CallText
    shared: tuple[SharedWord, ...] = ()
    bm25: float = 0.0


def explain(book: Book, call: ToolCall, matched: MatchedRule) -> Explained | None:
    """The texts behind a matched rule; None where the book has it no longer."""
    at = place_of(book, matched)
    if at is None:
        return None
    rule, read, glossary = book.rules[at], _normal(call_text(call)), book.tables.glossary
    query = query_terms(read, book.tables)
    score = _score(book, read, query, at, matched)
    parts = [(part.name or "input", part.text) for part in read.parts]
    fields = [(name, str(getattr(rule, name))) for name in _FIELDS] + list(rule.extra.items())
    rule_texts = [(name, unicodedata.normalize("NFC", text)) for name, text in fields if text.strip()]
    terms = frozenset(hit.term for hit in score.hits)
    code = next((hit.term for hit in score.hits if hit.source == "code"), "")
    term_places = _term_places(read, query, score.hits)
    ours = _highlight_call([highlight(name, text, terms, glossary) for name, text in parts], read, code, term_places)
    theirs = _highlight_rule([highlight(name, text, terms, glossary) for name, text in rule_texts], read, code)
    shared = shared_words(score.hits, parts, rule_texts, glossary, _places_by_term(term_places, parts))
    return Explained(rule, ours, theirs, read, shared, score.bm25)


_PlacesByTerm = Mapping[tuple[str, str], Sequence[Place]]
"""The places in the call of hits that are no words of it, by the hit's source and term."""


def _highlight_call(
    texts: Sequence[HighlightedText], read: CallText, code: str, term_places: _PlacesByTerm
) -> tuple[HighlightedText, ...]:
    """Return the texts of a call with the words of the rule's code highlighted too, and all non-words."""
    found = [(n, *span) for n, one in enumerate(texts) for span in standing(code, one.text, read.code)]
    return matched_too(add_highlights(texts, found), [place for places in term_places.values() for place in places])


def _highlight_rule(texts: Sequence[HighlightedText], read: CallText, code: str) -> tuple[HighlightedText, ...]:
    """Return the texts of a rule with the words of its code that the call has highlighted too."""
    return add_highlights(texts, [(n, *span) for n, one in enumerate(texts) for span in _quoted(code, one.text, read)])


def _normal(read: CallText) -> CallText:
    """The same with its parts in NFC, as they are shown."""
    return replace(read, parts=tuple(replace(one, text=unicodedata.normalize("NFC", one.text)) for one in read.parts))


def _score(book: Book, read: CallText, query: QueryTerms, at: int, matched: MatchedRule) -> KeywordScore:
    """Every hit of the rule; those that the match names, where the book or the ranking counted otherwise."""
    every = with_code(book.index.one(query.terms, at), likest(book.shown[at], read.code))
    if abs(every.score - matched.keyword_score) < _SAME or matched.id in query.named:
        return every
    return KeywordScore(sum(hit.score for hit in matched.hits), matched.keyword_score, matched.hits)


def _term_places(read: CallText, query: QueryTerms, hits: Sequence[KeywordHit]) -> _PlacesByTerm:
    found: dict[tuple[str, str], tuple[Place, ...]] = {}
    for hit in hits:
        if hit.source.startswith("pattern "):
            found[hit.source, hit.term] = pattern_places(read, query, hit.source.removeprefix("pattern "))
    return found


def _places_by_term(term_places: _PlacesByTerm, parts: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the text at the first of those places."""
    return {key: parts[at[0][0]][1][at[0][1] : at[0][2]] for key, at in term_places.items() if at}


def _quoted(code: str, text: str, read: CallText) -> list[tuple[int, int]]:
    """The words of a piece of code where a rule quotes it, as far as the call has them."""
    found: list[tuple[int, int]] = []
    at = text.find(code) if code else -1
    while at >= 0 and len(found) < MOST_SPANS:
        found += [(at + start, at + end) for start, end in standing(code, code, read.code)]
        at = text.find(code, at + len(code))
    return found


def call_texts(call: ToolCall) -> tuple[HighlightedText, ...]:
    """The fields of a call that is held against no rule."""
    parts = call_text(call).parts
    return tuple(HighlightedText(part.name or "input", unicodedata.normalize("NFC", part.text)) for part in parts)


def place_of(book: Book, matched: MatchedRule) -> int | None:
    """Return the position of a matched rule in the book, by file, id and line."""
    wanted = (matched.path, matched.id, matched.line)
    return next((at for at, rule in enumerate(book.rules) if (rule.path, rule.id, rule.line) == wanted), None)


_WORDS = 8
"""Words of the rule that are named as missing in the call."""
_STEPS = 100
"""Steps of the scale to try for a sufficient value: the displayed precision."""

What = Literal["similarity", "keyword", "context", "together", "place"]


@dataclass(frozen=True, slots=True)
class Need:
    """One way in which the rule would have been shown, all else as it is; `needed` null: not even the most would do."""

    what: What
    now: float
    needed: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class LackedWord:
    """A word of the rule that the call does not have, and what it would add to the keyword tier's bm25."""

    word: str
    gain: float


@dataclass(frozen=True, slots=True)
class WhyNot:
    """How one rule fared: its score, its rank among all that scored (from 1; 0: none did), and what it lacked.

    `enough`: the first of `lacking` that together would have lifted it over the cut-off; none: words cannot.
    """

    rule: Rule
    matched: MatchedRule
    rank: int
    shown: bool
    cutoff: float
    regime: Regime
    needs: tuple[Need, ...]
    lacking: tuple[LackedWord, ...]
    enough: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Also:
    """The semantic tier asked about one rule more."""

    semantic: Semantic
    at: int

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        return self.semantic.similar(text, also | {self.at})


@dataclass(frozen=True, slots=True)
class _Tried:
    """The rules of a match, to be ranked again with one of them changed."""

    book: Book
    mine: Weighed
    others: tuple[Weighed, ...]

    def ranking(self) -> Ranking:
        """As it is."""
        return self.with_mine(self.mine)

    def with_mine(self, mine: Weighed, others: Sequence[Weighed] | None = None) -> Ranking:
        return ranking_of(self.book, (mine, *(self.others if others is None else others)), SHOWN)

    def shows(self, mine: Weighed, others: Sequence[Weighed] | None = None) -> bool:
        """Whether the rule would be shown."""
        return mine.at in self.with_mine(mine, others).shown

    def score(self, mine: Weighed) -> float:
        return next(one.score for one in self.with_mine(mine).scored if one.at == mine.at)


def why_not(book: Book, call: ToolCall, semantic: Semantic | None, at: int) -> WhyNot:
    """How the rule at this place of the book fared with the call, and what it would have needed. Raises nothing."""
    found = weigh(book, call, None if semantic is None else _Also(semantic, at))
    others = tuple(one for one in found.rules if one.at != at)
    named = next((one for one in found.rules if one.at == at), None)
    tried = _Tried(book, named or weighed(book, found.text, at), others)
    ranking = ranking_of(book, found.rules, SHOWN)
    rank = next((n for n, one in enumerate(ranking.scored, 1) if one.at == at), 0)
    matched = _unscored(book.rules[at])
    if rank:
        matched = matched_rule(book, ranking, ranking.scored[rank - 1], SHOWN, found.text)
    shown = at in ranking.shown
    words = _lacking(book, found.text, at)
    lacking = tuple(LackedWord(word, round(gain, 4)) for word, gain, _ in words)
    needs = () if shown else tuple(_needs(tried, rank, meaning=not found.fallback))
    enough = () if shown else _enough(tried, words)
    return WhyNot(book.rules[at], matched, rank, shown, ranking.cutoff, ranking.regime, needs, lacking, enough)


def _unscored(rule: Rule) -> MatchedRule:
    why = ("no shared words and no similarity",)
    return MatchedRule(rule.id, rule.title, 0.0, "keyword", None, 0.0, why, rule.solution, path=rule.path,
                       line=rule.line)  # fmt: skip


def _needs(tried: _Tried, rank: int, *, meaning: bool) -> Iterator[Need]:
    """What each part of the sum would have had to be, the others as they are."""
    mine, now = tried.mine, tried.ranking()
    if next(one.score for one in now.scored if one.at == mine.at) >= now.cutoff:
        reason = f"the rule is above the cut-off, but only {SHOWN} rules are shown"
        yield Need("place", float(rank), float(SHOWN), reason)
        return
    alone: list[float | None] = []
    if meaning:
        similar = mine.similarity or 0.0
        alone.append(_least(tried, similar, _with_similarity))
        yield Need("similarity", similar, alone[-1], _reading("similarity", similar, alone[-1]))
    words = mine.keyword.score
    alone.append(_least(tried, words, _with_words))
    yield Need("keyword", words, alone[-1], _reading("keyword score", words, alone[-1]))
    fits = mine.fits.factor
    if fits < 1:
        alone.append(_least(tried, fits, _with_fit))
        yield Need("context", fits, alone[-1], _describe_fit(tried, fits, alone[-1]))
    if not any(alone):
        yield from _together(tried, meaning=meaning)


def _with_similarity(one: Weighed, value: float) -> Weighed:
    return replace(one, similarity=value)


def _with_words(one: Weighed, value: float) -> Weighed:
    return replace(one, keyword=replace(one.keyword, score=value))


def _with_fit(one: Weighed, value: float) -> Weighed:
    return replace(one, fits=replace(one.fits, factor=value))


def _together(tried: _Tried, *, meaning: bool) -> Iterator[Need]:
    """Where no part alone would do: words and meaning at once, and if need be in a call that matches the rule."""

    def both(one: Weighed, value: float) -> Weighed:
        more = _with_words(one, max(value, one.keyword.score))
        return _with_similarity(more, max(value, one.similarity or 0.0)) if meaning else more

    name = "a similarity and a keyword score of {:.2f} each" if meaning else "a keyword score of {:.2f}"
    fitting = replace(tried, mine=_with_fit(tried.mine, max(1.0, tried.mine.fits.factor)))
    for candidate, where in ((tried, ""), (fitting, " in a call that matches the rule")):
        if (least := _least(candidate, 0.0, both)) is not None:
            yield Need("together", 0.0, least, f"with {name.format(least)}{where}, the rule would be shown")
            return


def _least(tried: _Tried, now: float, change: Callable[[Weighed, float], Weighed]) -> float | None:
    """The least value above `now`, on a scale to 1, with which the rule would be shown."""
    values = (at / _STEPS for at in range(int(now * _STEPS) + 1, _STEPS + 1))
    return next((value for value in values if tried.shows(change(tried.mine, value))), None)


def _reading(name: str, now: float, needed: float | None) -> str:
    if needed is None:
        return f"a higher {name} alone would not show the rule"
    return f"{name} {needed:.2f} instead of {now:.2f}"


def _describe_fit(tried: _Tried, fits: float, needed: float | None) -> str:
    if needed is not None:
        return f"with a factor of {needed:.2f} instead of {fits:.2f}, the rule would be shown"
    bare = tried.score(_with_fit(tried.mine, 1.0))
    return f"without the factor {fits:.2f}, the score would be {bare:.2f}, below the cut-off"


_Word = tuple[str, float, tuple[QueryTerm, ...]]
"""A word as it is written, what it would add to the rule's bm25, and the terms that it is to a call."""


def _lacking(book: Book, text: CallText, at: int) -> tuple[_Word, ...]:
    """The words of the rule that tell most and are not in the call, as they are written there."""
    rule = book.rules[at]
    had = frozenset(one.term for one in query_terms(text, book.tables).terms)
    found: dict[str, _Word] = {}
    for field in (rule.title, rule.problem, rule.solution):
        for term, start, end in spans(field, book.tables.glossary):
            if term in had or term.isdigit() or (word := field[start:end]) in found:
                continue
            new = tuple(
                QueryTerm(one, 1.0, "", share)
                for one, share in shares(word, book.tables.glossary).items()
                if one not in had
            )
            gain = book.index.scores(new).get(at)
            found[word] = (word, gain.bm25 if gain is not None else 0.0, new)
    return tuple(sorted((one for one in found.values() if one[1] > 0), key=lambda one: -one[1])[:_WORDS])


def _enough(tried: _Tried, words: Sequence[_Word]) -> tuple[str, ...]:
    """The first words that together would have had it shown, if the call had them too; similarity as it is."""
    terms: dict[str, QueryTerm] = {}
    for count, (_, _, new) in enumerate(words, 1):
        terms.update((one.term, one) for one in new)
        gains = tried.book.index.scores(terms.values())
        known = {one.at for one in (tried.mine, *tried.others)}
        others = [_more(one, gains) for one in tried.others]
        others += [Weighed(at, None, gain, Context(1.0)) for at, gain in gains.items() if at not in known]
        if tried.shows(_more(tried.mine, gains), others):
            return tuple(word for word, _, _ in words[:count])
    return ()


def _more(one: Weighed, gains: Mapping[int, KeywordScore]) -> Weighed:
    """The rule with what more words of the call would add to its keyword score."""
    gain = gains.get(one.at)
    if gain is None:
        return one
    whole = one.keyword.bm25 + gain.bm25
    score, hits = max(one.keyword.score, bounded(whole)), (*one.keyword.hits, *gain.hits)
    return replace(one, keyword=KeywordScore(whole, score, hits))
