"""The keyword tier: bm25 over rules, with the places of each term that both sides have, bounded to 0..1."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.rules import languages
from core.rules.call import PATH, CallText
from core.rules.rule import Rule
from core.rules.tables import READ, Tables
from core.rules.terms import stem, terms

_FIELDS = (
    ("title", 2.0), ("problem", 1.5), ("solution", 1.0), ("root_cause", 0.7), ("prevention", 0.6), ("category", 0.4),
    ("notes", 0.5), ("project", 0.2),
)  # fmt: skip
_K1, _B = 1.2, 0.5
_HALF = 6.0
"""The bm25 score that becomes 0.5 on the scale 0..1."""
LEAST_RULES = 30
"""Fewer rules than this cannot say which words are rare: their idf is taken as if there were so many."""
_TOOL_WEIGHT, _PATTERN_WEIGHT, _PATH_WEIGHT, _MAX_TERMS = 0.25, 0.8, 0.4, 240


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A term that call and rule share: where in the call it comes from (a field, `tool`, or a pattern's name), and what
    it adds to the bm25 score."""

    term: str
    source: str
    score: float


@dataclass(frozen=True, slots=True)
class KeywordScore:
    """What the keyword tier says of a rule: bm25, the same as 0..1, and the hits, the strongest first."""

    bm25: float
    score: float
    hits: tuple[KeywordHit, ...]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term of a call with its weight and where it is from."""

    term: str
    weight: float
    source: str


def query_terms(call: CallText, tables: Tables) -> tuple[tuple[QueryTerm, ...], tuple[str, ...], tuple[str, ...]]:
    """The terms of a call, the names of the patterns that match it, and the rules that those name outright."""
    found: dict[str, QueryTerm] = {}

    def take(term: str, weight: float, source: str) -> None:
        known = found.get(term)
        if known is None or known.weight < weight:
            found[term] = QueryTerm(term, weight, source)

    for part in call.parts:
        said = part.text
        if part.name == "command":
            for term in terms(" ".join(PATH.findall(said)), tables.glossary):
                take(term, _PATH_WEIGHT, "path")
            said = PATH.sub(" ", said)
        for term in terms(said, tables.glossary):
            take(term, part.weight, part.name)
    for language in call.languages:
        for word in (language, languages.TITLES.get(language, language)):
            take(stem(word.casefold()), 0.4, "language")
    for word in tables.tool_keywords.get(call.tool, ()):
        take(stem(word.casefold()), _TOOL_WEIGHT, "tool")
    text = call.pattern_text[:READ]
    matched: list[str] = []
    named: list[str] = []
    if call.act != "look":
        for pattern in tables.error_patterns:
            if pattern.tools and call.tool not in pattern.tools:
                continue
            if pattern.languages and not pattern.languages & call.languages:
                continue
            if pattern.match.search(text):
                matched.append(pattern.name)
                named.extend(pattern.rules)
                for word in pattern.terms:
                    take(stem(word), _PATTERN_WEIGHT, f"pattern {pattern.name}")
    strongest = sorted(found.values(), key=lambda one: -one.weight)
    return tuple(strongest), tuple(matched), tuple(named)


@dataclass(slots=True)
class KeywordIndex:
    """The rules by their terms, in memory; built once for a list of rules, by `keyword_index`."""

    size: int
    postings: dict[str, list[tuple[int, float]]]
    lengths: list[float]
    mean: float
    idf_of: dict[str, float] = field(default_factory=dict[str, float])

    def idf(self, term: str) -> float:
        """How much a term tells: little where many rules have it."""
        known = self.idf_of.get(term)
        if known is None:
            share = len(self.postings.get(term, ())) / max(1, self.size)
            size = max(self.size, LEAST_RULES)
            count = share * size if self.size >= LEAST_RULES else len(self.postings.get(term, ()))
            known = self.idf_of[term] = math.log(1 + (size - count + 0.5) / (count + 0.5))
        return known

    def scores(self, asked: Iterable[QueryTerm], most: int | None = None) -> dict[int, KeywordScore]:
        """The rules (by place in the list) that share a term with the call; with `most`, only the best."""
        known = [one for one in asked if one.term in self.postings]
        if len(known) > _MAX_TERMS:
            known = heapq.nlargest(_MAX_TERMS, known, key=lambda one: one.weight * self.idf(one.term))
        sums: dict[int, float] = {}
        norms = [_K1 * (1 - _B + _B * length / self.mean) for length in self.lengths]
        for one in known:
            gain = one.weight * self.idf(one.term) * (_K1 + 1)
            for at, count in self.postings[one.term]:
                sums[at] = sums.get(at, 0.0) + gain * count / (count + norms[at])
        kept = sums if most is None or len(sums) <= most else heapq.nlargest(most, sums, key=lambda at: (sums[at], -at))
        hits = self._hits(known, frozenset(kept), norms)
        return {at: KeywordScore(sums[at], bounded(sums[at]), tuple(hits.get(at, ()))) for at in kept}

    def _hits(
        self, known: Sequence[QueryTerm], kept: frozenset[int], norms: Sequence[float]
    ) -> dict[int, list[KeywordHit]]:
        hits: dict[int, list[KeywordHit]] = {}
        for one in known:
            gain = one.weight * self.idf(one.term) * (_K1 + 1)
            for at, count in self.postings[one.term]:
                if at in kept:
                    hits.setdefault(at, []).append(
                        KeywordHit(one.term, one.source, round(gain * count / (count + norms[at]), 4))
                    )
        for found in hits.values():
            found.sort(key=lambda hit: (-hit.score, hit.term))
        return hits


def bounded(bm25: float) -> float:
    """A bm25 score on the scale 0..1 (REQ-SEM-002)."""
    return max(0.0, bm25) / (max(0.0, bm25) + _HALF)


def keyword_index(rules: Sequence[Rule], glossary: Mapping[str, str]) -> KeywordIndex:
    """The index over these rules."""
    postings: dict[str, list[tuple[int, float]]] = {}
    lengths: list[float] = []
    for at, rule in enumerate(rules):
        counts: dict[str, float] = {}
        for name, weight in _FIELDS:
            for term in terms(getattr(rule, name), glossary):
                counts[term] = counts.get(term, 0.0) + weight
        for text in rule.extra.values():
            for term in terms(text, glossary):
                counts[term] = counts.get(term, 0.0) + 0.5
        for term, count in counts.items():
            postings.setdefault(term, []).append((at, count))
        lengths.append(sum(counts.values()))
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    return KeywordIndex(len(rules), postings, lengths, mean or 1.0)
