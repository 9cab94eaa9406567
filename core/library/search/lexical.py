"""Passages by their words: FTS5, bm25, filters inside the query, an order that does not change from run to run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.base.trace import Step, Stopwatch, facts
from core.library.search.lexical_query import LexicalQuery

WEIGHTS: Final = (2.0, 1.0, 0.5)
"""What a word counts in the headings, in the text, and as a piece (stem, part of a name, Hangul bigram)."""
_TIES: Final = 64
"""Further rows read, so that equal scores at the border are put in order too; eight times as many, and again, where all
of them are equal."""
_MOST_TIES: Final = 30_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks (`chunks.id`) with their scores, best first, and the step that tells how they were found."""

    items: tuple[tuple[int, float], ...]
    step: Step

    @property
    def ids(self) -> list[int]:
        """The chunks alone."""
        return [item for item, _ in self.items]


def lexical_search(con: apsw.Connection, query: LexicalQuery, documents: tuple[str, ...] | None, limit: int) -> Ranked:
    """The best `limit` chunks with any word of the query, in `documents` (None: in all), with bm25 (0 and up).

    Equal scores are ordered by path and position. Raises apsw errors.
    """
    watch = Stopwatch()
    words = facts(words=" ".join(term.word for term in query.terms), left_out=" ".join(query.dropped) or None)
    if query.match is None:
        return Ranked((), Step("lexical", "skipped", "there is no word in the query", words, elapsed_ms=watch.ms()))
    rows = _with_ties(con, query.match, documents, limit)
    items = tuple((item, max(0.0, -score)) for item, score in in_order(con, rows)[:limit])
    told = facts(dict(words), match=query.match[:2000], found=len(items), best=round(items[0][1], 3) if items else None)
    reason = "any of the words, by bm25" if items else "none of the words is in any passage"
    return Ranked(items, Step("lexical", "hit" if items else "miss", reason, told, elapsed_ms=watch.ms()))


def _with_ties(
    con: apsw.Connection, match: str, documents: tuple[str, ...] | None, limit: int
) -> list[tuple[int, float]]:
    ties = _TIES
    while True:
        rows = _rows(con, match, documents, limit + ties)
        if len(rows) < limit + ties or rows[limit - 1][1] != rows[-1][1] or ties > _MOST_TIES:
            return rows
        ties *= 8


def _rows(con: apsw.Connection, match: str, documents: tuple[str, ...] | None, limit: int) -> list[tuple[int, float]]:
    ranked = f"bm25(chunks_fts, {', '.join(map(str, WEIGHTS))})"
    if documents is None:
        sql = f"SELECT rowid, {ranked} AS score FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY score LIMIT ?"
        return cast("list[tuple[int, float]]", con.execute(sql, (match, limit)).fetchall())
    # CROSS: the index of words leads and each passage it finds is tested, so that `limit` come if there are as many.
    sql = (
        f"SELECT chunks_fts.rowid, {ranked} AS score FROM chunks_fts CROSS JOIN chunks c ON c.id = chunks_fts.rowid"
        " WHERE chunks_fts MATCH ? AND c.doc_id IN (SELECT value FROM json_each(?)) ORDER BY score LIMIT ?"
    )
    return cast("list[tuple[int, float]]", con.execute(sql, (match, json.dumps(documents), limit)).fetchall())


def in_order(con: apsw.Connection, rows: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Chunks by a score of which less is better, then by path and position: what was read in first must not decide."""
    if len({score for _, score in rows}) == len(rows):
        return rows
    places = cast(
        "list[tuple[int, str, int]]",
        con.execute(
            "SELECT c.id, d.workspace_path, c.position FROM json_each(?) CROSS JOIN chunks c ON c.id = value"
            " JOIN documents d ON d.doc_id = c.doc_id",
            (json.dumps([item for item, _ in rows]),),
        ).fetchall(),
    )
    where = {item: (path, position) for item, path, position in places}
    return sorted(rows, key=lambda row: (row[1], where.get(row[0], ("", 0))))
