"""The keyword tier: bm25 over rules, with the places of each term that both sides have, on the scale 0..1."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.rules.format.rule import Rule
from core.rules.format.snippets import Snippet
from core.rules.matching.call import PATH, CallText
from core.rules.matching.tables import READ, ErrorPattern, Tables, search_each
from core.rules.matching.terms import shares, stem, terms

_DECIMALS, _MOST_DECIMALS = 2, 4
"""Decimals; scores are kept to four."""


FULL = 20.0
"""The bm25 score that is full on the scale 0..1."""


def bounded(bm25: float) -> float:
    """A keyword score on the scale 0..1 (REQ-SEM-002)."""
    return min(1.0, max(0.0, bm25) / FULL)


def format_scores(one: float, other: float) -> tuple[str, str]:
    """Format two scores for display next to each other."""
    digits = _digits(one, other)
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def short_of(score: float, line: float) -> str:
    """Return the difference of a score to a higher line, in the displayed precision."""
    digits = _digits(score, line)
    return f"{round(line, digits) - round(score, digits):.{digits}f}"


def _digits(one: float, other: float) -> int:
    return (
        next((n for n in range(_DECIMALS, _MOST_DECIMALS) if f"{one:.{n}f}" != f"{other:.{n}f}"), _MOST_DECIMALS)
        if one != other
        else 2
    )


_FIELDS = (
    ("title", 2.5), ("problem", 2.0), ("root_cause", 1.2), ("solution", 1.0), ("prevention", 0.6), ("category", 0.4),
    ("notes", 0.5), ("project", 0.2),
)  # fmt: skip
_OTHER = 0.5
"""The weight of an unknown field."""
_K1, _B = 1.2, 0.5
_ONE_TERM = 2.2
"""What one term adds at most: that several are shared says more than that a rare one is."""
_OF_CURE = 0.5
"""Weight of a term that only the cure of a rule has (solution, prevention): such a call may well do the right thing."""
LEAST_RULES = 60
"""Fewer rules than this cannot say which words are rare: their idf is taken as if there were so many."""
_PATTERN_WEIGHT, _PATH_WEIGHT, _MAX_TERMS = 0.7, 0.4, 120
_LEAST = 0.05
_MOST_RULES = 600
"""Maximum number of rules of a term, by weight: a word in thousands of rules does not separate them."""


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A term that call and rule share: where in the call it comes from (a field, or a pattern's name), and
    what it adds to the bm25 score."""

    term: str
    source: str
    score: float


