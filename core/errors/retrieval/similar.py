"""Similar cases: shown beside an answer or without one, never an answer and never counted (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

import apsw

from core.errors.fixes.evidence import AUTHOR, worth_of
from core.errors.retrieval.answer import Similar
from core.errors.retrieval.embed_text import embed_text
from core.errors.retrieval.neighbours import Neighbour
from core.lexical import any_of, bigrams
from core.text import words

SHOWN: Final = 3
BELOW: Final = 0.2
"""How far the likeness of a case that is shown may lie below the model's bar for its meaning alone."""
ALIKE: Final = 0.5
"""Share of common words from which two cases say the same: only the better one is shown while there are others."""
_PIECES = 12
_WORDS = 8


def similar_cases(
    con: apsw.Connection, near: Sequence[Neighbour], bar: float, match: Neighbour | None = None
) -> tuple[Similar, ...]:
    """The up to three of `near` that are most alike, apart from the `match`, and no two that say the same.

    `bar` is the model's for a cosine that says something alone; words, codes and kinds of failure carry one below it.
    """
    ordered = sorted(near, key=lambda one: (-one.likeness, one.id))
    others = [one for one in ordered if match is None or one.id != match.id]
    shown = _unlike([one for one in others if one.likeness >= bar - BELOW], [] if match is None else [match])
    return tuple(_similar(con, one.id, one.similarity) for one in shown)


def _unlike(ordered: Sequence[Neighbour], before: Sequence[Neighbour]) -> list[Neighbour]:
    """The first of each kind, up to three; of the others only as many as are left to fill up.

    A large base has the same sentence with many names: three of those tell no more than one.
    """
    known = [_words_of(one) for one in before]
    chosen, left = list[Neighbour](), list[Neighbour]()
    for one in ordered:
        mine = _words_of(one)
        if any(_share(mine, other) >= ALIKE for other in known):
            left.append(one)
            continue
        known.append(mine)
        chosen.append(one)
        if len(chosen) == SHOWN:
            break
    return [*chosen, *left[: SHOWN - len(chosen)]]


def _words_of(one: Neighbour) -> frozenset[str]:
    return frozenset(words(embed_text(one.key_line)))


def _share(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return len(ours & theirs) / max(1, len(ours | theirs))


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
    row = con.execute(
        "SELECT error_normalized, resolution, (SELECT original FROM resolution r WHERE r.case_id = e.id"
        "   AND r.text = e.resolution AND r.author = ? AND r.status = 'draft' ORDER BY r.id DESC LIMIT 1)"
        " FROM error_kb e WHERE id = ?",
        (AUTHOR, case_id),
    ).fetchone()
    normalized, resolution, original = cast("tuple[str, str | None, str | None]", row)
    worth = worth_of(AUTHOR, "draft", original)
    return Similar(case_id, round(max(0.0, min(1.0, similarity)), 4), normalized, resolution, worth)
