"""Where nothing answers: the cases that hold every word of what was asked. To look at, never an answer (decision 3)."""

from __future__ import annotations

from typing import cast

from core.errors.answer import Query
from core.errors.tiers import Looked, text_hit
from core.lexical.query import match_query
from core.store import Store
from core.trace import Step, Stopwatch, facts

SHOWN = 3


def by_words(store: Store, query: Query) -> Looked:
    """The three cases that say the words most; raises apsw errors of the store."""
    watch = Stopwatch()
    asked = match_query(query.key_line or query.normalized, prefix_last=False)
    rows: list[tuple[int]] = []
    if asked is not None:
        sql = "SELECT rowid FROM case_fts WHERE case_fts MATCH ? ORDER BY bm25(case_fts, 8.0, 1.0, 3.0, 1.0) LIMIT ?"
        rows = cast("list[tuple[int]]", store.con.execute(sql, (asked, SHOWN)).fetchall())
    hits = tuple(text_hit(store.con, case_id) for (case_id,) in rows)
    told = facts(cases=" ".join(str(hit.id) for hit in hits) or None)
    reason = "these hold every word: none of them answers" if hits else "no case holds every word"
    return Looked(None, hits, None, Step("words", "rejected" if hits else "miss", reason, told, elapsed_ms=watch.ms()))
