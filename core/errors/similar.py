"""Similar cases: shown beside an answer or without one, never an answer and never counted (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

import apsw

from core.errors.answer import Similar
from core.errors.neighbours import Neighbour
from core.lexical import any_of, bigrams
from core.text import words

SHOWN: Final = 3
RARE: Final = 0.6
"""Below the model's bar a case is shown only for its words: what they must weigh, in words that no other case has."""
_PIECES = 12
_WORDS = 8


def similar_cases(con: apsw.Connection, near: Sequence[Neighbour], bar: float) -> tuple[Similar, ...]:
    """The best of `near`, up to three: from the cosine `bar` on by meaning, below it where rare words are shared."""
    shown = [one for one in near if one.similarity >= bar or one.rare >= RARE][:SHOWN]
    return tuple(_similar(con, one.id, one.similarity) for one in shown)


def similar_by_words(con: apsw.Connection, line: str) -> tuple[Similar, ...]:
    """Where no model can read the text: bm25 over its words and Hangul bigrams. `similarity` is their share, 0..1."""
    ours = _pieces(line)
    match = any_of(dict.fromkeys(words(line)[:_PIECES]))
    if match is None or not ours:
        return ()
    rows = con.execute(
        "SELECT case_fts.rowid, (SELECT key_line FROM fingerprint f WHERE f.case_id = case_fts.rowid"
        "   ORDER BY first_seen, fingerprint LIMIT 1)"
        " FROM case_fts WHERE case_fts MATCH ? AND EXISTS (SELECT 1 FROM answer_key WHERE case_id = case_fts.rowid)"
        " ORDER BY bm25(case_fts, 8.0, 0.0, 0.0, 8.0) LIMIT ?",
        (match, SHOWN * _PIECES),
    ).fetchall()
    found: list[tuple[float, int]] = []
    for case_id, theirs in cast("list[tuple[int, str | None]]", rows):
        pieces = _pieces(theirs or "")
        found.append((len(ours & pieces) / len(ours | pieces), case_id))
    best = sorted(found, key=lambda pair: (-pair[0], pair[1]))[:SHOWN]
    return tuple(_similar(con, case_id, share) for share, case_id in best if share > 0)


def _pieces(line: str) -> frozenset[str]:
    return frozenset((*words(line), *bigrams(line).split()))


def _similar(con: apsw.Connection, case_id: int, similarity: float) -> Similar:
    row = con.execute("SELECT error_normalized, resolution FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    normalized, resolution = cast("tuple[str, str | None]", row)
    return Similar(case_id, round(max(0.0, min(1.0, similarity)), 4), normalized, resolution)
