"""Which of the words' hits count beside meaning: those that hold most of what the question weighs.

Fused by ranks alone, the best of a hundred passages that share one common word with the question would stand as high as
the passage that means the same. So a passage that holds less than `COVER` of the question's weight (its words, weighed
by how rare they are) stands behind all that hold more, and behind `BEHIND` ranks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.base.trace import Outcome, Step, Stopwatch, facts
from core.lexical.query import quoted
from core.library.search.fusion import Fused, K, fuse
from core.library.search.lexical import Ranked
from core.library.search.lexical_query import LexicalQuery
from core.library.search.rows import how_many

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
