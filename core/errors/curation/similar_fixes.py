"""Cases that might have the same fix: offered while one is written, never applied by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import apsw

from core.errors.cases.case import CaseStatus
from core.errors.curation.optimistic_lock import Seen, look
from core.errors.curation.triage import WAITING
from core.errors.identity.codes import codes_differ
from core.lexical import any_of, bigrams, terms
from core.store import Store, faults
from core.text import words

if TYPE_CHECKING:
    from core.embedding.index.binary_index import KeptBits

SHOWN = 8
WORDS = 6
"""Words of the case that are asked for: its rarest."""
COMMON = 5_000
"""A word that more cases have says little, and would make the index walk long."""
LOOKED_AT = 60
ENOUGH = 0.5
"""Shared words (of both together) from which a case is offered."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case that waits and is alike. `shared`: the words both have; `score`: their share, or the cosine, 0..1.

    `by`: whether its words or its meaning say so.

    `seen` is what an act on it needs: `edit(store, actor, [seen, …], written)` applies one fix to several cases.
    """

    id: int
    key_line: str
    status: CaseStatus
    count: int
    shared: tuple[str, ...]
    score: float
    seen: Seen
    by: Literal["words", "meaning"] = "words"


def apply_to_these(
    store: Store, case_id: int, kept: KeptBits | None = None, most: int = SHOWN
) -> tuple[Candidate, ...]:
    """The waiting cases that one fix may be for: those that read alike, then those that mean the same.

    By meaning only from the bar of an answer on, with the vectors that are kept: no model is loaded. `kept` is for a
    process that asks again and again. Raises Fault where the store cannot be read.
    """
    with faults(store.path):
        worded = apply_also(store.con, case_id, most)
        meant = _meant(store, case_id, kept, frozenset((case_id, *(one.id for one in worded))))
    return (*worded, *meant)[:most]


def _meant(store: Store, case_id: int, kept: KeptBits | None, known: frozenset[int]) -> list[Candidate]:
    from core.embedding.index.state import read_state
    from core.embedding.models.models import bars_of_stored
    from core.errors.retrieval.cases_like import cases_like

    con, state = store.con, read_state(store.con, "error")
    bars = None if state is None else bars_of_stored(state.model, state.recipe)
    if bars is None:
        return []
    rows = con.execute("SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT 8", (case_id,)).fetchall()
    (many,) = con.execute("SELECT coalesce(max(id), 1) FROM error_kb").fetchone() or (1,)
    bar = bars.high_at(int(many))
    near = cases_like(store, case_id, kept)
    found: list[Candidate] = []
    for like in near.cases if near.by == "meaning" else ():
        row = like.row
        waits = row.status in ("unresolved", "draft") and row.id not in known
        if waits and like.similarity >= bar and not all(codes_differ(str(line), row.key_line) for (line,) in rows):
            seen = look(con, row.id)
            found.append(
                Candidate(row.id, row.key_line, row.status, row.seen, like.shared, like.similarity, seen, "meaning")
            )
    return found


def apply_also(con: apsw.Connection, case_id: int, most: int = SHOWN) -> tuple[Candidate, ...]:
    """The waiting cases that read most like this one, best first. A case whose codes differ is none of them."""
    named = con.execute(
        "SELECT key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen, fingerprint LIMIT 8", (case_id,)
    ).fetchall()
    lines = [cast("str", row[0]) for row in named]
    asked = any_of(_rarest(con, " ".join(lines)))
    if not lines or asked is None:
        return ()
    rows = con.execute(
        "SELECT case_fts.rowid, s.status, s.seen, coalesce((SELECT key_line FROM fingerprint f"
        "   WHERE f.case_id = case_fts.rowid ORDER BY first_seen, fingerprint LIMIT 1), '')"
        " FROM case_fts CROSS JOIN case_state s ON s.case_id = case_fts.rowid"
        f" WHERE case_fts MATCH ? AND s.{WAITING} AND s.case_id <> ? ORDER BY"
        " bm25(case_fts, 8.0, 0.0, 0.0, 4.0) LIMIT ?",
        (asked, case_id, LOOKED_AT),
    ).fetchall()
    found: list[tuple[float, int, int, CaseStatus, str, tuple[str, ...]]] = []
    for other, status, count, line in cast("list[tuple[int, CaseStatus, int, str]]", rows):
        score, shared = max((alike(own, line) for own in lines), key=lambda pair: pair[0])
        if score >= ENOUGH:
            found.append((-score, -count, other, status, line, shared))
    return tuple(
        Candidate(other, line, status, -count, shared, round(-score, 3), look(con, other))
        for score, count, other, status, line, shared in sorted(found)[:most]
    )


def alike(ours: str, theirs: str) -> tuple[float, tuple[str, ...]]:
    """The share of words, Hangul by its bigrams, that two key lines have in common, and which."""
    if codes_differ(ours, theirs):
        return 0.0, ()
    left, right = _parts(ours), _parts(theirs)
    if not left or not right:
        return 0.0, ()
    shared = tuple(word for word in dict.fromkeys(words(ours)) if word in set(words(theirs)))
    return len(left & right) / len(left | right), shared


def _parts(line: str) -> frozenset[str]:
    return frozenset((*words(line), *bigrams(line).split()))


def _rarest(con: apsw.Connection, text: str) -> tuple[str, ...]:
    """The rarest words that other cases have too."""
    known: list[tuple[int, str]] = []
    content = frozenset(words(text))
    for term in terms(text):
        row = con.execute("SELECT doc FROM case_term WHERE term = ?", (term,)).fetchone()
        if row is not None and term in content and 1 < cast("int", row[0]) <= COMMON:
            known.append((cast("int", row[0]), term))
        elif not term.isascii():  # Korean glues particles to words: its bigrams find it
            known.append((COMMON, term))
    return tuple(term for _, term in sorted(known)[:WORDS])
