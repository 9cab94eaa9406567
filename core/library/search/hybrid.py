"""Hybrid search: reciprocal rank fusion of the lexical and the vector list (kebab-frozen-design 2.2, decision 19).

A fused score is normalised so that first in both lists is 1.0 and first in one list alone is 0.5. It orders hits and is
no confidence: a chunk that is first in one list scores 0.5 however badly it fits.

Fused by ranks alone, the best of a hundred passages that share one common word with the question would rank as high as
the passage that means the same. So a passage that has less than `COVER` of the question's weight (its words, weighted
by how rare they are) ranks behind all that have more, and behind `BEHIND` ranks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.base.trace import Fact, Outcome, Step, Stopwatch, facts
from core.lexical import quoted
from core.library.search.hit import SearchHit, shown_score
from core.library.search.lexical import LexicalQuery, Ranked
from core.library.search.rows import how_many

_BY = {"lexical": "its words", "vector": "its meaning", "hybrid": "words and meaning"}
K: Final = 60
"""The constant of the formula (`search.rrf_k`): how little the difference between high ranks counts."""

COVER: Final = 0.6
"""The share of the question's weight; on labelled questions anything from 0.5 to 0.8 does as well."""
BEHIND: Final = 10_000
"""Ranks between the passages that hold enough and the others: enough to make these fill up and never decide."""
FAN: Final = 50
"""Hits of each list that are fused, whatever the page: a longer list could change the order of what was shown."""

# In one walk over all that match: to seek each of the fifty opens the index fifty times.
_HELD: Final = """SELECT count(*), json_group_array(rowid) FILTER (WHERE rowid IN (SELECT value FROM json_each(?)))
  FROM chunks_fts WHERE chunks_fts MATCH ?"""


@dataclass(frozen=True, slots=True)
class Fused:
    """One item, its fused score in (0, 1], and its rank (from 1) in each list, None where it is in none."""

    item: int
    score: float
    lexical_rank: int | None
    vector_rank: int | None


Ranking = Sequence[int] | Mapping[int, int]
"""Items, best first; or items with their ranks (from 1), where not every rank is taken."""


def fuse(lexical: Ranking, vector: Ranking, k: int = K) -> list[Fused]:
    """Both rankings as one, best first; equal scores by the better lexical rank, then the better vector rank.

    An item that stands twice in a list counts where it stands first.
    """
    ranks = _ranks(lexical), _ranks(vector)
    top = 2 / (k + 1)
    found: list[Fused] = []
    for item in dict.fromkeys((*ranks[0], *ranks[1])):
        places = tuple(one.get(item) for one in ranks)
        raw = sum(1 / (k + rank) for rank in places if rank is not None)
        found.append(Fused(item, raw / top, *places))
    last = max((*ranks[0].values(), *ranks[1].values()), default=0) + 1
    return sorted(found, key=lambda one: (-one.score, one.lexical_rank or last, one.vector_rank or last))


def _ranks(items: Ranking) -> Mapping[int, int]:
    if isinstance(items, Mapping):
        return items
    return {item: rank for rank, item in enumerate(dict.fromkeys(items), 1)}


@dataclass(frozen=True, slots=True)
class Weighed:
    """How much of the question each chunk holds, 0 to 1."""

    shares: dict[int, float]

    def enough(self, item: int) -> bool:
        """Whether its words count beside meaning."""
        return self.shares.get(item, 0.0) >= COVER


def weighed(con: apsw.Connection, query: LexicalQuery, items: Sequence[int]) -> Weighed:
    """The share of the question's weight that each of these chunks holds. Raises apsw errors."""
    total = how_many(con)
    ids = json.dumps(list(items))
    shares = dict.fromkeys(items, 0.0)
    weights = 0.0
    for term in query.terms:
        match = " OR ".join(quoted(form) for form in (*term.forms, *term.pieces))
        seen, held = cast("tuple[int, str]", con.execute(_HELD, (ids, match)).fetchone())
        weight = math.log(1 + total / (1 + seen))
        weights += weight
        for item in cast("list[int]", json.loads(held)):
            shares[item] += weight
    return Weighed({item: share / weights if weights else 0.0 for item, share in shares.items()})