@dataclass(frozen=True, slots=True)
class KeywordScore:
    """What the keyword tier says of a rule: bm25 with what its code adds, the same as 0..1, and the hits, the strongest
    first."""

    bm25: float
    score: float
    hits: tuple[KeywordHit, ...]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term of a call with its weight and where it is from; `share`: how much of what it says is its own."""

    term: str
    weight: float
    source: str
    share: float = 1.0

    def adds(self, gain: float, part: float) -> float:
        """What it adds to the score of a rule in which it says so much, and this part of it counts."""
        return self.share * part * min(_ONE_TERM, self.weight * gain)


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a call, the strongest first; the names of the patterns that match it, where in its text for patterns
    each does, and the rules that those name outright; and the patterns of the user that were not tried to their end."""

    terms: tuple[QueryTerm, ...]
    patterns: tuple[str, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    named: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


def query_terms(call: CallText, tables: Tables) -> QueryTerms:
    """What a call is looked up by in the index."""
    found: dict[str, QueryTerm] = {}

    def take(term: str, weight: float, source: str, share: float = 1.0) -> None:
        known = found.get(term)
        if known is None or known.weight * known.share < weight * share:
            found[term] = QueryTerm(term, weight, source, share)

    for part in call.parts:
        text = part.text
        if part.name == "command":
            for term, share in shares(" ".join(PATH.findall(text)), tables.glossary).items():
                take(term, _PATH_WEIGHT, "path", share)
            text = PATH.sub(" ", text)
        for term, share in shares(text, tables.glossary).items():
            take(term, part.weight, part.name, share)
    matched, late = _patterns_in(call, tables) if call.act != "look" else ((), ())
    for pattern, _ in matched:
        for word in pattern.terms:
            take(stem(word), _PATTERN_WEIGHT, f"pattern {pattern.name}")
    strongest = sorted(found.values(), key=lambda one: -one.weight * one.share)
    return QueryTerms(
        tuple(strongest),
        tuple(one.name for one, _ in matched),
        tuple(place for _, place in matched),
        tuple(rule for one, _ in matched for rule in one.rules),
        tuple(one.name for one in late),
    )


_Found = tuple[ErrorPattern, tuple[int, int]]
"""A pattern and where it is in the text."""


def _patterns_in(call: CallText, tables: Tables) -> tuple[Sequence[_Found], Sequence[ErrorPattern]]:
    """The patterns that match a call, each with the place, and those that had no time."""
    text = call.pattern_text[:READ]
    folded = text.casefold()
    fitting = [
        one
        for one in tables.error_patterns
        if (not one.tools or call.tool in one.tools)
        and (not one.languages or one.languages & call.languages)
        and one.may_match(folded)
    ]
    slow = [one for one in fitting if not one.quick]
    found = search_each(tuple(one.match.pattern for one in slow), text) if slow else ()
    places = {one.name: place for one, place in zip(slow, found, strict=False)}
    matched: list[_Found] = []
    for one in fitting:
        place = _span(one.match.search(text)) if one.quick else places.get(one.name)
        if place is not None:
            matched.append((one, place))
    return matched, slow[len(found) :]


def _span(found: re.Match[str] | None) -> tuple[int, int] | None:
    return None if found is None else found.span()


@dataclass(frozen=True, slots=True)
class KeywordIndex:
    """The rules by their terms; built once for a list of rules, by `keyword_index`. `postings` holds for each term the
    places of rules with what it adds to their score, and which part of that counts, the highest first."""

    size: int
    postings: Mapping[str, Sequence[tuple[int, float, float]]]

    def scores(self, terms: Iterable[QueryTerm], most: int | None = None) -> dict[int, KeywordScore]:
        """The rules (by place in the list) that share a term with the call; with `most`, only the best."""
        known = self._indexed_terms(terms)
        sums: dict[int, float] = {}
        for one in known:
            weight, share = one.weight, one.share
            for at, gain, part in self.postings[one.term]:
                sums[at] = sums.get(at, 0.0) + share * part * min(_ONE_TERM, weight * gain)
        kept = sums if most is None or len(sums) <= most else heapq.nlargest(most, sums, key=lambda at: (sums[at], -at))
        hits = self._hits(known, frozenset(kept))
        return {at: KeywordScore(sums[at], bounded(sums[at]), tuple(hits.get(at, ()))) for at in kept}

    def one(self, terms: Iterable[QueryTerm], at: int) -> KeywordScore:
        """What `scores` says of one rule, with every hit there is."""
        known = self._indexed_terms(terms)
        hits = tuple(self._hits(known, frozenset((at,))).get(at, ()))
        whole = sum(one.adds(gain, part) for one in known for to, gain, part in self.postings[one.term] if to == at)
        return KeywordScore(whole, bounded(whole), hits)

    def _indexed_terms(self, terms: Iterable[QueryTerm]) -> list[QueryTerm]:
        """The terms that any rule has; of very many those that say most."""
        known = [one for one in terms if one.term in self.postings]
        if len(known) <= _MAX_TERMS:
            return known
        return heapq.nlargest(_MAX_TERMS, known, key=lambda one: one.adds(*self.postings[one.term][0][1:]))

    def _hits(self, known: Sequence[QueryTerm], kept: frozenset[int]) -> dict[int, list[KeywordHit]]:
        hits: dict[int, list[KeywordHit]] = {}
        for one in known:
            for at, gain, part in self.postings[one.term]:
                if at in kept:
                    found = KeywordHit(one.term, one.source, round(one.adds(gain, part), 4))
                    hits.setdefault(at, []).append(found)
        for found in hits.values():
            found.sort(key=lambda hit: (-hit.score, hit.term))
        return hits


def with_code(score: KeywordScore, best: tuple[Snippet, float] | None) -> KeywordScore:
    """Return the score with the points of the rule's own code in the call (`likest`)."""
    if best is None or best[1] < _LEAST:
        return score
    snippet, more = best
    hits = (KeywordHit(snippet.text, "code", round(more, 4)), *score.hits)
    whole = score.bm25 + more
    return KeywordScore(
        whole, max(score.score, bounded(whole)), tuple(sorted(hits, key=lambda hit: (-hit.score, hit.term)))
    )


def keyword_index(rules: Sequence[Rule], glossary: Mapping[str, str]) -> KeywordIndex:
    read = [_read(rule, glossary) for rule in rules]
    lengths: list[float] = []
    found: dict[str, list[tuple[int, float]]] = {}
    for at, rule in enumerate(rules):
        counts = _counts(rule, read[at], glossary)
        lengths.append(sum(counts.values()))
        for term, count in counts.items():
            if (places := found.get(term)) is None:
                found[term] = [(at, count)]
            else:
                places.append((at, count))
    return KeywordIndex(len(rules), _Postings(rules, read, lengths, found))


class _Postings(Mapping[str, Sequence[tuple[int, float, float]]]):
    """What each term says of its rules, reckoned when it is first asked for: a call asks of few, and terms are many."""

    def __init__(
        self,
        rules: Sequence[Rule],
        read: Sequence[Mapping[str, Sequence[str]]],
        lengths: Sequence[float],
        found: Mapping[str, Sequence[tuple[int, float]]],
    ) -> None:
        self._rules, self._read, self._lengths, self._found = rules, read, lengths, found
        self._mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._known: dict[str, tuple[tuple[int, float, float], ...]] = {}
        self._cures: dict[int, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __contains__(self, term: object) -> bool:
        return term in self._found

    def __getitem__(self, term: str) -> tuple[tuple[int, float, float], ...]:
        if term not in self._known:
            places = self._found[term]
            rare = _idf(len(places), len(self._rules))
            made = [self._posting(term, at, count, rare) for at, count in places]
            self._known[term] = tuple(sorted(made, key=lambda one: (-one[1] * one[2], one[0]))[:_MOST_RULES])
        return self._known[term]

    def _posting(self, term: str, at: int, count: float, rare: float) -> tuple[int, float, float]:
        norm = _K1 * (1 - _B + _B * self._lengths[at] / self._mean)
        if at not in self._cures:
            self._cures[at] = _of_cure(self._rules[at], self._read[at])
        return at, (_K1 + 1) * count / (count + norm) * rare, _OF_CURE if term in self._cures[at] else 1.0


def _read(rule: Rule, glossary: Mapping[str, str]) -> dict[str, list[str]]:
    """The terms of each field."""
    return {name: terms(getattr(rule, name), glossary) for name, _ in _FIELDS}


def _counts(rule: Rule, terms_of: Mapping[str, Sequence[str]], glossary: Mapping[str, str]) -> dict[str, float]:
    counts: dict[str, float] = {}
    own = ((terms_of[name], weight) for name, weight in _FIELDS)
    for found, weight in (*own, *((terms(text, glossary), _OTHER) for text in rule.extra.values())):
        for term in found:
            counts[term] = counts.get(term, 0.0) + weight
    return counts


def _of_cure(rule: Rule, terms_of: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the terms of only solution and prevention; none if no other field describes the mistake."""
    if not rule.problem.strip() and not rule.root_cause.strip():
        return frozenset()
    stated = frozenset((*terms_of["title"], *terms_of["problem"], *terms_of["root_cause"]))
    return frozenset((*terms_of["solution"], *terms_of["prevention"])) - stated


def _idf(count: int, size: int) -> float:
    """Return the weight of a term: low if many rules have it."""
    return math.log(1 + (max(size, LEAST_RULES) - count + 0.5) / (count + 0.5))
