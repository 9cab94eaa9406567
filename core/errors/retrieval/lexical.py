"""Where nothing answers: the cases that hold every word of what was asked. To look at, never an answer (decision 3)."""

from __future__ import annotations

from typing import cast

from core.base.trace import Step, Stopwatch
from core.errors.retrieval.answer import Query
from core.errors.retrieval.tiers import Looked, text_hit
from core.lexical.query import match_query, terms
from core.store import Store

SHOWN = 3


def by_words(store: Store, query: Query) -> Looked:
    """The three cases that say the words most; raises apsw errors of the store."""
    watch = Stopwatch()
    text = query.key_line or query.normalized
    asked = match_query(text, prefix_last=False)
    rows: list[tuple[int]] = []
    if asked is not None:
        sql = "SELECT rowid FROM case_fts WHERE case_fts MATCH ? ORDER BY bm25(case_fts, 8.0, 1.0, 3.0, 1.0) LIMIT ?"
        rows = cast("list[tuple[int]]", store.con.execute(sql, (asked, SHOWN)).fetchall())
    if not rows:
        return Looked(None, (), None, Step("words", "miss", "no case holds every word", elapsed_ms=watch.ms()))
    from core.errors.cases.derived import own_titles  # what finds nothing need not load what says where it is
    from core.errors.retrieval.match_location import Asked, worded, words_step

    own, these = own_titles(store.con, [case_id for (case_id,) in rows]), Asked(terms(text))
    hits = tuple(text_hit(store.con, one, worded(store.con, one, own.get(one), these)) for (one,) in rows)
    return Looked(None, hits, None, words_step(hits, "these hold every word: none of them answers", watch.ms()))