def unread(con: apsw.Connection, items: Sequence[int]) -> frozenset[int]:
    """Those of these chunks that have no vector yet: meaning cannot speak for them. Raises apsw errors."""
    rows = con.execute(
        "SELECT value FROM json_each(?) WHERE NOT EXISTS"
        " (SELECT 1 FROM vector WHERE kind = 'chunk' AND item_id = value)",
        (json.dumps(list(items)),),
    ).fetchall()
    return frozenset(cast("int", row[0]) for row in rows)


def hybrid(con: apsw.Connection, query: LexicalQuery, words: Ranked, near: Ranked) -> tuple[list[Fused], Step]:
    """Both lists as one, best first, and how it came about. Raises apsw errors."""
    watch = Stopwatch()
    known = weighed(con, query, words.ids)
    alone = unread(con, words.ids)
    ranks: dict[int, int] = {}
    behind = BEHIND
    for item in words.ids:
        if known.enough(item) or item in alone:
            ranks[item] = len(ranks) + 1
    counted = len(ranks)
    for item in words.ids:
        if item not in ranks:
            behind += 1
            ranks[item] = behind
    found = fuse(ranks, near.ids)
    both = sum(one.lexical_rank is not None and one.vector_rank is not None for one in found)
    told = facts(
        k=K,
        fused=len(found),
        in_both=both,
        words_count=counted,
        words_behind=len(ranks) - counted,
        most_held=round(max(known.shares.values(), default=0.0), 3),
        cover=COVER,
        without_vector=len(alone) or None,
    )
    reason = "reciprocal ranks of both lists"
    if not counted and ranks:
        reason += "; no passage holds enough of the words, so meaning leads"
    outcome: Outcome = "hit" if found else "miss"
    return found, Step("fusion", outcome, reason, told, elapsed_ms=watch.ms())


def why_hit(hit: SearchHit) -> Step:
    """The step that explains one hit: its words, both ranks, the sum."""
    how = hit.retrieval
    steps: list[Step] = []
    if how.method != "vector":
        steps.append(_words(hit))
    if how.method != "lexical":
        steps.append(_meaning(hit))
    if how.method == "hybrid":
        steps.append(_fusion(hit))
    reason = f"number {hit.rank} of the hits, by {_BY[how.method]}"
    shown = round(shown_score(hit), 2) if hit.score_kind == "bm25" else None
    told = facts(score=round(hit.score, 4), kind=hit.score_kind, shown_as=shown, passage=hit.chunk_id)
    stale = facts(
        chunker=hit.chunker_version, read=hit.indexed_at, stale="read longer than 30 days ago" if hit.stale else None
    )
    return Step("this hit", "hit", reason, (*told, *stale), tuple(steps))


def _words(hit: SearchHit) -> Step:
    how = hit.retrieval
    told: dict[str, Fact] = {"has": ", ".join(hit.words) or None, "lacks": ", ".join(hit.missing) or None}
    if how.lexical_rank is None or how.lexical_score is None:
        return Step("words", "miss", "not in the list of the words", facts(told))
    outcome: Outcome = "hit"
    reason = f"rank {how.lexical_rank:,} of the words' list"
    if how.lexical_rank > BEHIND:
        outcome, reason = "rejected", f"holds less than {COVER:.0%} of what the question weighs: it stands behind"
    return Step("words", outcome, reason, facts(told, bm25=round(how.lexical_score, 3)))


def _meaning(hit: SearchHit) -> Step:
    how = hit.retrieval
    if how.vector_rank is None or how.vector_score is None:
        return Step("meaning", "miss", "not among the nearest by meaning")
    told = facts(cosine=round(how.vector_score, 4), model=hit.embedding_model)
    return Step("meaning", "hit", f"rank {how.vector_rank:,} of the nearest", told)


def _fusion(hit: SearchHit) -> Step:
    """`(1/(60+3) + 1/(60+1)) / (2/61) = 0.98`: first in both lists is 1, in one alone 0.5."""
    how = hit.retrieval
    ranks = [rank for rank in (how.lexical_rank, how.vector_rank) if rank is not None]
    terms = " + ".join(f"1/({K}+{rank})" for rank in ranks)
    return Step("fusion", "hit", f"({terms}) / (2/{K + 1}) = {how.fusion_score or 0:.4f}", facts(k=K))
